"""Features and lemmas of tagged words: a table of words, endings and tags in; what each word has out.

Look-ups go from fine to coarse: the word with its tags, its last three letters with its tags, its last letter with
its tags, the tags alone.  The first one found in the table is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.keys import key_of
from eigenparse.models.schema import NAMES, Array, Schema

KINDS = ("feats", "lemma")
LEVELS = 4
Triple = tuple[str, str, str]  # form, upos, xpos


def lookups(kind: str, triple: Triple) -> Iterator[int]:
    """Keys under which a word is looked up, the finest first."""
    form, upos, xpos = triple
    small = form.lower()
    for level, part in enumerate((small, small[-3:], small[-1:], "")):
        yield key_of(kind, str(level), part, upos, xpos) & 0xFFFFFFFF


def edit_of(form: str, lemma: str) -> str:
    """How a lemma comes from a form: ``=`` if it is the form, else letters cut from the end of it in lower case, and
    letters added.

    >>> edit_of("Babies", "baby"), edit_of("Bob", "Bob"), edit_of("was", "be")
    ('3|y', '=', '3|be')
    """
    small, same = form.lower(), 0
    while same < min(len(small), len(lemma)) and small[same] == lemma[same]:
        same += 1
    return "=" if form == lemma and form != small else f"{len(small) - same}|{lemma[same:]}"


def edited(form: str, edit: str) -> str:
    """The inverse: the lemma of a form; the form where the text is no edit.

    >>> edited("Ladies", "3|y")
    'lady'
    """
    cut, _, added = edit.partition("|")
    if not cut.isdecimal() or len(cut) > 4:
        return form
    return form.lower()[: max(len(form) - int(cut), 0)] + added or form


@dataclass(frozen=True, slots=True)
class Morphology:
    """values: feature strings and edits.  keys: (K,) uint32 rising.  value: (K,) number of the value of each key."""

    values: tuple[str, ...]
    keys: AnyArray
    value: AnyArray

    def of(self, kind: str, triple: Triple) -> str:
        """Features or lemma of a tagged word; ``_`` if nothing is known."""
        for key in lookups(kind, triple):
            at = int(np.searchsorted(self.keys, np.uint32(key)))
            if at < self.keys.size and self.keys[at] == key:
                found = self.values[self.value[at]]
                return edited(triple[0], found) if kind == "lemma" else found
        return "_"

    def applied(self, trees: Dependencies) -> Dependencies:
        """The same trees with features and lemmas of their words and tags."""
        triples = list(zip(*(trees.strings(name) for name in ("form", "upos", "xpos"))))
        distinct = {triple: k for k, triple in enumerate(dict.fromkeys(triples))}
        rows = np.array([distinct[triple] for triple in triples], dtype=np.int64)
        found: dict[str, Any] = {}
        for kind in KINDS:
            names: dict[str, int] = {}
            ids = [names.setdefault(self.of(kind, triple), len(names)) for triple in distinct]
            found[kind] = (np.array(ids, dtype=np.int32)[rows], tuple(names))
        tags = {name: (getattr(trees, name), trees.symbols[name]) for name in ("upos", "xpos")}
        return trees.with_tags({**tags, **found})

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "Morphology":
        """The morphology of a model file."""
        return cls(tuple(header["values"]), arrays["morphology.keys"], arrays["morphology.value"])


MORPHOLOGY = Schema(
    header={"values": NAMES},
    sizes={"morphology_values": "values"},
    rows=(
        Array("keys", ("u4",), ("morphology_keys",), rising=True),
        Array("value", ("u2",), ("morphology_keys",), below="morphology_values"),
    ),
)
