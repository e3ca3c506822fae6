"""Passes over dependency trees that are stopped or killed, and what a second run makes of the rest."""

import os
import pathlib
import random
import time
from collections.abc import Callable

import numpy as np
import pytest
from tests.cli.calls import call
from tests.hardening.processes import ended, start, write_trees

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.learn.dependency import arcs, rerank, tags
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.rerank import RerankerOptions, jackknifed_lists
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.registry import save_model
from eigenparse.work.kept import Kept
from eigenparse.work.work import Work

KILLS = int(os.environ.get("EIGENPARSE_KILLS", "1"))
PARSER = ArcOptions(passes=3, label_passes=2, bits=12, label_bits=8)
Learn = Callable[[Dependencies, pathlib.Path, Work], None]


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


def learn_parser(trees: Dependencies, out: pathlib.Path, work: Work) -> None:
    save_model(PARSER.fit(trees, work), out, "dependency")


def learn_reranker(trees: Dependencies, out: pathlib.Path, work: Work) -> None:
    tree_options = DepTreeOptions(estimator="cluster", states=2)
    options = RerankerOptions(passes=3, bits=10, best=3, folds=2)
    lists = jackknifed_lists(trees, PARSER, (tree_options,), options, work)
    model = options.fit_lists(lists, trees.head, (tree_options.fit(trees),), work)
    save_model(model, out, "reranker")


def kept_in(folder: pathlib.Path) -> Work:
    """Work that keeps every pass in a folder."""
    folder.mkdir(exist_ok=True)
    return Work(kept=Kept(folder, 0.0))


def stop_after(patch: pytest.MonkeyPatch, n: int) -> None:
    """Raise at the n-th pass of any kind; a very large n only counts."""
    left = [n]
    for module, name in ((arcs, "mira_pass"), (arcs, "label_pass"), (rerank, "rerank_pass")):
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
    learn(trees, tmp_path / "whole", Work())
    for after in range(n_passes):
        work = kept_in(tmp_path / f"c{after}")
        with monkeypatch.context() as patch:
            stop_after(patch, after)
            with pytest.raises(PowerCutError):
                learn(trees, tmp_path / "never", work)
        with monkeypatch.context() as patch:
            stop_after(patch, n_passes - after)  # nothing is done twice
            learn(trees, tmp_path / "again", work)
        assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "never").exists()


def test_predicted_tags_are_kept(
    trees: Dependencies, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ArcOptions(passes=1, label_passes=1, bits=10, label_bits=8, tags="predicted")
    work = kept_in(tmp_path / "c")
    with monkeypatch.context() as patch:
        stop_after(patch, 0)
        with pytest.raises(PowerCutError):
            options.fit(trees, work)
    with monkeypatch.context() as patch:
        patch.setattr(tags, "_learn", lambda *_: pytest.fail("taggers are learnt again"))
        save_model(options.fit(trees, work), tmp_path / "again", "dependency")
    save_model(options.fit(trees), tmp_path / "whole", "dependency")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


def test_values_that_are_not_finite_survive(tmp_path: pathlib.Path) -> None:
    work = kept_in(tmp_path / "c")
    values = np.array([[-np.inf, 0.0, -0.0, 1e-320, np.nan]])
    work.kept.keep("x", ({"n": 1}, {"values": values, "none": np.zeros((0, 2), dtype=np.float32)}))
    header, arrays = work.part("x", lambda: pytest.fail("it was kept"))
    assert header == {"n": 1}
    assert arrays["values"].tobytes() == values.tobytes()
    assert arrays["none"].shape == (0, 2)


def test_a_worker_that_sees_no_folder_keeps_nothing(trees: Dependencies, tmp_path: pathlib.Path) -> None:
    learn_parser(trees, tmp_path / "m", Work(kept=Kept(tmp_path / "absent", 0.0)))
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
    (tmp_path / "a.model.checkpoint").mkdir()
    (tmp_path / "a.model.checkpoint" / "run.json").write_text('{"fingerprint": "something else"}')
    done = call("train", "dependency", folder / "train.conllu", "--out", out, "--resume")
    assert done.code == 1
    assert "other data or settings" in done.err
