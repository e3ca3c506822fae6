"""Time, accuracy and list quality of the graph-based parser on one treebank.

    python benchmarks/dependency_parser.py FOLDER [--order 1|2] [--peers] [--tags predicted] [--vectors FILE] [--rerank]

``--peers`` trains on the first 4,000 sentences of at most 25 words with universal tags only, as the other
parsers were.  ``--tags predicted`` learns taggers too; their time counts.  ``--vectors`` takes word vectors that
``eigenparse embed`` wrote.  A second-order parser is also scored without its judge, and lists are made without it.
``--rerank`` times re-rankers of 50-best lists, with and without log p of split heads; they learn from lists of 1,000
training sentences, since only their speed is measured.
"""

import argparse
import dataclasses
import pathlib
import time

import numpy as np

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.evaluate.attachment import attachment
from eigenparse.inference.dependency.arcs import kbest, parse
from eigenparse.inference.dependency.rerank import Candidates, choose, scored
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.rerank import RerankerOptions
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.vectors.word2vec import load_vectors


def universal_only(trees: Dependencies) -> Dependencies:
    """The same trees without language-specific tags and morphology."""
    nothing = np.zeros(trees.n_words, dtype=np.int32)
    return dataclasses.replace(
        trees, xpos=nothing, feats=nothing, symbols={**trees.symbols, "xpos": ("_",), "feats": ("_",)}
    )


def oracle_share(heads: np.ndarray, found: np.ndarray, gold: Dependencies) -> float:
    """UAS of the best tree of every list."""
    sentence = np.repeat(np.arange(len(gold)), gold.lengths())
    right = np.stack([np.bincount(sentence, row == gold.head, minlength=len(gold)) for row in heads])
    right[np.arange(len(right))[:, None] >= found[None, :]] = -1
    return 100.0 * float(right.max(axis=0).sum()) / gold.n_words


def time_rerankers(parser: ArcModel, train: Dependencies, dev: Dependencies) -> None:
    """Print how quickly lists of 50 trees are made and the best of each is chosen."""
    some = train.select(range(1000))

    def listed(trees: Dependencies, models: tuple[TreeModel, ...]) -> Candidates:
        lists = kbest(parser, trees, 50)
        return scored(trees, lists.heads, lists.scores, lists.found, models)

    heads = DepTreeOptions(estimator="lpcfg", states=16, relations=False).fit(TreeData(some))
    for title, models in {"base features": (), "and log p of split heads": (heads,)}.items():
        ranks = RerankerOptions(passes=2).fit_lists(listed(some, models), some.head, models)
        start = time.process_time()
        choose(ranks, listed(dev, models))
        print(
            f"re-ranking      {len(dev) / (time.process_time() - start):8.0f} sentences/s, lists included, {title}"
        )


def main() -> None:
    """Train, parse the development set, print one line a figure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--order", type=int, default=1)
    options.add_argument("--peers", action="store_true")
    options.add_argument("--tags", default="gold")
    options.add_argument("--vectors", type=pathlib.Path)
    options.add_argument("--rerank", action="store_true")
    chosen = options.parse_args()
    train = read_conllu(chosen.folder / "train.conllu").trees
    dev = read_conllu(chosen.folder / "dev.conllu").trees
    if chosen.peers:
        train = universal_only(train.select(np.flatnonzero(train.lengths() <= 25)[:4000]))
        dev = universal_only(dev)
    warm = train.select([0, 1])
    model = ArcOptions(order=chosen.order, passes=1, bits=18).fit(warm)
    parse(model, warm)
    kbest(model, warm, 2)
    start = time.process_time()
    vectors = load_vectors(chosen.vectors) if chosen.vectors else None
    model = ArcOptions(order=chosen.order, tags=chosen.tags).fit(TreeData(train, vectors=vectors))
    print(f"training        {time.process_time() - start:8.1f} s CPU, {model.about['lifted']} trees lifted")
    for name, share in model.about["tag_accuracy"].items():
        print(f"jack-knifed {name:16s}{100 * share:8.2f}")
    alone = dataclasses.replace(model, judge=None)
    for title, parser in {"": model, "without judge": alone}.items() if model.judge else {"": model}.items():
        parse(parser, warm)
        start = time.process_time()
        guess = parse(parser, dev)
        print(f"parsing         {len(dev) / (time.process_time() - start):8.0f} sentences/s {title}")
        for name, value in attachment(dev, guess).figures().items():
            print(f"{name:28s}{value:8.2f}")
    start = time.process_time()
    lists = kbest(alone, dev, 50)
    print(f"50 best         {len(dev) / (time.process_time() - start):8.0f} sentences/s")
    print(f"50-best oracle UAS          {oracle_share(lists.heads, lists.found, dev):8.2f}")
    if chosen.rerank:
        time_rerankers(alone, train, dev)


if __name__ == "__main__":
    main()
