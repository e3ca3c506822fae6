"""Five real treebanks, a part of each, from file to trees: parser, split heads, scores."""

import numpy as np
import pytest
from tests.conftest import data_dir
from tests.dependency.toys import parsed_text

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import broken_trees, is_projective
from eigenparse.decode.dependency.split_heads import parse_split_heads, tree_parser
from eigenparse.evaluate.attachment import attachment
from eigenparse.inference.dependency.arcs import parse
from eigenparse.inference.dependency.deptree import score_trees
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.models.dependency.split_heads import SplitHeads

TREEBANKS = ("ud-ewt", "ud-gum", "ud-fr-sequoia", "ud-tr-imst", "ud-af-afribooms")


@pytest.mark.thorough
@pytest.mark.parametrize("name", TREEBANKS)
def test_treebank_trains_and_parses(name: str) -> None:
    folder = data_dir(name)
    train = read_conllu(folder / "train.conllu").trees.select(np.arange(400))
    whole = read_conllu(folder / "dev.conllu")
    dev = whole.trees.select(np.arange(60))
    model = ArcOptions(passes=3, label_passes=2, bits=20).fit(train)
    assert model.about["lifted"] == int((~is_projective(train)).sum())
    guess = parse(model, dev)
    assert broken_trees(guess)[0].size == 0
    assert attachment(dev, guess).figures()["UAS"] > 45
    grammar = DepTreeOptions(estimator="lpcfg", states=4).fit(train)
    assert isinstance(grammar, SplitHeads)
    assert np.isfinite(score_trees(grammar, dev).log_abs).all()
    alone = parse_split_heads(tree_parser(grammar), dev)
    assert broken_trees(alone)[0].size == 0
    assert attachment(dev, alone).figures()["UAS"] > 45
    text = [line for lines in whole.text[:60] for line in (*lines, "")]
    assert sum(line.startswith("#") for line in parsed_text(model, text).split("\n")) == sum(
        t.startswith("#") for t in text
    )
