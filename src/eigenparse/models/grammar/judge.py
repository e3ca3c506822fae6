"""The judge of brackets and tags: weights of hashed features; header and arrays, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntVector
from eigenparse.kernels.grammar.judge_weights import STEP

FIRST_TEMPLATES = 64  # of files that do not say how many they have


@dataclass(frozen=True, slots=True)
class Look:
    """Weights of one look: of dense features, and of those hashed features that have any.

    feature: (K,) ascending numbers below 2 ** bits.  weight: (K,) int16, in steps of ``STEP``.
    """

    dense: tuple[float, ...]
    feature: IntVector
    weight: AnyArray


@dataclass(frozen=True, slots=True)
class Judge:
    """A logistic model of which candidate tags and brackets are right.

    tags: the look at tags, which comes first.  looks: those at brackets, one after the other; each sees
    the tags and the tree that the one before believes in.  words: ascending
    hashes of the words known by name.  bits: features are numbers below 2 ** bits.  low, high: tags and brackets
    with posteriors between them are re-scored; others are unchanged.  templates: of features of brackets.
    """

    tags: Look
    looks: tuple[Look, ...]
    words: AnyArray
    bits: int
    low: float = 0.01
    high: float = 0.995
    templates: int = 96

    @property
    def n_weights(self) -> int:
        return sum(look.feature.size for look in (self.tags, *self.looks))


def weight_table(judge: Judge, look: Look) -> AnyArray:
    """The weight of every feature, in whole steps: (2 ** bits,) int16."""
    table = np.zeros(1 << judge.bits, dtype=np.int16)
    table[look.feature] = look.weight
    return table


def look_of(dense: FloatArray, weights: FloatArray) -> Look:
    """Weights of all features as a look, in whole steps."""
    steps = np.clip(np.rint(weights / STEP), -32767, 32767).astype(np.int16)
    feature = np.flatnonzero(steps).astype(np.int32)
    # Single precision, because the last digits of sums depend on how a kernel was compiled.
    return Look(tuple(float(np.float32(value)) for value in dense), feature, steps[feature])


def judge_parts(judge: Judge) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Header and named arrays of a model file."""
    arrays: dict[str, AnyArray] = {"judge.words": judge.words}
    for name, look in (("tags", judge.tags), *((f"look{i}", look) for i, look in enumerate(judge.looks))):
        arrays[f"judge.{name}.feature"] = look.feature
        arrays[f"judge.{name}.weight"] = look.weight
    dense = [list(look.dense) for look in (judge.tags, *judge.looks)]
    header = {"dense": dense, "bits": judge.bits, "low": judge.low, "high": judge.high}
    return header | {"templates": judge.templates}, arrays


def judge_from(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> Judge:
    """The inverse of ``judge_parts``."""

    def look(name: str, dense: Sequence[float]) -> Look:
        values = tuple(float(value) for value in dense)
        return Look(values, arrays[f"judge.{name}.feature"], arrays[f"judge.{name}.weight"])

    tags, *brackets = header["dense"]
    looks = tuple(look(f"look{i}", dense) for i, dense in enumerate(brackets))
    bits, low, high = header["bits"], float(header["low"]), float(header["high"])
    templates = header.get("templates", FIRST_TEMPLATES)
    return Judge(look("tags", tags), looks, arrays["judge.words"], bits, low, high, templates)
