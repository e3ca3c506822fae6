"""Treebanks for experiments: cuts are recognised, tests stay unread, samples are what they say."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.pick import pick_trees
from eigenparse.errors import DataError, OptionError
from eigenparse.experiments.treebanks import (
    load_corpus,
    penn_sections,
    random_split,
    section_of,
    synthetic_corpus,
    word_counts,
)

BROKEN = "(S (NP this is broken"


def trees(n: int, word: str = "w") -> str:
    return "\n".join(f"( (S (NP (DT the) (NN {word}{k})) (VP (VBZ runs)) (. .)) )" for k in range(n)) + "\n"


def penn(folder: Path, sections: list[int], *, nested: bool = True) -> None:
    for s in sections:
        place = folder / "parsed" / "mrg" / "wsj" / f"{s:02d}" if nested else folder
        place.mkdir(parents=True, exist_ok=True)
        (place / f"wsj_{s:02d}01.mrg").write_text(BROKEN if s == 23 else trees(10, f"s{s}x"))


@pytest.mark.parametrize("nested", [True, False])
def test_penn_sections_are_cut_as_usual_and_23_is_not_read(tmp_path: Path, nested: bool) -> None:
    penn(tmp_path, [0, 1, 2, 3, 21, 22, 23, 24], nested=nested)
    corpus = load_corpus(tmp_path)
    assert "dev 22" in corpus.origin
    assert {w[:3] for w in corpus.train.words if w[0] == "s"} == {"s2x", "s3x", "s21"}
    assert {w[:3] for w in corpus.wide_train.words if w[0] == "s"} == {"s1x", "s2x", "s3x", "s21"}
    assert {w[:3] for w in corpus.dev.words if w[0] == "s"} == {"s22"}
    assert {w[:3] for w in corpus.pool.words if w[0] == "s"} == {"s0x", "s1x", "s2x", "s3x", "s21", "s22"}


def test_section_24_serves_where_22_is_missing(tmp_path: Path) -> None:
    penn(tmp_path, [2, 3, 24])
    assert "dev 24" in load_corpus(tmp_path).origin


def test_other_parts_of_the_penn_treebank_are_left_alone(tmp_path: Path) -> None:
    penn(tmp_path, [2, 3, 22])
    for other in ("parsed/mrg/brown/cf", "parsed/prd/wsj/02"):
        (tmp_path / other).mkdir(parents=True)
        (tmp_path / other / "wsj_0299.prd").write_text(BROKEN)
        (tmp_path / other / "cf01.txt").write_text(BROKEN)
    assert len(load_corpus(tmp_path).train) == 20


def test_files_called_train_and_dev(tmp_path: Path) -> None:
    (tmp_path / "train.ptb").write_text(trees(25))
    (tmp_path / "dev.ptb.gz").write_bytes(gzip.compress(trees(4, "v").encode()))
    (tmp_path / "test.ptb").write_text(BROKEN)
    corpus = load_corpus(tmp_path)
    assert (len(corpus.train), len(corpus.dev), len(corpus.pool)) == (25, 4, 29)


def test_a_file_alone_gives_its_last_tenth(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(trees(50))
    corpus = load_corpus(tmp_path / "all.txt")
    assert (len(corpus.train), len(corpus.dev)) == (45, 5)
    assert "w49" in {corpus.dev.words[w] for w in corpus.dev.word.tolist() if w >= 0}


def test_too_little_and_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text(trees(9))
    with pytest.raises(DataError, match="too few"):
        load_corpus(tmp_path / "all.txt")
    with pytest.raises(DataError, match="no such file"):
        load_corpus(tmp_path / "absent")


def test_sections_by_folder_and_by_name() -> None:
    assert section_of(Path("wsj/07/x.mrg")) == 7
    assert section_of(Path("treebank/wsj_1999.mrg")) == 19
    assert section_of(Path("wsj/25/x.mrg")) is None
    assert section_of(Path("wsj_9901.mrg")) is None


def test_no_sections_in_other_folders(tmp_path: Path) -> None:
    assert penn_sections(tmp_path) == {}
    (tmp_path / "train.ptb").write_text(trees(1))
    assert penn_sections(tmp_path) == {}


def test_picked_trees_are_the_trees_picked() -> None:
    bank = parse_trees(trees(6) + "(S (X y))\n")
    lines = format_trees(bank).decode().splitlines()
    picked = pick_trees(bank, np.array([6, 2, 2, 0]))
    assert format_trees(picked).decode().splitlines() == [lines[k] for k in (6, 2, 2, 0)]
    assert set(picked.words) == {"y", "the", "w2", "w0", "runs", "."}
    assert word_counts(picked).tolist() == [1, 4, 4, 4]


def test_random_splits_do_not_overlap_nor_hold_single_words() -> None:
    bank = parse_trees(trees(30) + "(S (X y))\n")
    train, test = random_split(bank, 5, np.random.default_rng(0))
    assert sorted([*train, *test]) == list(range(30))
    assert len(test) == 5
    with pytest.raises(OptionError, match="leave nothing"):
        random_split(bank, 30, np.random.default_rng(0))


def test_the_bundled_treebank() -> None:
    corpus = synthetic_corpus(3, n_train=30, n_dev=5)
    assert (len(corpus.train), len(corpus.dev), len(corpus.pool)) == (30, 5, 35)
