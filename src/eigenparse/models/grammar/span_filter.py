"""Which spans of a sentence can hold a constituent: a linear model that a grammar carries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray, IntVector, as_ids
from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError

MOST_BITS = 24
PLACE = "span_filter"


@dataclass(frozen=True, slots=True)
class SpanFilter:
    """Weights of hashed features at both ends of a span; a span whose weights sum to less than ``least`` is closed.

    weights: (2 ** bits,) int8.  common: (V,) uint8, 1 for the symbols that features name; all other
    words look alike.  lost: share of the constituents of held-out trees that are closed; closed: share of
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


def tag_numbers(labels: tuple[Label, ...]) -> IntVector:
    """(A,) equal numbers for labels that end in the same symbol, which is the tag of those over words."""
    names: dict[str, int] = {}
    return as_ids([names.setdefault(label.chain[-1], len(names)) for label in labels])


def filter_arrays(found: SpanFilter | None) -> dict[str, AnyArray]:
    """The arrays of a filter under their names in a model file; none if there is no filter."""
    return {} if found is None else {f"{PLACE}.weights": found.weights, f"{PLACE}.common": found.common}


def filter_of(header: Mapping[str, Any], arrays: Mapping[str, AnyArray], n_symbols: int) -> SpanFilter | None:
    """The filter of a model file, checked; None if it has none."""
    if PLACE not in header:
        return None
    facts, weights, common = header[PLACE], arrays[f"{PLACE}.weights"], arrays[f"{PLACE}.common"]
    bits = int(weights.size).bit_length() - 1
    fits = (
        weights.dtype == np.int8
        and weights.shape == (1 << max(bits, 0),)
        and 4 <= bits <= MOST_BITS
        and common.dtype == np.uint8
        and common.shape == (n_symbols,)
        and int(common.max(initial=0)) <= 1
    )
    least, lost, closed = int(facts["least"]), float(facts["lost"]), float(facts["closed"])
    if not fits or abs(least) >= 1 << 30 or not (0 <= lost <= 1 and 0 <= closed <= 1):
        raise DataError("the span filter does not fit the grammar")
    return SpanFilter(weights, common, least, lost, closed)
