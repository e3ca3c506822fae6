"""A treebank and a grammar on disk, made once."""

import pathlib

import pytest
from tests.cli.calls import call

from eigenparse.corpus.brackets import write_trees
from eigenparse.synthetic import sample_treebank


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with train.ptb and dev.ptb."""
    folder = tmp_path_factory.mktemp("corpus")
    write_trees(sample_treebank(300, 0), folder / "train.ptb")
    write_trees(sample_treebank(25, 77), folder / "dev.ptb")
    return folder


@pytest.fixture(scope="session")
def model(corpus: pathlib.Path) -> pathlib.Path:
    """A small grammar."""
    path = corpus / "small.model"
    done = call("train", "lpcfg", corpus / "train.ptb", "--states", 3, "--out", path)
    assert done.code == 0, done.err
    return path
