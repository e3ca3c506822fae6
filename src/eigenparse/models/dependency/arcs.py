"""The graph-based dependency parser as a frozen record: feature templates, weights, relation names."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.word_classes import WordClasses
from eigenparse.models.container import Header
from eigenparse.models.dependency.hashed import Hashed, table_of, table_parts
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.models.dependency.morphology import Morphology
from eigenparse.models.dependency.packed_tagger import packed_parts, unpacked
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below


@dataclass(frozen=True, slots=True)
class Pruner(Hashed):
    """A small first-order model of heads.  weights: (2^bits,) of hashed features."""

    templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "Pruner":
        """The pruner of a model file, from its part of the header."""
        return cls(tuple(header["templates"]), table_of(arrays, header["bits"], "pruner."))


@dataclass(frozen=True, slots=True)
class ArcJudge(Hashed):
    """A log-linear model of heads that re-scores likely arcs of a chart.

    weights: (2^bits,) of hashed features.  scale: of the chart's scores.  trust: weight of its log posteriors.
    """

    templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    scale: float
    trust: float

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Its part of the header, and arrays."""
        header: Header = {"templates": list(self.templates), "bits": self.bits}
        header |= {"scale": self.scale, "trust": self.trust}
        return header, table_parts(self.weights, "judge.", coded=True)

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "ArcJudge":
        """The inverse of ``to_parts``."""
        table = table_of(arrays, header["bits"], "judge.")
        return cls(tuple(header["templates"]), table, header["scale"], header["trust"])


@dataclass(frozen=True, slots=True)
class ArcModel(Hashed):
    """A trained parser.

    weights: (2^bits,) of arc and pair features.  order is 1 or 2; crossing says whether it was trained for
    crossing arcs.  labeller: predicts relations.  pruner: selects the arcs that are scored; None: all.  judge:
    re-scores likely arcs, or None.  classes: of words, from raw text, or None.  taggers: of ``upos`` and ``xpos``,
    applied before parsing, if it was trained on predicted tags.  morphology: features and lemmas of the words that it
    tags. about: facts about the training, JSON values only.
    """

    order: int
    crossing: bool
    templates: tuple[str, ...]
    pair_templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    labeller: Labeller
    pruner: Pruner | None = None
    classes: WordClasses | None = None
    taggers: dict[str, RefinementHMM] = field(default_factory=dict)
    morphology: Morphology | None = None
    about: dict[str, Any] = field(default_factory=dict)
    judge: ArcJudge | None = None

    @property
    def style(self) -> dict[str, str]:
        """How its treebank writes quotation marks and compounds: arguments of ``tokenise``."""
        hyphens = any("HYPH" in tagger.labels for tagger in self.taggers.values())
        return {"quotes": "keep", "hyphens": "split" if hyphens else "keep"}

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
        arrays: dict[str, AnyArray] = table_parts(self.weights, coded=True) | label_arrays
        if self.pruner is not None:
            header["pruner"] = {"templates": list(self.pruner.templates), "bits": self.pruner.bits}
            arrays |= table_parts(self.pruner.weights, "pruner.", coded=True)
        if self.judge is not None:
            header["judge"], more = self.judge.to_parts()
            arrays |= more
        if self.classes is not None:
            arrays |= self.classes.to_arrays()
        if self.morphology is not None:
            header["morphology"] = {"values": list(self.morphology.values)}
            arrays |= {"morphology.keys": self.morphology.keys, "morphology.value": self.morphology.value}
        if self.taggers:
            header["taggers"] = {}
        for name, tagger in self.taggers.items():
            header["taggers"][name], own = packed_parts(tagger)
            arrays |= {f"{name}.{key}": array for key, array in own.items()}
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "ArcModel":
        """The inverse of ``to_parts``."""
        taggers = {
            name: unpacked(about, parts_below(arrays, f"{name}."))
            for name, about in header.get("taggers", {}).items()
        }
        return cls(
            order=header["order"],
            crossing=header["crossing"],
            templates=tuple(header["templates"]),
            pair_templates=tuple(header["pair_templates"]),
            weights=table_of(arrays, header["bits"]),
            labeller=Labeller.from_parts(header, arrays),
            pruner=Pruner.from_parts(header["pruner"], arrays) if "pruner" in header else None,
            classes=WordClasses.from_arrays(arrays),
            taggers=taggers,
            morphology=Morphology.from_parts(header["morphology"], arrays)
            if "morphology" in header
            else None,
            about=header.get("about", {}),
            judge=ArcJudge.from_parts(header["judge"], arrays) if "judge" in header else None,
        )

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "order": self.order,
            "crossing arcs": self.crossing,
            "weights": int(np.count_nonzero(self.weights)),
            "relations": len(self.labeller.relations),
            "judge": self.judge is not None,
            "taggers": sorted(self.taggers),
            "classes of words": self.classes.coarse.size if self.classes is not None else 0,
            **self.about,
        }
