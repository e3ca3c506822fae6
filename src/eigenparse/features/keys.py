"""64-bit keys of features: strings in, stable hashes out; keys in, dense ids or positions out."""

import functools
import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import IntMatrix
from eigenparse.kernels.intern import find_keys, intern_keys

KeyVector = npt.NDArray[np.uint64]
KeyMatrix = npt.NDArray[np.uint64]


@functools.lru_cache(maxsize=1 << 14)
def key_of(*text: str) -> int:
    """A 64-bit hash of some strings, the same on every machine."""
    joined = "\x00".join(text).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(joined, digest_size=8).digest(), "little")


def key_table(names: Sequence[str], salt: str) -> KeyVector:
    """Hashes of many strings under one salt."""
    return np.array([key_of(salt, name) for name in names], dtype=np.uint64)


def dense_ids(keys: KeyMatrix) -> tuple[IntMatrix, KeyVector]:
    """Keys as dense ids in order of first occurrence, and the key of each id."""
    flat = np.ascontiguousarray(keys.reshape(-1))
    ids = np.empty(flat.size, dtype=np.int32)
    first = np.empty(flat.size, dtype=np.int64)
    n = intern_keys(flat, ids, first)
    return ids.reshape(keys.shape), flat[first[:n]]


def positions(wanted: KeyMatrix, keys: KeyVector) -> IntMatrix:
    """Position of every wanted key in ``keys``, -1 where absent."""
    found = np.empty(wanted.size, dtype=np.int32)
    find_keys(np.ascontiguousarray(wanted.reshape(-1)), keys, found)
    return found.reshape(wanted.shape)
