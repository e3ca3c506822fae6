"""Compact taggers inside a parser file: a tagger in, the same with few one-byte weights out, and back.

The weights of a log-linear emission may be shifted feature by feature without any change of posteriors.  After the
median over labels is subtracted, most weights of a feature are close to zero; those are left out, and the others are
rounded to steps that fit into one byte.  Keys of features are cut to 32 bits.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.models.registry import Parts
from eigenparse.models.schema import Array, Header, Law, Schema, Sizes
from eigenparse.models.tagger.kind import ONE_TAGGER
from eigenparse.models.tagger.rhmm import RefinementHMM

STEP = 0.05
LEAST = 3  # steps; smaller weights are left out
KEPT = 32  # bits of a key


def packed_tagger(tagger: RefinementHMM) -> RefinementHMM:
    """The tagger as a file of a parser keeps it."""
    emission = tagger.emission
    rows = emission.rows - np.median(emission.rows, axis=1, keepdims=True)
    steps = np.clip(np.rint(rows / np.float32(STEP)), -127, 127)
    steps[np.abs(steps) < LEAST] = 0
    keys, first = np.unique(emission.keys & np.uint64((1 << KEPT) - 1), return_index=True)
    first, keys = (
        part[steps[first].any(axis=1)] for part in (first, keys)
    )  # features whose weights are all zero are left out
    rows = np.ascontiguousarray(steps[first] * np.float32(STEP), dtype=np.float32)
    return replace(tagger, words=(), emission=replace(emission, keys=keys, rows=rows, bits=KEPT))


def packed_parts(tagger: RefinementHMM) -> Parts:
    """Header and arrays of a packed tagger."""
    header, arrays = tagger.to_parts()
    steps = np.rint(arrays.pop("emission_rows") / np.float32(STEP)).astype(np.int8)
    arrays["emission_used"], arrays["emission_steps"] = np.packbits(steps != 0), steps[steps != 0]
    arrays["emission_keys"] = arrays["emission_keys"].astype(np.uint32)
    return header, arrays


def unpacked(header: dict[str, Any], arrays: dict[str, AnyArray]) -> RefinementHMM:
    """The inverse of ``packed_parts``."""
    keys = arrays["emission_keys"].astype(np.uint64)
    rows = np.zeros((keys.size, len(header["labels"])), dtype=np.float32)
    used = np.unpackbits(arrays["emission_used"], count=rows.size).view(np.bool_)
    rows.reshape(-1)[used] = arrays["emission_steps"] * np.float32(STEP)
    tagger = RefinementHMM.from_parts(header, {**arrays, "emission_keys": keys, "emission_rows": rows})
    return replace(tagger, emission=replace(tagger.emission, bits=KEPT))


def _counted(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
    n = sizes["emission_keys"] * sizes["tagger_labels"]
    used = np.unpackbits(arrays["emission_used"])
    return int(used.sum()) == arrays["emission_steps"].size and not used[n:].any()


_OTHERS = tuple(
    row for row in ONE_TAGGER.rows if getattr(row, "name", "") not in ("emission_keys", "emission_rows")
)
PACKED = Schema(
    header=ONE_TAGGER.header,
    sizes=ONE_TAGGER.sizes,
    rows=(
        *_OTHERS,
        Array("emission_keys", ("u4",), ("emission_keys",), rising=True),
        Array("emission_used", ("u1",), ("(emission_keys * tagger_labels + 7) // 8",)),
        Array("emission_steps", ("i1",), ("emission_steps",)),
        Law("the number of weights of a tagger differs from the number of set bits", _counted),
    ),
)
