"""A labeller of arcs as a frozen record, and as named values and arrays of a model file."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.models.container import Header
from eigenparse.models.dependency.hashed import Hashed, hashed_rows, known_codes, table_of, table_parts
from eigenparse.models.schema import NAMES, Law, Schema


@dataclass(frozen=True, slots=True)
class Labeller(Hashed):
    """Predicts the relation of an arc.  weights: (2^bits, L) of hashed features over the names in ``relations``."""

    templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    relations: tuple[str, ...]

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Values and arrays."""
        header: Header = {
            "label_bits": self.bits,
            "label_templates": list(self.templates),
            "relations": list(self.relations),
        }
        return header, table_parts(self.weights, "label_", coded=True)

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "Labeller":
        """The inverse of ``to_parts``."""
        relations = tuple(header["relations"])
        table = table_of(arrays, header["label_bits"], "label_", (len(relations),))
        return cls(tuple(header["label_templates"]), table, relations)


LABELLER = Schema(
    header={"label_bits": int, "label_templates": NAMES, "relations": NAMES},
    sizes={"label_bits": "label_bits", "relations": "relations"},
    rows=(
        Law("there are no relations, or more than 4096", lambda h, a, sizes: 1 <= sizes["relations"] <= 4096),
        Law("a template of relations has an unknown code", lambda h, a, s: known_codes(h["label_templates"])),
        *hashed_rows("label_", "label_bits", 4, 22, "relations"),
    ),
)
