"""Compact grammar files: header and arrays of a grammar in, rounded and compressed bytes out, and back.

Probabilities are kept as steps on a logarithmic scale; what lies below the scale is zero.
The weights of a lexicon entry are relative to their largest, so that rare words of the same
class have the same row, which is stored once (``entry_rows``).  Whole numbers take the smallest type that holds
them.  Every part is compressed by itself, with zlib (LZMA saves two bytes in a hundred and takes several times longer
both ways).  All parts lie in one array of an ordinary model file.
"""

import itertools
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.errors import DataError
from eigenparse.kernels.grammar.pack import count_above, take_above
from eigenparse.kernels.grammar.unpack import place_by_marks, place_shares
from eigenparse.models.container import DTYPES, strict_json
from eigenparse.models.grammar.entry_rows import rows_of
from eigenparse.models.grammar.few import few_values
from eigenparse.models.grammar.kind import GRAMMAR, PACKED
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.schema import check_model

PACKING = 3
SPARSE = 0.25  # with a smaller share of values that are not zero, their places are kept as gaps
MOST_BYTES = 4_000_000_000  # of all unpacked parts, and of an array made from them
FREE_BYTES, MOST_TIMES = (
    64_000_000,
    200,
)  # limits of unpacking: this many bytes, or this many times the packed size
HARDLY = 0.7  # a part that shrinks to more than this share is stored uncompressed, which loads faster
STEPS = 254  # of the scale of shares, besides zero
FINE_STEPS = 2046  # of the scale of probabilities
TOP_STEPS = 65534  # of the scale of an entry's largest weights
LEAST_RULE = 1e-6
LEAST_SHARE = 1e-3  # of an entry's largest weight
MOST_DIMENSIONS = 8
TYPES = {np.dtype(name).str: np.dtype(name) for name in DTYPES.values()}
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class PackedGrammar:
    """A grammar that is saved packed; read back, it is a ``LatentGrammar`` with rounded probabilities."""

    grammar: LatentGrammar

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """Header and arrays of a model file."""
        return pack_parts(*self.grammar.to_parts())

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> LatentGrammar:
        """Unpack, and check what was unpacked as if it had been read from a file that is not packed."""
        header, arrays = unpack_parts(header, arrays)
        check_model(GRAMMAR.schema, header, arrays)
        return LatentGrammar.from_parts(header, arrays)

    def summary(self) -> dict[str, Any]:
        """What is in the grammar."""
        return self.grammar.summary()


def packed(grammar: LatentGrammar) -> tuple[PackedGrammar, str] | None:
    """The grammar as it is written by default; None with negative weights, which cannot be packed."""
    signed = any(member.is_signed for one in (grammar, *grammar.others) for member in one.members)
    return None if signed else (PackedGrammar(grammar), PACKED.name)


def pack_parts(header: dict[str, Any], arrays: Mapping[str, AnyArray]) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a model file that ``unpack_parts`` turns into (nearly) those given."""
    layout: list[list[Any]] = []
    pieces: list[bytes] = []

    def put(name: str, array: AnyArray) -> None:
        piece = _compressed(np.ascontiguousarray(array).tobytes())
        layout.append([name, array.dtype.str, list(array.shape), "zlib", len(piece)])
        pieces.append(piece)

    put(
        "header",
        np.frombuffer(json.dumps(header, ensure_ascii=False, sort_keys=True).encode("utf-8"), dtype=np.uint8),
    )
    notes: dict[str, Any] = {}
    for name in sorted(arrays):
        notes[name] = _pack_one(name, arrays, put)
    about = {"packing": PACKING, "layout": layout, "notes": notes}
    return about, {"packed": np.frombuffer(b"".join(pieces), dtype=np.uint8)}


def _compressed(content: bytes) -> bytes:
    """Some bytes in the format of zlib; content that hardly shrinks is stored uncompressed."""
    zipped = zlib.compress(content, 6)
    return zlib.compress(content, 0) if len(zipped) > HARDLY * len(content) else zipped


def _pack_one(name: str, arrays: Mapping[str, AnyArray], put: Any) -> dict[str, Any]:
    """Write the parts of one array; return its entry of the notes."""
    array = arrays[name]
    note: dict[str, Any] = {"shape": list(array.shape), "type": array.dtype.str}
    if array.dtype.kind in "iu":
        flat = array.reshape(-1)
        stepped = bool(flat.size > 1 and np.all(np.diff(flat) >= 0))
        small = np.diff(flat, prepend=flat.dtype.type(0)) if stepped else flat
        put(name, small.astype(_smallest(small)))
        return note | {"kind": "steps" if stepped else "numbers"}
    if array.dtype.kind != "f" or array.min(initial=0) < 0:
        raise DataError(f"{name}: negative weights cannot be packed; pack a grammar learnt by clusters or EM")
    flat = array.reshape(-1)
    if name.endswith("entry_weight"):
        flat = flat.astype(np.float64)
        label, states = _lexicon(name, arrays)
        width = states[label]
        top = _largest(flat, width)
        share = flat / np.repeat(np.maximum(top, 1e-300), width)
        fine, coarse = to_scale(top, 0.0, TOP_STEPS), to_scale(share, LEAST_SHARE, STEPS)
        rows = rows_of(label, states, coarse[0].astype(np.uint8))
        for part, numbers in (("top", fine[0]), ("row", rows.number)):
            put(f"{name}.{part}", (numbers & 255).astype(np.uint8))
            put(f"{name}.{part}.high", (numbers >> 8).astype(_smallest(numbers >> 8)))
        put(f"{name}.shared", rows.shared.astype(_smallest(rows.shared)))
        put(name, rows.share)
        return note | {"kind": "shares", "top": fine[1:], "scale": coarse[1:]}
    least = LEAST_RULE if name.endswith("rule_weight") else 0.0
    n = count_above(flat, least)
    gaps, large = np.empty(n, dtype=np.int64), np.empty(n)
    take_above(flat, least, gaps, large)
    codes, low, high = to_scale(large, least, FINE_STEPS)
    if n < SPARSE * flat.size:
        put(f"{name}.gaps", gaps.astype(_smallest(gaps)))
    else:
        present = np.zeros(flat.size, dtype=bool)
        present[np.cumsum(gaps) - 1] = True
        put(f"{name}.present", np.packbits(present))
    put(name, (codes & 255).astype(np.uint8))
    put(f"{name}.high", (codes >> 8).astype(np.uint8))
    return note | {"kind": "scale", "scale": [low, high]}


def unpack_parts(about: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a grammar, single precision where they are probabilities."""
    if about.get("packing") != PACKING:
        raise DataError(f"packing {about.get('packing')!r} is unknown; use the eigenparse that wrote it")
    parts = _parts(about, np.ascontiguousarray(arrays["packed"]).data)
    made: Arrays = {}
    notes = about["notes"]
    for name in sorted(notes, key=lambda name: name.endswith("entry_weight")):  # last: they need others
        made[name] = _unpack_one(name, notes[name], parts, made)
    try:
        header = strict_json(parts["header"].tobytes())
    except RecursionError:
        raise DataError("the packed header is nested too deeply") from None
    if not isinstance(header, dict):
        raise DataError("the packed header is not a table")
    return header, made


def _parts(about: Mapping[str, Any], packed: memoryview) -> Arrays:
    """The packed parts by name, flat; sizes are checked before anything is allocated."""
    layout = about["layout"]
    sizes = [_count(shape) * _type(kind, "iu").itemsize for _, kind, shape, _, _ in layout]
    lengths = [length for *_, length in layout]
    most = min(max(FREE_BYTES, MOST_TIMES * len(packed)), MOST_BYTES)
    if min([0, *sizes, *lengths]) < 0 or sum(sizes) > most or sum(lengths) != len(packed):
        raise DataError("the sizes of the packed arrays do not add up")
    ends = itertools.pairwise(itertools.accumulate(lengths, initial=0))
    return {
        name: np.frombuffer(_expanded(packed[low:high], size), kind)
        for (name, kind, *_), (low, high), size in zip(layout, ends, sizes)
    }


def _expanded(piece: memoryview, size: int) -> bytes:
    """The bytes of a piece, whose number must be as announced."""
    try:
        content = zlib.decompressobj().decompress(piece, size + 1)
    except zlib.error as problem:
        raise DataError(f"the packed arrays are damaged ({problem})") from None
    if len(content) != size:
        raise DataError("a packed array has another length than it says")
    return content


def _type(name: str, kinds: str) -> Any:
    """A type by its name in the file, if it is one of these kinds."""
    if name not in TYPES or TYPES[name].kind not in kinds:
        raise DataError(f"{name[:20]!r} is not the type of a packed array")
    return TYPES[name]


def _count(shape: Sequence[int]) -> int:
    """How many values a shape has."""
    if len(shape) > MOST_DIMENSIONS:
        raise DataError("a packed array has too many dimensions")
    return math.prod(shape)


def _unpack_one(name: str, note: Mapping[str, Any], parts: Arrays, made: Arrays) -> AnyArray:
    shape, kind = tuple(note["shape"]), note["kind"]
    n = _count(shape)
    if not 0 <= n <= MOST_BYTES // 8:
        raise DataError(f"{name}: {n} values are too many")
    if kind in ("numbers", "steps"):
        numbers = parts[name].astype(np.int64)
        numbers = np.cumsum(numbers) if kind == "steps" else numbers
        return numbers.astype(_type(note["type"], "iu")).reshape(shape)
    single = _type(note["type"], "f")
    if kind == "shares":
        values = _unpack_shares(name, note, parts, made)
    else:
        low, high, table = parts[name], parts[f"{name}.high"], scale_table(note["scale"], FINE_STEPS)
        if f"{name}.gaps" in parts:
            few = few_values(n, parts[f"{name}.gaps"], low, high, table)
            if name.endswith(".rule_weight") and shape == (n,) and single == few.dtype:
                return few  # type: ignore[return-value]  # most of a grammar, and few readers want all of it
            values = few.whole()
        else:
            values, marks = np.zeros(n, dtype=np.float32), parts[f"{name}.present"]
            there = marks.size == (n + 7) // 8 and low.size == high.size
            if not there or not place_by_marks(
                *(x.astype(np.uint8) for x in (marks, low, high)), table, values
            ):
                raise DataError(f"{name}: values are not where the file says")
    if values.size != n:
        raise DataError(f"{name}: there are {values.size} values, not {n}")
    return values.astype(single, copy=False).reshape(shape)


def _unpack_shares(name: str, note: Mapping[str, Any], parts: Arrays, made: Arrays) -> FloatArray:
    """The weights of lexicon entries."""
    (label, states), share = _lexicon(name, made), parts[name]
    tops, shares = scale_table(note["top"], TOP_STEPS), scale_table(note["scale"], STEPS)
    if float(shares.max()) * float(tops.max()) > np.finfo(np.float32).max:
        raise DataError(f"{name}: weights are too large")
    top, number = _both_bytes(f"{name}.top", parts), _both_bytes(f"{name}.row", parts)
    shared = parts[f"{name}.shared"].astype(np.int64)
    fitting = top.size == number.size == label.size and shared.size == states.size
    if not fitting or int(top.max(initial=0)) >= tops.size or not _ids(label, states, share.size):
        raise DataError(f"{name}: the numbers of states do not fit")
    n = int(states[label].sum(dtype=np.int64))
    if n > max(FREE_BYTES, MOST_TIMES * share.size):
        raise DataError(f"{name}: {n} values are too many")
    values = np.empty(n, dtype=np.float32)
    if not place_shares(
        tops[top], label, states, number, shared, share.astype(np.uint8, copy=False), shares, values
    ):
        raise DataError(f"{name}: the rows of the lexicon are not all there")
    return values


def _ids(label: AnyArray, states: AnyArray, most: int) -> bool:
    """Whether labels exist, and their states, too."""
    inside = label.min(initial=0) >= 0 and (not label.size or label.max() < states.size)
    return bool(inside and states.min(initial=1) >= 1 and states.max(initial=1) <= max(most, 1))


def _both_bytes(name: str, parts: Arrays) -> AnyArray:
    """Numbers whose last byte is kept by itself."""
    low, high = parts[name], parts[f"{name}.high"]
    if low.size != high.size or int(high.max(initial=0)) >= 1 << 24:
        raise DataError(f"{name}: the parts of numbers do not fit")
    return high.astype(np.int32) << 8 | low


def _lexicon(name: str, arrays: Mapping[str, AnyArray]) -> tuple[AnyArray, AnyArray]:
    """The labels of the lexicon entries that have these weights, and the states of labels."""
    place = name.removesuffix(".entry_weight")
    skeleton = place.rpartition(".")[0] + "." if "." in place else ""
    return arrays[f"{skeleton}skeleton.entry_label"], arrays[f"{place}.states"]


def _largest(values: FloatArray, width: AnyArray) -> FloatArray:
    """The largest of each run of values."""
    if width.size == 0:
        return np.empty(0)
    return np.maximum.reduceat(values, np.cumsum(width) - width)


def _smallest(values: AnyArray) -> str:
    """The smallest type of whole numbers that holds all values."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    kinds = ("<u1", "<u2", "<u4", "<i8") if low >= 0 else ("<i1", "<i2", "<i4", "<i8")
    return next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)


def to_scale(values: FloatArray, least: float, steps: int) -> tuple[AnyArray, float, float]:
    """Codes 0 (nothing, or below ``least``) to ``steps`` + 1 of non-negative values, and the scale's ends.

    >>> codes, low, high = to_scale(np.array([0.0, 1e-9, 0.25, 1.0]), 1e-4, 254)
    >>> codes.tolist(), scale_table((low, high), 254)[codes].tolist()
    ([0, 0, 1, 255], [0.0, 0.0, 0.25, 1.0])
    """
    positive = values > least
    codes = np.zeros(values.size, dtype=np.int64)
    if not positive.any():
        return codes, 0.0, 0.0
    logs = np.log(values[positive])
    low, high = float(logs.min()), float(logs.max())
    codes[positive] = 1 + np.rint((logs - low) * (steps / max(high - low, 1e-300))).astype(np.int64)
    return codes, low, high


def scale_table(ends: Sequence[float], steps: int) -> FloatArray:
    """The value of every code, in single precision; the first is zero."""
    low, high = (float(end) for end in ends)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high < 80):
        raise DataError("the ends of a scale are not in order")
    return np.concatenate(([0.0], np.exp(np.linspace(low, high, steps + 1)))).astype(np.float32)
