"""``eigenparse guide``: phrase trees of a dependency treebank, and learning from them."""

import json
import pathlib
import re

import pytest
from tests.cli.calls import call

from eigenparse.corpus.arc_spans import (
    ArcSentence,
    ArcSpan,
    arc_sentences,
    arc_spans,
    count_spans,
    crosses,
    demands,
)
from eigenparse.corpus.conllu import read_conllu
from eigenparse.learn.grammar.reading import read_guided


def sentence(words: str, heads: list[int], relations: str) -> ArcSentence:
    return ArcSentence(tuple(words.split()), tuple(heads), tuple(relations.split()), ("NN",) * len(heads))


HOUSE = sentence(
    "she saw , in ( old ) Rome , cats and dogs .",
    [2, 0, 2, 8, 6, 8, 6, 2, 8, 2, 12, 10, 2],
    "nsubj root punct case punct amod punct obl punct obj cc conj punct",
)


def test_spans_are_subtrees_without_the_punctuation_around_them() -> None:
    """Brackets go with their partners: the ones around ``old`` stay inside."""
    assert arc_spans(HOUSE) == [
        ArcSpan(0, 12, "root"), ArcSpan(4, 7, "amod"), ArcSpan(3, 8, "obl"), ArcSpan(9, 12, "obj +conj"),
    ]  # fmt: skip


def test_subtrees_with_gaps_make_no_spans() -> None:
    gap = sentence("a hearing is scheduled on it", [2, 4, 4, 0, 6, 2], "det nsubj:pass aux root case nmod")
    assert {one.sort for one in arc_spans(gap)} == {"nmod"}


def test_spans_are_counted_by_sort_and_crossing() -> None:
    phrases = {(0, 13), (3, 8), (9, 10), (8, 11)}
    counts = count_spans([(HOUSE, phrases)] * 40)
    assert counts == {"amod": (40, 0, 0), "obj +conj": (40, 0, 40), "obl": (40, 40, 0), "root": (40, 0, 0)}
    assert crosses((9, 12), phrases)
    assert not crosses((4, 7), phrases)


def test_demands_follow_the_counts_and_never_cross() -> None:
    counts = {"obl": (100, 95, 2), "amod": (100, 10, 5), "obj": (100, 50, 50), "root": (100, 99, 1)}
    assert demands(HOUSE, counts, required=0.9, crossed=0.1) == {(0, 12): True, (3, 8): True, (4, 7): False}
    assert demands(HOUSE, counts, required=2.0, crossed=0.0) == {}
    crossing = sentence("a b c d", [3, 4, 4, 0], "x y z root")
    found = demands(crossing, {"z": (50, 50, 0), "y": (50, 50, 0)}, required=0.5, crossed=0.0)
    assert not any(crosses(one, found) for one in found)


@pytest.fixture(scope="module")
def arcs(corpus: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The training trees as dependency trees by head rules, their tags in the column of fine tags."""
    path = tmp_path_factory.mktemp("guide") / "train.conllu"
    lines = call("convert", corpus / "train.ptb", "--to", "conllu").out.split("\n")
    rows = [line.split("\t") for line in lines]
    path.write_text("\n".join("\t".join([*row[:4], row[4] if row[4] != "_" else row[3], *row[5:]]) if len(row) > 1
                              else row[0] for row in rows))  # fmt: skip
    return path


def test_guided_trees_keep_tags_and_subtrees(
    corpus: pathlib.Path, model: pathlib.Path, arcs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "guided.ptb"
    done = call("guide", model, arcs, "--learn-from", corpus / "train.ptb", arcs, "--most", 40, "--out", out)
    assert done.code == 0, done.err
    assert "40 sentences: " in done.err
    lines = out.read_text().splitlines()
    assert len(lines) == 40
    assert all(re.match(r"\(TOP=[01]\.\d\d\d \(", line) for line in lines)
    treebank = read_guided([out], 0.5)
    assert treebank.weight is not None
    assert 0 < treebank.weight.min() <= treebank.weight.max() <= 0.5
    wanted = {" ".join(one.words): one.tags for one in arc_sentences(read_conllu(arcs).trees)}
    for line in lines:
        leaves = re.findall(r"\(([^() ]+) ([^() ]+)\)", line)
        assert [tag for tag, _ in leaves] == list(wanted[" ".join(word for _, word in leaves)])


def test_two_jobs_make_the_same_trees(
    model: pathlib.Path, arcs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    made = [call("guide", model, arcs, "--most", 30, "--jobs", jobs).out for jobs in (1, 2)]
    assert made[0] == made[1] != ""


def test_guided_trees_join_the_training_with_their_weight(
    corpus: pathlib.Path, model: pathlib.Path, arcs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    guided, out = tmp_path / "guided.ptb", tmp_path / "more.model"
    assert call("guide", model, arcs, "--most", 20, "--out", guided).code == 0
    more = ("--guided", guided, "--guided-weight", 0.5, "--dev", corpus / "dev.ptb")
    done = call("train", "lpcfg", corpus / "train.ptb", "--states", 2, *more, "--out", out)
    assert done.code == 0, done.err
    assert "20 guided trees count as 1" in done.err or "20 guided trees count as 9" in done.err
    facts = json.loads(call("info", out, "--json").out)
    plain = json.loads(call("info", model, "--json").out)
    assert facts["n_trees"] == plain["n_trees"] + 20


def test_treebanks_of_other_sentences_teach_nothing(
    corpus: pathlib.Path, model: pathlib.Path, arcs: pathlib.Path
) -> None:
    done = call("guide", model, arcs, "--learn-from", corpus / "dev.ptb", arcs)
    assert done.code != 0
    assert "have no sentence in common; give two annotations of the same text" in done.err
