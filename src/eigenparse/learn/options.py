"""Base of the options records of learners: names, defaults, bounds and help are written once, and values are checked.

The command line and the scikit-learn estimators are made from the fields of these records.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

from eigenparse.errors import OptionError

if TYPE_CHECKING:
    from eigenparse.models.registry import Model
    from eigenparse.work.work import Work


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
    shown: bool = True,
    idle: Mapping[str, Sequence[Any]] | None = None,
    **more: Any,
) -> Any:
    """A field of an options record.

    low, high: bounds of a number.  choices: the allowed words.  shown: whether the command line has it.  idle: values
    of other options with which this one has no effect.  A default of None stands for "what suits the other
    options"; the help says what that is.  more: what only the command line uses, see ``eigenparse.cli.fields``.
    """
    about = {
        "help": help,
        "low": low,
        "high": high,
        "choices": tuple(choices),
        "shown": shown,
        "idle": idle or {},
        **more,
    }
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Options:
    """What to learn and how; ``fit`` turns data into a model.  Subclasses are frozen dataclasses of options."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            check_option(one, getattr(self, one.name))

    def fit(self, data: Any, work: "Work") -> "Model":
        """Learn a model; the same data and options give the same bytes, wherever the work is done."""
        raise NotImplementedError


def check_option(one: "Field[Any]", value: Any) -> None:
    """OptionError with one sentence if a value is outside what its field allows."""
    about = one.metadata
    if (value is None and one.default is None) or not about:
        return
    if about.get("choices"):
        if value not in about["choices"]:
            raise OptionError(
                f"{one.name} must be one of {', '.join(about['choices'])}, got {value!r} instead"
            )
        return
    low, high = about.get("low"), about.get("high")
    if low is None and high is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise OptionError(f"{one.name} must be a number, got {value!r} instead")
    if not math.isfinite(value) or not (low is None or value >= low) or not (high is None or value <= high):
        raise OptionError(f"{one.name} must be {_bounds(low, high)}, got {value} instead")
    if one.type in (int, int | None) and value != int(value):
        raise OptionError(f"{one.name} must be a whole number, got {value} instead")


def refuse_idle(*records: Any) -> None:
    """OptionError if an option was given that has no effect with the others.

    records: dataclasses of options, taken together; a record may have ``filled``, its values in place of None.
    """
    full = [getattr(record, "filled", lambda record=record: record)() for record in records]
    values = {one.name: getattr(record, one.name) for record in full for one in fields(record)}
    for record in records:
        for one in fields(record):
            for other, without in one.metadata.get("idle", {}).items():
                if getattr(record, one.name) != one.default and values[other] in without:
                    raise OptionError(
                        f"{_flag(one.name)} changes nothing {_beside(other, values[other])}; leave it out"
                    )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _beside(name: str, value: Any) -> str:
    return f"without {_flag(name)}" if value in ((), None, False) else f"with {_flag(name)} {value}"


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"{low} or more" if low is not None else f"{high} or less"
