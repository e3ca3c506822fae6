"""Train the bundled English model: openly licensed trees in, src/eigenparse/data/en.eig out.

    python scripts/train_english.py                      # data beside the repository, or $EIGENPARSE_DATA
    python scripts/train_english.py --unpacked big.model # also the grammar before packing

Trees: english-open/train.ptb (the documents of GUM under CC BY or CC BY-SA) and craft/train.ptb (CRAFT, CC
BY 3.0), nothing else.  CRAFT's conventions are brought to those of GUM first: noun phrases lose the
nominal phrases inside them (NML), citations and the wrappers of titles, headings and captions go.  The
general trees count several times, and only some of the many more biomedical ones are taken, so that
these do not drown the others.
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.corpus.brackets import format_trees, parse_trees, read_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import ROOT_NAMES, Normalisation, normalise
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import save_model

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("EIGENPARSE_DATA", ROOT.parent / "shared" / "data"))
TARGET = ROOT / "src" / "eigenparse" / "data" / "en.eig"
WRAPPERS = ("TITLE", "HEADING", "CAPTION")
SPLICED = ("NML", "CIT")
GENERAL_COPIES = 4
CRAFT_STEP = 3  # every third tree of CRAFT
OPTIONS = GrammarOptions(states=24)
ABOUT = {
    "name": "en",
    "licence": "CC BY-SA 4.0",
    "data": [
        "GUM, the Georgetown University Multilayer corpus, documents under CC BY or CC BY-SA (Amir Zeldes and others)",
        "CRAFT, the Colorado Richly Annotated Full-Text corpus, CC BY 3.0 (University of Colorado and others)",
    ],
}


def spliced(treebank: Treebank, names: tuple[str, ...]) -> Treebank:
    """The same trees without phrases of these labels, whose children move up to their parents."""
    marked = np.array([label in names for label in treebank.labels])
    gone = marked[treebank.label] & (treebank.word < 0) & (treebank.parent >= 0)
    parent = treebank.parent.copy()
    while (moving := (parent >= 0) & gone[parent]).any():
        parent[moving] = treebank.parent[parent[moving]]
    number = np.cumsum(~gone) - 1
    parent = np.where(parent >= 0, number[parent], -1)[~gone].astype(np.int32)
    offsets = np.append(0, np.cumsum(~gone))[treebank.offsets]
    return replace(
        treebank, label=treebank.label[~gone], parent=parent, word=treebank.word[~gone], offsets=offsets
    )


def craft_trees(path: Path) -> Treebank:
    """Trees of CRAFT in the conventions of GUM."""
    options = Normalisation(roots=(*ROOT_NAMES, *WRAPPERS))
    return normalise(spliced(normalise(read_trees(path), options=options), SPLICED))


def training_trees(data: Path) -> Treebank:
    """Everything that the model is trained on, the general trees several times."""
    general = format_trees(normalise(read_trees(data / "english-open" / "train.ptb"))).decode("utf-8")
    biomedical = format_trees(craft_trees(data / "craft" / "train.ptb")).decode("utf-8").split("\n")
    return normalise(parse_trees(general * GENERAL_COPIES + "\n".join(biomedical[::CRAFT_STEP]) + "\n"))


def train(data: Path) -> LatentGrammar:
    """The grammar before packing."""
    grammar = OPTIONS.fit(training_trees(data))
    return replace(grammar, report=grammar.report | {"about": ABOUT})


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--out", type=Path, default=TARGET)
    arguments.add_argument("--unpacked", type=Path)
    given = arguments.parse_args()
    start = time.process_time()
    grammar = train(given.data)
    print(f"trained on {grammar.report['n_trees']} trees in {time.process_time() - start:.0f} CPU seconds")
    if given.unpacked is not None:
        save_model(grammar, given.unpacked, "lpcfg")
    save_model(grammar, given.out, "lpcfg", packed=True)
    print(f"{given.out.name}: {given.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
