"""The command line as a process of its own: pipes that close, Ctrl-C, what it imports."""

import itertools
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from tests.run.processes import WAIT, until

from eigenparse.corpus.brackets import write_trees
from eigenparse.synthetic import sample_treebank

COMMAND = [sys.executable, "-c", "from eigenparse.cli.main import main; main()"]


def test_a_reader_that_leaves_is_no_error(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text = tmp_path / "many.txt"
    text.write_text("who sleeps ?\n" * 3000)
    process = subprocess.Popen(
        [*COMMAND, "parse", str(model), str(text)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"(TOP ")
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=120) in (0, 1)
    assert "Traceback" not in err


def test_an_interrupted_training_leaves_nothing_half_written(tmp_path: pathlib.Path) -> None:
    write_trees(sample_treebank(3000, 0), tmp_path / "train.ptb")
    out = tmp_path / "out"
    out.mkdir()
    words = ["train", "lpcfg", tmp_path / "train.ptb", "--method", "em", "--em-rounds", 100000, "--states", 2]
    interrupted(signal.SIGINT, *words, "--out", out / "m.model", after=3.0)
    assert list(out.iterdir()) == []


WAITING = (
    "parse MODEL -", "score MODEL -", "perplexity MODEL -", "draw -", "normalise -",
    "train lpcfg - --out OUT", "train rhmm - --out OUT", "train hmm - --out OUT", "convert - --to conllu --out OUT",
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "number"), list(zip(WAITING, itertools.cycle((signal.SIGINT, signal.SIGTERM))))
)
def test_a_signal_ends_the_wait_for_input(
    model: pathlib.Path, tmp_path: pathlib.Path, line: str, number: int
) -> None:
    places = {"MODEL": model, "OUT": tmp_path / "out"}
    interrupted(number, *(places.get(word, word) for word in line.split()))
    assert list(tmp_path.iterdir()) == []


def interrupted(number: int, *words: object, after: float = 0.2) -> None:
    """Send a signal to a command while it works or waits for input; it must end by itself, with a sentence."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored under a background shell
    )
    try:
        until(lambda: catches_sigterm(process.pid), process)
        time.sleep(after)  # it may be anywhere by then
        process.send_signal(number)
        assert process.stderr is not None
        err = process.stderr.read()
        assert process.wait(timeout=WAIT) == 128 + number, err
    finally:
        process.kill()
        process.communicate()
    assert b"Traceback" not in err
    assert b"no incomplete file was left behind" in err


def catches_sigterm(pid: int) -> bool:
    """Whether a process has come so far that it answers signals with a sentence."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return bool(int(status.split("SigCgt:")[1].split()[0], 16) >> (signal.SIGTERM - 1) & 1)


def test_help_is_light() -> None:
    code = (
        "import sys; from eigenparse.cli import main, verbs\n"
        "assert not {'numba', 'scipy', 'sklearn', 'nltk'} & set(sys.modules), 'heavy imports'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_the_end_of_an_import(tmp_path: pathlib.Path, number: int) -> None:
    (tmp_path / "half.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {number})\ntime.sleep(0.1)\nprint('whole')\n"
    )
    program = (
        "import time; from eigenparse.cli.signals import answer_signals; answer_signals()\n"
        "try:\n    import half; time.sleep(60)\n"
        "except BaseException as end: print(type(end).__name__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, capture_output=True, text=True, timeout=WAIT, check=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert run.stdout.split() == ["whole", "KeyboardInterrupt" if number == signal.SIGINT else "SystemExit"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_kernel_that_does_not_return(tmp_path: pathlib.Path, number: int) -> None:
    (tmp_path / "endless.py").write_text(
        "import pathlib, sys\n"
        "from eigenparse.cli.main import last_words\nfrom eigenparse.cli.signals import answer_signals\n"
        "from eigenparse.corpus.files import whole_file\nfrom eigenparse.kernels.compiled import kernel\n"
        "from eigenparse.work.kept import kept_beside\n"
        "@kernel\ndef turn(n):\n    i = 0\n    while i != n:\n        i = (i * 3 + 1) % 1000\n    return i\n"
        "turn(0)\nanswer_signals(last_words)\nout = pathlib.Path('out')\n"
        "with kept_beside(out, '', resume=False), whole_file(out):\n"
        "    print(len(list(pathlib.Path().glob('.out.*'))), out.with_name('out.checkpoint').is_dir(), flush=True)\n"
        "    turn(-1)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "endless.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline().split() == ["1", "True"]
        time.sleep(0.2)
        process.send_signal(number)
        err = process.communicate(timeout=WAIT)[1]
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, "no incomplete file was left behind" in err) == (128 + number, True)
    assert not [path.name for path in tmp_path.iterdir() if "out" in path.name]
