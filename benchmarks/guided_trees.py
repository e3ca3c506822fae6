"""What guided trees are worth: a dependency treebank as a teacher of a grammar that has few trees, or other ones.

    python benchmarks/guided_trees.py DATA [--parts ewt curve] [--seeds 3]

ewt: english-open-large alone, and with guided trees of ud-ewt.  curve: 500 and 2,000 trees of gum alone, and with the
dependencies that ud-gum has of its other sentences; how arcs lie in phrases is learnt from the few trees.  Labelled F1
on gum/dev.ptb from words alone, of grammars without a judge (means over the seeds) and of one grammar with a judge.
Guided trees are made once, by a grammar with a judge, as `eigenparse train lpcfg` makes it.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import time
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
from eigenparse.models.registry import save_model
from eigenparse.work.work import Where

SIZES = (500, 2000)
WEIGHT = 0.4


def guided(own: Treebank, arcs: Path, counts: SpanCounts | None) -> Treebank:
    """The trees, and those that a grammar of them makes under the arcs."""
    with tempfile.TemporaryDirectory() as folder:
        model, made = Path(folder) / "teacher.model", Path(folder) / "guided.ptb"
        save_model(GrammarOptions().fit(own), model, "lpcfg", packed=True)
        write_chunks(guide(model, arcs, Where(), counts), made)
        return join_treebanks([own, read_guided([made], WEIGHT)])


def row(
    name: str, own: Treebank, arcs: Path, gold: Treebank, seeds: int, counts: SpanCounts | None = None
) -> None:
    """Print the scores of grammars of the trees alone and with guided ones."""
    start = time.process_time()
    cells, plain = [], []
    for treebank in (own, guided(own, arcs, counts)):
        found = [
            dev_scores(GrammarOptions(judge=False, seed=seed).fit(treebank), gold) for seed in range(seeds)
        ]
        plain.append(statistics.mean(scores.f1 for scores in found))
        tags = statistics.mean(scores.tagging for scores in found)
        judged = dev_scores(GrammarOptions().fit(treebank), gold).f1
        cells.append(f"{plain[-1]:.2f} | {tags:.2f} | {judged:.2f}")
    seconds = time.process_time() - start
    print(f"| {name} | {' | '.join(cells)} | {plain[1] - plain[0]:+.2f} | {seconds:.0f} |", flush=True)


def curve(data: Path, gold: Treebank, seeds: int) -> None:
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
            row(f"{size} trees of gum", own, rest, gold, seeds, counts)


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--parts", nargs="+", choices=("ewt", "curve"), default=("ewt", "curve"))
    arguments.add_argument("--seeds", type=int, default=3)
    given = arguments.parse_args()
    gold = normalise(read_trees(given.data / "gum" / "dev.ptb"))
    print("| gum dev | alone | tags | with judge | guided | tags | with judge | gain | CPU s |")
    print(f"|---{'|---' * 8}|", flush=True)
    if "ewt" in given.parts:
        own = normalise(read_trees(given.data / "english-open-large" / "train.ptb"))
        row("english-open-large", own, given.data / "ud-ewt" / "train.conllu", gold, given.seeds)
    if "curve" in given.parts:
        curve(given.data, gold, given.seeds)


if __name__ == "__main__":
    main()
