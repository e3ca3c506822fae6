"""Trees a second and peak memory of out-of-core learning at growing sizes, on sentences of the synthetic English.

    python benchmarks/scale.py --sizes 20000,200000,2000000 --states 8 [--jobs N] [--cluster ADDRESS] [--folder DIR]
    python benchmarks/scale.py --tokens 20000000,200000000        word vectors of so many tokens instead

Each size is learnt in a process of its own, so that its peak memory is its own.  The trees are sampled, written to
a temporary folder, and removed.  Tokens are drawn from a Zipf distribution over five million words, apart from each
other, so that there are as many kinds of words and pairs as a text could have: the worst case for memory.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BLOCK = 20_000  # trees sampled at a time
TOKENS, N_TYPES, ZIPF = 1_000_000, 5_000_000, 1.05  # drawn at a time, kinds of words, exponent


def write_corpus(path: pathlib.Path, n: int) -> None:
    """So many sampled trees; every block has a seed of its own."""
    from eigenparse.corpus.brackets import format_trees
    from eigenparse.synthetic import sample_treebank

    with path.open("wb") as stream:
        for number, start in enumerate(range(0, n, BLOCK)):
            stream.write(format_trees(sample_treebank(min(BLOCK, n - start), 1000 + number)))


def write_tokens(path: pathlib.Path, n: int) -> None:
    """So many tokens, twenty a line; a word is its rank in seven characters."""
    import numpy as np

    share = 1.0 / np.arange(1, N_TYPES + 1) ** ZIPF
    below = np.cumsum(share / share.sum())
    digits = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", dtype=np.uint8)
    power = 36 ** np.arange(6, -1, -1)
    draw = np.random.default_rng(7)
    with path.open("wb") as stream:
        for start in range(0, n, TOKENS):
            ranks = np.searchsorted(below, draw.random(min(TOKENS, n - start)))
            block = np.full((ranks.size, 8), ord(" "), dtype=np.uint8)
            block[:, :7] = digits[ranks[:, None] // power % 36]
            block[19::20, 7] = ord("\n")
            stream.write(block.tobytes())


def embed(folder: pathlib.Path, n: int) -> None:
    """Learn word vectors of so many tokens by the command and print a row of the table."""
    text, out = folder / f"{n}.txt", folder / f"{n}.vectors"
    try:
        write_tokens(text, n)
        command = [
            "-c",
            "from eigenparse.cli.main import main; main()",
            "embed",
            str(text),
            "--out",
            str(out),
        ]
        began = time.perf_counter()
        process = subprocess.Popen([sys.executable, *command])
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"embed ended with status {status}")
        wall, cpu = time.perf_counter() - began, used.ru_utime + used.ru_stime
        size = text.stat().st_size >> 20
        print(f"{n:>11}{size:>9}{cpu:>9.1f}{wall:>9.1f}{n / cpu:>14.0f}{used.ru_maxrss >> 10:>7}", flush=True)
    finally:
        for path in (text, out):
            path.unlink(missing_ok=True)


def learn(path: pathlib.Path, states: int, rounds: int, jobs: int, cluster: str | None) -> None:
    """Learn once and print what it took as JSON."""
    from eigenparse.learn.grammar.options import GrammarOptions
    from eigenparse.learn.grammar.shards import Shards, cut_shards
    from eigenparse.run.ordered import open_run
    from eigenparse.work.work import Work

    options = GrammarOptions(states=states, em_rounds=rounds, judge=False)
    shards = tuple(cut_shards(path))
    began, cpu = time.perf_counter(), time.process_time()
    with open_run(cluster, jobs) as run:
        work = Work(run)
        grammar = options.fit(Shards(shards), work)
    record = {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "shards": len(shards),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "stages": work.stages.seconds,
        "trees": grammar.report["n_trees"],
        "rules": int(grammar.skeleton.rules.shape[0]),
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
    parser.add_argument("--tokens", help="sizes of texts for embed, instead of trees")
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        learn(options.one, options.states, options.em_rounds, options.jobs, options.cluster)
        return
    if options.tokens:
        print(f"{'tokens':>11}{'MB':>9}{'CPU s':>9}{'wall s':>9}{'tokens/CPU s':>14}{'MB':>7}")
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            for n in map(int, options.tokens.split(",")):
                embed(pathlib.Path(name), n)
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
