"""Dependency trees as frozen integer columns: what the CoNLL readers produce and the parsers consume."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, IntVector, LongVector, as_ids, as_offsets, frozen
from eigenparse.corpus.columns import Cut
from eigenparse.errors import DataError, FormatError
from eigenparse.kernels.dependency.arc_trees import closest_projective, projective_flags, tree_faults

ATTRIBUTES = ("form", "lemma", "upos", "xpos", "feats", "relation")
FAULTS = {
    1: ("the head is outside the sentence", "let it be 0 or the number of a word"),
    2: ("a word is its own head", "name another head"),
    3: ("no word of the sentence has head 0", "make one word the root"),
    4: ("a second word has head 0", "keep one root and attach the others to it"),
    5: ("the heads form a cycle", "break the cycle so that every word leads to the root"),
}


@dataclass(frozen=True, slots=True)
class Dependencies(Cut):
    """Sentences with dependency trees, one row per word.

    form, lemma, upos, xpos, feats, relation: (T,) ids into the tuple of the same name in
    ``symbols``.  head: (T,), counted inside the sentence as the file does: 0 is the root, i the
    i-th word, -1 not known.  offsets: (S + 1,).  line: (T,), where each word stood in its file.
    """

    form: IntVector
    lemma: IntVector
    upos: IntVector
    xpos: IntVector
    feats: IntVector
    relation: IntVector
    head: IntVector
    offsets: LongVector
    line: LongVector
    symbols: dict[str, tuple[str, ...]]

    def __reduce__(self) -> tuple[Any, ...]:
        return _sent, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def n_words(self) -> int:
        """Number of words in all sentences."""
        return int(self.form.size)

    def lengths(self) -> LongVector:
        """Words of each sentence."""
        return np.diff(self.offsets)

    def strings(self, attribute: str) -> list[str]:
        """One attribute of every word as text."""
        names = self.symbols[attribute]
        return [names[i] for i in getattr(self, attribute)]

    def with_heads(self, head: Any, relation: Any = None, relations: Sequence[str] = ()) -> "Dependencies":
        """The same words under other heads, and other relations if ids and names are given."""
        changed = replace(self, head=frozen(as_ids(head)))
        if relation is None:
            return changed
        symbols = {**self.symbols, "relation": tuple(relations)}
        return replace(changed, relation=frozen(as_ids(relation)), symbols=symbols)

    def with_tags(self, tags: Mapping[str, tuple[Any, tuple[str, ...]]]) -> "Dependencies":
        """The same trees under other tags: ids (T,) and names of ``upos`` or ``xpos``.

        All other tags, lemmas and morphology become unknown, because they would reveal the old tags.
        """
        blank = frozen(np.zeros(self.n_words, dtype=np.int32))
        unknown = dict.fromkeys(("upos", "xpos", "feats", "lemma"), (blank, ("_",)))
        found = {**unknown, **tags}
        columns = {name: frozen(as_ids(ids)) for name, (ids, _) in found.items()}
        symbols = {**self.symbols, **{name: names for name, (_, names) in found.items()}}
        return replace(self, **columns, symbols=symbols)

    def select(self, sentences: Any) -> "Dependencies":
        """The sentences with these numbers, in this order, with the same symbols."""
        chosen = np.asarray(sentences, dtype=np.int64)
        sizes = self.lengths()[chosen]
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        rows = np.arange(ends[-1]) - np.repeat(ends[:-1] - self.offsets[chosen], sizes)
        columns: dict[str, AnyArray] = {
            f.name: frozen(getattr(self, f.name)[rows])
            for f in fields(self)
            if f.name not in ("offsets", "symbols")
        }
        return Dependencies(**columns, offsets=frozen(ends), symbols=self.symbols)


def _sent(*columns: Any) -> Dependencies:
    """The columns in another process: read-only there too, because kernels are compiled for read-only arrays."""
    kept: list[Any] = [frozen(c) if isinstance(c, np.ndarray) else c for c in columns]
    return Dependencies(*kept)


def columns_of(
    rows: dict[str, list[str]], heads: list[int], sizes: list[int], lines: list[int]
) -> Dependencies:
    """Columns of the attributes of all words, their heads, sentence sizes and line numbers."""
    symbols: dict[str, tuple[str, ...]] = {}
    ids: dict[str, AnyArray] = {}
    for name in ATTRIBUTES:
        table: dict[str, int] = {}
        ids[name] = frozen(as_ids([table.setdefault(value, len(table)) for value in rows[name]]))
        symbols[name] = tuple(table)
    return Dependencies(
        **ids,
        head=frozen(as_ids(heads)),
        offsets=frozen(as_offsets(np.cumsum([0, *sizes]))),
        line=frozen(as_offsets(lines)),
        symbols=symbols,
    )


def from_tokens(
    sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
) -> Dependencies:
    """Sentences without trees, from token lists and, if known, tag lists."""
    forms = [token for sentence in sentences for token in sentence]
    known = [tag for sentence in tags for tag in sentence] if tags is not None else ["_"] * len(forms)
    if len(known) != len(forms):
        raise DataError(f"{len(forms)} tokens came with {len(known)} tags; give one tag per token")
    blank = ["_"] * len(forms)
    rows = dict.fromkeys(ATTRIBUTES, blank) | {"form": forms, "upos": known}
    sizes = [len(sentence) for sentence in sentences]
    return columns_of(rows, [-1] * len(forms), sizes, [0] * len(forms))


def broken_trees(trees: Dependencies) -> tuple[LongVector, LongVector, LongVector]:
    """Sentences that are not single-rooted trees: their numbers, fault codes and offending rows."""
    fault, row = tree_faults(trees.head, trees.offsets)
    bad = np.flatnonzero(fault)
    return bad, fault[bad], row[bad]


def check_heads(trees: Dependencies, *, source: str) -> Dependencies:
    """The same trees, or a FormatError that names the first line where the heads are no tree."""
    bad, fault, row = broken_trees(trees)
    if bad.size:
        problem, remedy = FAULTS[int(fault[0])]
        raise FormatError(
            problem, source=source, line=int(trees.line[row[0]]), remedy=f"{remedy}, or pass --skip-broken"
        )
    return trees


def is_projective(trees: Dependencies) -> BoolVector:
    """(S,) whether each tree can be drawn without crossing arcs, the root arc included."""
    return projective_flags(trees.head, trees.offsets)


def projectivised(trees: Dependencies) -> tuple[Dependencies, int]:
    """Trees without crossing arcs, and how many had to be changed.

    A crossing tree becomes the projective tree with the fewest lifts: every word moves to
    one of its ancestors, and the total number of steps up is smallest.
    """
    crossing = np.flatnonzero(~is_projective(trees))
    head = trees.head.copy()
    closest_projective(head, trees.offsets, crossing)
    return trees.with_heads(head), int(crossing.size)


def without_punctuation(trees: Dependencies) -> Dependencies:
    """The same trees without words tagged PUNCT; sentences of nothing else are left out.

    A word below a removed one moves to the nearest ancestor that stays; where none does, the first such
    word of a sentence is the root and the others depend on it.
    """
    keep = np.array([tag != "PUNCT" for tag in trees.symbols["upos"]], dtype=bool)[trees.upos]
    start = np.repeat(trees.offsets[:-1], trees.lengths())
    above = np.where(trees.head > 0, start + trees.head - 1, -1)
    lost = (above >= 0) & ~keep[above]
    while lost.any():
        above[lost] = above[above[lost]]
        lost = (above >= 0) & ~keep[above]
    rows = np.flatnonzero(keep)
    new = np.cumsum(keep) - 1
    sentence = np.repeat(np.arange(len(trees)), trees.lengths())[rows]
    sizes = np.bincount(sentence, minlength=len(trees))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    begin = ends[sentence]
    head = np.where(above[rows] >= 0, new[above[rows]] - begin + 1, 0)
    roots = np.flatnonzero(head == 0)
    first = np.unique(sentence[roots], return_index=True)[1]
    top = np.zeros(len(trees), dtype=np.int64)
    top[sentence[roots[first]]] = roots[first]
    others = np.setdiff1d(roots, roots[first])
    head[others] = top[sentence[others]] - begin[others] + 1
    columns = {
        f.name: frozen(getattr(trees, f.name)[rows])
        for f in fields(trees)
        if f.name not in ("offsets", "symbols", "head")
    }
    offsets = frozen(as_offsets(np.unique(ends)))
    return Dependencies(**columns, head=frozen(as_ids(head)), offsets=offsets, symbols=trees.symbols)
