"""Accuracy and chunk F1: cases worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenparse.errors import DataError
from eigenparse.evaluate.tagging import Score, chunks, count_sequence, count_tagging, is_iob


def test_chunks_of_iob2():
    assert chunks(["B-NP", "I-NP", "B-NP", "O", "B-VP"]) == {(0, 2, "NP"), (2, 3, "NP"), (4, 5, "VP")}


def test_chunks_of_iob1_begin_at_i():
    assert chunks(["I-NP", "I-NP", "B-NP", "I-VP", "O", "I-VP"]) == {
        (0, 2, "NP"),
        (2, 3, "NP"),
        (3, 4, "VP"),
        (5, 6, "VP"),
    }


def test_chunks_of_iobes():
    assert chunks(["S-A", "B-A", "E-A", "I-A", "E-A", "S-B"]) == {
        (0, 1, "A"),
        (1, 3, "A"),
        (3, 5, "A"),
        (5, 6, "B"),
    }


def test_a_type_change_inside_begins_a_chunk():
    assert chunks(["B-A", "I-B"]) == {(0, 1, "A"), (1, 2, "B")}


def test_types_may_contain_dashes():
    assert chunks(["B-A-B", "I-A-B"]) == {(0, 2, "A-B")}


def test_hand_computed_scores():
    gold = ["B-NP", "I-NP", "O", "B-VP", "I-VP", "B-NP"]
    guess = ["B-NP", "I-NP", "B-PP", "B-VP", "O", "B-NP"]
    counts = count_tagging([gold], [guess], unknown=[[False, True, True, False, False, False]])
    assert (counts.tokens, counts.right) == (6, 4)
    assert counts.chunk == Score(right=2, gold=3, guessed=4)
    assert counts.chunk.precision == pytest.approx(0.5)
    assert counts.chunk.recall == pytest.approx(2 / 3)
    assert counts.chunk.f1 == pytest.approx(4 / 7)
    assert counts.chunks["VP"] == Score(0, 1, 1)
    assert (counts.unknown, counts.unknown_right) == (2, 1)
    assert counts.known_accuracy == pytest.approx(3 / 4)
    assert counts.labels["O"] == Score(0, 1, 1)


def test_plain_tags_are_not_chunks():
    assert not is_iob(["NN", "VB", "O"])
    assert not is_iob(["O"])
    assert is_iob(["O", "I-X"])
    assert count_tagging([["NN"]], [["VB"]]).chunks == {}


label = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])


@given(st.lists(st.lists(st.tuples(label, label), max_size=8), max_size=6))
def test_counts_add_and_gold_is_perfect(rows):
    gold, guess = [[g for g, _ in row] for row in rows], [[h for _, h in row] for row in rows]
    whole = count_tagging(gold, guess, iob=True)
    parts = [count_sequence(g, h, iob=True) for g, h in zip(gold, guess)]
    total = parts[0] if parts else whole
    for part in parts[1:]:
        total = total + part
    assert total == whole
    perfect = count_tagging(gold, gold, iob=True)
    assert perfect.right == perfect.tokens
    assert perfect.chunk.right == perfect.chunk.gold == perfect.chunk.guessed


def test_unequal_lengths_are_refused():
    with pytest.raises(DataError, match="score the same sequences"):
        count_tagging([["A"]], [["A", "B"]])
