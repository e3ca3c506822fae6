"""Accuracy and speed of latent PCFGs on treebanks: train, parse dev, score; one row a setting.

    python benchmarks/lpcfg_parsing.py DATA --treebank wsj-sample --seeds 3
    python benchmarks/lpcfg_parsing.py DATA --treebank craft --ensemble 4
    python benchmarks/lpcfg_parsing.py DATA --treebank gum --method tensor --states 32
    python benchmarks/lpcfg_parsing.py DATA --treebank gum --no-judge
    python benchmarks/lpcfg_parsing.py DATA --treebank gum --first-seed 0 --seeds 3 --parts dev test

DATA holds a folder a treebank with train.ptb and dev.ptb.  Words only, all lengths, EVALB COLLINS labelled F1.
Seconds are CPU of one process; kernels are warmed up first.  Each part is parsed with the judge and without it; p is
that of a paired bootstrap over sentences; intervals (95 %) are of resampled sentences, too.  Training without the judge
is what the members and the filter took.
"""

import argparse
import os
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import unbinarise
from eigenparse.decode.grammar.parser import as_trees, decode, make_parser
from eigenparse.evaluate.brackets import BracketScores, score_brackets
from eigenparse.evaluate.compare import compare_brackets, f1_of_sums, paired_bootstrap
from eigenparse.evaluate.words import OK
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.run.memory import keep_freed_memory
from eigenparse.synthetic import sample_treebank
from eigenparse.work.work import Work


def tokens(treebank: Treebank) -> list[list[str]]:
    """The words of every sentence."""
    cuts = zip(treebank.offsets[:-1], treebank.offsets[1:])
    return [[treebank.words[w] for w in treebank.word[i:j] if w >= 0] for i, j in cuts]


def parse(grammar: LatentGrammar, sentences: list[list[str]]) -> tuple[Treebank, float, Counter[str]]:
    """Trees of all sentences, CPU seconds, and how many sentences ended with which status."""
    parser = make_parser(grammar)
    for words in sentences[:3]:
        decode(parser, words)
    start = time.process_time()
    results = [decode(parser, words) for words in sentences]
    seconds = time.process_time() - start
    status = Counter(result.status for result in results)
    status["non-positive"] = sum(result.n_non_positive for result in results)
    trees = as_trees(parser, sentences, [result.derivations[0] for result in results])
    return unbinarise(trees), seconds, status


def row(name: str, scores: BracketScores, train: float, speed: float, status: Counter[str]) -> str:
    """One line of the table."""
    total = scores.all
    return (
        f"{name:34} F1 {total.f1:6.2f}  unlabelled {total.unlabelled_f1:6.2f}  exact {total.exact:5.1f}  "
        f"tags {total.tagging:5.2f}  train {train:6.1f} s  {speed:6.1f} sentences/s  {dict(status)}"
    )


def interval(counts: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float, float]:
    """The figure and the ends of its 95 % interval over resamples of sentences.  counts: (S, k) of every sentence."""
    found = paired_bootstrap(np.zeros_like(counts), counts, statistic)
    return found.other, found.low, found.high


def measure(grammar: LatentGrammar, gold: Treebank, name: str, train: float) -> dict[str, float]:
    """F1 of a part with the judge, if there is one, and without."""
    sentences, found = tokens(gold), {}
    for judge in ("judge", "plain") if grammar.judge is not None else ("plain",):
        used = grammar if judge == "judge" else replace(grammar, judge=None)
        guess, seconds, status = parse(used, sentences)
        found[judge] = score_brackets(gold, guess)
        print(row(f"{name} {judge}", found[judge], train, len(sentences) / seconds, status), flush=True)
        counts = np.stack([found[judge].matched, found[judge].gold, found[judge].guess], axis=1)
        value, low, high = interval(counts[found[judge].status == OK], f1_of_sums)
        print(f"{name} {judge}: F1 {value:.2f} [{low:.2f}, {high:.2f}]", flush=True)
    if "judge" in found:
        test = compare_brackets(found["plain"], found["judge"])
        print(f"{name}: the judge adds {test.difference:+.2f}, p = {test.p_value:.4f}", flush=True)
    return {judge: scores.f1 for judge, scores in found.items()}


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--treebank", default="wsj-sample")
    arguments.add_argument("--parts", nargs="+", default=["dev"], help="dev, or test once at the end")
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--first-seed", type=int, default=0)
    arguments.add_argument("--method", default="cluster")
    arguments.add_argument("--states", type=int)
    arguments.add_argument("--em-rounds", type=int)
    arguments.add_argument("--ensemble", type=int, default=1)
    arguments.add_argument(
        "--no-judge", action="store_true", help="learn no second look at brackets and tags"
    )
    given = arguments.parse_args()
    options = GrammarOptions(method=given.method, em_rounds=given.em_rounds, ensemble=given.ensemble)
    options = replace(options, judge=not given.no_judge)
    if given.states is not None:
        options = replace(options, states=given.states)
    keep_freed_memory()
    replace(options, ensemble=1).fit(normalise(sample_treebank(300, 0)))  # compiles the kernels
    parts = {part: normalise(read_trees(given.data / given.treebank / f"{part}.ptb")) for part in given.parts}
    found: dict[str, list[float]] = {}
    for seed in range(given.first_seed, given.first_seed + given.seeds):
        start = time.process_time()
        treebank = normalise(read_trees(given.data / given.treebank / "train.ptb"))
        work = Work()
        grammar = replace(options, seed=seed).fit(treebank, work)
        train = time.process_time() - start
        judging = sum(seconds for stage, seconds in work.stages.seconds.items() if "judge" in stage)
        print(f"training {train:.1f} s, {judging:.1f} of them for the judge", flush=True)
        for part, gold in parts.items():
            name = f"{given.treebank} {part} {given.method} x{given.ensemble} seed {seed}"
            for judge, f1 in measure(grammar, gold, name, train).items():
                found.setdefault(f"{part} {judge}", []).append(f1)
    for name, values in found.items():
        print(f"{given.treebank} {name}: mean F1 of {len(values)} seeds {sum(values) / len(values):.2f}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {memory:.2f} GB")


if __name__ == "__main__":
    main()
