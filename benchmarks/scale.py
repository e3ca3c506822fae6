"""Trees a second and peak memory of out-of-core learning at growing sizes, on sentences of the synthetic English.

    python benchmarks/scale.py --sizes 20000,200000,2000000 --states 8 [--jobs N] [--cluster ADDRESS] [--folder DIR]

Each size is learnt in a process of its own, so that its peak memory is its own.  The trees are sampled, written to
a temporary folder, and removed.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BLOCK = 20_000  # trees sampled at a time


def write_corpus(path: pathlib.Path, n: int) -> None:
    """So many sampled trees; every block has a seed of its own."""
    from eigenparse.corpus.brackets import format_trees
    from eigenparse.synthetic import sample_treebank

    with path.open("wb") as stream:
        for number, start in enumerate(range(0, n, BLOCK)):
            stream.write(format_trees(sample_treebank(min(BLOCK, n - start), 1000 + number)))


def learn(path: pathlib.Path, states: int, rounds: int, jobs: int, cluster: str | None) -> None:
    """Learn once and print what it took as JSON."""
    from eigenparse.learn.lpcfg import LpcfgOptions
    from eigenparse.learn.shards import cut_shards
    from eigenparse.learn.states import StateOptions
    from eigenparse.learn.streamed import train_shards
    from eigenparse.run.ordered import open_run

    options = LpcfgOptions(states=StateOptions(states=states), em_rounds=rounds)
    shards = list(cut_shards(path))
    began, cpu = time.perf_counter(), time.process_time()
    with open_run(cluster, jobs) as run:
        learned = train_shards(shards, options, run=run)
    record = {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "shards": len(shards),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "stages": learned.seconds,
        "trees": learned.grammar.report["n_trees"],
        "rules": int(learned.grammar.skeleton.rules.shape[0]),
    }
    print(json.dumps(record))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="20000,200000,2000000")
    parser.add_argument("--states", type=int, default=8)
    parser.add_argument("--em-rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster")
    parser.add_argument("--folder", type=pathlib.Path, help="where the trees are kept, and found again")
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        learn(options.one, options.states, options.em_rounds, options.jobs, options.cluster)
        return
    print(
        f"{'trees':>9}{'shards':>8}{'rules':>8}{'CPU s':>9}{'wall s':>9}{'trees/CPU s':>13}{'MB':>7}  stages (CPU s)"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or pathlib.Path(name)
        for n in map(int, options.sizes.split(",")):
            path = folder / f"{n}.ptb"
            if not path.exists():
                write_corpus(path, n)
            command = [sys.executable, __file__, "--one", str(path), "--states", str(options.states)]
            command += ["--em-rounds", str(options.em_rounds), "--jobs", str(options.jobs)]
            command += ["--cluster", options.cluster] if options.cluster else []
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            rate = found["trees"] / found["cpu"]
            stages = ", ".join(f"{stage} {seconds:.0f}" for stage, seconds in found["stages"].items())
            print(
                f"{n:>9}{found['shards']:>8}{found['rules']:>8}{found['cpu']:>9.1f}{found['seconds']:>9.1f}"
                f"{rate:>13.0f}{found['megabytes']:>7}  {stages}",
                flush=True,
            )


if __name__ == "__main__":
    main()
