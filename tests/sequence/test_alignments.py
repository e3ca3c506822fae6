"""Phone alignments are scored, written for Praat and read back; development recordings are scored after training."""

import pathlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.calls import call
from tests.cli.wrong_files import sound

from eigenparse.arrays import as_offsets
from eigenparse.corpus.phones import Segments, parse_phn, parse_textgrid, read_alignment, write_textgrid
from eigenparse.evaluate.phones import count_phones, edits

RATE = 16_000


def segments(ends: list[int], phones: str) -> Segments:
    return Segments(as_offsets([0, *ends[:-1]]), as_offsets(ends), tuple(phones))


def slow_edits(a: str, b: str) -> int:
    """Levenshtein's distance by its definition."""
    if not a or not b:
        return len(a) + len(b)
    return min(slow_edits(a[1:], b) + 1, slow_edits(a, b[1:]) + 1, slow_edits(a[1:], b[1:]) + (a[0] != b[0]))


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_phone_errors_are_edits(a: str, b: str) -> None:
    assert edits(a, b) == slow_edits(a, b)


def test_figures_by_hand() -> None:
    gold = segments([1600, 3200, 4800], "abc")  # 100 ms each
    guess = segments([1760, 4000, 4800], "axc")  # boundaries 10 and 50 ms off
    counts = count_phones(gold, guess, RATE)
    assert (counts.frames, counts.frames_right) == (30, 10 + 5)
    assert (counts.phones, counts.errors) == (3, 1)
    assert (counts.gold_borders, counts.guess_borders, counts.near) == (2, 2, 1)
    same = count_phones(gold, gold, RATE).figures()
    assert (same["frame accuracy"], same["phone error rate"]) == (100.0, 0.0)


@given(st.lists(st.tuples(st.integers(1, 5000), st.sampled_from(["a", "h#", 'q"'])), min_size=1, max_size=8))
def test_textgrids_are_read_back(parts: list[tuple[int, str]]) -> None:
    ends = np.cumsum([n for n, _ in parts])
    rows = zip([0, *ends[:-1]], ends, [phone for _, phone in parts])
    given_ = parse_phn([f"{a} {b} {phone}" for a, b, phone in rows])
    back = parse_textgrid(write_textgrid(given_, RATE), RATE)
    assert back.start.tolist() == given_.start.tolist()
    assert back.end.tolist() == given_.end.tolist()
    assert back.phones == given_.phones


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Recordings with alignments in train and dev."""
    folder = tmp_path_factory.mktemp("speech")
    for part in ("train", "dev"):
        (folder / part).mkdir()
        for k in range(2):
            (folder / part / f"u{k}.wav").write_bytes(sound())
            (folder / part / f"u{k}.phn").write_bytes(b"0 4000 a\n4000 8000 b\n")
    return folder


def test_from_training_to_scores(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model, grids = tmp_path / "m", tmp_path / "grids"
    done = call("train", "phones", corpus, "--method", "hmm", "--codes", 4, "--out", model)
    assert done.code == 0, done.err
    assert "accuracy" in done.out + done.err
    done = call("transcribe", model, corpus / "dev", "--format", "textgrid", "--folder", grids)
    assert done.code == 0, done.err
    assert sorted(path.name for path in grids.iterdir()) == ["u0.TextGrid", "u1.TextGrid"]
    assert read_alignment(grids / "u0.TextGrid", RATE).end[-1] == 8000
    scored = call("evaluate", corpus / "dev", grids)
    assert scored.code == 0, scored.err
    assert "frame accuracy" in scored.out
    perfect = call("evaluate", corpus / "dev" / "u0.phn", corpus / "dev" / "u1.phn")
    assert perfect.lines[0].split()[-1] == "100.00"
    assert call("transcribe", model, corpus / "dev", "--format", "textgrid").code == 1


@pytest.mark.parametrize("name", ["guess.phn", "guess.TextGrid"])
def test_what_differs_is_scored_in_both_formats(tmp_path: pathlib.Path, name: str) -> None:
    gold, guess = segments([1600, 3200, 4800], "abc"), segments([1760, 4000, 4800], "axc")
    rows = (f"{a} {b} {phone}\n" for a, b, phone in zip(gold.start, gold.end, gold.phones))
    (tmp_path / "gold.phn").write_text("".join(rows))
    rows = (f"{a} {b} {phone}\n" for a, b, phone in zip(guess.start, guess.end, guess.phones))
    text = write_textgrid(guess, RATE) if name.endswith("TextGrid") else "".join(rows)
    (tmp_path / name).write_text(text)
    done = call("evaluate", tmp_path / "gold.phn", tmp_path / name)
    assert [line.split()[-1] for line in done.lines] == [
        "50.00",
        "33.33",
        "50.00",
        "50.00",
        "50.00",
        "1",
        "3",
    ]
