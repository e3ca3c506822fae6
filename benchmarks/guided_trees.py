"""What guided trees are worth: a dependency treebank as a teacher of a grammar that has few trees, or other ones.

    python benchmarks/guided_trees.py DATA [--parts ewt curve]

ewt: english-open-large alone, and with guided trees of ud-ewt.  curve: 500 and 2,000 trees of gum alone, and with the
dependencies that ud-gum has of its other sentences; how arcs lie in phrases is learnt from the few trees.  Labelled F1
on gum/dev.ptb from words alone.  All grammars are those of `eigenparse train lpcfg --no-judge`; guided trees are
made in two rounds.
"""

import argparse
import itertools
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.batch.files import write_chunks
from eigenparse.batch.guide import guide, learn_from
from eigenparse.batch.tune_grammar import dev_scores
from eigenparse.corpus.arc_spans import SpanCounts
from eigenparse.corpus.brackets import format_trees, join_treebanks, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import pick_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.reading import read_guided
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import save_model
from eigenparse.work.work import Where

SIZES = (500, 2000)
WEIGHT = 0.4
ROUNDS = 2
OPTIONS = GrammarOptions(judge=False)


def rounds(own: Treebank, arcs: Path, counts: SpanCounts | None, folder: Path) -> Iterator[LatentGrammar]:
    """The grammar of the trees alone, then that of each round of guided trees."""
    grammar = OPTIONS.fit(own)
    yield grammar
    for number in range(1, ROUNDS + 1):
        model, made = folder / f"{number - 1}.model", folder / f"{number}.ptb"
        save_model(grammar, model, "lpcfg", packed=True)
        write_chunks(guide(model, arcs, Where(), counts), made)
        grammar = OPTIONS.fit(join_treebanks([own, read_guided([made], WEIGHT)]))
        yield grammar


def told(name: str, own: Treebank, arcs: Path, gold: Treebank, counts: SpanCounts | None = None) -> None:
    """Print the scores of all rounds."""
    start, found = time.process_time(), []
    with tempfile.TemporaryDirectory() as folder:
        for grammar in rounds(own, arcs, counts, Path(folder)):
            scores = dev_scores(grammar, gold)
            found.append((scores.f1, scores.tagging))
    gain = found[-1][0] - found[0][0]
    cells = " | ".join(f"{f1:.2f} | {tags:.2f}" for f1, tags in found)
    print(f"| {name} | {cells} | {gain:+.2f} | {time.process_time() - start:.0f} |", flush=True)


def curve(data: Path, gold: Treebank) -> None:
    """A row for every number of trees."""
    trees = normalise(read_trees(data / "gum" / "train.ptb"))
    blocks = read_conllu(data / "ud-gum" / "train.conllu").text
    if len(blocks) != len(trees):
        raise SystemExit("gum and ud-gum do not have the same sentences; take both from one edition")
    for size in SIZES:
        chosen = np.linspace(0, len(trees) - 1, size).astype(np.int64)
        known = set(chosen.tolist())
        own = pick_trees(trees, chosen)
        with tempfile.TemporaryDirectory() as folder:
            few, rest = Path(folder) / "few.ptb", Path(folder) / "rest.conllu"
            few.write_bytes(format_trees(own))
            lines = ((*block, "") for k, block in enumerate(blocks) if k not in known)
            rest.write_text("\n".join(itertools.chain.from_iterable(lines)) + "\n", encoding="utf-8")
            counts = learn_from(few, data / "ud-gum" / "train.conllu")
            told(f"{size} trees of gum", own, rest, gold, counts)
    print(f"| all {len(trees)} trees of gum | {dev_scores(OPTIONS.fit(trees), gold).f1:.2f} |", flush=True)


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--parts", nargs="+", choices=("ewt", "curve"), default=("ewt", "curve"))
    given = arguments.parse_args()
    gold = normalise(read_trees(given.data / "gum" / "dev.ptb"))
    names = "".join(f" round {k} | tags |" for k in range(1, ROUNDS + 1))
    print(f"| gum dev | alone | tags |{names} gain | CPU s |\n|---{'|---' * (2 * ROUNDS + 4)}|", flush=True)
    if "ewt" in given.parts:
        own = normalise(read_trees(given.data / "english-open-large" / "train.ptb"))
        told("english-open-large", own, given.data / "ud-ewt" / "train.conllu", gold)
    if "curve" in given.parts:
        curve(given.data, gold)


if __name__ == "__main__":
    main()
