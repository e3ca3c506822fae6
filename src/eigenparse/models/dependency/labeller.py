"""A labeller of arcs as a frozen record, and as named values and arrays of a model file."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.templates import CODES
from eigenparse.models.store import Header


@dataclass(frozen=True, slots=True)
class Labeller:
    """What an arc is called.  label_weights: (2^label_bits, L) of hashed features over ``relations``."""

    label_templates: tuple[str, ...]
    label_weights: npt.NDArray[np.float32]
    relations: tuple[str, ...]

    @property
    def label_bits(self) -> int:
        """Logarithm of the number of rows."""
        return int(self.label_weights.shape[0]).bit_length() - 1


def labeller_parts(model: Labeller) -> tuple[Header, dict[str, AnyArray]]:
    """Values and arrays; rows without weight are left out."""
    used = np.flatnonzero(model.label_weights.any(axis=1)).astype(np.uint32)
    header: Header = {
        "label_bits": model.label_bits,
        "label_templates": list(model.label_templates),
        "relations": list(model.relations),
    }
    return header, {"label_rows": used, "label_weights": model.label_weights[used]}


def labeller_of(header: Header, arrays: dict[str, AnyArray]) -> Labeller:
    """The inverse; ValueError, KeyError, TypeError or IndexError if values and arrays do not fit each other."""
    bits, relations = header["label_bits"], tuple(header["relations"])
    templates = tuple(header["label_templates"])
    if type(bits) is not int or not 4 <= bits <= 22 or not 1 <= len(relations) <= 4096:
        raise ValueError("the table of the labeller is out of range")
    if not all(type(text) is str for text in (*relations, *templates)):
        raise ValueError("the labeller holds something that is no text")
    if any(set(text.partition(":")[0]) - set(CODES) for text in templates):
        raise ValueError("a template has an unknown code")
    rows, weights = arrays["label_rows"], arrays["label_weights"]
    if weights.shape != (rows.size, len(relations)):
        raise ValueError("the weights of the labeller do not fit its relations")
    table = np.zeros((1 << bits, len(relations)), dtype=np.float32)
    table[rows] = weights
    return Labeller(templates, table, relations)
