"""Corpora behind URLs, through the local and the memory file systems of fsspec."""

import gzip
import pathlib

import numpy as np
import pytest

from eigenparse.corpus.brackets import read_trees, write_trees
from eigenparse.corpus.files import find_files, read_bytes, url_of
from eigenparse.errors import DataError
from eigenparse.learn.grammar.shards import cut_shards, shard_trees
from eigenparse.synthetic import sample_treebank

fsspec = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")


def test_urls_survive_paths() -> None:
    assert url_of(pathlib.Path("memory://a/b.ptb")) == "memory://a/b.ptb"
    assert url_of("a/b.ptb") is None
    assert url_of("C:/b.ptb") is None


def test_trees_behind_urls(tmp_path: pathlib.Path) -> None:
    write_trees(sample_treebank(20, 0), tmp_path / "t.ptb")
    content = (tmp_path / "t.ptb").read_bytes()
    memory = fsspec.filesystem("memory")
    memory.pipe("/trees/one.ptb", content)
    memory.pipe("/trees/two.ptb.gz", gzip.compress(content))
    whole = read_trees(tmp_path / "t.ptb")
    for url in ("memory://trees/one.ptb", f"file://{tmp_path}/t.ptb", "memory://trees/two.ptb.gz"):
        assert read_bytes(url) == content
        assert np.array_equal(read_trees(url).label, whole.label)
    assert len(read_trees("memory://trees")) == 40
    assert len(find_files("memory://trees/*.ptb")) == 1
    shards = list(cut_shards("memory://trees"))
    assert [len(shard_trees(shard, shard_options())) for shard in shards] == [20, 20]


def shard_options():  # type: ignore[no-untyped-def]
    from eigenparse.corpus.transform import Binarisation

    return Binarisation()


def test_urls_that_lead_nowhere() -> None:
    for url in ("memory://absent/x.ptb", "nosuchscheme://x/y.ptb", "memory://absent/*.ptb"):
        with pytest.raises(DataError):
            read_trees(url)
