"""Linear algebra keeps to one thread, whenever its libraries are loaded."""

import subprocess
import sys

SCRIPT = """
from eigenparse.threads import one_thread
with one_thread():
    import scipy.linalg
    from threadpoolctl import threadpool_info
    print([library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"])
"""


def test_a_library_that_is_loaded_late_is_limited_too() -> None:
    several = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    command = ["env", *(f"{name}={value}" for name, value in several.items()), sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.strip("[]\n").split(", ")) == {"1"}
