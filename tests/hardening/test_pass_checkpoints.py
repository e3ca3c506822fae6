"""Passes over dependency trees that are stopped or killed, and what a second run makes of the rest."""

import os
import pathlib
import random
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from tests.cli.calls import call
from tests.hardening.processes import ended, start, write_trees

from eigenparse.cli.rerank import _best_lists
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, open_checkpoint
from eigenparse.learn.dependency import mira, rerank
from eigenparse.learn.dependency.deptree_fit import DepTreeLearner
from eigenparse.learn.dependency.mira import ArcLearner
from eigenparse.learn.dependency.rerank import RerankLearner, jackknifed_lists
from eigenparse.models.dependency.arcs import save_arcs
from eigenparse.models.dependency.rerank import save_reranker

KILLS = int(os.environ.get("EIGENPARSE_KILLS", "1"))
PARSER = ArcLearner(passes=3, label_passes=2, bits=12, label_bits=8)
Learn = Callable[[Dependencies, pathlib.Path, Checkpoint], None]


class PowerCutError(Exception):
    """Stands for a power cut."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with a small treebank."""
    folder = tmp_path_factory.mktemp("passes")
    write_trees(folder / "train.conllu", 60, 0)
    return folder


@pytest.fixture(scope="module")
def trees(folder: pathlib.Path) -> Dependencies:
    return read_conllu(folder / "train.conllu").trees


def learn_parser(trees: Dependencies, out: pathlib.Path, place: Checkpoint) -> None:
    save_arcs(out, PARSER.fit(trees, checkpoint=place)[0])


def learn_reranker(trees: Dependencies, out: pathlib.Path, place: Checkpoint) -> None:
    trees_learner = DepTreeLearner(estimator="cluster", n_states=2)
    make = partial(_best_lists, best=3)
    lists = jackknifed_lists(trees, PARSER, (trees_learner,), make, n_folds=2, checkpoint=place)
    model = RerankLearner(passes=3, bits=10).fit(
        lists, trees.head, (trees_learner.fit(trees)[0],), checkpoint=place
    )
    save_reranker(out, model)


def stop_after(patch: pytest.MonkeyPatch, n: int) -> None:
    """Raise at the n-th pass of any kind; a very large n only counts."""
    left = [n]
    for module, name in ((mira, "mira_pass"), (mira, "label_pass"), (rerank, "rerank_pass")):
        real = getattr(module, name)

        def counted(*arguments: object, real: Callable[..., object] = real) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise PowerCutError
            return real(*arguments)

        patch.setattr(module, name, counted)


@pytest.mark.parametrize(("learn", "n_passes"), [(learn_parser, 5), (learn_reranker, 13)])
def test_work_stopped_at_any_pass_ends_in_the_same_bytes(
    learn: Learn, n_passes: int, trees: Dependencies, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(trees, tmp_path / "whole", NOTHING_KEPT)
    for after in range(n_passes):
        place = open_checkpoint(tmp_path / f"c{after}", "mark", resume=False, seconds=0.0)
        with monkeypatch.context() as patch:
            stop_after(patch, after)
            with pytest.raises(PowerCutError):
                learn(trees, tmp_path / "never", place)
        again = open_checkpoint(tmp_path / f"c{after}", "mark", resume=True, seconds=0.0)
        with monkeypatch.context() as patch:
            stop_after(patch, n_passes - after)  # nothing is done twice
            learn(trees, tmp_path / "again", again)
        assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "never").exists()


def test_predicted_tags_are_kept(
    trees: Dependencies, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = ArcLearner(passes=1, label_passes=1, bits=10, label_bits=8, tags="predicted")
    whole, report = learner.fit(trees)
    place = open_checkpoint(tmp_path / "c", "mark", resume=False, seconds=0.0)
    with monkeypatch.context() as patch:
        stop_after(patch, 0)
        with pytest.raises(PowerCutError):
            learner.fit(trees, checkpoint=place)
        patch.setattr(mira.TagLearner, "_learn", lambda *_: pytest.fail("taggers are learnt again"))
        stop_after(patch, 100)
    again, told = learner.fit(trees, checkpoint=place)
    save_arcs(tmp_path / "whole", whole)
    save_arcs(tmp_path / "again", again)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    assert told == report


def test_values_that_are_not_finite_survive(tmp_path: pathlib.Path) -> None:
    place = open_checkpoint(tmp_path / "c", "mark", resume=False)
    values = np.array([[-np.inf, 0.0, -0.0, 1e-320, np.nan]])
    place.keep("x", ({"n": 1}, {"values": values, "none": np.zeros((0, 2), dtype=np.float32)}))
    header, arrays = place.part("x", lambda: pytest.fail("it was kept"))
    assert header == {"n": 1}
    assert arrays["values"].tobytes() == values.tobytes()
    assert arrays["none"].shape == (0, 2)


def test_a_worker_that_sees_no_folder_keeps_nothing(trees: Dependencies, tmp_path: pathlib.Path) -> None:
    learn_parser(trees, tmp_path / "m", Checkpoint(tmp_path / "absent", 0.0))
    assert not (tmp_path / "absent").exists()


def command(verb: str) -> tuple[str, ...]:
    if verb == "dependency":
        return "dependency", "train.conllu", "--passes", "12", "--bits", "16"
    return "reranker", "train.conllu", "--parser", "base.model", "--passes", "12", "--folds", "2"


@pytest.mark.parametrize("verb", ["dependency", "reranker"])
def test_killed_at_random_moments(verb: str, folder: pathlib.Path) -> None:
    """kill -9, then --resume: the same bytes, every time."""
    done = call(
        "train",
        *command("dependency")[:1],
        folder / "train.conllu",
        "--bits",
        12,
        "--out",
        folder / "base.model",
    )
    assert done.code == 0, done.err
    words = command(verb)
    began = time.monotonic()
    ended(start(folder, *words, "--out", f"{verb}.model"))
    seconds, expected = time.monotonic() - began, (folder / f"{verb}.model").read_bytes()
    draw = random.Random(KILLS)
    for number in range(KILLS):
        out = f"{verb}{number}.model"
        process = start(folder, *words, "--out", out)
        time.sleep(draw.uniform(0.3, 1.0) * seconds)
        process.kill()
        process.communicate()
        ended(start(folder, *words, "--out", out, "--resume"))
        assert (folder / out).read_bytes() == expected
        assert not (folder / f"{out}.checkpoint").exists()
        assert not list(folder.glob(".*.part"))


def test_other_trees_are_refused(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "a.model"
    open_checkpoint(tmp_path / "a.model.checkpoint", "something else", resume=False)
    done = call("train", "dependency", folder / "train.conllu", "--out", out, "--resume")
    assert done.code == 1
    assert "other data or settings" in done.err
