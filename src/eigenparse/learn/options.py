"""One record of options per learner: names, defaults, bounds and help are written once, here every field is checked.

The command line and the scikit-learn estimators are made from the fields of these records.
"""

from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar

from eigenparse.errors import OptionError
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
) -> Any:
    """A field of an options record.

    low, high: bounds of a number.  choices: the allowed words.  shown: whether the command line has it.  A default of
    None stands for "what suits the other options"; the help says what that is.
    """
    about = {"help": help, "low": low, "high": high, "choices": tuple(choices), "shown": shown}
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Options:
    """What to learn and how; ``fit`` turns data into a model.  Subclasses are frozen dataclasses of options."""

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            check_option(one, getattr(self, one.name))

    def fit(self, data: Any, work: Work = Work()) -> Model:
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
    if not (low is None or value >= low) or not (high is None or value <= high):
        raise OptionError(f"{one.name} must be {_bounds(low, high)}, got {value} instead")


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"between {low} and {high}"
    return f"{low} or more" if low is not None else f"{high} or less"
