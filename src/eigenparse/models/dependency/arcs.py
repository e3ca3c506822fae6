"""The graph-based dependency parser as a frozen record: feature templates, weights, relation names."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.models.container import Header
from eigenparse.models.dependency.hashed import bits_of, table_of, table_parts
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below


@dataclass(frozen=True, slots=True)
class ArcModel:
    """A trained parser.

    weights: (2^bits,) of arc and pair features.  order is 1 or 2; crossing says whether it was trained for
    crossing arcs.  labeller: names arcs.  taggers: of ``upos`` and ``xpos``, applied before parsing, if it was
    trained on predicted tags.  about: what training saw, JSON values only.
    """

    order: int
    crossing: bool
    templates: tuple[str, ...]
    pair_templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    labeller: Labeller
    taggers: dict[str, RefinementHMM] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Logarithm of the size of the weight table."""
        return bits_of(self.weights)

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header and arrays of a model file."""
        label_header, label_arrays = self.labeller.to_parts()
        header: Header = {
            "order": self.order,
            "crossing": self.crossing,
            "bits": self.bits,
            "templates": list(self.templates),
            "pair_templates": list(self.pair_templates),
            "about": self.about,
            **label_header,
        }
        arrays: dict[str, AnyArray] = table_parts(self.weights) | label_arrays
        if self.taggers:
            header["taggers"] = {}
        for name, tagger in self.taggers.items():
            header["taggers"][name], own = tagger.to_parts()
            arrays |= {f"{name}.{key}": array for key, array in own.items()}
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "ArcModel":
        """The inverse of ``to_parts``."""
        taggers = {
            name: RefinementHMM.from_parts(about, parts_below(arrays, f"{name}."))
            for name, about in header.get("taggers", {}).items()
        }
        return cls(
            order=header["order"],
            crossing=header["crossing"],
            templates=tuple(header["templates"]),
            pair_templates=tuple(header["pair_templates"]),
            weights=table_of(arrays, header["bits"]),
            labeller=Labeller.from_parts(header, arrays),
            taggers=taggers,
            about=header.get("about", {}),
        )

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "order": self.order,
            "crossing arcs": self.crossing,
            "weights": int(np.count_nonzero(self.weights)),
            "relations": len(self.labeller.relations),
            "taggers": sorted(self.taggers),
            **self.about,
        }
