"""Learning by passes over shards: the sums of shards are those of the whole, wherever they are added."""

import pathlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.cli.calls import call

from eigenparse.corpus.brackets import read_trees, write_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import Binarisation, binarise
from eigenparse.errors import OptionError
from eigenparse.learn.grammar import members
from eigenparse.learn.grammar import shards as cutting
from eigenparse.learn.grammar.corpus import open_corpus
from eigenparse.learn.grammar.encode import encoded_whole
from eigenparse.learn.grammar.learner import fit_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.shards import Shards, cut_shards, shard_trees
from eigenparse.models.registry import save_model
from eigenparse.run.local import on_this_machine
from eigenparse.synthetic import sample_treebank
from eigenparse.work import kept as work_kept
from eigenparse.work.kept import Kept
from eigenparse.work.work import Work

ROUNDING = 1e-5  # single-precision sums in another order
OPTIONS = GrammarOptions(states=5, nodes_per_state=40, em_rounds=2, coarse_states=2)


def fit(shards: Sequence[cutting.Shard], path: pathlib.Path, work: Work = Work(), **changes: Any) -> bytes:
    """The bytes of the grammar that is learnt from shards."""
    save_model(replace(OPTIONS, **changes).fit(Shards(tuple(shards)), work), path, "lpcfg")
    return path.read_bytes()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("shards") / "train.ptb"
    write_trees(sample_treebank(250, 0), path)
    return path


def test_shards_hold_every_tree_once(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Whatever the size of shards, and with trees that spread over lines."""
    spread = tmp_path / "spread.ptb"
    spread.write_text(corpus.read_text().replace(" (", "\n  (") + "\n\n")
    whole = corpus.read_bytes()
    for path in (corpus, spread):
        for size in (1, 300, 5_000, 10**9):
            found = list(cut_shards(path, shard_bytes=size))
            content = path.read_bytes()
            assert b"".join(content[s.start : s.start + s.size] for s in found) == content
            assert [s.number for s in found] == list(range(len(found)))
            assert sum(len(shard_trees(s, Binarisation())) for s in found) == 250
    assert len(list(cut_shards(corpus, shard_bytes=300))) > 50
    assert len(list(cut_shards(corpus, shard_bytes=len(whole)))) == 1


def test_packed_files_are_one_shard_each(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import gzip

    (tmp_path / "a.ptb.gz").write_bytes(gzip.compress(corpus.read_bytes()))
    found = list(cut_shards(tmp_path, shard_bytes=100))
    assert len(found) == 1
    assert len(shard_trees(found[0], Binarisation())) == 250


@pytest.mark.parametrize("rare_words", ["class", "tag"])
def test_the_plan_is_the_skeleton_of_the_whole(corpus: pathlib.Path, rare_words: str) -> None:
    options = replace(OPTIONS, rare_words=rare_words).filled()
    shards = tuple(cut_shards(corpus, shard_bytes=4_000))
    ours = open_corpus(Shards(shards), options)
    trees = binarise(normalise(read_trees(corpus)), options.binarisation)
    whole = encoded_whole(trees, options.rare or 0, by_tag=rare_words == "tag")
    skeleton = ours.plan.skeleton
    assert skeleton.labels == whole.skeleton.labels
    assert skeleton.symbols == whole.skeleton.symbols
    assert tuple(ours.plan.words) == trees.words
    for name in ("rules", "entry_label", "entry_symbol", "entry_start"):
        assert np.array_equal(getattr(skeleton, name), getattr(whole.skeleton, name))
    for name in ("rule_probability", "entry_probability", "root_probability"):
        assert_allclose(getattr(skeleton, name), getattr(whole.skeleton, name), rtol=1e-12)
    parts = list(ours.each(lambda encoded: encoded))
    for name in ("rule", "entry", "symbol"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name))


@pytest.mark.parametrize("rare_words", ["class", "tag"])
def test_where_every_node_is_sampled_the_grammar_is_that_of_the_whole(
    corpus: pathlib.Path, rare_words: str
) -> None:
    options = replace(OPTIONS, rare_words=rare_words)
    shards = tuple(cut_shards(corpus, shard_bytes=6_000))
    assert len(shards) > 5
    ours = options.fit(Shards(shards))
    trees = binarise(normalise(read_trees(corpus)), options.filled().binarisation)
    whole = fit_trees(trees, options)
    assert ours.skeleton.symbols == whole.skeleton.symbols
    for one, other in ((ours.members[0], whole.members[0]), (ours.coarse, whole.coarse)):
        assert one is not None
        assert other is not None
        assert np.array_equal(one.states, other.states)
        for name in ("rule_weight", "entry_weight", "root_weight"):
            assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-3, atol=ROUNDING)
    assert ours.context is not None
    assert whole.context is not None
    assert_allclose(ours.context.follow, whole.context.follow, rtol=1e-6)
    logs = [g.report["members"][0]["log_likelihood"] for g in (ours, whole)]
    assert_allclose(logs[0], logs[1], rtol=ROUNDING)


def test_processes_change_nothing(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shards = list(cut_shards(corpus, shard_bytes=20_000))
    with on_this_machine(2) as run:
        assert fit(shards, tmp_path / "two", Work(run)) == fit(shards, tmp_path / "one")


def test_one_shard_is_learnt_as_ever(
    corpus: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["train", "lpcfg", corpus, "--states", 3]
    assert call(*arguments, "--out", tmp_path / "usual").code == 0
    assert call(*arguments, "--out-of-core", "--out", tmp_path / "shards").code == 0
    assert (tmp_path / "usual").read_bytes() == (tmp_path / "shards").read_bytes()
    monkeypatch.setattr(cutting.cut_shards, "__kwdefaults__", {"shard_bytes": 9_000})
    done = call(*arguments, "--out-of-core", "--out", tmp_path / "many", "--dev", corpus)
    assert done.code == 0, done.err
    assert "F1" in done.out
    assert call("parse", tmp_path / "many", stdin="the man saw a boat\n").lines[0].startswith("(TOP")


def test_what_needs_all_trees_is_refused(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shards = list(cut_shards(corpus))
    for changes in ({"method": "tensor"}, {"ensemble": 2}, {"noise": "dropout"}):
        with pytest.raises(OptionError, match="out of core"):
            fit(shards, tmp_path / "never", **changes)


class PowerCutError(Exception):
    """Stands for a power cut."""


class CountedRun:
    """Stops after so many shards of all passes."""

    def __init__(self, left: int) -> None:
        self.left = left

    def map_ordered(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.left -= 1
            if self.left < 0:
                raise PowerCutError
            yield task(item)


def kept_in(folder: pathlib.Path) -> Kept:
    folder.mkdir()
    return Kept(folder, seconds=0.0)


def test_work_stopped_anywhere_ends_in_the_same_bytes(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shards = list(cut_shards(corpus, shard_bytes=20_000))
    n = len(shards)
    whole = fit(shards, tmp_path / "whole", em_rounds=3)
    for passes, left in ((0, 6), (1, 6), (2, 6), (3, 4), (4, 3), (5, 2)):  # all six; later, those not kept
        kept = kept_in(tmp_path / f"c{passes}")
        with pytest.raises(PowerCutError):
            fit(shards, tmp_path / "never", Work(CountedRun(passes * n + 1), kept), em_rounds=3)
        again = CountedRun(left * n)  # just enough for what is left
        assert fit(shards, tmp_path / "again", Work(again, kept), em_rounds=3) == whole
        assert again.left == 0


def test_a_changed_corpus_is_learnt_anew(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Same places, other words: what was kept is not used."""
    copy = tmp_path / "train.ptb"
    copy.write_bytes(corpus.read_bytes())
    kept = kept_in(tmp_path / "c")
    fit(list(cut_shards(copy, shard_bytes=20_000)), tmp_path / "old", Work(kept=kept))
    copy.write_bytes(corpus.read_bytes().replace(b" the)", b" one)"))
    shards = list(cut_shards(copy, shard_bytes=20_000))
    assert fit(shards, tmp_path / "one", Work(kept=kept)) == fit(shards, tmp_path / "two")


def test_shards_resume_from_the_command_line(
    corpus: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting.cut_shards, "__kwdefaults__", {"shard_bytes": 20_000})
    given = ["train", "lpcfg", corpus, "--states", 3, "--em-rounds", 2, "--out-of-core"]
    assert call(*given, "--out", tmp_path / "whole").code == 0
    monkeypatch.setattr(work_kept, "SECONDS", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(members, "expect", lambda *_, **__: pytest.fail("stopped"))
        with pytest.raises(BaseException, match="stopped"):
            call(*given, "--out", tmp_path / "a")
    assert (tmp_path / "a.checkpoint").is_dir()
    done = call(*given, "--out", tmp_path / "a", "--resume")
    assert done.code == 0, done.err
    assert (tmp_path / "a").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "a.checkpoint").exists()
