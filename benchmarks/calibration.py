"""How honest posteriors are: a model and gold trees in, one table for the brackets and tags of the best trees out.

    python benchmarks/calibration.py MODEL data/gum/dev.ptb

Each row has the constituents (or tags) that the parser chose with a posterior in the row's range: how many, what
it promised on average, and how many were right.  The last line is the expected calibration error.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.api.grammar import Grammar, load
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.learn.grammar.judge_cases import gold_brackets, tags_of

Pairs = list[tuple[float, bool]]
BINS = 10


def chosen(grammar: Grammar, gold: Treebank) -> dict[str, Pairs]:
    """Posterior and truth of every constituent and tag of the best trees."""
    found: dict[str, Pairs] = {"constituents": [], "tags": []}
    right, tags = gold_brackets(gold), tags_of(gold)
    for i, parse in enumerate(grammar.parse_many(tokens_of(gold))):
        known = parse.status in ("ok", "relaxed")
        for b in parse.brackets if known else ():
            found["constituents"].append((b.posterior, (b.start, b.end, b.label) in right[i]))
        for own, name in zip(parse.tags if known else (), tags[i]):
            found["tags"].append((own.posterior, own.tag == name))
    return found


def table(name: str, pairs: Pairs) -> list[str]:
    """Lines of one table."""
    p, right = (np.array(column, dtype=np.float64) for column in zip(*pairs))
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    lines = [f"{name:14}{'number':>8}{'promised':>10}{'right':>8}"]
    error = 0.0
    for k in range(BINS):
        own = bins == k
        if own.any():
            error += abs(float(p[own].sum() - right[own].sum()))
            row = f"{k / BINS:.1f} to {(k + 1) / BINS:.1f}"
            lines.append(f"{row:14}{int(own.sum()):>8}{p[own].mean():>10.3f}{right[own].mean():>8.3f}")
    return [*lines, f"expected calibration error {error / p.size:.4f}", ""]


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("model")
    arguments.add_argument("gold")
    given = arguments.parse_args()
    grammar = load(given.model)
    if not isinstance(grammar, Grammar):
        raise SystemExit(f"{given.model}: not a grammar; train one with `eigenparse train lpcfg`")
    for name, pairs in chosen(grammar, normalise(read_trees(given.gold))).items():
        print("\n".join(table(name, pairs)))


if __name__ == "__main__":
    main()
