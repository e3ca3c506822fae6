"""What every verb refuses before it begins, whatever it does: numbers that are none, addresses, waiting for nobody."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eigenparse.errors import OptionError

MOST = 2**62  # of any number
WAIT = 60.0  # seconds for a worker of a cluster to come


def check_values(values: Mapping[str, Any], files: Iterable[Any]) -> None:
    """Refuse values that no verb can use.  values: by the names of parameters.  files: those that are read."""
    for name, value in values.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, float) and not math.isfinite(value):
            raise OptionError(f"{flag} must be a finite number, got {value} instead")
        if isinstance(value, int) and abs(value) > MOST:
            raise OptionError(f"{flag} must be a smaller number, got {value} instead")
    if values.get("cluster", "") is None and values["wait"] != WAIT:
        raise OptionError("--wait is the time to wait for a cluster; add --cluster ADDRESS or leave it out")
    for path in files:
        if isinstance(path, Path) and (url := _address(path)):
            raise OptionError(
                f"{url}: is an address, where a file of this machine is read; download it first"
            )


def _address(path: Path) -> str | None:
    """The URL that was given as a path; None if there is such a file, or if it is none."""
    from eigenparse.corpus.files import url_of

    return None if path.exists() else url_of(path)
