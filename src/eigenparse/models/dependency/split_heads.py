"""A latent PCFG over dependency trees binarised by split heads, as a frozen record and as named arrays."""

from dataclasses import dataclass
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError
from eigenparse.models.dependency.labeller import Labeller, labeller_of, labeller_parts
from eigenparse.models.grammar.pcfg import (
    LatentGrammar,
    Skeleton,
    TagContext,
    Weights,
    check_skeleton,
    check_weights,
    layout,
)
from eigenparse.models.store import Header

ESTIMATOR = "lpcfg"
TYPES = {
    "rules": "<i4", "entry_label": "<i4", "entry_symbol": "<i4", "entry_start": "<i8", "rule_probability": "<f8",
    "entry_probability": "<f8", "root_probability": "<f8",
}  # fmt: skip
CONTEXT = ("follow", "before", "after")
MEMBER_TYPES = {"states": "<i4", "rule_weight": "<f4", "entry_weight": "<f4", "root_weight": "<f4"}


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
    labels = [[list(x.chain), x.partial, list(x.siblings), list(x.above)] for x in skeleton.labels]
    header: Header = {
        "estimator": ESTIMATOR,
        "channels": [model.tags],
        "symbols": [list(skeleton.symbols)],
        "labels": labels,
        "n_words": skeleton.n_words,
        "n_classes": skeleton.n_classes,
        "n_states": model.n_states,
        "n_members": len(model.grammar.members),
    }
    arrays: dict[str, AnyArray] = {f"skeleton.{name}": getattr(skeleton, name) for name in TYPES}
    for i, member in enumerate(model.grammar.members):
        arrays |= {f"member{i}.{name}": getattr(member, name).astype(t) for name, t in MEMBER_TYPES.items()}
    if model.grammar.context is not None:
        arrays |= {f"context.{name}": getattr(model.grammar.context, name) for name in CONTEXT}
    arrays["floor"] = model.floor
    if model.labeller is not None:
        header["labeller"], own = labeller_parts(model.labeller)
        arrays |= own
    return header, arrays


def split_heads_of(header: Header, arrays: dict[str, AnyArray]) -> SplitHeads:
    """The model of a header and arrays; ValueError or KeyError if they do not fit each other."""
    labels = tuple(Label(tuple(c), bool(p), tuple(s), tuple(a)) for c, p, s, a in header["labels"])
    columns = {name: _typed(arrays, f"skeleton.{name}", t) for name, t in TYPES.items()}
    skeleton = Skeleton(
        labels=labels, symbols=tuple(header["symbols"][0]), n_words=int(header["n_words"]),
        n_classes=int(header["n_classes"]), **columns,
    )  # fmt: skip
    try:
        check_skeleton(skeleton)
        members = tuple(_member(skeleton, arrays, i) for i in range(int(header["n_members"])))
    except DataError as problem:
        raise ValueError(str(problem)) from None
    floor = _typed(arrays, "floor", "<f8")
    if not members or floor.shape != (skeleton.n_labels + 1,) or not bool((floor > 0).all()):
        raise ValueError("weights or floors do not fit the labels")
    context = _context(skeleton, arrays) if "context.follow" in arrays else None
    return SplitHeads(
        str(header["channels"][0]),
        int(header["n_states"]),
        LatentGrammar(skeleton, members, context),
        floor,
        labeller_of(header["labeller"], arrays) if "labeller" in header else None,
    )


def _typed(arrays: dict[str, AnyArray], name: str, dtype: str) -> AnyArray:
    if arrays[name].dtype.str != dtype:
        raise ValueError(f"array {name!r} is of another type")
    return arrays[name]


def _context(skeleton: Skeleton, arrays: dict[str, AnyArray]) -> TagContext:
    n = skeleton.n_labels
    parts = [_typed(arrays, f"context.{name}", "<f4") for name in CONTEXT]
    if [part.shape for part in parts] != [(n + 1, n + 1), (n + 1, n), (n + 1, n)]:
        raise ValueError("the context tables do not fit the labels")
    return TagContext(*parts)


def _member(skeleton: Skeleton, arrays: dict[str, AnyArray], i: int) -> Weights:
    parts: dict[str, Any] = {name: _typed(arrays, f"member{i}.{name}", t) for name, t in MEMBER_TYPES.items()}
    states = parts.pop("states")
    if states.shape != (skeleton.n_labels,) or states.min(initial=1) < 1:
        raise ValueError("the numbers of states do not fit the labels")
    return check_weights(skeleton, Weights(states, *layout(skeleton, states), **parts))
