"""Test parts with settings frozen: chunks, tags and dependencies, with bootstrap intervals and peers beside.

    python benchmarks/headlines.py DATA                       the development parts, to see that it works
    python benchmarks/headlines.py DATA --part test           once, at the end
    python benchmarks/headlines.py DATA --only chunks         rows: chunks, tags, dependency

Settings are the defaults of the commands; seeds are named in the rows.  Intervals: 95 %, 10,000 resamples of sentences.
Python-crfsuite by L-BFGS is trained here on the same data as the taggers; hmmlearn stands in sequence_chain.py,
grammars in lpcfg_parsing.py.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.label_sources import read_labelled
from eigenparse.corpus.sequences import Sequences
from eigenparse.evaluate.compare import f1_of_sums, percent_of_sums
from eigenparse.evaluate.tagging import count_sequence
from eigenparse.experiments.dhillon2012 import per_sentence
from eigenparse.inference.dependency.arcs import parse as parse_arcs
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.learner import TaggerOptions
from lpcfg_parsing import interval

Row = tuple[str, np.ndarray, Callable[[np.ndarray], np.ndarray], float]


def sentences(corpus: Sequences, labels: list[str]) -> list[list[str]]:
    return [labels[i:j] for i, j in pairwise(corpus.offsets.tolist())]


def tag_counts(gold: Sequences, guess: list[str], *, chunks: bool) -> np.ndarray:
    """(S, 3) right, gold, guessed chunks, or (S, 2) tokens and right ones, of every sentence."""
    rows = []
    for one, two in zip(sentences(gold, gold.column("label").strings()), sentences(gold, guess)):
        found = count_sequence(one, two, iob=chunks)
        chunk = found.chunk
        rows.append((chunk.right, chunk.gold, chunk.guessed) if chunks else (found.tokens, found.right))
    return np.array(rows, dtype=np.int64)


def crf_features(words: list[str], tags: list[str] | None) -> list[list[str]]:
    """The usual features: words, shapes and affixes in a window of two, tags where there are some."""
    rows = []
    for i, word in enumerate(words):
        row = [
            "bias",
            f"s3={word[-3:]}",
            f"s2={word[-2:]}",
            f"p2={word[:2]}",
            f"t={word.istitle()}",
            f"d={word[:1].isdigit()}",
        ]
        for k in (-2, -1, 0, 1, 2):
            if 0 <= i + k < len(words):
                row.append(f"w{k}={words[i + k].lower()}")
                row += [f"p{k}={tags[i + k]}"] if tags else []
        rows.append(row)
    return rows


def crf(train: Sequences, test: Sequences, tag_column: str | None) -> tuple[list[str], float]:
    """Labels by python-crfsuite, trained by L-BFGS with its usual regularisation until it stops."""
    import pycrfsuite

    def rows(corpus: Sequences) -> list[list[list[str]]]:
        words = sentences(corpus, corpus.column("word").strings())
        tags = sentences(corpus, corpus.column(tag_column).strings()) if tag_column else [None] * len(words)
        return [crf_features(w, t) for w, t in zip(words, tags)]

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for row, gold in zip(rows(train), sentences(train, train.column("label").strings())):
        trainer.append(row, gold)
    clock = time.process_time()
    trainer.train("headlines.crfsuite")
    spent = time.process_time() - clock
    tagger = pycrfsuite.Tagger()
    tagger.open("headlines.crfsuite")
    guess = [label for row in rows(test) for label in tagger.tag(row)]
    Path("headlines.crfsuite").unlink()
    return guess, spent


def tagging(
    train: Sequences, test: Sequences, name: str, seeds: int, tag_column: str | None
) -> Iterator[Row]:
    """Ours with the settings of the documentation, and the CRF."""
    chunks, statistic = tag_column is not None, f1_of_sums if tag_column else percent_of_sums
    for method, states, members, seed in [("spectral", 16, 1, s) for s in range(seeds)] + [("em", 8, 4, 0)]:
        options = TaggerOptions(
            method=method, states=states, emission="loglinear", ensemble=members, seed=seed
        )
        clock = time.process_time()
        model = options.fit(labelled(train, "label"))
        spent = time.process_time() - clock
        guess = [model.labels[k] for k in tag_ids(model, test.without("label"))]
        title = f"{name}, {method} {states} x {members}, seed {seed}"
        yield title, tag_counts(test, guess, chunks=chunks), statistic, spent
    guess, spent = crf(train, test, tag_column)
    yield f"{name}, python-crfsuite, L-BFGS", tag_counts(test, guess, chunks=chunks), statistic, spent


def chunking(data: Path, part: str, seeds: int) -> Iterator[Row]:
    """CoNLL-2000; without --part test the last tenth of the training sentences is the development part."""
    train = read_labelled(data / "conll2000" / "train.txt")
    cut = len(train) * 9 // 10
    if part == "test":
        test = read_labelled(data / "conll2000" / "test.txt")
    else:
        train, test = train.take(0, cut), train.take(cut, len(train))
    yield from tagging(train, test, "chunks F1", seeds, train.names[1])


def tags(data: Path, part: str, seeds: int) -> Iterator[Row]:
    """Parts of speech of the treebanks."""
    for name in ("wsj-sample", "gum"):
        train, test = (read_labelled(data / name / f"{p}.ptb") for p in ("train", part))
        yield from tagging(train, test, f"tags {name}", seeds, None)


def dependency(data: Path, part: str, seeds: int) -> Iterator[Row]:
    """Unlabelled attachment, gold tags, both orders."""
    for name in ("ud-ewt", "ud-gum"):
        train, gold = (read_conllu(data / name / f"{p}.conllu").trees for p in ("train", part))
        for order in (1, 2):
            clock = time.process_time()
            model = ArcOptions(order=order).fit(train)
            spent = time.process_time() - clock
            counts = per_sentence(parse_arcs(model, gold).head, gold)
            yield f"{name}, order {order}: UAS", counts, percent_of_sums, spent


ROWS = {"chunks": chunking, "tags": tags, "dependency": dependency}


def main() -> None:
    """Print every row as it is finished."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--part", default="dev", choices=("dev", "test"))
    arguments.add_argument("--only", nargs="+", choices=tuple(ROWS), default=tuple(ROWS))
    arguments.add_argument("--seeds", type=int, default=3)
    given = arguments.parse_args()
    for name in given.only:
        for title, counts, statistic, seconds in ROWS[name](given.data, given.part, given.seeds):
            value, low, high = interval(counts, statistic)
            print(
                f"{title:48} {value:6.2f}  [{low:6.2f}, {high:6.2f}]  train {seconds:7.1f} CPU s", flush=True
            )


if __name__ == "__main__":
    main()
