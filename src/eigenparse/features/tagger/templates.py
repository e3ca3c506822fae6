"""Feature templates over token columns: sequences in, one 64-bit key per token and template out.

A template joins atoms by ``&``.  An atom is ``column[offset]`` or ``function(column)[offset]``;
``[0]`` may be left out.  Functions of a symbol: lower, shape, class, prefix1-4, suffix1-5.  Functions of
a column: next and previous (the nearest different value after or before: np and pp of
stratos-2013, figure 6) and place (begin, middle, end or whole of a run of equal values: pos).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from eigenparse.arrays import LongVector
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.corpus.word_classes import prefix, shape, suffix, tagger_class
from eigenparse.errors import OptionError
from eigenparse.features.keys import KeyMatrix as KeyMatrix
from eigenparse.features.keys import KeyVector as KeyVector
from eigenparse.features.keys import dense_ids as dense_ids
from eigenparse.features.keys import key_of
from eigenparse.features.keys import positions as positions
from eigenparse.kernels.tagger.keys import neighbour_runs, shift_keys

ATOM = re.compile(r"^(?:(?P<function>[a-z]+\d?)\()?(?P<column>[\w-]+)\)?(?:\[(?P<offset>[+-]?\d{1,4})\])?$")
RUN_FUNCTIONS = ("next", "previous", "place")


@dataclass(frozen=True, slots=True)
class Atom:
    """The value of a function of one column, at ``offset`` from the token."""

    column: str
    function: str
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """A conjunction of atoms, with the text it was written as."""

    text: str
    atoms: tuple[Atom, ...]


@lru_cache(maxsize=256)
def parse_template(text: str) -> Template:
    """Read one template; OptionError says what is wrong with it."""
    atoms = []
    for part in text.split("&"):
        found = ATOM.match(part.strip())
        if not found or (found["function"] is not None) != (")" in part):
            raise OptionError(
                f"template {text!r}: {part.strip()!r} is not column[offset] or function(column)[offset]"
            )
        function = found["function"] or "same"
        if function not in SYMBOL_FUNCTIONS and function not in RUN_FUNCTIONS:
            known = ", ".join([*SYMBOL_FUNCTIONS, *RUN_FUNCTIONS])
            raise OptionError(f"template {text!r}: unknown function {function!r}; use one of {known}")
        atoms.append(Atom(found["column"], function, int(found["offset"] or 0)))
    return Template(text.strip(), tuple(atoms))


SYMBOL_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "same": lambda word: word,
    "lower": str.lower,
    "shape": shape,
    "class": tagger_class,
    **{f"suffix{n}": partial(suffix, n=n) for n in range(1, 6)},
    **{f"prefix{n}": partial(prefix, n=n) for n in range(1, 5)},
}


def symbol_keys(column: Column, function: str) -> KeyVector:
    """Keys of a column's symbols after a function, (V,); computed once for a column and its parts."""
    found = column.kept.get(function)
    if found is None:
        change = SYMBOL_FUNCTIONS[function]
        values = [change(symbol) for symbol in column.symbols]
        keys = {value: key_of(value) for value in set(values)}
        found = column.kept[function] = np.array([keys[value] for value in values], dtype=np.uint64)
    return found


def _token_keys(column: Column, function: str, offsets: LongVector) -> KeyVector:
    """The atom's value at every token, before shifting, (T,)."""
    if function not in RUN_FUNCTIONS:
        return symbol_keys(column, function)[column.ids]
    before = np.empty(column.ids.size, dtype=np.int64)
    after = np.empty(column.ids.size, dtype=np.int64)
    neighbour_runs(column.ids, offsets, before, after)
    if function == "place":
        first = np.zeros(column.ids.size, dtype=bool)
        last = first.copy()
        first[1:], last[:-1] = column.ids[1:] == column.ids[:-1], column.ids[1:] == column.ids[:-1]
        first[offsets[:-1][offsets[:-1] < first.size]], last[offsets[1:] - 1] = False, False
        return (first * np.uint64(2) + last + np.uint64(1)).astype(np.uint64)
    where = after if function == "next" else before
    keys = np.append(symbol_keys(column, "same"), np.uint64(1))
    return keys[np.where(where >= 0, column.ids[where], keys.size - 1)]


def template_keys(templates: Sequence[Template], sequences: Sequences) -> KeyMatrix:
    """One key per token and template, (T, K); positions outside the sequence count as one boundary symbol."""
    n = sequences.n_tokens
    out = np.empty((n, len(templates)), dtype=np.uint64)
    values: dict[tuple[str, str], KeyVector] = {}
    for k, template in enumerate(templates):
        key = np.full(n, k + 1, dtype=np.uint64)
        for atom in template.atoms:
            name = (atom.column, atom.function)
            if name not in values and n:
                values[name] = _token_keys(sequences.column(atom.column), atom.function, sequences.offsets)
            if n:
                shift_keys(values[name], sequences.offsets, atom.offset, key)
        out[:, k] = key
    return out
