"""Machine code that came with the package is used as it is, until a source changes."""

import os
import subprocess
import sys

import pytest

from eigenparse.kernels.compiled import COMMON, FEATURES, runs_common_code

CALLED = """
from eigenparse.kernels.compiled import kernel

@kernel
def twice(x):
    return 2 * x
"""
CALLER = """
from eigenparse.kernels.compiled import kernel
from called import twice

@kernel
def four_times(x):
    return twice(twice(x))
"""
RUN = "import caller; print(caller.four_times(3), sum(caller.four_times.stats.cache_hits.values()))"


def run(folder, code=RUN, **environment):
    """What the kernel gives, and how often machine code was found."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    path = os.pathsep.join([str(folder), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, "PYTHONPATH": path, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


@pytest.mark.skipif(not runs_common_code(), reason="wheels bring no machine code for this processor")
def test_machine_code_of_a_wheel_is_used_until_a_called_source_changes(tmp_path):
    (tmp_path / "called.py").write_text(CALLED)
    (tmp_path / "caller.py").write_text(CALLER)
    made = {"NUMBA_CPU_NAME": next(iter(COMMON.values())), "NUMBA_CPU_FEATURES": FEATURES}
    assert run(tmp_path, **made) == ["12", "0"]
    assert run(tmp_path) == ["12", "1"]  # for another processor, as numba sees it
    (tmp_path / "called.py").write_text(CALLED.replace("2 * x", "3 * x"))
    assert run(tmp_path) == ["27", "0"]
    assert run(tmp_path) == ["27", "1"]


ARRAYS = """
from typing import NamedTuple
import numpy as np
from eigenparse.kernels.compiled import kernel

class Pair(NamedTuple):
    low: np.ndarray
    high: np.ndarray

@kernel
def four_times(x):
    made = np.zeros(x)
    for k in range(1, made.size):
        made[k] += made[k - 1] + 4.0
    return Pair(made, made.copy()).high[x - 1]
"""
COMPILER = "import caller, sys; print(caller.four_times(4), 'numba.np.linalg' in sys.modules)"


def test_kept_machine_code_is_loaded_without_the_compiler(tmp_path):
    (tmp_path / "caller.py").write_text(ARRAYS)
    assert run(tmp_path, code=COMPILER) == ["12.0", "True"]
    assert run(tmp_path, code=COMPILER) == ["12.0", "False"]


def test_a_kernel_without_a_folder_to_keep_it_in_is_compiled_every_time(tmp_path, monkeypatch):
    from eigenparse.kernels import compiled

    def none(function):
        raise RuntimeError("no locator")

    monkeypatch.setattr(compiled, "_KernelCache", none)

    @compiled.kernel
    def half(x):
        return x / 2

    assert half(3) == 1.5
