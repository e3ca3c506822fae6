"""Wrong uses of the Python interface end with one sentence that names the mistake and the remedy."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.api.small import SENTENCE, tiny

from eigenparse import LatentPCFG, load, read_trees, split_sentences, tokenise
from eigenparse.api.grammar import Grammar
from eigenparse.errors import DataError, ModelFileError, OptionError

TREE = "(TOP (S (NP (DT the) (NN man)) (VP (VBD saw))))"
CONLLU = "1\tdogs\t_\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\tVBP\t_\t0\troot\t_\t_\n\n"
Use = Callable[[Grammar], Any]
MISTAKES: list[tuple[Use, str]] = [
    (lambda g: g.parse(None), "type NoneType; give a string"),
    (lambda g: g.parse(3), "type int; give a string"),
    (lambda g: g.parse(b"the man saw"), "bytes; decode it"),
    (lambda g: g.parse({"sentence": "the man"}), "type dict; give a string"),
    (lambda g: g.parse({"the", "man"}), "type set; give a string"),
    (lambda g: g.parse(pathlib.Path("text.txt")), "give a string"),
    (lambda g: g.parse([["the", "man"], ["men"]]), "is a list; tokens are strings, parse_many"),
    (lambda g: g.parse(["the", None]), "NoneType; tokens are strings"),
    (lambda g: g.parse(["the", 3]), "is a int; tokens are strings"),
    (lambda g: g.parse([b"the", b"man"]), "is a bytes; tokens are strings"),
    (lambda g: g.parse(["the man saw .", "men slept ."]), "contains spaces; split .* or call parse_many"),
    (lambda g: g.parse(TREE), "a tree in brackets, not a sentence; give its words"),
    (lambda g: g.parse_many(SENTENCE), "sentences of type str; give a list"),
    (lambda g: g.parse_many(None), "sentences of type NoneType; give a list"),
    (lambda g: g.parse_many([b"the man"]), "bytes; decode it"),
    (lambda g: g.parse_many([SENTENCE, float("nan")]), "type float; give a string"),
    (lambda g: g.parse_many([SENTENCE], jobs="2"), "jobs must be 0 or more, got '2'"),  # type: ignore[arg-type]
    (lambda g: g.parse_text(None), "a text of type NoneType; give a string"),  # type: ignore[arg-type]
    (lambda g: g.parse_text(b"the man"), "a text of type bytes; give a string"),  # type: ignore[arg-type]
    (lambda g: g.kbest(SENTENCE, "3"), "k must be a whole number of 1 or more, got '3'"),  # type: ignore[arg-type]
    (lambda g: g.kbest(SENTENCE, 2.5), "k must be a whole number"),  # type: ignore[arg-type]
    (lambda g: g.kbest(SENTENCE, 0), "k must be a whole number of 1 or more, got 0"),
    (lambda g: g.parse("men slept", tags=[1, 2]), "the tag 1 is neither a name"),  # type: ignore[list-item]
    (lambda g: g.parse(SENTENCE, required=(0, 2)), "0 is not a span; write"),  # type: ignore[arg-type]
    (lambda g: g.parse(SENTENCE, required=["NP"]), "'NP' is not a span; write"),  # type: ignore[list-item]
    (lambda g: g.parse(SENTENCE, required=[(0.5, 2)]), "is not a span; write"),  # type: ignore[list-item]
    (lambda g: g.parse(SENTENCE, required=[(0, 2, "NP", 1)]), "is not a span; write"),  # type: ignore[list-item]
    (lambda g: g.with_options(max_length="9"), "max_length must be a whole number"),  # type: ignore[arg-type]
    (lambda g: g.with_options(memory=-5), "memory must be a whole number of 1 or more, got -5"),
    (lambda g: g.score([g.parse(SENTENCE)]), "trees of type Parse; give paths"),
    (lambda g: g.posteriors(None), "type NoneType; give a string"),
    (lambda g: g.posteriors(SENTENCE, least="a"), "least must be a number"),  # type: ignore[arg-type]
    (
        lambda g: g.parse("(NP the old man) the boats"),
        "partial trees, .*; give the words, and spans as required=",
    ),
    (lambda g: g.parse_text(TREE), "bracketed trees, where text should be"),
    (lambda g: g.parse_text("(NP the man) saw\n(NP men) slept"), "partial trees, .* where text should be"),
    (lambda g: g.parse_text(CONLLU), "CoNLL-U, where text should be"),
    (lambda g: g.parse_text(CONLLU.split("\n")), "CoNLL-U, where text should be"),
    (lambda g: g.parse_text('{"a": 1}'), "JSON, where text should be"),
    (
        lambda g: g.parse_text([["the", "man"]]),
        "a line of type list; give lines as strings, tokens to parse_many",
    ),  # type: ignore[arg-type]
    (lambda g: g.with_options(threshold="a"), "threshold must be a number"),  # type: ignore[arg-type]
    (lambda g: g.sample("3"), "n must be a whole number"),  # type: ignore[arg-type]
    (lambda g: g.sample(2.5), "n must be a whole number"),  # type: ignore[arg-type]
    (lambda g: g.save(None), "a path of type NoneType; give a string or a Path"),  # type: ignore[arg-type]
    (lambda g: g.save(""), "an empty path; name a file"),
    (lambda g: g.save(pathlib.Path(__file__).parent), "cannot be written, is a directory; name another file"),
    (lambda g: g.save("/no/such/folder/m"), "its directory does not exist"),
    (lambda g: load(None), "a path of type NoneType; give a string or a Path"),  # type: ignore[arg-type]
    (lambda g: load(b"en"), "a path of type bytes; give a string or a Path"),  # type: ignore[arg-type]
    (lambda g: load(""), "an empty path; name a file"),
    (lambda g: LatentPCFG().fit(""), "an empty path; name a file"),
    (lambda g: LatentPCFG().fit(TREE.encode()), "bytes; decode them"),
    (lambda g: LatentPCFG().predict([SENTENCE]), "has not learnt a grammar; call fit"),
    (lambda g: LatentPCFG().score([TREE]), "has not learnt a grammar; call fit"),
    (lambda g: read_trees(None), "a path of type NoneType; give a string or a Path"),  # type: ignore[arg-type]
    (lambda g: read_trees(""), "an empty path; name a file"),
    (lambda g: read_trees([]), "no path; name at least one"),
    (lambda g: tokenise(None), "a sentence of type NoneType; give a string"),  # type: ignore[arg-type]
    (lambda g: tokenise(["a b"]), "a sentence of type list; give a string"),  # type: ignore[arg-type]
    (lambda g: tokenise(b"a b"), "a sentence of type bytes; give a string"),  # type: ignore[arg-type]
    (lambda g: split_sentences(["A b."]), "a text of type list; give a string"),  # type: ignore[arg-type]
    (lambda g: load("en-ud").parse(None), "a text of type NoneType; give a string"),
    (
        lambda g: load("en-ud").parse(["the man saw ."]),
        "a sentence of type str; give lists of tokens, or one string",
    ),
    (lambda g: g.log_p(b"the man"), "bytes; decode it"),
    (lambda g: g.kbest(SENTENCE, 10**9), "k must be 10000 or less, got 1000000000"),
    (lambda g: g.sample(1, seed="x"), "seed must be 0 or more, got x"),  # type: ignore[arg-type]
    (lambda g: g.posteriors(SENTENCE, least=float("nan")), "least must be a number, got nan"),
    (lambda g: g.parse(SENTENCE, required=[(0, 2, "N P")]), "the label 'N P' is empty or has a blank"),
    (
        lambda g: g.parse(SENTENCE, required=[(0, 2, "(NP")]),
        "has a blank or a bracket; write a name such as NP",
    ),
    (lambda g: LatentPCFG(states=1.5).fit([TREE]), "states must be a whole number, got 1.5"),
    (lambda g: load("en-ud").parse(TREE), "a tree in brackets, not a sentence; give its words"),
]


@pytest.mark.parametrize(("use", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_a_sentence_names_mistake_and_remedy(use: Use, said: str) -> None:
    with pytest.raises((DataError, OptionError, ModelFileError), match=said):
        use(tiny())


def test_what_is_meant_is_taken() -> None:
    """Arrays and generators of strings are tokens; remarks in parentheses are no trees."""
    wanted = tiny().parse(SENTENCE.split())
    for tokens in (np.array(SENTENCE.split()), iter(SENTENCE.split())):
        found = tiny().parse(tokens)  # type: ignore[arg-type]
        assert (found.tree, {type(token) for token in found.tokens}) == (wanted.tree, {str})
    assert tiny().parse("(see (the man))").tokens[0] == "("
    one = wanted.brackets[-1]
    assert tiny().parse(SENTENCE, required=[(np.int64(one.start), np.int64(one.end))]).tree == wanted.tree
