"""A latent PCFG over dependency trees binarised by split heads, as a frozen record and as named arrays."""

from dataclasses import dataclass, field
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.models.container import Header
from eigenparse.models.dependency.labeller import Labeller
from eigenparse.models.grammar.pcfg import (
    SKELETON,
    LatentGrammar,
    context_arrays,
    context_of,
    skeleton_header,
    skeleton_of,
    weight_arrays,
    weights_of,
)

ESTIMATOR, TENSOR = "lpcfg", "lpcfg-tensor"
ESTIMATORS = (ESTIMATOR, TENSOR)
FLOOR = 0.1  # pseudo-count of a rule or word that a label was never seen with


@dataclass(frozen=True, slots=True)
class SplitHeads:
    """Grammars whose trees are dependency trees; log p is the mean of the members' log p.

    estimator: ``lpcfg``, whose states are visible, or ``lpcfg-tensor``, whose weights are signed.  tags: "upos" or
    "tag", what labels are made of.  floor: (A + 1,) weight of a rule or word that a label was never seen with; the
    last is that of labels never seen.  labeller: of the arcs of trees that the grammar finds.  about: facts about
    the training, JSON values only.
    """

    tags: str
    n_states: int
    grammar: LatentGrammar
    floor: AnyArray
    labeller: Labeller | None = None
    about: dict[str, Any] = field(default_factory=dict)
    estimator: str = ESTIMATOR

    @property
    def channels(self) -> tuple[str, ...]:
        """What is observed of a word besides its form."""
        return (self.tags,)

    @property
    def is_proper(self) -> bool:
        """Whether states are visible and totals positive; ``inference.dependency.proper_heads`` normalises them."""
        return self.estimator == ESTIMATOR

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header and arrays of a model file."""
        skeleton = self.grammar.skeleton
        header: Header = skeleton_header(skeleton) | {
            "estimator": self.estimator,
            "channels": [self.tags],
            "symbols": [list(skeleton.symbols)],
            "n_states": self.n_states,
            "n_members": len(self.grammar.members),
            "about": self.about,
        }
        arrays: dict[str, AnyArray] = {f"skeleton.{name}": getattr(skeleton, name) for name in SKELETON}
        for i, member in enumerate(self.grammar.members):
            arrays |= weight_arrays(member, f"member{i}.")
        arrays |= context_arrays(self.grammar.context) | {"floor": self.floor}
        if self.labeller is not None:
            header["labeller"], own = self.labeller.to_parts()
            arrays |= own
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "SplitHeads":
        """The inverse of ``to_parts``."""
        skeleton = skeleton_of(header, header["symbols"][0], arrays)
        members = tuple(weights_of(skeleton, arrays, f"member{i}.") for i in range(header["n_members"]))
        return cls(
            header["channels"][0],
            header["n_states"],
            LatentGrammar(skeleton, members, context_of(arrays)),
            arrays["floor"],
            Labeller.from_parts(header["labeller"], arrays) if "labeller" in header else None,
            header.get("about", {}),
            header["estimator"],
        )

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        skeleton = self.grammar.skeleton
        return {
            "estimator": self.estimator,
            "states": self.n_states,
            "channels": [self.tags],
            "members": len(self.grammar.members),
            "labels": skeleton.n_labels,
            "rules": int(skeleton.rules.shape[0]),
            "relations": len(self.labeller.relations) if self.labeller else 0,
            **self.about,
        }
