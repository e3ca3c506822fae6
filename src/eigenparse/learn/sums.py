"""Models that can be added: the sums behind them, and their total."""

from collections.abc import Sequence
from typing import Any

from eigenparse.errors import DataError, ModelFileError
from eigenparse.models.registry import Parts


def kept_sums(model: Any, name: str, trainer: str) -> Parts:
    """Header and arrays of the sums behind a model; ModelFileError if it kept none."""
    if model.statistics is None:
        raise ModelFileError(
            f"{name}: a model without statistics cannot be added to others exactly; "
            f"learn it with `{trainer} --keep-statistics`"
        )
    return model.statistics


def added(parts: Sequence[Any], names: Sequence[str], trainer: str) -> Any:
    """The sum of statistics that fit each other; DataError if they do not fit.

    parts: records with ``fits(other)`` and ``+``.  names: what the user calls the models they belong to.
    """
    total = parts[0]
    for part, name in zip(parts[1:], names[1:], strict=True):
        if not part.fits(total):
            raise DataError(
                f"{name}: has another dictionary than {names[0]}; "
                f"learn it with `{trainer} --dictionary {names[0]}`"
            )
        total = total + part
    return total
