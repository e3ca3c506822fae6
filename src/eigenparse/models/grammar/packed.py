"""Grammars small enough to give away: header and arrays of a grammar in, a few compressed bytes out, and back.

Probabilities are kept as steps on a logarithmic scale; what lies below the scale is zero.
The weights of a lexicon entry are relative to their largest, so that rare words, which borrow theirs
from the same classes, look alike and compress well.  Whole numbers take the smallest type that holds
them.  Every part is compressed by itself, with zlib unless LZMA makes it much smaller; the tensors of
rules, which are most of a file, with zlib in any case, because LZMA would take longer to unpack than a file
without packing takes to read.  All parts lie in one array of an ordinary model file.
"""

import itertools
import json
import lzma
import math
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.errors import DataError
from eigenparse.kernels.grammar.unpack import place_after_gaps, place_by_marks, place_shares
from eigenparse.models.container import DTYPES, strict_json
from eigenparse.models.grammar.kind import GRAMMAR, PACKED
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.schema import check_model

PACKING = 2
READ = (1, 2)  # 1 knew no gaps
SPARSE = 0.25  # with a smaller share of values that are not zero, their places are kept as gaps
MOST_BYTES = 4_000_000_000  # of all unpacked parts, and of an array made from them
FREE_BYTES, MOST_TIMES = 64_000_000, 200  # so much may be unpacked, or so many times the packed size
MUCH = 0.8  # of the other size; LZMA takes longer to unpack
STEPS = 254  # of the scale of shares, besides zero
FINE_STEPS = 2046  # of the scale of probabilities
TOP_STEPS = 65534  # of the scale of an entry's largest weights
LEAST_RULE = 1e-6
LEAST_SHARE = 1e-3  # of an entry's largest weight
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9}]  # for reading: the largest reach
EFFORT = 2  # of LZMA: higher ones take many times longer to pack and save little
THREADS = 2  # that unpack
MOST_REACH = 1 << 26  # bytes, as the preset has it
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
    """The grammar as it is written by default; None with negative weights, whose roundings would not average out."""
    signed = any(
        bool(np.any(part < 0))
        for one in (grammar, *grammar.others)
        for weights in one.members
        for part in (weights.rule_weight, weights.entry_weight, weights.root_weight)
    )
    return None if signed else (PackedGrammar(grammar), PACKED.name)


def pack_parts(header: dict[str, Any], arrays: Mapping[str, AnyArray]) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a model file that ``unpack_parts`` turns into (nearly) those given."""
    layout: list[list[Any]] = []
    pieces: list[bytes] = []

    def put(name: str, array: AnyArray) -> None:
        content = np.ascontiguousarray(array).tobytes()
        method, piece = ("zlib", zlib.compress(content, 6)) if "rule_weight" in name else _compressed(content)
        layout.append([name, array.dtype.str, list(array.shape), method, len(piece)])
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


def _compressed(content: bytes) -> tuple[str, bytes]:
    """The name of a method and what it made of some bytes."""
    reach = max(4096, 1 << (len(content) - 1).bit_length()) if content else 4096
    filters = [
        {**FILTERS[0], "preset": EFFORT, "dict_size": min(reach, MOST_REACH)}
    ]  # what the content needs
    quick, small = zlib.compress(content, 6), lzma.compress(content, lzma.FORMAT_RAW, filters=filters)
    return ("lzma", small) if len(small) < MUCH * len(quick) else ("zlib", quick)


def _pack_one(name: str, arrays: Mapping[str, AnyArray], put: Any) -> dict[str, Any]:
    """Put one array's parts; what is to be known besides them."""
    array = arrays[name]
    note: dict[str, Any] = {"shape": list(array.shape), "type": array.dtype.str}
    if array.dtype.kind in "iu":
        flat = array.reshape(-1)
        stepped = bool(flat.size > 1 and np.all(np.diff(flat) >= 0))
        small = np.diff(flat, prepend=flat.dtype.type(0)) if stepped else flat
        put(name, small.astype(_smallest(small)))
        return note | {"kind": "steps" if stepped else "numbers"}
    if np.any(array < 0) or array.dtype.kind != "f":
        raise DataError(f"{name}: negative weights cannot be packed; pack a grammar learnt by clusters or EM")
    flat = array.reshape(-1).astype(np.float64)
    if name.endswith("entry_weight"):
        width = _widths(name, arrays)
        top = _largest(flat, width)
        share = flat / np.repeat(np.maximum(top, 1e-300), width)
        fine, coarse = to_scale(top, 0.0, TOP_STEPS), to_scale(share, LEAST_SHARE, STEPS)
        put(f"{name}.top", fine[0].astype("<u2"))
        put(name, coarse[0].astype(np.uint8))
        return note | {"kind": "shares", "top": fine[1:], "scale": coarse[1:]}
    codes, low, high = to_scale(flat, LEAST_RULE if name.endswith("rule_weight") else 0.0, FINE_STEPS)
    place = np.flatnonzero(codes)
    if place.size < SPARSE * codes.size:
        gaps = np.diff(place, prepend=-1)
        put(f"{name}.gaps", gaps.astype(_smallest(gaps)))
    else:
        put(f"{name}.present", np.packbits(codes > 0))
    put(name, (codes[place] & 255).astype(np.uint8))
    put(f"{name}.high", (codes[place] >> 8).astype(np.uint8))
    return note | {"kind": "scale", "scale": [low, high]}


def unpack_parts(about: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a grammar, single precision where they are probabilities."""
    if about.get("packing") not in READ:
        raise DataError(f"packing {about.get('packing')!r} is unknown; use the eigenparse that wrote it")
    parts = _parts(about, arrays["packed"].tobytes())
    made: Arrays = {}
    notes = about["notes"]
    for name in sorted(notes, key=lambda name: name.endswith("entry_weight")):  # which need states and labels
        made[name] = _unpack_one(name, notes[name], parts, made)
    try:
        header = strict_json(parts["header"].tobytes())
    except RecursionError:
        raise DataError("the packed header is nested too deeply") from None
    if not isinstance(header, dict):
        raise DataError("the packed header is no table")
    return header, made


def _parts(about: Mapping[str, Any], packed: bytes) -> Arrays:
    """The packed parts by name, flat; sizes are checked before anything is allocated."""
    layout = about["layout"]
    sizes = [_count(shape) * _type(kind, "iu").itemsize for _, kind, shape, _, _ in layout]
    lengths = [length for *_, length in layout]
    most = min(max(FREE_BYTES, MOST_TIMES * len(packed)), MOST_BYTES)
    if min([0, *sizes, *lengths]) < 0 or sum(sizes) > most or sum(lengths) != len(packed):
        raise DataError("the sizes of the packed arrays do not add up")
    ends = np.cumsum([0, *lengths]).tolist()
    pieces = [packed[low:high] for low, high in itertools.pairwise(ends)]
    with ThreadPoolExecutor(THREADS) as pool:  # unpacking needs no lock of Python
        contents = list(pool.map(_expanded, pieces, [method for *_, method, _ in layout], sizes))
    return {name: np.frombuffer(content, kind) for (name, kind, *_), content in zip(layout, contents)}


def _expanded(piece: bytes, method: str, size: int) -> bytes:
    """The bytes of a piece, which must be as many as it says."""
    try:
        if method == "lzma":
            content = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=FILTERS).decompress(piece, size + 1)
        else:
            content = zlib.decompressobj().decompress(piece, size + 1)
    except (lzma.LZMAError, zlib.error) as problem:
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
        values = parts[name].astype(np.int64)
        values = np.cumsum(values) if kind == "steps" else values
        return values.astype(_type(note["type"], "iu")).reshape(shape)
    single = _type(note["type"], "f")
    values = np.zeros(n, dtype=np.float32)
    if kind == "shares":
        width, top, share = _widths(name, made), parts[f"{name}.top"], parts[name]
        tops, shares = scale_table(note["top"], TOP_STEPS), scale_table(note["scale"], STEPS)
        if not (int(width.min(initial=1)) >= 1 and int(width.max(initial=1)) <= max(share.size, 1)):
            raise DataError(f"{name}: the numbers of states do not fit")
        if width.size != top.size or not int(width.sum(dtype=np.int64)) == share.size == n:
            raise DataError(f"{name}: the numbers of states do not fit")
        if float(shares.max()) * float(tops.max()) > np.finfo(np.float32).max:
            raise DataError(f"{name}: weights are too large")
        sound = place_shares(top.astype(np.int64), width, share.astype(np.uint8), tops, shares, values)
    else:
        codes = parts[name].astype(np.uint8), parts[f"{name}.high"].astype(np.uint8)
        table = scale_table(note["scale"], FINE_STEPS)
        gaps, marks = parts.get(f"{name}.gaps"), parts.get(f"{name}.present")
        if gaps is not None and gaps.size == codes[0].size == codes[1].size:
            sound = place_after_gaps(gaps.astype(np.int64), *codes, table, values)
        elif marks is not None and marks.size == (n + 7) // 8 and codes[0].size == codes[1].size:
            sound = place_by_marks(marks.astype(np.uint8), *codes, table, values)
        else:
            sound = False
    if not sound:
        raise DataError(f"{name}: values do not lie where they should")
    return values.astype(single, copy=False).reshape(shape)


def _widths(name: str, arrays: Mapping[str, AnyArray]) -> AnyArray:
    """How many states each lexicon entry of these weights has."""
    place = name.removesuffix(".entry_weight")
    skeleton = place.rpartition(".")[0] + "." if "." in place else ""
    return arrays[f"{place}.states"][arrays[f"{skeleton}skeleton.entry_label"]]


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
    >>> codes.tolist(), from_scale(codes, low, high, 254).tolist()
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


def from_scale(codes: AnyArray, low: float, high: float, steps: int) -> FloatArray:
    """The values of codes."""
    return scale_table((low, high), steps)[codes]


def scale_table(ends: Sequence[float], steps: int) -> FloatArray:
    """The value of every code, in single precision; the first is zero."""
    low, high = (float(end) for end in ends)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high < 80):
        raise DataError("the ends of a scale are not in order")
    return np.concatenate(([0.0], np.exp(np.linspace(low, high, steps + 1)))).astype(np.float32)
