"""What users pass as X, y and lengths, made into columns with offsets."""

# ruff: noqa: N803  X is the name that scikit-learn gives it

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from eigenparse.arrays import LongVector, as_offsets
from eigenparse.corpus.sequences import Sequences, from_columns
from eigenparse.errors import DataError


def is_nested(X: Any) -> bool:
    """Whether X is a list of sequences rather than one array of tokens."""
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray | str)


def token_rows(X: Any, lengths: Any = None) -> tuple[list[tuple[str, ...]], LongVector]:
    """Tokens as tuples of strings, and offsets.

    X is a list of sequences (of strings, numbers or tuples), or hmmlearn's array (T,) or (T, d) with
    ``lengths``; without lengths an array is one sequence.
    """
    if is_nested(X) and lengths is None:
        flat = [token for sequence in X for token in sequence]
        sizes = [len(sequence) for sequence in X]
    else:
        array = np.asarray(X)
        if array.ndim not in (1, 2):
            raise DataError(
                f"X has {array.ndim} dimensions; give (tokens,) or (tokens, columns) with lengths"
            )
        flat = list(array)
        sizes = [len(flat)] if lengths is None else [int(n) for n in lengths]
    if sum(sizes) != len(flat):
        raise DataError(f"lengths add up to {sum(sizes)} and X has {len(flat)} tokens; make them agree")
    return [_row(token) for token in flat], as_offsets(np.cumsum([0, *sizes]))


def _row(token: Any) -> tuple[str, ...]:
    if isinstance(token, list | tuple | np.ndarray):
        return tuple(str(part) for part in token)
    return (str(token),)


def as_sequences(X: Any, lengths: Any = None) -> Sequences:
    """The columns x0 (the word), x1, ... of the tokens."""
    rows, offsets = token_rows(X, lengths)
    width = len(rows[0]) if rows else 1
    if any(len(row) != width for row in rows):
        raise DataError("tokens have different numbers of columns; give every token the same")
    columns = [[row[k] for row in rows] for k in range(width)]
    return from_columns([f"x{k}" for k in range(width)], columns, np.diff(offsets).tolist())


def flat_labels(y: Any) -> list[Any]:
    """Labels of all tokens in one list, from a flat array or a list of sequences."""
    if is_nested(y) and not isinstance(y[0], str):
        return [label for sequence in y for label in sequence]
    return list(np.asarray(y).reshape(-1))


def cut(values: Sequence[Any], offsets: LongVector) -> list[list[Any]]:
    """A flat list cut into sequences."""
    ends = offsets.tolist()
    return [list(values[i:j]) for i, j in itertools.pairwise(ends)]
