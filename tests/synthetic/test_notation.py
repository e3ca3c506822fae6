"""Grammar texts against the grammars that one works out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError
from eigenparse.synthetic.grammar import SyntheticGrammar, expected_words, symbol_totals
from eigenparse.synthetic.lexicon import with_ed, with_s
from eigenparse.synthetic.notation import compile_grammar, read_rules, read_values

LEXICON = {("A", "x"): {"a": 1.0}, ("B", "x"): {"b": 3.0, "bb": 1.0}, ("C", "x"): {"c": 1.0}}


def rules_of(grammar: SyntheticGrammar) -> dict[str, float]:
    """Every rule in words."""
    name = grammar.symbol_name
    return {
        f"{name(a)} -> {name(b)} {name(c)}": float(p)
        for (a, b, c), p in zip(grammar.rule, grammar.rule_probability)
    }


def test_wide_rules_are_right_factored() -> None:
    grammar = compile_grammar("1 S:m -> A:x B:x C:x", "", LEXICON, start="S:m")
    assert rules_of(grammar) == {"S:m -> A:x @S:B:x C:x": 1.0, "@S:B:x C:x -> B:x C:x": 1.0}
    assert Label(("S",), partial=True) in grammar.labels


def test_unary_rules_become_joint_labels_and_hidden_symbols_leave_none() -> None:
    text = """
    3 S:m -> X:x _Y:x
    1 X:x -> A:x
    1 X:x -> A:x A:x
    1 _Y:x -> B:x
    3 _Y:x -> C:x
    """
    grammar = compile_grammar(text, "", LEXICON, start="S:m")
    assert rules_of(grammar) == {
        "S:m -> X:x B:x": 0.125,
        "S:m -> X:x C:x": 0.375,
        "S:m -> X|A:x B:x": 0.125,
        "S:m -> X|A:x C:x": 0.375,
        "X:x -> A:x A:x": 1.0,
    }
    assert_allclose(expected_words(grammar), 2.5, rtol=1e-12)


def test_variables_multiply_only_where_the_mother_leaves_them_free() -> None:
    rules = read_rules("2 S:{n} -> A:{n} B:{k}\n1 S:s -> C:x", read_values("n = s:1 p:1\nk = u:3 v:1"))
    assert rules["S", "p"] == [((("A", "p"), ("B", "u")), 0.75), ((("A", "p"), ("B", "v")), 0.25)]
    assert dict(rules["S", "s"])[(("C", "x"),)] == pytest.approx(1 / 3, rel=1e-12)


def test_a_unary_root_gets_root_weight() -> None:
    grammar = compile_grammar("1 _T:x -> S:x\n3 _T:x -> A:x\n1 S:x -> A:x B:x", "", LEXICON, start="_T:x")
    weight = {grammar.symbol_name(y): p for y, p in enumerate(grammar.root_probability.tolist()) if p}
    assert weight == {"S:x": 0.25, "A:x": 0.75}
    assert_allclose(symbol_totals(grammar), np.ones(grammar.n_symbols), rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [("1 S:m -> A:x D:x", "neither rules nor words"), ("1 S:m -> A B:x", "not label:state")],
)
def test_mistakes_are_named(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        compile_grammar(text, "", LEXICON, start="S:m")


def test_endless_recursion_is_refused() -> None:
    grammar = compile_grammar("1 S:m -> S:m S:m\n1 S:m -> A:x A:x", "", LEXICON, start="S:m")
    with pytest.raises(DataError, match="no finite expected size"):
        expected_words(grammar)


def test_inflection() -> None:
    assert [with_s(w) for w in ("box", "party", "key", "watch", "go", "man")] == [
        "boxes",
        "parties",
        "keys",
        "watches",
        "goes",
        "mans",
    ]
    assert [with_ed(w) for w in ("like", "carry", "play", "open")] == ["liked", "carried", "played", "opened"]
