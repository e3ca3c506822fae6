"""scikit-learn's contract for settings, made from an options record: names and defaults are written once, there."""

import inspect
from dataclasses import fields
from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from eigenparse.learn.options import Options


class OptionsEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator whose parameters are the fields of a record; it only stores them, ``fit`` checks them.

    ``class X(OptionsEstimator, record=XOptions, leave_out=("seed",), jobs=1)``: leave_out names fields that are not
    parameters; further keywords are additional parameters.  None stands for the default of a field.
    """

    record: ClassVar[type[Options]] = Options
    fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, record: type[Options], leave_out: tuple[str, ...] = (), **more: Any) -> None:
        super().__init_subclass__()
        own = {one.name: one.default for one in fields(record) if one.name not in leave_out}
        cls.record, cls.fields = record, tuple(own)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        given = [inspect.Parameter(name, kind, default=value) for name, value in {**own, **more}.items()]
        signature = inspect.Signature([inspect.Parameter("self", kind), *given])

        def store(self: Any, *values: Any, **settings: Any) -> None:
            bound = signature.bind(self, *values, **settings)
            bound.apply_defaults()
            for name in (*own, *more):
                setattr(self, name, bound.arguments[name])

        store.__signature__ = signature  # type: ignore[attr-defined]
        cls.__init__ = store  # type: ignore[method-assign]

    def options(self) -> Any:
        """The checked settings; OptionError with one sentence if one is out of its range."""
        values = {name: getattr(self, name) for name in self.fields}
        return self.record(**{name: value for name, value in values.items() if value is not None})
