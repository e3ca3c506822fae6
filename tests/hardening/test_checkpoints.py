"""Long trainings that are killed, ended or run out of disk, and what a second run makes of the rest."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from tests.cli.calls import call

from eigenparse.corpus.brackets import write_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.learn.grammar import members
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.registry import save_model
from eigenparse.synthetic import sample_treebank
from eigenparse.work.kept import NOTHING_KEPT, Kept, kept_beside
from eigenparse.work.progress import silent
from eigenparse.work.work import Work

KILLS = int(os.environ.get("EIGENPARSE_KILLS", "1"))
TRAIN = ("train", "lpcfg", "train.ptb", "--states", "4", "--em-rounds", "4", "--ensemble", "4")


class PowerCutError(Exception):
    """Stands for a power cut."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with a small treebank."""
    folder = tmp_path_factory.mktemp("long")
    write_trees(sample_treebank(150, 0), folder / "train.ptb")
    write_trees(sample_treebank(10, 5), folder / "dev.ptb")
    return folder


def kept_in(folder: pathlib.Path) -> Kept:
    """A folder that keeps everything, however short the work."""
    folder.mkdir(exist_ok=True)
    return Kept(folder, seconds=0.0)


METHODS = {
    "cluster": GrammarOptions(method="cluster", states=4, em_rounds=4, ensemble=2),
    "em": GrammarOptions(method="em", states=4, em_rounds=4, ensemble=2),
    "splitmerge": GrammarOptions(method="splitmerge", states=2, em_rounds=3),
    "judge": GrammarOptions(method="cluster", states=2, em_rounds=2, judge=True),
}


def learn(
    kept: Kept, out: pathlib.Path, method: str = "cluster", told: Callable[..., None] = silent
) -> bytes:
    """A small grammar, learnt with kept parts and saved."""
    work = Work(kept=kept, progress=told)
    save_model(METHODS[method].fit(normalise(sample_treebank(60, 3)), work), out, "lpcfg")
    return out.read_bytes()


@contextmanager
def power_cut(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[list[int]]:
    """Stop at the n-th pass over the trees; how many are left."""
    left = [after]
    real = members.expected_counts

    def counted(*arguments: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise PowerCutError
        return real(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(members, "expected_counts", counted)
        yield left


def _note(told: list[tuple[object, ...]], *stage: object) -> None:
    told.append(stage)


@pytest.mark.parametrize("method", METHODS)
def test_work_stopped_at_any_pass_ends_in_the_same_bytes(
    method: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with power_cut(monkeypatch, 1000) as left:
        whole = learn(NOTHING_KEPT, tmp_path / "whole.model", method)
    passes = 1000 - left[0]
    assert passes >= 3
    for after in range(passes):
        place = kept_in(tmp_path / f"c{after}")
        with power_cut(monkeypatch, after), pytest.raises(PowerCutError):
            learn(place, tmp_path / "never.model", method)
        told: list[tuple[object, ...]] = []
        parts = len(list((tmp_path / f"c{after}").iterdir()))
        again = learn(place, tmp_path / "again.model", method, partial(_note, told))
        assert again == whole
        assert parts >= (after > 1)
        assert any("continuing after" in str(one) or "found finished" in str(one) for one in told) == bool(
            parts
        )


def test_work_that_was_kept_is_not_done_again(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = kept_in(tmp_path / "c")
    with power_cut(monkeypatch, 3), pytest.raises(PowerCutError):
        learn(place, tmp_path / "m.model")
    assert (tmp_path / "c" / "part0-member0-rounds.part").is_file()
    passes = []
    real = members.expected_counts
    monkeypatch.setattr(members, "expected_counts", lambda *a: passes.append(1) or real(*a))  # type: ignore[func-returns-value]
    learn(place, tmp_path / "m.model")
    assert len(passes) == 1 + 4  # one round was left of the first member; the second has four


def test_damaged_parts_are_made_again(tmp_path: pathlib.Path) -> None:
    place = kept_in(tmp_path / "c")
    whole = learn(place, tmp_path / "one.model")
    for part in (tmp_path / "c").glob("*.part"):
        part.write_bytes(part.read_bytes()[:-5])
    assert learn(place, tmp_path / "two.model") == whole


def test_a_checkpoint_of_another_run_is_refused(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "a.model"
    with suppress(PowerCutError), kept_beside(out, "something else", resume=False) as kept:
        kept.keep("part", ({}, {}))
        raise PowerCutError
    done = call("train", "lpcfg", folder / "train.ptb", "--out", out, "--resume")
    assert done.code == 1
    assert "other data or settings" in done.err
    assert not out.exists()


def test_a_folder_in_the_way_is_left_alone(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mine = tmp_path / "a.model.checkpoint"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    done = call("train", "lpcfg", folder / "train.ptb", "--ensemble", 2, "--out", tmp_path / "a.model")
    assert done.code == 1
    assert "blocks the checkpoint" in done.err
    assert (mine / "thesis.tex").read_text() == "years of work"


def test_trials_of_states_are_kept(
    folder: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tuning that stopped goes on, tries nothing twice and chooses the same."""
    from eigenparse.batch import tune_grammar as tuning

    monkeypatch.setattr(tuning, "LADDER", (2, 3))
    monkeypatch.setattr(tuning, "N_LABELS", 1)
    treebank, dev = (normalise(sample_treebank(n, seed)) for n, seed in ((60, 3), (6, 9)))
    options = GrammarOptions(em_rounds=0)
    told: list[str] = []
    monkeypatch.setattr(tuning, "tell", told.append)
    expected = tuning.tune_states(options, treebank, dev)
    scores = iter([1.0, 2.0])
    work = Work(kept=kept_in(tmp_path / "c"))
    real, trials = tuning.dev_scores, []

    def stops(*arguments: object) -> object:
        next(scores)
        trials.append(1)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(tuning, "dev_scores", stops)
    with pytest.raises(StopIteration):
        tuning.tune_states(options, treebank, dev, work)
    scores = iter(range(100))
    assert tuning.tune_states(options, treebank, dev, work) == expected
    assert len(trials) == 4
    assert told[:4] == told[-4:]


def start(folder: pathlib.Path, out: str, *more: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    program = "import sys; from eigenparse.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *TRAIN, "--out", out, *more],
        cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def wait(process: subprocess.Popen[bytes]) -> str:
    _, err = process.communicate(timeout=300)
    return err.decode()


@pytest.fixture(scope="module")
def whole(folder: pathlib.Path) -> tuple[bytes, float]:
    """The model of an uninterrupted run and the seconds it took."""
    began = time.monotonic()
    process = start(folder, "whole.model")
    report = wait(process)
    assert process.returncode == 0, report
    assert not (folder / "whole.model.checkpoint").exists()
    return (folder / "whole.model").read_bytes(), time.monotonic() - began


def test_killed_at_random_moments(folder: pathlib.Path, whole: tuple[bytes, float]) -> None:
    """kill -9, then --resume: the same bytes, every time."""
    expected, seconds = whole
    draw = random.Random(KILLS)
    for number in range(KILLS):
        out = f"killed{number}.model"
        process = start(folder, out)
        time.sleep(draw.uniform(0.2, 1.0) * seconds)
        process.kill()
        wait(process)
        last = start(folder, out, "--resume")
        report = wait(last)
        assert last.returncode == 0, report
        assert (folder / out).read_bytes() == expected
        assert not (folder / f"{out}.checkpoint").exists()
        assert not list(folder.glob(".*.part"))


def test_told_to_end(folder: pathlib.Path, whole: tuple[bytes, float]) -> None:
    """SIGTERM leaves nothing half-written, and says how to go on."""
    assert whole[1] > 0
    process = start(folder, "ended.model")
    place = folder / "ended.model.checkpoint"
    while not list(place.glob("[!.]*.part")) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    report = wait(process)
    assert process.returncode == 143, report
    assert "--resume" in report
    assert "terminated" in report
    assert "Traceback" not in report
    assert not [*folder.glob(".*.part"), *place.glob(".*.part")]
    assert not (folder / "ended.model").exists()


@contextmanager
def little_room(folder: pathlib.Path, size: str) -> Iterator[None]:
    """A small file system, or a visible skip."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False)
    if done.returncode:
        pytest.skip("small file systems need the right to mount; see the limited-file-size test")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_full_disk(folder: pathlib.Path, whole: tuple[bytes, float], tmp_path: pathlib.Path) -> None:
    """A sentence, the model of yesterday untouched, no half-written file; with room it goes on."""
    room = tmp_path / "room"
    room.mkdir()
    with little_room(room, "200k"):
        out = room / "a.model"
        out.write_bytes(b"yesterday's model")
        process = start(folder, str(out))
        report = wait(process)
        assert process.returncode == 1
        assert "No space left" in report
        assert "Traceback" not in report
        assert out.read_bytes() == b"yesterday's model"
        assert not list(room.rglob(".*.part"))
        subprocess.run(["mount", "-o", "remount,size=50m", str(room)], check=True)
        last = start(folder, str(out), "--resume")
        report = wait(last)
        assert last.returncode == 0, report
        assert out.read_bytes() == whole[0]


def test_files_of_limited_size(folder: pathlib.Path) -> None:
    """The same where the limit is the process's own."""
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); sys.dont_write_bytecode = True;"
        "from eigenparse.cli.main import main; main()"
    )
    (folder / "limited.model").write_bytes(b"yesterday's model")
    done = subprocess.run(
        [sys.executable, "-c", program, "train", "lpcfg", "train.ptb", "--method", "pcfg", "--out", "limited.model"],
        cwd=folder, capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    report = done.stderr.decode()
    assert done.returncode == 1, report
    assert "File too large" in report
    assert "Traceback" not in report
    assert (folder / "limited.model").read_bytes() == b"yesterday's model"
    assert not list(folder.glob(".limited*"))
