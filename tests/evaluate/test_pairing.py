"""Which gold sentence a guessed one stands opposite."""

import gzip
import pathlib

import pytest

from eigenparse.errors import DataError, FormatError
from eigenparse.evaluate.pairing import PairedFiles, pair_files

A, B, C = "(S (NN a))", "(S (NN b))", "(S (NN c))"


def pair(folder: pathlib.Path, gold: str, guess: str, *, strict: bool = False) -> PairedFiles:
    (folder / "gold").write_bytes(gold.encode())
    (folder / "guess").write_bytes(guess.encode())
    return pair_files(folder / "gold", folder / "guess", strict=strict)


@pytest.mark.parametrize("strict", [True, False])
def test_a_failed_line_keeps_its_place(tmp_path: pathlib.Path, strict: bool) -> None:
    for failure in ("", "(())", "(TOP )", "failed", "(S (NN b)"):
        paired = pair(tmp_path, f"{A}\n{B}\n{C}\n", f"{A}\n{failure}\n{C}\n", strict=strict)
        assert paired.how == "line by line"
        assert paired.score(strict=strict).status.tolist() == [0, 1 if failure == "(S (NN b)" else 2, 0]


def test_blanks_before_a_closing_bracket(tmp_path: pathlib.Path) -> None:
    assert pair(tmp_path, "(S (NN a ) )\n", f"{A}\n").score().all.matched == 1
    assert pair(tmp_path, f"{A}\n", "(S  (NN  a  )  )  \n").score().all.matched == 1
    assert pair(tmp_path, f"{A}\n", "(S" + " " * 200_000 + "(NN a))\n").score().all.matched == 1


def test_the_last_line_may_fail_too(tmp_path: pathlib.Path) -> None:
    assert pair(tmp_path, f"{A}\n{B}\n", f"{A}\n\n").score().status.tolist() == [0, 2]
    assert pair(tmp_path, f"{A}\n{B}", f"{A}\n{B}").score().status.tolist() == [0, 0]


def test_trees_over_several_lines(tmp_path: pathlib.Path) -> None:
    spread = "( (S\n   (NN a) )\n)\n( (S\n   (NN b)))\n"
    assert pair(tmp_path, spread, f"{A}\n{B}\n").score().f1 == 100.0
    assert pair(tmp_path, f"{A}\n{B}\n", spread).score().f1 == 100.0
    assert pair(tmp_path, spread, spread).how == "tree by tree"
    failed = pair(tmp_path, spread, f"\n{B}\n")
    assert (failed.how, failed.score().status.tolist()) == ("tree by line", [2, 0])


def test_several_trees_on_a_line(tmp_path: pathlib.Path) -> None:
    scores = pair(tmp_path, f"{A} {B}\n{C}\n", f"{A}\n{B}\n{C}\n").score()
    assert (len(scores), scores.f1) == (3, 100.0)
    assert len(pair(tmp_path, f"{A} {B}\n{C}\n", f"{A} {B}\n{C}\n", strict=True).score(strict=True)) == 2


def test_blank_lines_between_trees_and_comments(tmp_path: pathlib.Path) -> None:
    assert pair(tmp_path, f"{A}\n\n{B}\n\n", f"{A}\n{B}\n").score().f1 == 100.0
    assert pair(tmp_path, f"# one\n{A}\n# two\n{B}\n", f"{A}\n{B}\n").score().f1 == 100.0


def test_packed_files_marks_and_carriage_returns(tmp_path: pathlib.Path) -> None:
    (tmp_path / "gold").write_bytes(b"\xef\xbb\xbf" + f"{A}\r\n{B}\r\n".encode())
    (tmp_path / "guess").write_bytes(gzip.compress(f"{A}\n{B}\n".encode()))
    assert pair_files(tmp_path / "gold", tmp_path / "guess").score().f1 == 100.0


def test_words_are_bytes_and_only_ascii_blanks_separate(tmp_path: pathlib.Path) -> None:
    for name in ("gold", "guess"):
        (tmp_path / name).write_bytes(b"(S (NN \xe9) (NN a\xc2\xa0b) (NN c\xe2\x80\xa8d))\n")
    scores = pair_files(tmp_path / "gold", tmp_path / "guess", strict=True).score(strict=True)
    assert (scores.status.tolist(), scores.words.tolist()) == ([0], [3])


def test_too_many_or_too_few(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DataError, match=r"has 2 trees and .* 1; give one tree, or an empty line"):
        pair(tmp_path, f"{A}\n{B}\n", f"{A}\n")
    for gold, guess in ((f"{A}\n{B}\n", f"{A}\n"), (f"{A}\n", f"{A}\n{B}\n")):
        paired = pair(tmp_path, gold, guess, strict=True)
        assert len(paired.score(strict=True)) == 1
        assert "the first 1 only" in paired.how


def test_gold_must_hold_trees(tmp_path: pathlib.Path) -> None:
    for nothing in ("", "\n\n", "# comment\n"):
        with pytest.raises((DataError, FormatError)):
            pair(tmp_path, nothing, f"{A}\n")
    with pytest.raises(FormatError, match="gold:2"):
        pair(tmp_path, f"{A}\n(S (NN b)\n{C}\n", f"{A}\n{B}\n{C}\n")
