"""Sums of passes over shards: they add, and are kept in a checkpoint, where a run that goes on finds them."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.learn.checkpoint import Checkpoint, Part
from eigenparse.learn.grammar.counts import LatentCounts
from eigenparse.models.grammar.pcfg import Skeleton, TagContext, Weights, layout

WEIGHTS = ("rule_weight", "entry_weight", "root_weight")
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class Round:
    """One variant's sums of a pass of EM.  tokens: sums of words' posteriors, if asked for."""

    counts: LatentCounts
    log_likelihood: float
    total: AnyArray
    tokens: tuple[Any, Any] | None

    def __add__(self, other: "Round") -> "Round":
        tokens = None
        if self.tokens is not None and other.tokens is not None:
            tokens = (self.tokens[0] + other.tokens[0], self.tokens[1] + other.tokens[1])
        counts = add_counts((self.counts,), (other.counts,))[0]
        return Round(counts, self.log_likelihood + other.log_likelihood, self.total + other.total, tokens)


def add_counts(total: Sequence[LatentCounts], part: Sequence[LatentCounts]) -> tuple[LatentCounts, ...]:
    """Counts of shards so far and of one more, in double precision."""
    return tuple(
        LatentCounts(one.states, one.rule + two.rule, one.entry + two.entry, one.root + two.root)
        for one, two in zip(map(_double, total), part, strict=True)
    )


def _double(counts: LatentCounts) -> LatentCounts:
    return replace(
        counts,
        rule=counts.rule.astype(np.float64, copy=False),
        entry=counts.entry.astype(np.float64, copy=False),
    )


def add_rounds(total: Sequence[Round | None], part: Sequence[Round | None]) -> tuple[Round | None, ...]:
    """Sums of shards so far and of one more, for each variant that goes on."""
    return tuple(
        None if one is None or two is None else one + two for one, two in zip(total, part, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Begun:
    """Before EM: counts of states of each variant, tables of neighbours, singular values of the first."""

    hard: tuple[LatentCounts, ...]
    context: TagContext
    singular: dict[int, FloatArray]


@dataclass(frozen=True, slots=True)
class Rounds:
    """EM under way: rounds done, weights of each variant, sums of its last round, log-likelihoods."""

    number: int
    weights: tuple[Weights, ...]
    done: tuple[Round | None, ...]
    log_likelihoods: tuple[float, ...]


def kept_beginning(checkpoint: Checkpoint, mark: str, compute: Callable[[], Begun]) -> Begun:
    """What was kept of the same corpus (``mark`` is of its counts), or computed and kept now."""
    found = checkpoint.found("states")
    if found is not None and found[0]["mark"] == mark:
        header, arrays = found
        hard = tuple(_counts(arrays, f"hard{k}.") for k in range(header["variants"]))
        context = TagContext(*(arrays[f"context.{f.name}"] for f in fields(TagContext)))
        return Begun(hard, context, {int(a): arrays[f"singular{a}"] for a in header["singular"]})
    begun = compute()
    arrays = {f"context.{f.name}": getattr(begun.context, f.name) for f in fields(TagContext)}
    arrays |= {f"singular{a}": value for a, value in begun.singular.items()}
    for k, counts in enumerate(begun.hard):
        arrays |= _count_arrays(counts, f"hard{k}.")
    header = {"mark": mark, "variants": len(begun.hard), "singular": sorted(begun.singular)}
    checkpoint.keep("states", (header, arrays))
    return begun


def _count_arrays(counts: LatentCounts, place: str) -> Arrays:
    return {f"{place}{f.name}": getattr(counts, f.name) for f in fields(LatentCounts)}


def _counts(arrays: Arrays, place: str) -> LatentCounts:
    return LatentCounts(*(arrays[f"{place}{f.name}"] for f in fields(LatentCounts)))


def kept_rounds(checkpoint: Checkpoint, mark: str, skeleton: Skeleton, start: Rounds) -> Rounds:
    """The rounds that were kept of the same corpus, or the beginning."""
    found = checkpoint.found("rounds")
    if found is None or found[0]["mark"] != mark:
        return start
    header, arrays = found
    weights, done = [], []
    for k, said in enumerate(header["variants"]):
        states = arrays[f"weights{k}.states"]
        values = (arrays[f"weights{k}.{name}"] for name in WEIGHTS)
        weights.append(Weights(states, *layout(skeleton, states), *values))
        done.append(None if said is None else _round(said, arrays, f"done{k}."))
    return Rounds(header["number"], tuple(weights), tuple(done), tuple(header["log_likelihoods"]))


def keep_rounds(checkpoint: Checkpoint, mark: str, rounds: Rounds, since: float) -> float:
    """Keep rounds if ``since`` (a monotonic time) is long enough ago; when that was done last."""
    if time.monotonic() - since < checkpoint.seconds:
        return since
    arrays: Arrays = {}
    variants: list[Any] = []
    for k, (weights, done) in enumerate(zip(rounds.weights, rounds.done, strict=True)):
        arrays |= {f"weights{k}.{name}": getattr(weights, name) for name in ("states", *WEIGHTS)}
        said, own = (None, {}) if done is None else _round_part(done, f"done{k}.")
        variants.append(said)
        arrays |= own
    header = {"mark": mark, "number": rounds.number, "variants": variants}
    checkpoint.keep("rounds", (header | {"log_likelihoods": list(rounds.log_likelihoods)}, arrays))
    return time.monotonic()


def _round_part(one: Round, place: str) -> Part:
    """Header and arrays of a variant's sums."""
    arrays = _count_arrays(one.counts, f"{place}counts.") | {f"{place}total": one.total}
    shapes = []
    for i, table in enumerate(one.tokens or ()):
        whole = table.tocsr()
        shapes.append(list(whole.shape))
        arrays |= {f"{place}tokens{i}.{name}": getattr(whole, name) for name in ("data", "indices", "indptr")}
    return {"log_likelihood": one.log_likelihood, "shapes": shapes}, arrays


def _round(said: dict[str, Any], arrays: Arrays, place: str) -> Round:
    """The sums in a header and arrays."""
    tables = [
        csr_matrix(
            tuple(arrays[f"{place}tokens{i}.{name}"] for name in ("data", "indices", "indptr")),
            shape=tuple(shape),
        )
        for i, shape in enumerate(said["shapes"])
    ]
    tokens = (tables[0], tables[1]) if tables else None
    return Round(
        _counts(arrays, f"{place}counts."), float(said["log_likelihood"]), arrays[f"{place}total"], tokens
    )
