"""Table 1 of Dhillon et al. 2012 on one treebank: parser, re-ranker, re-ranker with log p.

    python benchmarks/dependency_rerank.py FOLDER [--order 1|2] [--states 32] [--estimator em]

Settings are fixed here; nothing is tuned on what is printed.
"""

import argparse
import pathlib

import numpy as np

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.arcs import kbest
from eigenparse.evaluate.compare import paired_bootstrap
from eigenparse.inference.rerank import choose, chosen_heads, oracle, scored
from eigenparse.learn.deptree_fit import DepTreeLearner
from eigenparse.learn.mira import ArcLearner
from eigenparse.learn.rerank import Lists, RerankLearner, jackknifed_lists
from eigenparse.models.arcs import ArcModel

BEST = 50


def make_lists(model: ArcModel, sentences: Dependencies) -> Lists:
    """N-best lists of a parser."""
    found = kbest(model, sentences, BEST)
    return found.heads, found.scores, found.found


def per_sentence(heads: np.ndarray, gold: Dependencies) -> np.ndarray:
    """(S, 2) words and right heads of every sentence."""
    sentence = np.repeat(np.arange(len(gold)), gold.lengths())
    right = np.bincount(sentence, heads == gold.head, minlength=len(gold)).astype(np.int64)
    return np.stack([gold.lengths(), right], axis=1)


def main() -> None:
    """Print accuracy and complete trees of every row, on dev and test."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--order", type=int, default=1)
    options.add_argument("--states", type=int, default=32)
    options.add_argument("--estimator", default="em")
    chosen = options.parse_args()
    parts = {name: read_conllu(chosen.folder / f"{name}.conllu").trees for name in ("train", "dev", "test")}
    train = parts.pop("train")
    parser = ArcLearner(order=chosen.order, label_passes=1)
    trees = DepTreeLearner(estimator=chosen.estimator, n_states=chosen.states)
    model, tree_models = parser.fit(train)[0], (trees.fit(train)[0],)
    full = jackknifed_lists(train, parser, (trees,), make_lists)
    plain = scored(train, full.heads, full.scores, full.found, ())
    rankers = {
        "re-ranked": RerankLearner().fit(plain, train.head, ()),
        "re-ranked + log p": RerankLearner().fit(full, train.head, tree_models),
    }
    for name, gold in parts.items():
        heads = make_lists(model, gold)
        rows = {"parser": heads[0][0]}
        for title, ranker in rankers.items():
            lists = scored(gold, *heads, ranker.tree_models)
            rows[title] = chosen_heads(lists, choose(ranker, lists)[0])
        lists = scored(gold, *heads, ())
        rows["oracle"] = chosen_heads(lists, oracle(lists, gold.head))
        counts = {title: per_sentence(found, gold) for title, found in rows.items()}
        for title, table in counts.items():
            complete = 100 * (table[:, 0] == table[:, 1]).mean()
            print(f"{name:5s}{title:20s}{100 * table[:, 1].sum() / table[:, 0].sum():8.2f}{complete:8.2f}")
        found = paired_bootstrap(
            counts["re-ranked"], counts["re-ranked + log p"], lambda sums: 100 * sums[:, 1] / sums[:, 0]
        )
        print(
            f"{name:5s}log p adds {found.difference:+.2f} [{found.low:+.2f}, {found.high:+.2f}], "
            f"p = {found.p_value:.4f}"
        )


if __name__ == "__main__":
    main()
