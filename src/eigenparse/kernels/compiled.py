"""The decorator of kernels: functions on flat arrays, compiled at most once per machine.

Wheels may contain machine code for x86-64 processors of the last ten years (``scripts/wheel``).  It is used if the
processor, the version of numba and the sources match.  Everything else is compiled
when it is first called, for this processor, and kept by numba beside the sources or in the user's own folder.
"""

import functools
import hashlib
import os
import platform
import sys
from typing import Any

from llvmlite.binding import get_host_cpu_features
from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.runtime.nrt import rtsys

COMMON = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3"}  # machine: the processor that wheels are made for
SUMS = {
    "reassoc",
    "contract",
    "nsz",
}  # what ``fastmath`` may do to sums: reorder them, always in the same way
FEATURES = "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sse3,+sse4.1,+sse4.2,+ssse3"


def kernel(function: Any = None, **options: Any) -> Any:
    """Decorator: compile a function when it is first called, without Python's lock, or load its machine code.

    options: as numba's ``njit`` takes them.
    """
    if function is None:
        return functools.partial(kernel, **options)
    made = njit(nogil=True, **options)(function)
    made._cache = _LateCache(function)
    return made


class _LateCache(NullCache):
    """The cached machine code of a kernel; its files are looked for at the first call."""

    def __init__(self, function: Any) -> None:
        self._function = function

    @functools.cached_property
    def _files(self) -> Any:
        try:
            return _KernelCache(self._function)
        except RuntimeError:  # no folder can be written to
            return NullCache()

    @property
    def cache_path(self) -> Any:
        return self._files.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self._files.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._files.save_overload(sig, data)

    def flush(self) -> None:
        self._files.flush()


class _KernelCache(FunctionCache):
    """Numba's cache, and machine code that came with the package; both are invalid if the sources have changed."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base, _stamp(function.__module__)
        self._cache_file = IndexDataCacheFile(self._cache_path, base, stamp)
        beside = os.path.join(os.path.dirname(function.__code__.co_filename), "__pycache__")
        self._shipped = IndexDataCacheFile(beside, base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As in numba, but without importing modules that only its compiler needs (about a third of a second)."""
        rtsys.initialize(target_context)  # memory of arrays that kernels allocate
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if runs_common_code():
            own, (system, *_), code = self._index_key(sig, target_context.codegen())
            kept = self._shipped.load((own, (system, COMMON[platform.machine()], FEATURES), code))
            if kept is not None:
                return self._impl.rebuild(target_context, kept)
        return super()._load_overload(sig, target_context)


@functools.cache
def runs_common_code() -> bool:
    """Whether this processor has everything that machine code from a wheel may use."""
    has = get_host_cpu_features()
    return platform.machine() in COMMON and all(has.get(name[1:], False) for name in FEATURES.split(","))


@functools.cache
def _stamp(module: str) -> bytes:
    """A checksum of a module's source and of all kernel modules that it calls, directly or not."""
    todo, found = [module], {module}
    total = hashlib.sha256()
    while todo:
        for value in vars(sys.modules[todo.pop()]).values():
            called = value.__module__ if isinstance(value, Dispatcher | _Intrinsic | type) else module
            ours = isinstance(value, Dispatcher) or called.startswith("eigenparse.kernels.")
            if ours and called not in found:
                found.add(called)
                todo.append(called)
    for name in sorted(found):
        with open(str(sys.modules[name].__file__), "rb") as source:
            total.update(source.read())
    return total.digest()
