"""What the records of all kinds promise is there."""

import pytest

from eigenparse.learn.options import Options
from eigenparse.models.registry import Kind, Model, kinds, named

KINDS = kinds()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_everything_that_a_record_names_exists(kind: Kind) -> None:
    model = named(kind.model)
    assert callable(model.from_parts)
    assert all(callable(named(place)) for place in kind.verbs.values())
    assert kind.face is None or callable(named(kind.face))
    if kind.options is not None and kind.reading is not None:
        assert issubclass(named(kind.options), Options)
        assert named(kind.options).kind == kind.name
        assert callable(named(kind.reading).read)


def test_a_grammar_is_a_model() -> None:
    from eigenparse import Grammar, load

    grammar = load("en")
    assert isinstance(grammar, Grammar)
    assert isinstance(grammar, Model)
    assert grammar.summary()["members"] >= 1
