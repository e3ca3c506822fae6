"""What the header and the arrays of each kind of model file must look like before anything uses them.

A kernel is compiled for the types it is given, and trusts ids and text; so an untrusted file is held
against these tables first.  Names that no table knows are nobody's business and are let through.
"""

import re
from dataclasses import dataclass
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError

# A shape of JSON: a type; [x] for a list of x; (x, y) for a list of exactly these; {name: x} for an
# object that has at least these names; Chosen for an object whose value of a name says which shape it has.
NAMES = [str]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The shape among ``shapes`` that the value of ``name`` calls for, or else the usual one."""

    name: str
    shapes: dict[str, Any]
    usual: dict[str, Any]


GRAMMAR: dict[str, Any] = {
    "labels": [(NAMES, bool, NAMES, NAMES)], "symbols": NAMES, "n_words": int, "n_classes": int, "n_members": int,
    "report": dict,
}  # fmt: skip
TAGGER = {
    "columns": NAMES, "label": str, "labels": NAMES, "diagonal": bool, "emission_templates": NAMES,
    "emission_combine": str, "observation_templates": NAMES, "words": NAMES, "about": dict,
}  # fmt: skip
PLAIN_TREES = {"estimator": str, "channels": NAMES, "symbols": [NAMES]}
SPLIT_HEADS = {
    **PLAIN_TREES, "symbols": (NAMES,), "channels": (str,), "labels": GRAMMAR["labels"], "n_words": int,
    "n_classes": int, "n_states": int, "n_members": int,
}  # fmt: skip
TREES = Chosen("estimator", {"lpcfg": SPLIT_HEADS}, PLAIN_TREES)
MFCC = {
    "window": float, "step": float, "n_coefficients": int, "n_bands": int, "pre_emphasis": float, "lifter": int,
    "range_db": float, "span": int, "centred": bool,
}  # fmt: skip
HEADERS: dict[str, Any] = {
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
    "lpcfg-packed": {"packing": int, "layout": [(str, str, [int], str, int)], "notes": dict},
    "phones": {"rate": int, "mfcc": MFCC, "tagger": TAGGER, "about": dict},
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
        (r"span_filter\.weights", ("i1",), 1),
        (r"span_filter\.common", ("u1",), 1),
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
    "vectors": (
        (r"vectors", ("f4", "f8"), 2),
        (r"(word_)?counts|pairs\.(codes|counts)\d+", ("i8",), 1),
    ),
    "lpcfg-packed": ((r"packed", ("u1",), 1),),
}
ARRAYS["deptree"] = (
    (r"start|final|floor", _FLOATS, 1),
    (r"observation", _FLOATS, 2),
    (r"transition|product", _FLOATS, 3),
    (r"label_rows", ("u4",), 1),
    (r"label_weights", ("f4",), 2),
    *ARRAYS["lpcfg"],
)
ARRAYS["reranker"] = (
    (r"rows", ("u4",), 1),
    (r"weights", ("f4",), 1),
    (r"dense_weights|scale", ("f4", "f8"), 1),
    *ARRAYS["deptree"],
)
ARRAYS["phones"] = ((r"scale", ("f4", "f8"), 1), (r"centres", ("f4", "f8"), 2), *ARRAYS["rhmm"])
PREFIX = re.compile(r"^(other\d+|m\d+|tree\d+|tagger)\.")


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
    if isinstance(shape, Chosen):
        said = value.get(shape.name) if isinstance(value, dict) else None
        shape = shape.shapes.get(said, shape.usual) if isinstance(said, str) else shape.usual
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
