"""Five real treebanks, a part of each, from file to trees: parser, split heads, scores."""

import io

import numpy as np
import pytest
from tests.conftest import data_dir

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import broken_trees, is_projective
from eigenparse.decode.dependency.arcs import parse, parse_conllu
from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
from eigenparse.evaluate.attachment import attachment
from eigenparse.inference.dependency.deptree import score_trees
from eigenparse.learn.dependency.deptree_fit import DepTreeLearner
from eigenparse.learn.dependency.mira import ArcLearner
from eigenparse.models.dependency.split_heads import SplitHeads

TREEBANKS = ("ud-ewt", "ud-gum", "ud-fr-sequoia", "ud-tr-imst", "ud-af-afribooms")


@pytest.mark.parametrize("name", TREEBANKS)
def test_treebank_trains_and_parses(name: str) -> None:
    folder = data_dir(name)
    train = read_conllu(folder / "train.conllu").trees.select(np.arange(400))
    whole = read_conllu(folder / "dev.conllu")
    dev = whole.trees.select(np.arange(60))
    model, report = ArcLearner(passes=3, label_passes=2, bits=20).fit(train)
    assert report.n_lifted == int((~is_projective(train)).sum())
    guess = parse(model, dev)
    assert broken_trees(guess)[0].size == 0
    assert attachment(dev, guess).figures()["UAS"] > 45
    grammar, _ = DepTreeLearner(estimator="lpcfg", n_states=4).fit(train)
    assert isinstance(grammar, SplitHeads)
    assert np.isfinite(score_trees(grammar, dev).log_abs).all()
    alone = parse_split_heads(tree_parser(grammar), dev)
    assert broken_trees(alone)[0].size == 0
    assert attachment(dev, alone).figures()["UAS"] > 45
    out = io.StringIO()
    text = [line for lines in whole.text[:60] for line in (*lines, "")]
    assert parse_conllu(model, text, out) == 60
    assert sum(line.startswith("#") for line in out.getvalue().split("\n")) == sum(
        t.startswith("#") for t in text
    )
