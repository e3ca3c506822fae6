"""The command line as a process of its own: pipes that close, Ctrl-C, what it imports."""

import os
import pathlib
import signal
import subprocess
import sys
import time

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
    command = [
        *COMMAND,
        "train",
        "lpcfg",
        str(tmp_path / "train.ptb"),
        "--method",
        "em",
        "--em-rounds",
        "100000",
    ]
    process = subprocess.Popen(
        [*command, "--states", "2", "--out", str(out / "m.model")],
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored under a background shell
    )
    time.sleep(6)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert b"interrupted; nothing half-written" in err
    assert list(out.iterdir()) == []


def test_help_is_light() -> None:
    code = (
        "import sys; from eigenparse.cli import main, verbs\n"
        "assert not {'numba', 'scipy', 'sklearn', 'nltk'} & set(sys.modules), 'heavy imports'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
