"""Conversion of constituency trees: hand-made cases, rule files, and every tree of real treebanks."""

import pathlib

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import data_dir
from eigenparse.cli import convert as convert
from eigenparse.cli.main import app
from eigenparse.corpus import brackets, normalise
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies, broken_trees, is_projective
from eigenparse.corpus.heads import parse_rules, to_dependencies
from eigenparse.errors import FormatError


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
