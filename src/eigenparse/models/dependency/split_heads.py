"""A latent PCFG over dependency trees binarised by split heads, as a frozen record and as named arrays."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError
from eigenparse.models.dependency.labeller import Labeller, labeller_of, labeller_parts
from eigenparse.models.grammar.kind import CONTEXT, LABELS, SKELETON, WEIGHTS
from eigenparse.models.grammar.pcfg import SKELETON as COLUMNS
from eigenparse.models.grammar.pcfg import (
    LatentGrammar,
    context_arrays,
    context_of,
    skeleton_header,
    skeleton_of,
    weight_arrays,
    weights_of,
)
from eigenparse.models.schema import Array, Law, Part, Schema, check_model
from eigenparse.models.store import Header

ESTIMATOR = "lpcfg"
SCHEMA = Schema(
    header={
        "estimator": str, "channels": (str,), "symbols": ([str],), "labels": LABELS, "n_words": int,
        "n_classes": int, "n_states": int, "n_members": int,
    },
    sizes={"labels": "labels"},
    rows=(
        *SKELETON,
        Law(
            "there are not as many names as symbols",
            lambda header, arrays, sizes: len(header["symbols"][0]) == sizes["symbols"],
        ),
        Array("floor", ("f8",), ("labels + 1",), low=float(np.nextafter(0, 1)), high=1.0),
    ),
    parts=(Part("member{}.", WEIGHTS, entry="n_members"), Part("context.", CONTEXT, optional=True)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SplitHeads:
    """Grammars whose trees are dependency trees; log p is the mean of the members' log p.

    tags: "upos" or "tag", what labels are made of.  floor: (A + 1,) weight of a rule or word that a
    label was never seen with; the last is that of labels never seen.  labeller: of the arcs of trees
    that the grammar finds.
    """

    tags: str
    n_states: int
    grammar: LatentGrammar
    floor: AnyArray
    labeller: Labeller | None = None

    @property
    def estimator(self) -> str:
        """The name of the estimator."""
        return ESTIMATOR

    @property
    def channels(self) -> tuple[str, ...]:
        """What is observed of a word besides its form."""
        return (self.tags,)

    @property
    def is_proper(self) -> bool:
        """Totals are always positive."""
        return True


def split_heads_parts(model: SplitHeads) -> tuple[Header, dict[str, AnyArray]]:
    """Header and arrays of a model file."""
    skeleton = model.grammar.skeleton
    header: Header = skeleton_header(skeleton) | {
        "estimator": ESTIMATOR,
        "channels": [model.tags],
        "symbols": [list(skeleton.symbols)],
        "n_states": model.n_states,
        "n_members": len(model.grammar.members),
    }
    arrays: dict[str, AnyArray] = {f"skeleton.{name}": getattr(skeleton, name) for name in COLUMNS}
    for i, member in enumerate(model.grammar.members):
        arrays |= weight_arrays(member, f"member{i}.")
    arrays |= context_arrays(model.grammar.context) | {"floor": model.floor}
    if model.labeller is not None:
        header["labeller"], own = labeller_parts(model.labeller)
        arrays |= own
    return header, arrays


def split_heads_of(header: Header, arrays: dict[str, AnyArray]) -> SplitHeads:
    """The model of a header and arrays; ValueError or KeyError if they do not fit each other."""
    try:
        check_model(SCHEMA, header, arrays)
    except DataError as problem:
        raise ValueError(str(problem)) from None
    skeleton = skeleton_of(header, header["symbols"][0], arrays)
    members = tuple(weights_of(skeleton, arrays, f"member{i}.") for i in range(header["n_members"]))
    return SplitHeads(
        header["channels"][0],
        header["n_states"],
        LatentGrammar(skeleton, members, context_of(arrays)),
        arrays["floor"],
        labeller_of(header["labeller"], arrays) if "labeller" in header else None,
    )
