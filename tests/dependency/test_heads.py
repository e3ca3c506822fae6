"""Conversion of constituency trees: hand-made cases, rule files, and every tree of real treebanks."""

import pathlib
from dataclasses import replace

import numpy as np
import pytest
from tests.cli.calls import call
from typer.testing import CliRunner

from conftest import data_dir
from eigenparse import load
from eigenparse.cli import convert as convert
from eigenparse.cli.main import app
from eigenparse.corpus import brackets, normalise
from eigenparse.corpus.brackets import write_trees
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies, broken_trees, is_projective
from eigenparse.corpus.heads import (
    english_rules,
    head_children,
    known_share,
    learnt_rules,
    parse_rules,
    rules_for,
    rules_of,
    to_dependencies,
)
from eigenparse.errors import FormatError
from eigenparse.serve import answers
from eigenparse.synthetic import sample_treebank


def converted(path: pathlib.Path, rules: str | None = None) -> Dependencies:
    trees = normalise.normalise_report(
        brackets.read_trees_report([str(path)]).treebank, options=normalise.Normalisation()
    ).treebank
    return to_dependencies(trees, None if rules is None else parse_rules(rules))


TREE = (
    "(S (NP-SBJ (DT The) (NN dog)) (VP (VBZ has) (VP (VBN eaten) (NP (DT a) (NN bone)) "
    "(PP (IN in) (NP (DT the) (NN park))))) (. .))\n"
)


def test_a_sentence_by_hand(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.ptb"
    path.write_text(TREE)
    trees = converted(path)
    assert trees.strings("form") == ["The", "dog", "has", "eaten", "a", "bone", "in", "the", "park", "."]
    assert trees.head.tolist() == [2, 3, 0, 3, 6, 4, 4, 9, 7, 3]
    assert trees.strings("relation")[:4] == ["DT:NP", "NP:S", "root", "VP:VP"]
    assert trees.strings("upos")[-1] == "PUNCT"


def test_rules_of_the_user(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.ptb"
    path.write_text("(S (NP (DT The) (NN dog)) (VP (VBZ runs)) (. .))\n")
    rules = "# mine\nS right NP\nNP left DT/XX\n* right\n"
    assert converted(path, rules).head.tolist() == [0, 1, 1, 1]
    with pytest.raises(FormatError, match="rules:2: NP has two rules"):
        parse_rules("NP left\nNP right")
    with pytest.raises(FormatError, match="neither left nor right"):
        parse_rules("NP up NN")


def test_the_verb(tmp_path: pathlib.Path) -> None:
    path, out = tmp_path / "x.ptb", tmp_path / "x.conllu"
    path.write_text(TREE * 2)
    result = CliRunner().invoke(app, ["convert", str(path), "--to", "conllu", "--out", str(out)])
    assert result.exit_code == 0
    assert read_conllu(out).trees.head.tolist() == [2, 3, 0, 3, 6, 4, 4, 9, 7, 3] * 2


@pytest.mark.data
@pytest.mark.parametrize("name", ["wsj-sample", "craft", "gum"])
def test_every_real_tree_becomes_a_tree(name: str) -> None:
    for part in ("train", "dev", "test"):
        trees = converted(data_dir(name) / f"{part}.ptb")
        assert broken_trees(trees)[0].size == 0
        assert is_projective(trees).all()
        assert np.all(trees.lengths() > 0)


def foreign(trees: Treebank) -> Treebank:
    """The same trees with names for phrases and tags that no table knows."""
    return replace(
        trees, labels=tuple(f"Q{i}" if name != "TOP" else name for i, name in enumerate(trees.labels))
    )


def test_heads_of_a_treebank_that_no_table_knows_are_learnt() -> None:
    """What is learnt does not depend on names; a child that is found below its phrase alone is the head."""
    english = sample_treebank(400, 5)
    other = foreign(english)
    assert known_share(english, english_rules()) > 0.9
    assert known_share(other, english_rules()) == 0.0
    assert rules_for(english)[0] == english_rules()
    assert np.array_equal(
        head_children(english, learnt_rules(english)), head_children(other, rules_for(other)[0])
    )
    lines = [
        "(TOP (XP (A a) (H h) (B b) (. .)))", "(TOP (XP (H h) (YP (A a) (K k)) (. .)))",
        "(TOP (XP (YP (B b) (K k)) (A a) (H h) (. .)))", "(TOP (XP (B b) (A a) (H h) (. !)))",
    ]  # fmt: skip
    trees = brackets.parse_trees("\n".join(lines))
    heads = head_children(trees, learnt_rules(trees))
    tops: dict[str, set[str]] = {trees.labels[trees.label[i]]: set() for i in np.flatnonzero(trees.word < 0)}
    for i in np.flatnonzero(trees.word < 0):
        tops[trees.labels[trees.label[i]]].add(trees.labels[trees.label[heads[i]]])
    assert tops == {"XP": {"H"}, "YP": {"K"}, "TOP": {"XP"}}


def test_what_was_decided_is_said(tmp_path: pathlib.Path) -> None:
    write_trees(foreign(sample_treebank(60, 5)), tmp_path / "other.ptb")
    write_trees(sample_treebank(60, 5), tmp_path / "english.ptb")
    said = "the English head rules know 0 % of these phrases"
    for name, there in (("other", True), ("english", False)):
        done = call("convert", tmp_path / f"{name}.ptb")
        assert done.code == 0
        assert (f"{said}: heads are learnt" in done.err) == there
        options = ("--states", 2, "--span-loss", 0, "--out", tmp_path / name)
        done = call("train", "lpcfg", tmp_path / f"{name}.ptb", *options)
        assert (f"{said}: wide ones are cut by --factor right" in done.err) == there
        factor = load(tmp_path / name).latent.report["binarisation"]["factor"]
        assert factor == ("right" if there else "head")
        heads = load(tmp_path / name).summary()["heads"]
        assert heads == ("learnt from its trees" if there else "English")


def test_arcs_of_a_grammar_follow_the_heads_of_its_treebank(tmp_path: pathlib.Path) -> None:
    """A grammar of trees with other names gives the arcs that the rules learnt from these trees give."""
    trees = foreign(sample_treebank(60, 5))
    write_trees(trees, tmp_path / "other.ptb")
    options = ("--states", 2, "--span-loss", 0, "--factor", "head", "--out", tmp_path / "model")
    assert call("train", "lpcfg", tmp_path / "other.ptb", *options).code == 0
    grammar, rules = load(tmp_path / "model"), learnt_rules(trees)
    assert rules_of(grammar.latent.report) == rules != english_rules()
    parse = grammar.parse(sentences_of(trees)[0])
    wanted = to_dependencies(brackets.parse_trees(parse.tree), rules).head
    assert np.array_equal(parse.dependencies().head, wanted)
    (tmp_path / "words.txt").write_text(" ".join(parse.tokens) + "\n")
    done = call("parse", tmp_path / "model", tmp_path / "words.txt", "--tokens", "--format", "conllu")
    assert [int(line.split("\t")[6]) for line in done.lines if line[:1].isdigit()] == wanted.tolist()
    assert "by head rules (learnt from its trees)" in done.err
    said = answers.parse(grammar, grammar.request(parse.tokens), answers.Wishes(dependencies=True))
    assert [arc["head"] for arc in said["parses"][0]["dependencies"]] == wanted.tolist()
    assert not np.array_equal(wanted, to_dependencies(brackets.parse_trees(parse.tree)).head)
