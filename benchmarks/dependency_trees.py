"""Time of estimating and scoring the latent tree model on one treebank.

python benchmarks/dependency_trees.py FOLDER [--states 10]
"""

import argparse
import pathlib
import time

from eigenparse.corpus.conllu import read_conllu
from eigenparse.inference.deptree import encode, score_symbols
from eigenparse.learn.deptree_fit import ESTIMATORS, DepTreeLearner


def main() -> None:
    """One line an estimator: CPU seconds, trees scored a second, totals that are not positive."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--states", type=int, default=10)
    chosen = options.parse_args()
    train = read_conllu(chosen.folder / "train.conllu").trees
    for estimator in ESTIMATORS:
        learner = DepTreeLearner(estimator=estimator, n_states=chosen.states)
        model, _ = learner.fit(train.select(range(200)))
        symbols = encode(train, model.channels, model.symbols)
        score_symbols(model, train.head, train.offsets, symbols)
        start = time.process_time()
        model, report = learner.fit(train)
        spent = time.process_time() - start
        symbols = encode(train, model.channels, model.symbols)
        start = time.process_time()
        score_symbols(model, train.head, train.offsets, symbols)
        speed = len(train) / (time.process_time() - start)
        print(
            f"{estimator:12s}{spent:8.2f} s CPU{speed:12.0f} trees/s{report.n_not_positive:8d} not positive"
        )


if __name__ == "__main__":
    main()
