"""Trees with features and lemmas in, a table that predicts both for tagged words out."""

from collections import Counter

import numpy as np

from eigenparse.corpus.dependencies import Dependencies
from eigenparse.models.dependency.morphology import KINDS, LEVELS, Morphology, Triple, edit_of, lookups

MOST_VALUES = 1 << 16
FEWEST = 2  # occurrences that an ending needs; words and tags need one


def learn_morphology(trees: Dependencies) -> Morphology | None:
    """The most frequent value of every word, ending and tag, unless a coarser entry gives the same value.

    Sentences without any features, or without any lemmas, are not counted for them: some treebanks leave them out.
    """
    table: dict[int, str] = {}
    for kind in KINDS:
        told = np.array([name != "_" for name in trees.symbols[kind]], dtype=bool)[getattr(trees, kind)]
        sentence = np.repeat(np.arange(len(trees)), trees.lengths())
        some = trees.select(np.unique(sentence[told]))
        if len(some):
            triples = list(zip(*(some.strings(name) for name in ("form", "upos", "xpos"))))
            values = some.strings(kind)
            if kind == "lemma":
                values = [edit_of(triple[0], lemma) for triple, lemma in zip(triples, values)]
            table |= _levels(kind, Counter(zip(triples, values)))
    kept = [name for name, _ in Counter(table.values()).most_common(MOST_VALUES)]
    place = {name: k for k, name in enumerate(kept)}
    rows = sorted((key, place[name]) for key, name in table.items() if name in place)
    if not rows:
        return None
    keys, value = np.array(rows, dtype=np.int64).T
    return Morphology(tuple(kept), keys.astype(np.uint32), value.astype(np.uint16))


def _levels(kind: str, seen: Counter[tuple[Triple, str]]) -> dict[int, str]:
    """From coarse to fine: keys whose most frequent value is not what the coarser table says."""
    table: dict[int, str] = {}
    every = {triple: tuple(lookups(kind, triple)) for triple, _ in seen}
    for level in reversed(range(LEVELS)):
        counts: dict[int, Counter[str]] = {}
        for (triple, value), number in seen.items():
            counts.setdefault(every[triple][level], Counter())[value] += number
        new: dict[int, str] = {}
        for keys in every.values():
            found = counts[keys[level]]
            best = min(found, key=lambda name: (-found[name], name))
            coarser = next((table[key] for key in keys[level + 1 :] if key in table), None)
            if best != coarser and (found.total() >= FEWEST or level in (0, LEVELS - 1)):
                new[keys[level]] = best
        table |= new
    return table
