"""Whatever text is given to a verb is recognised; what was done with it is said, and nothing is misread silently."""

import os
import pathlib
import threading

import pytest
from tests.cli.calls import call

from eigenparse.api.grammar import load
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import sentences_of

PROSE = "The man can't see the dog.\nWhere is the dog?\nShe saw a cat.\n"
TOKENS = "the man sees the dog .\n\nshe saw a cat .\n"
TREES = "( (S (NP-SBJ-1 (DT the) (NN dog)) (VP (VBD saw) (NP (-NONE- *T*-1))) (. .)))\n(TOP (NP (NN cat)))\n"
CONLLU = (
    "# sent_id = 1\n1-2\tdogs\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdog\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    "2\ts\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
)
WRAPPED = "The man saw\nthe dog. The dog\nsaw him.\n"


def words(output: str) -> list[list[str]]:
    """The words of the trees that were printed."""
    return list(map(list, sentences_of(parse_trees(output))))


@pytest.mark.parametrize(
    ("text", "options", "first", "n", "said"),
    [
        (PROSE, (), ["The", "man", "ca", "n't", "see", "the", "dog", "."], 3, "looks like plain text"),
        (PROSE, ("--raw-lines",), ["The", "man", "ca", "n't", "see", "the", "dog", "."], 3, ""),
        (PROSE, ("--tokens",), ["The", "man", "can't", "see", "the", "dog."], 3, "looks like plain text but"),
        (WRAPPED, (), ["The", "man", "saw", "the", "dog", "."], 2, "looks like plain text"),
        (WRAPPED, ("--raw-lines",), ["The", "man", "saw"], 3, ""),
        (TOKENS, (), ["the", "man", "sees", "the", "dog", "."], 2, ""),
        (TOKENS, ("--raw",), ["the", "man", "sees", "the", "dog", "."], 2, "looks like tokenised text but"),
        (TREES, (), ["the", "dog", "saw", "."], 2, "holds bracketed trees; their words are parsed"),
        (CONLLU, (), ["dog", "s"], 1, "holds CoNLL-U; its words are parsed"),
    ],
)
def test_text_is_read_as_what_it_is(
    model: pathlib.Path, text: str, options: tuple[str, ...], first: list[str], n: int, said: str
) -> None:
    done = call("parse", model, *options, stdin=text)
    assert done.code == 0, done.err
    found = words(done.out)
    assert found[0] == first
    assert len(found) == n
    assert said in done.err
    assert said or "looks like" not in done.err


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a NN\nb VB\n\nc NN\nd VB\n", "columns"),
        ('{"a": 1}\n', "JSON"),
        ("<!doctype html>\n<p>x</p>\n", "HTML"),
    ],
)
def test_other_kinds_are_refused_by_name(model: pathlib.Path, text: str, name: str) -> None:
    done = call("parse", model, stdin=text)
    assert done.code == 1
    assert f"this is {name}" in done.err
    assert done.out == ""


def test_a_model_is_no_text(model: pathlib.Path) -> None:
    done = call("parse", model, model)
    assert done.code == 1
    assert "this is a model file" in done.err


def test_strings_and_lists_of_the_interface(model: pathlib.Path) -> None:
    grammar = load(model)
    assert grammar.parse("I can't see it.").tokens == ("I", "ca", "n't", "see", "it", ".")
    assert grammar.parse("I can n't see/it .").tokens == ("I", "can", "n't", "see/it", ".")
    assert grammar.parse(["I", "can't", "see", "it."]).tokens == ("I", "can't", "see", "it.")
    assert grammar.parse("can't see", tags=["MD", "VB"]).tokens == ("can't", "see")


@pytest.mark.parametrize("options", [(), ("--out-of-core",)])
def test_other_files_in_a_corpus_folder(
    corpus: pathlib.Path, tmp_path: pathlib.Path, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "a.ptb").write_bytes((corpus / "dev.ptb").read_bytes())
    (folder / "README.txt").write_text("This folder (see below) holds trees.\n\nThey are synthetic.\n")
    (folder / ".DS_Store").write_bytes(b"\0\1\2\3")
    (folder / "notes.txt").write_bytes(b"\0\1\2\3" * 10)
    done = call("train", "lpcfg", folder, "--method", "pcfg", *options, "--out", tmp_path / "m")
    assert done.code == 0, done.err
    assert options or "left out" in done.err


@pytest.mark.parametrize(
    ("content", "name"),
    [(CONLLU.encode(), "CoNLL-U"), (PROSE.encode(), "plain text"), (b"RIFF\x24\0\0\0WAVEfmt ", "audio")],
)
def test_what_is_no_treebank_is_named(tmp_path: pathlib.Path, content: bytes, name: str) -> None:
    (tmp_path / "x.ptb").write_bytes(content)
    done = call("train", "lpcfg", tmp_path / "x.ptb", "--out", tmp_path / "m")
    assert done.code == 1
    assert f"this is {name}" in done.err


CASES = (
    "(TOP (S (NP (N-D dogs)) (VP (V bark))))\n(TOP (S (NP (N-N cats)) (VP (V see) (NP (N-D dogs)))))\n" * 4
)


@pytest.mark.parametrize("options", [(), ("--keep-tag-suffix",)])
def test_tag_suffixes_are_remembered(tmp_path: pathlib.Path, options: tuple[str, ...]) -> None:
    """The model knows how its trees were cleaned: raw gold is scored, and tags are read, accordingly."""
    gold, model, guess = tmp_path / "gold.ptb", tmp_path / "m", tmp_path / "guess.ptb"
    gold.write_text(CASES)
    assert call("train", "lpcfg", gold, "--states", 1, *options, "--out", model).code == 0
    assert call("parse", model, gold, "--output", guess).code == 0
    assert ("N-D" in guess.read_text()) == bool(options)
    done = call("evaluate", gold, guess)
    assert "100.00" in next(line for line in done.lines if line.lower().startswith("tagging"))
    tagged = call("parse", model, "--tagged", stdin="dogs_N-D bark_V\n")
    assert "not in the grammar" not in tagged.err
    assert load(model).score(gold).sign.min() > 0


@pytest.mark.parametrize(("verb", "content"), [("parse", TOKENS), ("score", TREES), ("parse", TREES)])
def test_a_pipe_with_a_name_is_read_like_a_file(
    model: pathlib.Path, tmp_path: pathlib.Path, verb: str, content: str
) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"  # a pipe is what the shell's <(...) gives
    os.mkfifo(pipe)
    file.write_text(content)
    writer = threading.Thread(target=pipe.write_text, args=(content,), daemon=True)
    writer.start()
    done, expected = call(verb, model, pipe), call(verb, model, file)
    writer.join(60)
    assert (done.code, done.out) == (0, expected.out), done.err
