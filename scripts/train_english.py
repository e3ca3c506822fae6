"""Train the bundled English model: openly licensed trees in, src/eigenparse/data/en.eig out.

    python scripts/train_english.py --work english             # data beside the repository, or $EIGENPARSE_DATA
    python scripts/train_english.py --work english --no-judge  # quicker, to try settings

Trees: english-open-large/train.ptb (documents of GUM under CC BY, CC BY-SA or in the public domain), every third tree
of craft/train.ptb (CRAFT, CC BY 3.0), and trees that `eigenparse guide` makes of ud-ewt/train.conllu and
ud-childes/train.conllu (UD English EWT and CHILDES, CC BY-SA 4.0); nothing else.  CRAFT's conventions are brought to
those of GUM first: noun phrases lose the nominal phrases inside them (NML), citations and the wrappers of titles,
headings and captions go.

Rounds: a grammar of GUM and CRAFT makes the first guided trees, a grammar that has learnt from these too makes the
second, from which the model is learnt.  What is finished is kept in the folder --work and not made again.  The same by
commands, for other data:

    eigenparse train lpcfg gum.ptb --no-judge --out 0.model
    eigenparse guide 0.model ewt.conllu --out ewt.ptb
    eigenparse train lpcfg gum.ptb --guided ewt.ptb --guided-weight 0.4 --no-judge --out 1.model
    eigenparse guide 1.model ewt.conllu --out ewt.ptb
    eigenparse train lpcfg gum.ptb --guided ewt.ptb --guided-weight 0.4 --out 2.model
"""

import argparse
import os
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.batch.files import write_chunks
from eigenparse.batch.guide import GuideOptions, guide
from eigenparse.corpus.brackets import join_treebanks, read_trees
from eigenparse.corpus.cleaning import ROOT_NAMES, Normalisation
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import pick_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.reading import read_guided
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import save_model
from eigenparse.work.work import Where

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("EIGENPARSE_DATA", ROOT.parent / "shared" / "data"))
TARGET = ROOT / "src" / "eigenparse" / "data" / "en.eig"
WRAPPERS = ("TITLE", "HEADING", "CAPTION")
SPLICED = ("NML", "CIT")
CRAFT_STEP, CRAFT_WEIGHT = 3, 0.5  # every third tree of CRAFT
GUIDED = {"ud-ewt": (None, 0.4), "ud-childes": (7000, 0.3)}  # sentences at most, weight
ROUNDS = 2
OPTIONS = GrammarOptions(states=24, least_share=4e-3)
ABOUT = {
    "name": "en",
    "licence": "CC BY-SA 4.0",
    "data": [
        "GUM, the Georgetown University Multilayer corpus, documents under CC BY, CC BY-SA or in the public domain "
        "(Amir Zeldes and others)",
        "CRAFT, the Colorado Richly Annotated Full-Text corpus, CC BY 3.0 (University of Colorado and others)",
        "UD English EWT, CC BY-SA 4.0 (Natalia Silveira and others)",
        "UD English CHILDES, CC BY-SA 4.0 (Xiulin Yang and others)",
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


def gold_trees(data: Path) -> Treebank:
    """The trees made by people, those of CRAFT with less weight."""
    general = normalise(read_trees(data / "english-open-large" / "train.ptb"))
    craft = craft_trees(data / "craft" / "train.ptb")
    some = pick_trees(craft, np.arange(0, len(craft), CRAFT_STEP))
    return join_treebanks([general, replace(some, weight=np.full(len(some), CRAFT_WEIGHT))])


def guided_trees(data: Path, work: Path, number: int) -> list[Treebank]:
    """The trees that the grammar of the round before makes of dependency treebanks; none in round 0."""
    found = []
    for name, (most, weight) in GUIDED.items() if number else ():
        made = work / f"{name}.{number}.ptb"
        if not made.exists():
            chunks = guide(
                work / f"{number - 1}.model",
                data / name / "train.conllu",
                Where(),
                None,
                GuideOptions(most=most),
            )
            write_chunks(chunks, made)
        found.append(read_guided([made], weight))
    return found


def learn(data: Path, work: Path, number: int, options: GrammarOptions) -> LatentGrammar:
    """The grammar of a round."""
    start = time.process_time()
    treebank = join_treebanks([gold_trees(data), *guided_trees(data, work, number)])
    grammar = options.fit(treebank)
    print(f"round {number}: {len(treebank)} trees, {time.process_time() - start:.0f} CPU seconds", flush=True)
    return replace(grammar, report=grammar.report | {"about": ABOUT})


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, default=DATA)
    arguments.add_argument("--out", type=Path, default=TARGET)
    arguments.add_argument("--work", type=Path, required=True, help="folder of what lies between")
    arguments.add_argument("--no-judge", action="store_true")
    given = arguments.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for number in range(ROUNDS):
        if not (between := given.work / f"{number}.model").exists():
            save_model(
                learn(given.data, given.work, number, replace(OPTIONS, judge=False)),
                between,
                "lpcfg",
                packed=True,
            )
    options = replace(OPTIONS, judge=False) if given.no_judge else OPTIONS
    save_model(learn(given.data, given.work, ROUNDS, options), given.out, "lpcfg", packed=True)
    print(f"{given.out.name}: {given.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
