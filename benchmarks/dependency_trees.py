"""Time of estimating and scoring the latent tree model on one treebank.

python benchmarks/dependency_trees.py FOLDER [--states 10]
"""

import argparse
import pathlib
import time
from collections.abc import Callable

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.channels import encode
from eigenparse.inference.dependency.deptree import score_symbols, score_trees
from eigenparse.learn.dependency.trees import ESTIMATORS, DepTreeOptions
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads


def scorer(model: TreeModel, trees: Dependencies) -> Callable[[], object]:
    """Scoring of trees whose words have been looked up already; split heads look them up each time."""
    if isinstance(model, SplitHeads):
        return lambda: score_trees(model, trees)
    symbols = encode(trees, model.channels, model.symbols)
    return lambda: score_symbols(model, trees.head, trees.offsets, symbols)


def main() -> None:
    """One line an estimator: CPU seconds, trees scored a second, totals that are not positive."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--states", type=int, default=10)
    chosen = arguments.parse_args()
    train = read_conllu(chosen.folder / "train.conllu").trees
    for estimator in ESTIMATORS:
        options = DepTreeOptions(estimator=estimator, states=chosen.states, relations=False)
        model = options.fit(train.select(range(200)))
        scorer(model, train)()
        start = time.process_time()
        model = options.fit(train)
        spent = time.process_time() - start
        run = scorer(model, train)
        start = time.process_time()
        run()
        speed = len(train) / (time.process_time() - start)
        n_bad = model.about.get("not_positive", 0)
        print(f"{estimator:12s}{spent:8.2f} s CPU{speed:12.0f} trees/s{n_bad:8d} not positive")


if __name__ == "__main__":
    main()
