"""What the header and the arrays of each kind of model file must look like before anything uses them.

A kernel is compiled for the types it is given, and trusts ids and text; so an untrusted file is held
against these tables first.  Names that no table knows are nobody's business and are let through.
"""

import re
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError

# A shape of JSON: a type; [x] for a list of x; (x, y) for a list of exactly these; {name: x} for an
# object that has at least these names; OPTIONAL for what may be missing.
NAMES = [str]
GRAMMAR: dict[str, Any] = {
    "labels": [(NAMES, bool, NAMES, NAMES)], "symbols": NAMES, "n_words": int, "n_classes": int, "n_members": int,
    "report": dict,
}  # fmt: skip
TAGGER = {
    "columns": NAMES, "label": str, "labels": NAMES, "diagonal": bool, "emission_templates": NAMES,
    "emission_combine": str, "observation_templates": NAMES, "words": NAMES, "about": dict,
}  # fmt: skip
TREES = {"estimator": str, "channels": NAMES, "symbols": [NAMES]}
HEADERS: dict[str, dict[str, Any]] = {
    "lpcfg": {**GRAMMAR, "others": [GRAMMAR]},
    "rhmm": {"members": [TAGGER]},
    "hmm": {"symbols": NAMES, "unit": str, "floor": float, "proper": bool, "about": dict},
    "dependency": {
        "order": int, "crossing": bool, "bits": int, "label_bits": int, "relations": NAMES, "templates": NAMES,
        "pair_templates": NAMES, "label_templates": NAMES,
    },
    "deptree": TREES,
    "reranker": {"families": NAMES, "bits": int, "tree_models": [TREES]},
    "vectors": {"words": NAMES, "about": dict},
}  # fmt: skip

# Names of arrays (without a member's prefix), their types and dimensions.
_FLOATS = ("f8",)
ARRAYS: dict[str, tuple[tuple[str, tuple[str, ...], int], ...]] = {
    "lpcfg": (
        (r"skeleton\.(rules)", ("i4",), 2),
        (r"skeleton\.(entry_label|entry_symbol)", ("i4",), 1),
        (r"skeleton\.entry_start", ("i8",), 1),
        (r"skeleton\.(rule|entry|root)_probability", _FLOATS, 1),
        (r"(member\d+|coarse)\.states", ("i4",), 1),
        (r"(member\d+|coarse)\.(rule|entry|root)_weight", ("f4", "f8"), 1),
        (r"context\.(follow|before|after)", ("f4",), 2),
    ),
    "rhmm": (
        (r"(emission|observation)_keys", ("u8",), 1),
        (r"block|observation_row_at", ("i8",), 1),
        (r"states|observation_row_label", ("i4",), 1),
        (r"start|stop|values|first|last|emission_offset", _FLOATS, 1),
        (r"base|observation_vectors", _FLOATS, 2),
        (r"emission_rows", ("f4",), 2),
    ),
    "hmm": (
        (r"initial|final|start|unigram", _FLOATS, 1),
        (r"predict|reset|transition|emission", _FLOATS, 2),
        (r"operators", _FLOATS, 3),
    ),
    "dependency": (
        (r"rows|label_rows", ("u4",), 1),
        (r"weights", ("f4",), 1),
        (r"label_weights", ("f4",), 2),
    ),
    "deptree": (
        (r"start|final", _FLOATS, 1),
        (r"observation", _FLOATS, 2),
        (r"transition|product", _FLOATS, 3),
    ),
}
ARRAYS["reranker"] = (
    (r"rows", ("u4",), 1),
    (r"weights", ("f4",), 1),
    (r"dense_weights", ("f4", "f8"), 1),
    *ARRAYS["deptree"],
)
PREFIX = re.compile(r"^(other\d+|m\d+|tree\d+)\.")


def check_contents(kind: str, header: dict[str, Any], arrays: dict[str, AnyArray]) -> None:
    """Raise DataError if a value or an array is not what its kind of model has."""
    _check_value(header, HEADERS.get(kind, {}), "the header")
    for name, array in arrays.items():
        for pattern, types, n_dimensions in ARRAYS.get(kind, ()):
            if re.fullmatch(pattern, PREFIX.sub("", name)):
                if array.dtype.str[1:] not in types or array.ndim != n_dimensions:
                    raise DataError(f"array {name!r} is {array.dtype} of {array.ndim} dimensions")
                break


def _check_value(value: Any, shape: Any, where: str) -> None:
    """Hold a JSON value against its shape."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise DataError(f"{where} is not an object")
        for name, below in shape.items():
            if name not in value:
                raise DataError(f"{where} lacks {name!r}")
            _check_value(value[name], below, name)
    elif isinstance(shape, tuple):
        if not isinstance(value, list) or len(value) != len(shape):
            raise DataError(f"a part of {where} is not a list of {len(shape)}")
        for one, below in zip(value, shape):
            _check_value(one, below, where)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise DataError(f"{where} is not a list")
        if shape == NAMES:
            _check_names(value, where)
            return
        for one in value:
            _check_value(one, shape[0], where)
    elif not isinstance(value, int | float if shape is float else shape) or (
        isinstance(value, bool) and shape is not bool
    ):
        raise DataError(f"{where} is not of type {shape.__name__}")


def _check_names(value: list[Any], where: str) -> None:
    if not all(type(name) is str for name in value):
        raise DataError(f"{where} holds something that is no text")
