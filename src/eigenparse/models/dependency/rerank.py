"""The re-ranker as a frozen record: weights of tag patterns and of dense scores, with its tree models."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.errors import OptionError
from eigenparse.features.dependency.templates import ATTRIBUTES
from eigenparse.models.container import Header
from eigenparse.models.dependency.deptree import TreeFile, TreeModel
from eigenparse.models.dependency.hashed import Hashed, table_of, table_parts
from eigenparse.models.dependency.split_heads import SplitHeads

FAMILIES = ("sides", "grandparent", "siblings")
BASELINE = ("sides", "grandparent")
# Additional patterns are atoms ``role.attribute``; attributes are those of the parser's templates.
ROLES = {
    "m": "the word",
    "h": "its head",
    "g": "the head of its head",
    "s": "the next child of the head towards the head",
    "l": "the leftmost child of the word, on its left",
    "r": "the rightmost child of the word, on its right",
}
ATOM = re.compile(r"([a-z])\.([a-z])")
MOST_PATTERNS = 100


@dataclass(frozen=True, slots=True)
class Reranker(Hashed):
    """A trained re-ranker.

    families: which tag patterns count.  weights: (2^bits,).  dense_weights: (1 + 2 M,): base score,
    then for each of the M tree models its log-probability and a flag for totals that are not positive.  Dense
    scores are taken relative to the best of their list and divided by ``scale`` (1 + 2 M,).  patterns:
    additional patterns, such as ``m.w h.w``; each is looked up once per word.  about: facts about the training,
    JSON values only.
    """

    families: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    dense_weights: FloatArray
    scale: FloatArray
    tree_models: tuple[TreeModel, ...]
    patterns: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header and arrays of a model file; labellers of arcs are left out."""
        header: Header = {
            "families": list(self.families),
            "patterns": list(self.patterns),
            "bits": self.bits,
            "tree_models": [],
            "about": self.about,
        }
        arrays = table_parts(self.weights) | {"dense_weights": self.dense_weights, "scale": self.scale}
        for i, model in enumerate(self.tree_models):
            scorer = replace(model, labeller=None) if isinstance(model, SplitHeads) else model
            about, own = scorer.to_parts()
            header["tree_models"].append(about)
            arrays |= {f"tree{i}.{name}": array for name, array in own.items()}
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "Reranker":
        """The inverse of ``to_parts``."""
        models = []
        for i, about in enumerate(header["tree_models"]):
            own = {name.partition(".")[2]: a for name, a in arrays.items() if name.startswith(f"tree{i}.")}
            models.append(TreeFile.from_parts(about, own))
        return cls(
            families=tuple(header["families"]),
            weights=table_of(arrays, header["bits"]),
            dense_weights=arrays["dense_weights"],
            scale=arrays["scale"],
            tree_models=tuple(models),
            patterns=tuple(header.get("patterns", ())),
            about=header.get("about", {}),
        )

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "families": list(self.families),
            "patterns": list(self.patterns),
            "weights": int(np.count_nonzero(self.weights)),
            "dense weights": self.dense_weights.round(3).tolist(),
            "tree models": [model.estimator for model in self.tree_models],
            **self.about,
        }


def family_flags(families: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Which families are switched on, in kernel order."""
    unknown = [name for name in families if name not in FAMILIES]
    if unknown:
        raise OptionError(f"feature families are {', '.join(FAMILIES)}, got {', '.join(unknown)} instead")
    return np.array([name in families for name in FAMILIES])


def pattern_atoms(text: str) -> list[tuple[int, int]]:
    """Role and attribute of every atom of a pattern, as numbers."""
    roles, attributes = list(ROLES), list(ATTRIBUTES)
    found = []
    for atom in text.split():
        match = ATOM.fullmatch(atom)
        if not match or match[1] not in roles or match[2] not in attributes:
            raise OptionError(
                f"feature {text!r}: {atom!r} is not role and attribute; write it like m.w with roles "
                f"{', '.join(roles)} and attributes {', '.join(attributes)}"
            )
        found.append((roles.index(match[1]), attributes.index(match[2])))
    if not found:
        raise OptionError("a feature has no atoms; write it like 'm.w h.w'")
    return found


def check_patterns(patterns: tuple[str, ...]) -> None:
    """Refuse patterns that are not understood."""
    if len(patterns) > MOST_PATTERNS:
        raise OptionError(f"{len(patterns)} features are more than {MOST_PATTERNS}; keep the best of them")
    for text in patterns:
        pattern_atoms(text)
