"""Attachment figures on cases counted by hand."""

import pytest

from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import DataError
from eigenparse.evaluate.attachment import attachment


def corpus(*sentences: list[tuple[str, str, int, str]]) -> Dependencies:
    lines = []
    for sentence in sentences:
        for i, (form, tag, head, relation) in enumerate(sentence, start=1):
            lines.append(f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return read_lines(lines, source="toy", heads=False).trees


GOLD = corpus(
    [
        ("He", "PRON", 2, "nsubj"),
        ("eats", "VERB", 0, "root"),
        ("it", "PRON", 2, "obj"),
        (".", "PUNCT", 2, "punct"),
    ],
    [("Its", "PRON", 2, "nmod:poss"), ("end", "NOUN", 0, "root")],
)
GUESS = corpus(
    [
        ("He", "PRON", 2, "obj"),
        ("eats", "VERB", 0, "root"),
        ("it", "PRON", 2, "obj"),
        (".", "PUNCT", 3, "punct"),
    ],
    [("Its", "PRON", 2, "nmod"), ("end", "NOUN", 0, "root")],
)


def test_figures_counted_by_hand() -> None:
    counts = attachment(GOLD, GUESS)
    figures = counts.figures()
    assert figures["UAS"] == pytest.approx(100 * 5 / 6)
    assert figures["LAS"] == pytest.approx(100 * 4 / 6)  # nsubj is wrong; nmod:poss counts as nmod
    assert figures["UAS without punctuation"] == 100.0
    assert figures["LAS without punctuation"] == pytest.approx(80.0)
    assert figures["CLAS"] == pytest.approx(80.0)
    assert figures["complete"] == 50.0
    assert figures["complete labelled"] == 50.0
    assert counts.by_relation["nsubj"] == (1, 1, 0)
    assert counts.by_length["1-10"] == (6, 5, 4)


def test_parts_add_up_to_the_whole() -> None:
    parts = [attachment(GOLD.select([s]), GUESS.select([s])) for s in (0, 1)]
    assert parts[0] + parts[1] == attachment(GOLD, GUESS)


def test_other_words_are_refused() -> None:
    with pytest.raises(DataError, match="2 sentences and the guess 1"):
        attachment(GOLD, GUESS.select([0]))
    with pytest.raises(DataError, match="another number of words"):
        attachment(GOLD.select([0]), GUESS.select([1]))
    other = corpus([("My", "PRON", 2, "nmod:poss"), ("end", "NOUN", 0, "root")])
    with pytest.raises(DataError, match="'Its' in gold is 'My'"):
        attachment(GOLD.select([1]), other)
