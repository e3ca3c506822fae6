"""Feature templates over token columns: sequences in, one 64-bit key a token and template out.

A template joins atoms by ``&``.  An atom is ``column[offset]`` or ``function(column)[offset]``;
``[0]`` may be left out.  Functions of a symbol: lower, shape, class, prefix1-4, suffix1-5.  Functions of
a column: next and previous (the nearest different value after or before: np and pp of
stratos-2013, figure 6) and place (begin, middle, end or whole of a run of equal values: pos).
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import IntMatrix, LongVector
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import OptionError
from eigenparse.kernels.intern import intern_keys
from eigenparse.kernels.tagger.keys import build_table, find_keys, neighbour_runs, shift_keys

KeyVector = npt.NDArray[np.uint64]
KeyMatrix = npt.NDArray[np.uint64]
ATOM = re.compile(r"^(?:(?P<function>[a-z]+\d?)\()?(?P<column>[\w-]+)\)?(?:\[(?P<offset>[+-]?\d+)\])?$")
RUN_FUNCTIONS = ("next", "previous", "place")


@dataclass(frozen=True, slots=True)
class Atom:
    """One look at one column: the function's value at ``offset`` from the token."""

    column: str
    function: str
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """A conjunction of atoms, with the text it was written as."""

    text: str
    atoms: tuple[Atom, ...]


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


def shape(word: str) -> str:
    """Letters folded to X, x, digits to d, runs shortened to two: ``Mc-1990`` gives ``Xx-dd``."""
    out: list[str] = []
    for letter in word:
        kind = "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        if out[-2:] != [kind, kind]:
            out.append(kind)
    return "".join(out)


def word_class(word: str) -> str:
    """The class a rare word is replaced by: case, digits, dash and a suffix."""
    if any(letter.isdigit() for letter in word):
        return (
            "num-" + shape(word)
            if not any(letter.isalpha() for letter in word)
            else "mix-" + shape(word)[-3:]
        )
    if not any(letter.isalpha() for letter in word):
        return "sym-" + word[:1]
    case = "AA" if word.isupper() and len(word) > 1 else "Aa" if word[0].isupper() else "aa"
    dash = "-" if "-" in word else ""
    ending = word.lower()[-3:] if len(word) > 4 else word.lower()[-2:]
    return case + dash + ending


def _suffix(n: int) -> Callable[[str], str]:
    return lambda word: word.lower()[-n:] if len(word) > n else "^" + word.lower()


def _prefix(n: int) -> Callable[[str], str]:
    return lambda word: word.lower()[:n]


SYMBOL_FUNCTIONS: dict[str, Callable[[str], str]] = {
    "same": lambda word: word,
    "lower": str.lower,
    "shape": shape,
    "class": word_class,
    **{f"suffix{n}": _suffix(n) for n in range(1, 6)},
    **{f"prefix{n}": _prefix(n) for n in range(1, 5)},
}


def string_key(text: str) -> int:
    """A 64-bit key of a string, the same on every machine."""
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )


def symbol_keys(column: Column, function: str) -> KeyVector:
    """Keys of a column's symbols after a function, (V,); made once for a column and its parts."""
    found = column.kept.get(function)
    if found is None:
        change = SYMBOL_FUNCTIONS[function]
        values = [change(symbol) for symbol in column.symbols]
        keys = {value: string_key(value) for value in set(values)}
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
    """One key a token and template, (T, K); tokens beyond a sequence's ends count as one boundary symbol."""
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


def dense_ids(keys: KeyMatrix) -> tuple[IntMatrix, KeyVector]:
    """Keys as dense ids in order of first occurrence, and the key of each id."""
    flat = np.ascontiguousarray(keys.reshape(-1))
    ids = np.empty(flat.size, dtype=np.int32)
    first = np.empty(flat.size, dtype=np.int64)
    n = intern_keys(flat, ids, first) if flat.size else 0
    return ids.reshape(keys.shape), flat[first[:n]]


def key_table(keys: KeyVector) -> npt.NDArray[np.int32]:
    """An open-addressing table for ``positions``."""
    table = np.full(1 << max(4, int(2 * keys.size - 1).bit_length()), -1, dtype=np.int32)
    build_table(keys, table)
    return table


def positions(wanted: KeyMatrix, keys: KeyVector) -> IntMatrix:
    """Position of every wanted key in ``keys``, -1 where absent."""
    found = np.empty(wanted.size, dtype=np.int32)
    find_keys(np.ascontiguousarray(wanted.reshape(-1)), keys, key_table(keys), found)
    return found.reshape(wanted.shape)
