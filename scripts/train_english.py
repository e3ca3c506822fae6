"""Train the bundled English model: openly licensed trees in, src/eigenparse/data/en.eig out.

    python scripts/train_english.py --work english             # data beside the repository, or $EIGENPARSE_DATA
    python scripts/train_english.py --work english --no-judge  # quicker, to try settings

Trees: english-open-large/train.ptb (documents of GUM under CC BY, CC BY-SA or in the public domain), every third tree
of craft/train.ptb (CRAFT, CC BY 3.0), and trees that `eigenparse guide` makes of ud-ewt/train.conllu and
ud-childes/train.conllu (UD English EWT and CHILDES, CC BY-SA 4.0), and everyday sentences of our own, drawn from a
small grammar written by hand (scripts/everyday_sentences.py); nothing else.  CRAFT's conventions are brought to
those of GUM first: noun phrases lose the nominal phrases inside them (NML), citations and the wrappers of titles,
headings and captions go.  GUM annotates questions and interjections in two ways; both become what the Penn Treebank
has: a question word before SQ is WHNP, what follows it is SQ, an inverted form of *be* is a child of that, and a phrase
of an interjection alone is INTJ.  Guided trees are corrected in the same way.

Rounds: a grammar of GUM and CRAFT makes the first guided trees, an ensemble of two that has learnt from these too
makes the second, from which, and from the everyday sentences, the model is learnt.  What is finished is kept in the
folder --work and not made again.
The same by commands, for other data:

    eigenparse train lpcfg gum.ptb --no-judge --out 0.model
    eigenparse guide 0.model ewt.conllu --out ewt.ptb
    eigenparse train lpcfg gum.ptb --guided ewt.ptb --guided-weight 0.4 --no-judge --ensemble 2 --out 1.model
    eigenparse guide 1.model ewt.conllu --out ewt.ptb
    eigenparse train lpcfg gum.ptb --guided ewt.ptb --guided-weight 0.4 --out 2.model
"""

import argparse
import os
import re
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector
from eigenparse.batch.files import write_chunks
from eigenparse.batch.guide import guide
from eigenparse.corpus.brackets import join_treebanks, parse_trees, read_trees
from eigenparse.corpus.cleaning import ROOT_NAMES, Normalisation
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import pick_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.reading import read_guided
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import save_model
from eigenparse.work.work import Where
from english_phrases import EVERYDAY, with_phrases
from everyday_sentences import everyday_trees

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("EIGENPARSE_DATA", ROOT.parent / "shared" / "data"))
TARGET = ROOT / "src" / "eigenparse" / "data" / "en.eig"
WRAPPERS = ("TITLE", "HEADING", "CAPTION")
SPLICED = ("NML", "CIT")
BE = ("is", "'s", "’s", "are", "'re", "’re", "am", "'m", "’m", "was", "were")
MENDED = (  # phrases that are missing in guided trees now and then, hardly ever in trees made by people
    (r"\(PP (\(TO [^ ()]+\)) (\(VB [^ ()]+\))\)", r"(S (VP \1 (VP \2)))"),  # to sleep
    (
        r"\(SBARQ (\(WDT [^ ()]+\) \(NNS? [^ ()]+\)) (\(\. [^ ()]+\))\)",
        r"(SBARQ (WHNP \1) \2)",
    ),  # What kind ?
    (r"(\(VP \(VB[DGNPZ]? [^ ()]+\)) (\(RB (?!n[’']t\)|not\))[^ ()]+\))", r"\1 (ADVP \2)"),  # turn left
)
CRAFT_STEP, CRAFT_WEIGHT = 3, 0.5  # every third tree of CRAFT
GUIDED = {
    "ud-ewt": 0.49,
    "ud-childes": 0.4,
}  # weights; below 0.5, so that the judge learns from gold trees alone
EVERYDAY_WEIGHT = 0.49  # of each of our own sentences
TEACHERS = (1, 2)  # members of the grammar that makes the guided trees of each round
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
        "everyday sentences drawn from a small grammar written by hand for this model",
    ],
}


def labelled(treebank: Treebank, names: tuple[str, ...]) -> BoolVector:
    """Which rows have one of these labels."""
    found: BoolVector = np.array([label in names for label in treebank.labels])[treebank.label]
    return found


def spliced(treebank: Treebank, gone: BoolVector) -> Treebank:
    """The same trees without some phrases, whose children move up to their parents."""
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
    trees = normalise(read_trees(path), options=options)
    return normalise(spliced(trees, labelled(trees, SPLICED) & (trees.word < 0) & (trees.parent >= 0)))


def one_convention(treebank: Treebank) -> Treebank:
    """Trees of GUM with questions and interjections as in the Penn Treebank."""
    above, leaf = treebank.parent, treebank.word >= 0
    children = np.append(np.argsort(above, kind="stable"), -1)  # of one parent side by side
    at = np.searchsorted(above[children[:-1]], np.arange(above.size + 1))
    first, second, number = children[at[:-1]], children[np.minimum(at[:-1] + 1, above.size)], np.diff(at)

    def has(row: AnyArray, *names: str) -> BoolVector:
        return labelled(treebank, names)[row]

    is_be = np.array([word.lower() in BE for word in treebank.words])[treebank.word] & leaf
    in_question = (above >= 0) & has(above, "SBARQ")
    label, names, every = treebank.label.copy(), treebank.labels, np.arange(above.size)
    label[has(every, "NP") & has(first, "WP", "WDT", "WP$") & in_question] = names.index("WHNP")
    label[has(every, "ADVP") & (number == 1) & has(first, "UH")] = names.index("INTJ")
    clause = has(every, "S", "SQ") & (number == 1) & has(first, "VP") & in_question
    label[clause] = names.index("SQ")
    inverted = has(every, "VP") & is_be[first] & (number > 1) & has(second, "NP") & clause[above]
    return spliced(replace(treebank, label=label), inverted)


def gold_trees(data: Path) -> Treebank:
    """The trees made by people, those of CRAFT with less weight."""
    general = one_convention(normalise(read_trees(data / "english-open-large" / "train.ptb")))
    craft = craft_trees(data / "craft" / "train.ptb")
    some = pick_trees(craft, np.arange(0, len(craft), CRAFT_STEP))
    return join_treebanks([general, replace(some, weight=np.full(len(some), CRAFT_WEIGHT))])


def as_people_do(trees: str) -> str:
    """Guided trees with the phrases that people never leave out: see MENDED."""
    for wrong, right in MENDED:
        trees = re.sub(wrong, right, trees)
    return trees


def guided_trees(data: Path, work: Path, number: int) -> list[Treebank]:
    """The trees that the grammar of the round before makes of dependency treebanks; none in round 0."""
    found = []
    for name, weight in GUIDED.items() if number else ():
        made = work / f"{name}.{number}.ptb"
        if not made.exists():
            write_chunks(guide(work / f"{number - 1}.model", data / name / "train.conllu", Where()), made)
            made.write_text(as_people_do(made.read_text("utf-8")), "utf-8")
        found.append(one_convention(read_guided([made], weight)))
    return found


def own_trees(number: int) -> list[Treebank]:
    """Our everyday sentences; only the last round has them."""
    if number < len(TEACHERS):
        return []
    trees = normalise(parse_trees("\n".join(everyday_trees(EVERYDAY))))
    return [replace(trees, weight=np.full(len(trees), EVERYDAY_WEIGHT))]


def learn(data: Path, work: Path, number: int, options: GrammarOptions) -> LatentGrammar:
    """The grammar of a round."""
    start = time.process_time()
    treebank = join_treebanks([gold_trees(data), *guided_trees(data, work, number), *own_trees(number)])
    grammar = options.fit(treebank)
    print(f"round {number}: {len(treebank)} trees, {time.process_time() - start:.0f} CPU seconds", flush=True)
    # The bundled file holds no text of the corpora: the phrases that show its states are our own.
    report = {name: said for name, said in grammar.report.items() if name != "examples"}
    return with_phrases(replace(grammar, report=report | {"about": ABOUT}))


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
    for number, members in enumerate(TEACHERS):
        if not (between := given.work / f"{number}.model").exists():
            teacher = replace(OPTIONS, judge=False, ensemble=members)
            save_model(learn(given.data, given.work, number, teacher), between, "lpcfg", packed=True)
    options = replace(OPTIONS, judge=False) if given.no_judge else OPTIONS
    save_model(learn(given.data, given.work, len(TEACHERS), options), given.out, "lpcfg", packed=True)
    print(f"{given.out.name}: {given.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
