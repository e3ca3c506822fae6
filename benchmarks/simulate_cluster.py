"""What a pass over many shards costs on many cores: a discrete-event simulation with stragglers and failures.

    python benchmarks/simulate_cluster.py                         1 billion sentences on 1,000 cores
    python benchmarks/simulate_cluster.py --measure TREES         passes here, measured and simulated, 2 processes
    python benchmarks/simulate_cluster.py --measure TREES --dask  the same on two worker processes of Dask

A pass is an ordered map and a sum in shard order.  Each worker takes the next shard, unpacks the task, computes, packs
the result and sends it through the client's network; the client adds results in order.  A lost worker's shard is begun
again elsewhere.  Times and sizes of one shard come from a measurement (--measure prints them) or from the options.

What a task costs besides its work (``Overhead``) is fitted to a few tasks of the same pass that are done before: the
time until the first one begins, the pause of a worker between two tasks, and the way of a result to the client; and
to as many tasks that carry the same and do nothing: what the client needs to send one.
"""

import argparse
import heapq
import itertools
import os
import pathlib
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.reduction import ForkingPickler  # what a task weighs when it is sent

MOST_RESULTS = 4096  # as in eigenparse.run.ordered


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds: until the first task begins; between two tasks of a worker; from the end of a task to its result.

    send: of the client, for each task, one after the other.
    """

    start: float = 0.0
    between: float = 0.0
    back: float = 0.0
    send: float = 0.0


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: seconds to compute a shard, bytes of its result, seconds to add it, bytes of the task."""

    name: str
    compute: tuple[float, ...]
    result_bytes: float
    add: float
    task_bytes: float
    overhead: Overhead = Overhead()


@dataclass(frozen=True, slots=True)
class Cluster:
    """workers; bytes a second of the client's network; failures an hour and worker; stragglers."""

    workers: int
    bandwidth: float = 1.25e9
    failures: float = 0.0
    restart: float = 30.0
    slow_share: float = 0.0
    slow_factor: float = 3.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """wall: seconds; busy: share of the workers' time of use; lost: tasks done again; held: results waiting."""

    wall: float
    busy: float
    lost: int
    held: int


def simulate(one: Pass, n_shards: int, cluster: Cluster, *, ahead: int = 3, seed: int = 0) -> Outcome:
    """Run the events of one pass; at most ``ahead`` tasks a worker are out before their results are added."""
    draw = random.Random(seed)
    slow = [
        cluster.slow_factor if draw.random() < cluster.slow_share else 1.0 for _ in range(cluster.workers)
    ]
    extra = one.overhead
    free = [(extra.start, w) for w in range(cluster.workers)]  # when each worker can take a task
    arrivals: dict[int, float] = {}
    network = added = kept = 0.0
    lost = most = 0
    done_at: list[float] = []
    window = ahead * cluster.workers
    for shard in range(n_shards):
        ready, worker = heapq.heappop(free)
        # tasks are sent ahead, one after the other; a new one when an old result was taken
        room = done_at[shard - window] if shard >= window else 0.0
        network = max(network, room) + extra.send + one.task_bytes / cluster.bandwidth
        begin = max(ready, network)
        work = one.compute[shard % len(one.compute)] * slow[worker]
        while cluster.failures and draw.expovariate(cluster.failures / 3600.0) < work:
            lost += 1
            begin += draw.random() * work + cluster.restart
        end = begin + work
        kept += work
        heapq.heappush(free, (end + extra.between, worker))
        arrivals[shard] = end + extra.back + one.result_bytes / cluster.bandwidth
        while len(done_at) in arrivals and (len(done_at) <= shard - window + 1 or shard == n_shards - 1):
            arrived = arrivals.pop(len(done_at))
            added = max(added, arrived) + one.add + one.result_bytes / cluster.bandwidth
            done_at.append(added)
        most = max(most, len(arrivals))
    return Outcome(added, kept / (added * cluster.workers), lost, most)


def clocked(shard, task):  # type: ignore[no-untyped-def]
    """A task's result, when it began and ended on this machine's clock, and in which process."""
    began = time.perf_counter()
    return task(shard), began, time.perf_counter(), os.getpid()


def nothing(shard, task):  # type: ignore[no-untyped-def]
    """A task that is sent and unpacked, and does no work."""


def learning_passes(shards):  # type: ignore[no-untyped-def]
    """The passes of a learning run with m = 8, each with how its results are added."""
    from eigenparse.learn.grammar import corpus as passes
    from eigenparse.learn.grammar import members
    from eigenparse.learn.grammar.counts import estimate
    from eigenparse.learn.grammar.options import GrammarOptions
    from eigenparse.learn.grammar.shards import Shards
    from eigenparse.learn.grammar.states import state_table, wanted_states

    options = GrammarOptions(states=8, em_rounds=1).filled()
    corpus = passes.open_corpus(Shards(tuple(shards)), options)
    features, _ = members.look_at_nodes(corpus, options, features=True)
    small = options.small() or options
    count, labels = corpus.counts.label_count(), corpus.counts.labels
    tables = [
        state_table(features, wanted_states(count, labels, one.of_states), one.of_states, one.seed)
        for one in (options, small)
    ]
    states = corpus.on_shard(partial(members.count_states, tables=tables, options=options.of_states))
    hard = members.add_each(states(shards[0]), states(shards[1]))
    weights = [
        members.single(estimate(corpus.plan.skeleton, one, rule_smoothing=10.0, state_mixing=0.1))
        for one in hard
    ]
    rounds = partial(members.expect, weights=weights, last=[True, True])
    reading = (options.binarisation, corpus.shards.normalisation)
    yield "count", partial(passes.count_shard, reading=reading), None
    yield "states", states, members.add_each
    yield "EM", corpus.on_shard(rounds), members.add_each


@dataclass(frozen=True, slots=True)
class Run:
    """What a pass did: seconds of all, of each task, of adding; the overhead; the last result."""

    wall: float
    compute: tuple[float, ...]
    adding: float
    overhead: Overhead
    part: object


def timed_pass(run, task, shards, add) -> Run:  # type: ignore[no-untyped-def]
    """Do a pass and take the time of everything."""
    began, total, rows, adding, part = time.perf_counter(), None, [], 0.0, None
    for part, begin, end, pid in run.map_ordered(task, shards):
        since = time.perf_counter()
        rows.append((begin, end, pid, since))
        total = part if total is None or add is None else add(total, part)
        adding += time.perf_counter() - since
    wall = time.perf_counter() - began
    by_process: dict[int, list[tuple[float, float]]] = {}
    for begin, end, pid, _ in rows:
        by_process.setdefault(pid, []).append((begin, end))
    starts, pauses = [], []
    for spans in by_process.values():
        spans.sort()
        starts.append(spans[0][0] - began)
        pauses += [later[0] - sooner[1] for sooner, later in itertools.pairwise(spans)]
    back = rows[-1][3] - max(end for _, end, _, _ in rows)  # the client waits for it and for nothing else
    mean = sum(pauses) / max(len(pauses), 1)
    overhead = Overhead(sum(starts) / len(starts), mean, max(back, 0.0))
    return Run(wall, tuple(end - begin for begin, end, _, _ in rows), adding, overhead, part)


@contextmanager
def two_workers(dask: bool):  # type: ignore[no-untyped-def]
    """Two processes of this machine, or of a Dask cluster on it."""
    from eigenparse.run.cluster import on_cluster
    from eigenparse.run.local import on_this_machine

    if not dask:
        with on_this_machine(2) as run:
            yield run
        return
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
        on_cluster(cluster.scheduler_address) as run,
    ):
        yield run


def compare(path: pathlib.Path, shard_bytes: int, dask: bool) -> None:
    """Print measured and simulated seconds of each pass; overheads come from half of the shards, done before."""
    from eigenparse.learn.grammar.shards import cut_shards

    shards = list(cut_shards(path, shard_bytes=shard_bytes))
    print(
        "pass      s a shard  result MB  task MB   add s  start s  between s  back s  measured s  simulated s  ratio"
    )
    walls = guesses = 0.0
    with two_workers(dask) as run:
        for name, task, add in learning_passes(shards):
            timed = partial(clocked, task=task)
            list(run.map_ordered(timed, shards[:6]))  # processes load their kernels
            before = timed_pass(run, timed, shards[: max(len(shards) // 2, 6)], add)
            began = time.perf_counter()
            list(run.map_ordered(partial(nothing, task=task), shards))
            send = (time.perf_counter() - began) / len(shards)
            found = timed_pass(run, timed, shards, add)
            sizes = len(ForkingPickler.dumps(found.part)), len(ForkingPickler.dumps(timed))
            extra, each = replace(before.overhead, send=send), found.adding / len(shards)
            one = Pass(name, found.compute, sizes[0], each, sizes[1], extra)
            guess = simulate(one, len(shards), Cluster(2, bandwidth=1e9), ahead=3 if dask else 2).wall
            walls, guesses = walls + found.wall, guesses + guess
            print(
                f"{name:<8}{sum(found.compute) / len(shards):>11.3f}{sizes[0] / 1e6:>11.2f}{sizes[1] / 1e6:>9.2f}"
                f"{each:>8.4f}{extra.start:>9.4f}{extra.between:>11.4f}{extra.back:>8.4f}{extra.send:>8.4f}{found.wall:>12.2f}"
                f"{guess:>13.2f}{guess / found.wall:>7.2f}",
                flush=True,
            )
    print(f"{len(shards)} shards; simulated over measured: {guesses / walls:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=pathlib.Path)
    parser.add_argument(
        "--dask", action="store_true", help="with --measure: on a Dask cluster of two processes"
    )
    parser.add_argument("--overhead", type=float, default=0.02, help="seconds a task costs besides its work")
    parser.add_argument(
        "--send", type=float, default=0.005, help="seconds that the client needs to send a task"
    )
    parser.add_argument("--shard-bytes", type=int, default=4 << 20, help="with --measure")
    parser.add_argument("--sentences", type=float, default=1e9)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--shard-sentences", type=float, default=18_500)
    parser.add_argument("--seconds", type=float, default=1.5, help="of one shard and pass")
    parser.add_argument("--result-mb", type=float, default=2.0)
    parser.add_argument("--task-mb", type=float, default=1.0)
    parser.add_argument("--add", type=float, default=0.01, help="seconds to add a result")
    parser.add_argument("--passes", type=int, default=7)
    options = parser.parse_args()
    if options.measure:
        compare(options.measure, options.shard_bytes, options.dask)
        return
    n = int(options.sentences / options.shard_sentences)
    group = max(1, n // MOST_RESULTS)
    overhead = Overhead(options.overhead, options.overhead, options.overhead, options.send)
    sizes = (options.result_mb * 1e6, options.add, options.task_mb * 1e6, overhead)
    cases = {
        "one by one": (Pass("pass", (options.seconds,), *sizes), n),
        f"groups of {group}": (Pass("pass", (group * (options.seconds + options.add),), *sizes), n // group),
    }
    print(f"{n} shards of {options.shard_sentences:.0f}, {options.workers} workers, {options.passes} passes")
    print(f"{'results':<14}{'cluster':<42}{'hours':>7}{'busy %':>8}{'lost':>6}{'TB':>7}")
    for name, (case, tasks) in cases.items():
        for what, cluster in (
            ("ideal", Cluster(options.workers)),
            ("5 % of workers three times slower", Cluster(options.workers, slow_share=0.05)),
            (
                "and one failure in ten hours of a worker",
                Cluster(options.workers, slow_share=0.05, failures=0.1),
            ),
        ):
            found = simulate(case, tasks, cluster)
            traffic = options.passes * tasks * (case.result_bytes + case.task_bytes) / 1e12
            hours = options.passes * found.wall / 3600
            print(f"{name:<14}{what:<42}{hours:>7.2f}{100 * found.busy:>8.1f}{found.lost:>6}{traffic:>7.2f}")


if __name__ == "__main__":
    main()
