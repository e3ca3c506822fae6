"""Our own everyday sentences for training: always the same, well-formed trees, none of them a test."""

import re
from pathlib import Path

import pytest
from scripts.everyday_sentences import Everyday, everyday_trees, forms

from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.data import located
from eigenparse.inference.grammar.typical import state_profiles
from eigenparse.models.registry import load_model

EVERYDAY = 8000  # as in the training of the bundled grammar

FORMS = {
    "bark": "bark bark barks barked barked barking",
    "sing/sang/sung": "sing sing sings sang sung singing",
    "stop": "stop stop stops stopped stopped stopping",
    "open": "open open opens opened opened opening",
    "agree": "agree agree agrees agreed agreed agreeing",
    "carry": "carry carry carries carried carried carrying",
    "play": "play play plays played played playing",
    "lie/lay/lain": "lie lie lies lay lain lying",
    "watch": "watch watch watches watched watched watching",
    "have/had": "have have has had had having",
    "quit/quit": "quit quit quits quit quit quitting",
}


@pytest.mark.parametrize("verb", FORMS)
def test_forms_of_verbs(verb: str) -> None:
    assert list(forms(verb).values()) == FORMS[verb].split()


def test_sentences_are_always_the_same_and_all_different() -> None:
    trees = everyday_trees(300)
    assert trees == everyday_trees(500)[:300]
    assert len(set(trees)) == 300
    assert trees != everyday_trees(300, seed=2)


def test_no_sentence_of_the_tests() -> None:
    tests = {
        " ".join(words).lower()
        for path in sorted(Path(__file__).parent.glob("*.ptb"))
        for words in tokens_of(normalise(read_trees(path)))
    }
    drawn = {" ".join(words).lower() for words in tokens_of(parse_trees("\n".join(everyday_trees(8000))))}
    assert len(tests) == 160
    assert not tests & drawn


def test_every_symbol_has_rules() -> None:
    rules = Everyday().rules
    used = {part for choices, _ in rules.values() for right in choices for part in right if "/" not in part}
    assert used <= set(rules)
    assert set(rules) - used - {"TOP"} <= {name for name in rules if name.startswith("VB")}


def test_trees_of_a_kind() -> None:
    trees = "\n".join(everyday_trees(3000))
    assert "(TOP (SBARQ (WHNP (WDT What) (NN time)) (SQ (VBZ " in trees
    assert "(VP (VB Turn) (ADVP (RB left)) (PP (IN at) (NP (DT the) " in trees


def test_states_of_the_bundled_grammar_are_shown_by_our_own_phrases() -> None:
    """The page and ``info`` have phrases to show, and none of them is text of a corpus."""
    grammar = load_model(located("en"))
    phrases = {phrase for _, _, phrase in grammar.report["examples"]}
    leaves = re.compile(r" ([^()\s]+)\)")
    ours = "\n".join(f" {' '.join(leaves.findall(tree))} " for tree in everyday_trees(EVERYDAY))
    assert [phrase for phrase in phrases if f" {phrase} " not in ours] == []
    labels = [str(label) for label in grammar.skeleton.labels]
    for name in ("NP", "VP", "PP", "S"):
        profiles = state_profiles(grammar, [labels.index(name)], 8)
        shown = [one for one in profiles if any(phrase for _, phrase, _ in one.phrases)]
        assert 3 * len(shown) >= len(profiles), name
