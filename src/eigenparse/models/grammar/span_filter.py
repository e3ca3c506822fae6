"""Which spans of a sentence can hold a constituent: a linear model that a grammar carries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray, IntVector, as_ids
from eigenparse.corpus.columns import Label
from eigenparse.models.schema import Array, Law, Schema, check_value

MOST_BITS = 24
PLACE = "span_filter"


@dataclass(frozen=True, slots=True)
class SpanFilter:
    """Weights of hashed features at both ends of a span; a span whose weights sum to less than ``least`` is closed.

    weights: (2 ** bits,) int8.  common: (V,) uint8, 1 for the symbols that features name; all other
    words share one feature.  lost: share of the constituents of held-out trees that are closed; closed: share of
    all spans of these trees.
    """

    weights: npt.NDArray[np.int8]
    common: npt.NDArray[np.uint8]
    least: int
    lost: float
    closed: float

    def facts(self) -> dict[str, Any]:
        """What the header of a model file says about it."""
        return {"least": self.least, "lost": self.lost, "closed": self.closed}

    def summary(self) -> dict[str, Any]:
        """The shares of spans and of constituents of held-out trees that are closed."""
        return {"spans_closed": self.closed, "spans_lost": self.lost}


def tag_numbers(labels: tuple[Label, ...]) -> IntVector:
    """(A,) equal numbers for labels that end in the same symbol, which is the tag of those over words."""
    names: dict[str, int] = {}
    return as_ids([names.setdefault(label.chain[-1], len(names)) for label in labels])


def filter_arrays(found: SpanFilter, place: str = "") -> dict[str, AnyArray]:
    """The arrays of a filter under their names in a model file."""
    return {f"{place}{PLACE}.weights": found.weights, f"{place}{PLACE}.common": found.common}


def filter_of(
    header: Mapping[str, Any], arrays: Mapping[str, AnyArray], place: str = ""
) -> SpanFilter | None:
    """The filter of a model file; None if it has none."""
    if PLACE not in header:
        return None
    facts = header[PLACE]
    weights, common = (arrays[f"{place}{PLACE}.{name}"] for name in ("weights", "common"))
    return SpanFilter(weights, common, facts["least"], facts["lost"], facts["closed"])


def _fits(header: Mapping[str, Any], arrays: Mapping[str, AnyArray], sizes: Mapping[str, int]) -> bool:
    """Whether the header has the facts of the filter, and the table a power of two of rows."""
    if PLACE not in header:
        return False
    check_value(header[PLACE], {"least": int, "lost": float, "closed": float}, PLACE)
    facts, rows = header[PLACE], sizes["filter_rows"]
    table = 4 <= rows.bit_length() - 1 <= MOST_BITS and rows & (rows - 1) == 0
    return (
        table and abs(facts["least"]) < 1 << 30 and all(0 <= facts[name] <= 1 for name in ("lost", "closed"))
    )


# The part of a grammar's schema; it expects the size "symbols".
SCHEMA = Schema(
    rows=(
        Array("weights", ("i1",), ("filter_rows",)),
        Array("common", ("u1",), ("symbols",), high=1),
        Law("the span filter does not fit its header", _fits),
    )
)
