"""Two worker processes of Dask give the bytes of one core, also when one of them is killed half-way."""

import os
import pathlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.cli.calls import call

from eigenparse.corpus.brackets import write_trees
from eigenparse.errors import DataError, ResourceError
from eigenparse.run.cluster import on_cluster
from eigenparse.synthetic import sample_treebank

distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask and its event loop


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A scheduler and two worker processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Corpora and models of the families."""
    folder = tmp_path_factory.mktemp("cluster")
    write_trees(sample_treebank(200, 0), folder / "train.ptb")
    write_trees(sample_treebank(40, 5), folder / "dev.ptb")
    sentences = [" ".join(line) for line in _words(sample_treebank(700, 9))]
    sentences[3] = ""
    (folder / "text").write_text("\n".join(sentences) + "\n")
    done = call("train", "lpcfg", folder / "train.ptb", "--states", 2, "--out", folder / "lpcfg.model")
    assert done.code == 0, done.err
    done = call("convert", folder / "train.ptb", "--to", "conllu", "--out", folder / "train.conllu")
    assert done.code == 0, done.err
    return folder


def _words(treebank: Any) -> list[list[str]]:
    from eigenparse.api.tuning import sentences_of

    return [list(words) for words in sentences_of(treebank)]


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


def test_no_scheduler_gives_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenparse.run.cluster.SECONDS", 1)
    with pytest.raises(ResourceError, match="no scheduler answers"), on_cluster("tcp://127.0.0.1:1"):
        pass


def kill_one_soon(cluster: Any, seconds: float) -> threading.Thread:
    """End a worker process without mercy; its nanny starts another."""

    def kill() -> None:
        time.sleep(seconds)
        pid = next(iter(cluster.workers.values())).pid
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("more", "killed"), [(["--format", "json"], False), (["--kbest", "2"], True)], ids=["json", "killed"]
)
def test_parse(cluster: Any, folder: pathlib.Path, more: list[str], killed: bool) -> None:
    arguments = ["parse", folder / "lpcfg.model", folder / "text", *more]
    expected = call(*arguments)
    assert expected.code == 0, expected.err
    thread = kill_one_soon(cluster, 1.0) if killed else None
    found = call(*arguments, "--cluster", cluster.scheduler_address)
    if thread is not None:
        thread.join()
    assert found.code == 0, found.err
    assert found.out == expected.out
    assert found.err == expected.err


def test_tag_and_evaluate(cluster: Any, folder: pathlib.Path) -> None:
    model = folder / "rhmm.model"
    done = call("train", "rhmm", folder / "train.ptb", "--method", "hmm", "--out", model)
    assert done.code == 0, done.err
    address = ["--cluster", cluster.scheduler_address]
    arguments = ["tag", model, folder / "text", "--format", "plain", "--posteriors"]
    expected = call(*arguments)
    assert expected.code == 0, expected.err
    assert expected.out.count("\n\n") == 699
    assert call(*arguments, *address).out == expected.out
    parsed = call("parse", folder / "lpcfg.model", stdin="\n".join(_lines(folder / "dev.ptb")))
    (folder / "guess.ptb").write_text(parsed.out)
    pairs = [("dev.ptb", "guess.ptb"), ("train.conllu", "train.conllu")]
    for gold, guess in pairs:
        arguments = ["evaluate", folder / gold, folder / guess, "--per-label", "--per-sentence"]
        expected = call(*arguments)
        assert expected.code == 0, expected.err
        assert call(*arguments, *address) == expected


def same_model(folder: pathlib.Path, arguments: list[object], *address: object) -> None:
    """The same bytes here and on the cluster."""
    here, there = folder / "here.model", folder / "there.model"
    for out, more in ((here, ()), (there, address)):
        done = call(*arguments, "--out", out, *more)
        assert done.code == 0, done.err
    assert here.read_bytes() == there.read_bytes()


@pytest.mark.parametrize("killed", [False, True], ids=["", "killed"])
def test_learning_is_the_same_on_a_cluster(
    cluster: Any, folder: pathlib.Path, killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eigenparse.corpus import text_blocks
    from eigenparse.learn import shards

    monkeypatch.setattr(shards.cut_shards, "__kwdefaults__", {"shard_bytes": 9_000})
    monkeypatch.setattr(text_blocks.text_blocks, "__defaults__", (4_000,))
    thread = kill_one_soon(cluster, 3.0) if killed else None
    address = ("--cluster", cluster.scheduler_address)
    train = ["train", "lpcfg", folder / "train.ptb", "--states", 3]
    same_model(folder, [*train, "--out-of-core"], *address)
    if not killed:
        same_model(folder, [*train, "--ensemble", 2], *address)
        rhmm = ["train", "rhmm", folder / "train.ptb", "--method", "cluster", "--emission", "class"]
        same_model(folder, [*rhmm, "--ensemble", 2], *address)
        same_model(folder, ["embed", folder / "text", "--dim", 5], *address)
    if thread is not None:
        thread.join()


def test_score_blocks_are_small_and_many(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of many blocks are those of all sentences at once."""
    from eigenparse.cli import cluster

    monkeypatch.setattr(cluster, "PAIRS", 7)
    from eigenparse.evaluate.evalb_params import COLLINS
    from eigenparse.evaluate.pairing import pair_files
    from eigenparse.evaluate.report import as_dict
    from eigenparse.run.local import LocalRun

    guess = folder / "shuffled.ptb"
    lines = (folder / "dev.ptb").read_text().split("\n")
    guess.write_text("\n".join([*lines[:5], "", "(X (Y", *lines[7:]]))
    pair = pair_files(folder / "dev.ptb", guess)
    whole, parts = pair.score(), cluster.score_pairs(LocalRun(), pair, COLLINS, False)
    assert as_dict(parts, per_sentence=True, per_label=True) == as_dict(
        whole, per_sentence=True, per_label=True
    )
    assert list(parts.by_label) == list(whole.by_label)


def _lines(path: pathlib.Path) -> list[str]:
    from eigenparse.corpus.brackets import read_trees

    return [" ".join(words) for words in _words(read_trees(path))]


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
