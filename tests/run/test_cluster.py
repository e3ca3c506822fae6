"""Two worker processes of Dask give the bytes of one core, also when one of them is killed half-way."""

import os
import pathlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.calls import call
from tests.run.conftest import inside, made, sentences

from eigenparse.corpus.brackets import read_trees
from eigenparse.errors import DataError, ResourceError
from eigenparse.run.cluster import on_cluster

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask and its event loop


def where_am_i(k: int) -> tuple[int, int]:
    time.sleep(0.05)
    return k, os.getpid()


def complain(k: int) -> int:
    raise DataError(f"item {k} is bad; leave it out")


def test_order_processes_and_errors(cluster: Any) -> None:
    with on_cluster(cluster.scheduler_address) as run:
        found = list(run.map_ordered(where_am_i, range(20)))
        assert [k for k, _ in found] == list(range(20))
        assert len({pid for _, pid in found} - {os.getpid()}) == 2
        with pytest.raises(DataError, match="item 0 is bad"):
            list(run.map_ordered(complain, range(5)))


def test_tasks_may_carry_much(cluster: Any) -> None:
    with warnings.catch_warnings(), on_cluster(cluster.scheduler_address) as run:
        warnings.simplefilter("error", UserWarning)
        assert list(run.map_ordered(len, [bytes(11 << 20)])) == [11 << 20]


def test_no_scheduler_gives_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenparse.run.cluster.SECONDS", 1)
    with pytest.raises(ResourceError, match="no scheduler answers"), on_cluster("tcp://127.0.0.1:1"):
        pass


Kill = Callable[[int], list[int]]
TREES = ["--bits", 12, "--passes", 2]
TAGGERS = ["train", "rhmm", "train.ptb", "--method", "cluster", "--emission", "class", "--states", 2]
SPLIT_HEADS = ["train", "deptree", "dev.conllu", "--states", 2, "--estimator", "lpcfg", "--members", 2]
PRINTED = {  # what is printed, and the results after which a worker is killed
    "parse-json": (["parse", "lpcfg.model", "text", "--format", "json"], 0),
    "parse-killed": (["parse", "lpcfg.model", "text", "--kbest", 2], 2),
    "parse-dependency": (["parse", "arcs.model", "train.conllu"], 0),
    "parse-dependency-kbest": (["parse", "arcs.model", "text", "--kbest", 2], 0),
    "parse-split-heads": (["parse", "trees.model", "train.conllu", "--max-length", 20], 0),
    "parse-split-heads-killed": (["parse", "trees.model", "train.conllu", "--kbest", 2], 1),
    "tag": (["tag", "rhmm.model", "text", "--format", "plain", "--posteriors"], 0),
    "tag-killed": (["tag", "rhmm.model", "text", "--format", "plain"], 3),
    "evaluate-trees": (["evaluate", "dev.ptb", "guess.ptb", "--per-label", "--per-sentence"], 0),
    "evaluate-killed": (["evaluate", "dev.ptb", "guess.ptb", "--per-label", "--per-sentence"], 3),
    "evaluate-arcs": (["evaluate", "dev.conllu", "guess.conllu", "--per-label", "--per-sentence"], 0),
}
LEARNT = {
    "lpcfg-shards": (["train", "lpcfg", "train.ptb", "--states", 3, "--out-of-core"], 0),
    "lpcfg-killed": (["train", "lpcfg", "train.ptb", "--states", 2, "--out-of-core"], 4),
    "lpcfg-ensemble": (["train", "lpcfg", "train.ptb", "--states", 2, "--ensemble", 2], 0),
    "rhmm": ([*TAGGERS, "--ensemble", 2], 0),
    "rhmm-alone": ([*TAGGERS, "--em-rounds", 2], 0),
    "rhmm-killed": ([*TAGGERS, "--ensemble", 5], 1),
    "embed": (["embed", "text", "--dim", 5], 0),
    "embed-killed": (["embed", "text", "--dim", 5, "--method", "cca2"], 4),
    "dependency": (["train", "dependency", "dev.conllu", *TREES, "--order", 2], 0),
    "dependency-killed": (["train", "dependency", "dev.conllu", *TREES, "--tags", "predicted"], 5),
    **{
        f"deptree-{name}": (["train", "deptree", "dev.conllu", "--states", 3, "--estimator", name], 0)
        for name in ("consistent", "printed", "instruments", "recovered", "cluster", "lpcfg")
    },
    "deptree-members-killed": ([*SPLIT_HEADS, "--channels", "tag"], 1),
    "deptree-killed": (["train", "deptree", "dev.conllu", "--states", 3, "--estimator", "em"], 6),
    "reranker": (["train", "reranker", "dev.conllu", "--parser", "arcs.model", "--best", 4], 0),
}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks and shards so small that each corpus has several."""
    from eigenparse.batch import pairs, parse_dependency, parse_grammar, tag
    from eigenparse.corpus import text_blocks
    from eigenparse.learn.dependency import blocks as deptree_blocks
    from eigenparse.learn.grammar import shards

    monkeypatch.setattr(parse_grammar, "SENTENCES", 90)
    monkeypatch.setattr(parse_dependency, "SENTENCES", 90)
    monkeypatch.setattr(pairs, "PAIRS", 7)
    monkeypatch.setattr(tag, "SEQUENCES", 90)
    monkeypatch.setattr(deptree_blocks, "SENTENCES", 11)
    monkeypatch.setattr(shards.cut_shards, "__kwdefaults__", {"shard_bytes": 9_000})
    monkeypatch.setattr(text_blocks.text_blocks, "__defaults__", (4_000,))


@pytest.fixture(scope="session")
def guesses(folder: pathlib.Path) -> pathlib.Path:
    parsed = call("parse", folder / "lpcfg.model", stdin="\n".join(sentences(read_trees(folder / "dev.ptb"))))
    (folder / "guess.ptb").write_text(parsed.out)
    (folder / "guess.conllu").write_text(call("parse", folder / "arcs.model", folder / "dev.conllu").out)
    return folder


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", PRINTED)
def test_the_same_is_printed(cluster: Any, guesses: pathlib.Path, kill_after: Kill, name: str) -> None:
    arguments, n_results = PRINTED[name]
    given = inside(guesses, arguments)
    expected = call(*given)
    assert expected.code == 0, expected.err
    assert expected.out
    killed = kill_after(n_results)
    assert call(*given, "--cluster", cluster.scheduler_address) == expected
    assert len(killed) == (n_results > 0)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", LEARNT)
def test_the_same_is_learnt(cluster: Any, folder: pathlib.Path, kill_after: Kill, name: str) -> None:
    arguments, n_results = LEARNT[name]
    given = inside(folder, arguments)
    here, there = folder / f"{name}.here", folder / f"{name}.there"
    made(*given, "--out", here)
    killed = kill_after(n_results)
    made(*given, "--out", there, "--cluster", cluster.scheduler_address)
    assert here.read_bytes() == there.read_bytes()
    assert len(killed) == (n_results > 0)


@pytest.mark.usefixtures("small_blocks")
def test_processes_learn_the_same(folder: pathlib.Path) -> None:
    """What workers of a cluster do, processes of this machine do."""
    given = inside(folder, ["train", "dependency", "dev.conllu", *TREES])
    for jobs in (1, 2):
        made(*given, "--jobs", jobs, "--out", folder / f"jobs.{jobs}")
    assert (folder / "jobs.1").read_bytes() == (folder / "jobs.2").read_bytes()


class Elsewhere:
    """A place that is not this process, as far as anybody can tell."""

    def map_ordered(self, task: Any, items: Any) -> Any:
        return map(task, items)


def test_score_blocks_are_small_and_many(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of many blocks are those of all sentences at once."""
    from eigenparse.batch import pairs

    monkeypatch.setattr(pairs, "PAIRS", 7)
    from eigenparse.evaluate.evalb_params import COLLINS
    from eigenparse.evaluate.pairing import pair_files
    from eigenparse.evaluate.report import as_dict
    from eigenparse.work.work import Work

    guess = folder / "shuffled.ptb"
    lines = (folder / "dev.ptb").read_text().split("\n")
    guess.write_text("\n".join([*lines[:5], "", "(X (Y", *lines[7:]]))
    pair = pair_files(folder / "dev.ptb", guess)
    whole, parts = pair.score(), pairs.score_pairs(Work(run=Elsewhere()), pair, COLLINS, False)
    assert as_dict(parts, per_sentence=True, per_label=True) == as_dict(
        whole, per_sentence=True, per_label=True
    )
    assert list(parts.by_label) == list(whole.by_label)


def test_a_scheduler_that_goes_away_gives_a_sentence() -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as short,
        on_cluster(short.scheduler_address) as run,
    ):
        results = run.map_ordered(where_am_i, range(10_000))
        next(results)
        short.close()
        with pytest.raises(ResourceError, match="went away"):
            list(results)
