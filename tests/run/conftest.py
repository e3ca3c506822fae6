"""One cluster of two worker processes and small corpora, shared by all tests of this folder."""

import os
import pathlib
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.cli.calls import call

from eigenparse.cli import verbs as verbs
from eigenparse.corpus.brackets import write_trees
from eigenparse.synthetic import sample_treebank


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A scheduler and two worker processes."""
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    patience = {
        "distributed.deploy.lost-worker-timeout": "10 minutes"
    }  # for the next worker, on a busy machine
    with (
        pytest.importorskip("dask").config.set(patience),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as made,
    ):
        yield made


def sentences(treebank: Any) -> list[str]:
    """Words of every tree, separated by blanks."""
    from eigenparse.batch.tune_grammar import sentences_of

    return [" ".join(words) for words in sentences_of(treebank)]


def made(*arguments: object) -> None:
    """Call a command that must succeed."""
    done = call(*arguments)
    assert done.code == 0, done.err


def inside(folder: pathlib.Path, arguments: list[object]) -> list[object]:
    """The same arguments with the files of the folder by their places."""
    return [folder / str(a) if "." in str(a) or a == "text" else a for a in arguments]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Corpora and models of the families."""
    folder = tmp_path_factory.mktemp("cluster")
    write_trees(sample_treebank(200, 0), folder / "train.ptb")
    write_trees(sample_treebank(40, 5), folder / "dev.ptb")
    text = sentences(sample_treebank(700, 9))
    text[3] = ""
    (folder / "text").write_text("\n".join(text) + "\n")
    made("train", "lpcfg", folder / "train.ptb", "--states", 2, "--out", folder / "lpcfg.model")
    made("train", "rhmm", folder / "train.ptb", "--method", "hmm", "--out", folder / "rhmm.model")
    for name in ("train", "dev"):
        made("convert", folder / f"{name}.ptb", "--to", "conllu", "--out", folder / f"{name}.conllu")
    settings = ("--bits", 12, "--passes", 2)
    made("train", "dependency", folder / "dev.conllu", *settings, "--out", folder / "arcs.model")
    grammar = ("--estimator", "lpcfg", "--states", 2)
    made("train", "deptree", folder / "dev.conllu", *grammar, "--out", folder / "trees.model")
    return folder


@pytest.fixture
def kill_after(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[int]]:
    """Have a worker process killed without mercy once so many results have come; its nanny starts another.

    Gives the list of the processes that were killed, filled when it happens.
    """
    from eigenparse.run.cluster import ClusterRun

    usual = ClusterRun._result

    def arm(n_results: int) -> list[int]:
        killed: list[int] = []
        seen: list[None] = []

        def result(run: ClusterRun, future: Any) -> Any:
            found = usual(run, future)
            seen.append(None)
            if len(seen) == n_results:
                holders = {worker for places in run.client.who_has().values() for worker in places}
                busy = {worker for worker, keys in run.client.processing().items() if keys}
                alive = [worker for worker in cluster.workers.values() if worker.pid is not None]
                chosen = [worker for worker in alive if worker.worker_address in holders | busy]
                victim = (chosen or alive)[0]
                killed.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)
            return found

        monkeypatch.setattr(ClusterRun, "_result", result)
        return killed

    return arm
