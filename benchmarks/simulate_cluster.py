"""What a pass over many shards costs on many cores: a discrete-event simulation with stragglers and failures.

    python benchmarks/simulate_cluster.py                         1 billion sentences on 1,000 cores
    python benchmarks/simulate_cluster.py --measure TREES         one pass here, measured and simulated, 2 processes

A pass is an ordered map and a sum in shard order.  Each worker takes the next shard, computes, and sends its result,
one after the other through the scheduler's network; the client adds results in order.  A lost worker's shard is begun
again elsewhere.  Times and sizes of one shard come from a measurement (--measure prints them) or from the options.
"""

import argparse
import heapq
import pathlib
import pickle
import random
import time
from dataclasses import dataclass
from functools import partial

MOST_RESULTS = 4096  # as in eigenparse.run.ordered


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: seconds to compute a shard, bytes of its result, seconds to add it, bytes of the task."""

    name: str
    compute: tuple[float, ...]
    result_bytes: float
    add: float
    task_bytes: float


@dataclass(frozen=True, slots=True)
class Cluster:
    """workers; seconds to start; bytes a second of the client's network; failures an hour and worker; stragglers."""

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
    free = [(0.0, w) for w in range(cluster.workers)]  # when each worker can take a task
    arrivals: dict[int, float] = {}
    network = added = kept = 0.0
    lost = most = 0
    done_at: list[float] = []
    window = ahead * cluster.workers
    for shard in range(n_shards):
        ready, worker = heapq.heappop(free)
        if shard >= window:  # the client sends a new task when an old result was taken
            ready = max(ready, done_at[shard - window])
        send = one.task_bytes / cluster.bandwidth
        network = max(network, ready) + send
        begin = max(ready, network)
        work = one.compute[shard % len(one.compute)] * slow[worker]
        while cluster.failures and draw.expovariate(cluster.failures / 3600.0) < work:
            lost += 1
            begin += draw.random() * work + cluster.restart
        end = begin + work
        kept += work
        heapq.heappush(free, (end, worker))
        arrivals[shard] = end + one.result_bytes / cluster.bandwidth
        while len(done_at) in arrivals and (len(done_at) <= shard - window + 1 or shard == n_shards - 1):
            arrived = arrivals.pop(len(done_at))
            added = max(added, arrived) + one.add + one.result_bytes / cluster.bandwidth
            done_at.append(added)
        most = max(most, len(arrivals))
    return Outcome(added, kept / (added * cluster.workers), lost, most)


def clocked(shard, task):  # type: ignore[no-untyped-def]
    """A task's result and the seconds it took where it ran."""
    began = time.perf_counter()
    return task(shard), time.perf_counter() - began


def learning_passes(shards):  # type: ignore[no-untyped-def]
    """The passes of a learning run with m = 8, each with how its results are added."""
    from eigenparse.learn import streamed
    from eigenparse.learn.counts import estimate
    from eigenparse.learn.lpcfg import LpcfgOptions, single
    from eigenparse.learn.states import StateOptions
    from eigenparse.run.local import LocalRun
    from eigenparse.run.ordered import reduce_ordered

    options = LpcfgOptions(states=StateOptions(states=8, nodes_per_state=100), em_rounds=1)
    counts = streamed.count_corpus(LocalRun(), shards, options.binarisation)
    plan = streamed.make_plan(counts, options)
    tables, _ = streamed._tables(counts, plan, options, LocalRun(), shards)
    names = (tuple(map(str, options.states.inside)), tuple(map(str, options.states.outside)))
    states = partial(streamed.count_states, task=streamed.StatesTask(plan, tables, *names))
    hard = reduce_ordered(LocalRun(), states, shards[:2], streamed.add_counts)
    weights = tuple(
        single(estimate(plan.skeleton, one, rule_smoothing=10.0, state_mixing=0.1)) for one in hard
    )
    rounds = streamed.RoundTask(plan, weights, (True,) * len(weights))
    yield "count", partial(streamed.first_look, options=options.binarisation), None
    yield "states", states, streamed.add_counts
    yield "EM", partial(streamed.expect_shard, task=rounds), streamed.add_rounds


def measured(path: pathlib.Path, jobs: int, shard_bytes: int) -> tuple[list[Pass], dict[str, float], int]:
    """Every pass in ``jobs`` processes: recorded times of its shards, sizes of its results, wall seconds."""
    from eigenparse.learn.shards import cut_shards
    from eigenparse.run.local import on_this_machine

    shards = list(cut_shards(path, shard_bytes=shard_bytes))
    passes, walls = [], {}
    with on_this_machine(jobs) as run:
        for name, task, add in learning_passes(shards):
            timed = partial(clocked, task=task)
            list(run.map_ordered(timed, shards[: 2 * jobs]))  # processes load their kernels
            began, total, times, adding = time.perf_counter(), None, [], 0.0
            for part, seconds in run.map_ordered(timed, shards):
                times.append(seconds)
                since = time.perf_counter()
                total = part if total is None or add is None else add(total, part)
                adding += time.perf_counter() - since
            walls[name] = time.perf_counter() - began
            sizes = len(pickle.dumps(part)), len(pickle.dumps(timed))
            passes.append(Pass(name, tuple(times), sizes[0], adding / len(shards), sizes[1]))
    return passes, walls, len(shards)


def compare(path: pathlib.Path, shard_bytes: int) -> None:
    """Print measured and simulated seconds of each pass."""
    passes, walls, n = measured(path, 2, shard_bytes)
    print("pass      s a shard  result MB  task MB   add s  measured s  simulated s")
    total = 0.0
    for one in passes:
        mean = sum(one.compute) / len(one.compute)
        guess = simulate(one, n, Cluster(2, bandwidth=1e9), ahead=2).wall
        total += guess
        print(
            f"{one.name:<8}{mean:>11.3f}{one.result_bytes / 1e6:>11.2f}{one.task_bytes / 1e6:>9.2f}{one.add:>8.4f}"
            f"{walls[one.name]:>12.2f}{guess:>13.2f}"
        )
    print(f"{n} shards; simulated over measured: {total / sum(walls.values()):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=pathlib.Path)
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
        compare(options.measure, options.shard_bytes)
        return
    n = int(options.sentences / options.shard_sentences)
    group = max(1, n // MOST_RESULTS)
    sizes = (options.result_mb * 1e6, options.add, options.task_mb * 1e6)
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
