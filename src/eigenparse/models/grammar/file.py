"""Grammars in, one safetensors file out, and back."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.columns import Label
from eigenparse.data import located
from eigenparse.errors import DataError, ModelFileError
from eigenparse.models.contents import check_contents
from eigenparse.models.grammar.packed import PACKED_KIND, pack_parts, unpack_parts
from eigenparse.models.grammar.pcfg import (
    LatentGrammar,
    Skeleton,
    TagContext,
    Weights,
    check_skeleton,
    check_weights,
    layout,
)
from eigenparse.models.grammar.span_filter import PLACE, filter_arrays, filter_of
from eigenparse.models.store import load_model, save_model

KIND = "lpcfg"
SKELETON = (
    "rules",
    "entry_label",
    "entry_symbol",
    "entry_start",
    "rule_probability",
    "entry_probability",
    "root_probability",
)
WEIGHTS = ("states", "rule_weight", "entry_weight", "root_weight")


def save_grammar(grammar: LatentGrammar, path: str | Path, *, packed: bool = False) -> None:
    """Write a grammar; the same grammar always gives the same bytes.

    packed: a file many times smaller, whose probabilities are rounded (``models/grammar/packed.py``).
    """
    header, arrays = _parts(grammar, "")
    for i, other in enumerate(grammar.others):
        other_header, other_arrays = _parts(other, f"other{i}.")
        header["others"].append(other_header)
        arrays.update(other_arrays)
    if packed:
        header, arrays = pack_parts(header, arrays)
    save_model(path, kind=PACKED_KIND if packed else KIND, header=header, arrays=arrays)


def can_be_packed(grammar: LatentGrammar) -> bool:
    """Whether no weight is negative: roundings of signed weights would not average out."""
    return all(
        bool(np.all(part >= 0))
        for one in (grammar, *grammar.others)
        for weights in one.members
        for part in (weights.rule_weight, weights.entry_weight, weights.root_weight)
    )


def _parts(grammar: LatentGrammar, prefix: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Header and named arrays of one grammar."""
    skeleton = grammar.skeleton
    arrays: dict[str, AnyArray] = {f"{prefix}skeleton.{name}": getattr(skeleton, name) for name in SKELETON}
    named = {f"{prefix}member{i}": member for i, member in enumerate(grammar.members)}
    if grammar.coarse is not None:
        named[f"{prefix}coarse"] = grammar.coarse
    for place, weights in named.items():
        arrays.update({f"{place}.{name}": getattr(weights, name) for name in WEIGHTS})
    if grammar.context is not None:
        arrays.update(
            {f"{prefix}context.{f.name}": getattr(grammar.context, f.name) for f in fields(TagContext)}
        )
    arrays.update({f"{prefix}{name}": array for name, array in filter_arrays(grammar.span_filter).items()})
    header = {
        "labels": [[list(x.chain), x.partial, list(x.siblings), list(x.above)] for x in skeleton.labels],
        "symbols": list(skeleton.symbols),
        "n_words": skeleton.n_words,
        "n_classes": skeleton.n_classes,
        "n_members": len(grammar.members),
        "report": grammar.report,
        "others": [],
    }
    if grammar.span_filter is not None:
        header[PLACE] = grammar.span_filter.facts()
    return header, arrays


def load_grammar(path: str | Path) -> LatentGrammar:
    """Read a grammar, by path or bundled name; what is damaged, foreign or inconsistent is refused."""
    kind, header, arrays = load_model(located(path))
    if kind not in (KIND, PACKED_KIND):
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not {KIND!r}; use the command for that kind"
        )
    try:
        if kind == PACKED_KIND:
            header, arrays = unpack_parts(header, arrays)
            check_contents(KIND, header, arrays)
        others = tuple(_grammar(part, arrays, f"other{i}.") for i, part in enumerate(header["others"]))
        return replace(_grammar(header, arrays, ""), others=others)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as problem:
        raise ModelFileError(
            f"{path}: the grammar is incomplete ({problem}); train or copy it again"
        ) from None


def _grammar(header: dict[str, Any], arrays: dict[str, AnyArray], prefix: str) -> LatentGrammar:
    """One grammar from its header and its arrays."""
    labels = tuple(Label(tuple(c), bool(p), tuple(s), tuple(a)) for c, p, s, a in header["labels"])
    columns = {name: arrays[f"{prefix}skeleton.{name}"] for name in SKELETON}
    skeleton = Skeleton(
        labels=labels, symbols=tuple(header["symbols"]), n_words=int(header["n_words"]),
        n_classes=int(header["n_classes"]), **columns,
    )  # fmt: skip
    check_skeleton(skeleton)
    members = tuple(_weights(skeleton, arrays, f"{prefix}member{i}") for i in range(int(header["n_members"])))
    if not members:
        raise DataError("there are no weights")
    coarse = _weights(skeleton, arrays, f"{prefix}coarse") if f"{prefix}coarse.states" in arrays else None
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    return LatentGrammar(
        skeleton, members, _context(skeleton, arrays, prefix), coarse, dict(header["report"]),
        span_filter=filter_of(header, own, len(skeleton.symbols)),
    )  # fmt: skip


def _context(skeleton: Skeleton, arrays: dict[str, AnyArray], prefix: str) -> TagContext | None:
    if f"{prefix}context.follow" not in arrays:
        return None
    context = TagContext(*(arrays[f"{prefix}context.{f.name}"] for f in fields(TagContext)))
    n = skeleton.n_labels
    if (context.follow.shape, context.before.shape, context.after.shape) != (
        (n + 1, n + 1),
        (n + 1, n),
        (n + 1, n),
    ):
        raise DataError("the context tables do not fit the labels")
    return context


def _weights(skeleton: Skeleton, arrays: dict[str, AnyArray], prefix: str) -> Weights:
    states = arrays[f"{prefix}.states"]
    if states.shape != (skeleton.n_labels,) or states.dtype != np.int32 or np.any(states < 1):
        raise DataError("the numbers of states do not fit the labels")
    rule_at, entry_at, state_at = layout(skeleton, states)
    values = (arrays[f"{prefix}.{name}"] for name in WEIGHTS[1:])
    return check_weights(skeleton, Weights(states, rule_at, entry_at, state_at, *values))
