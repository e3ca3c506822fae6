"""A gold and a guessed file in, pairs of sentences out.

Files with one tree per line are paired line by line, as EVALB does, so that an empty or failed line
keeps its place; trees that spread over lines are paired one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eigenparse.corpus.brackets import parse_trees, take_trees
from eigenparse.corpus.cleaning import normalisation_by, strip_label
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.files import read_bytes
from eigenparse.corpus.normalise import without_editorial, without_tag_suffix
from eigenparse.errors import DataError, FormatError
from eigenparse.evaluate.brackets import BracketScores, score_lines
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams
from eigenparse.evaluate.tree_lines import TreeLines, read_tree_lines
from eigenparse.evaluate.words import ERROR


@dataclass(frozen=True, slots=True)
class PairedFiles:
    """Sentences of two files, and a sentence on how they were paired."""

    gold: TreeLines
    guess: TreeLines
    how: str

    def score(self, *, params: EvalbParams = COLLINS, strict: bool = False) -> BracketScores:
        """The scores of the guessed sentences."""
        return score_lines(self.gold, self.guess, params=params, strict=strict)


def comparable(
    pair: PairedFiles, *, keep_tag_suffix: bool | None = None, drop: Sequence[str] = ()
) -> PairedFiles:
    """The same sentences without what annotators add and no parser gives: editorial nodes and suffixes of tags.

    keep_tag_suffix: whether N-D and N are different tags; None: if the guess has such tags.  drop: more labels whose
    nodes count as absent, with everything below.
    """
    options = normalisation_by(drop=drop)
    gold, guess = (without_editorial(side.treebank, options) for side in (pair.gold, pair.guess))
    how = pair.how
    if not (without_tag_suffix(guess)[1] if keep_tag_suffix is None else keep_tag_suffix):
        (gold, cut), (guess, _) = without_tag_suffix(gold), without_tag_suffix(guess)
        how += f"; gold tags without their suffixes, {cut} as {strip_label(cut)}" if cut else ""
    return PairedFiles(replace(pair.gold, treebank=gold), replace(pair.guess, treebank=guess), how)


@dataclass(frozen=True, slots=True)
class _View:
    """One way to cut a file into sentences, and what the pieces are called."""

    pieces: str
    sentences: TreeLines

    def __len__(self) -> int:
        return len(self.sentences.treebank)


def pair_files(gold_path: str | Path, guess_path: str | Path, *, strict: bool = False) -> PairedFiles:
    """Read two files of trees and pair their sentences.

    Raises DataError if there are not as many on both sides.  Only under ``strict``, between files
    with one tree per line, the surplus sentences of the longer file are left out, as EVALB does.
    """
    gold = _views(gold_path, all_trees=not strict, all_text=not strict)
    guess = _views(guess_path, all_trees=False, all_text=not strict)
    if not gold[0].sentences.treebank.label.size:
        raise DataError(f"{gold_path}: no tree to score against; check that it is the right file")
    if strict and gold[0].pieces == guess[0].pieces == "line":
        n = min(len(gold[0]), len(guess[0]))
        how = "line by line"
        if not len(gold[0]) == len(guess[0]) == n:
            how += f", the first {n} only: {len(gold[0])} lines in the gold file against {len(guess[0])}"
        return PairedFiles(_head(gold[0].sentences, n), _head(guess[0].sentences, n), how)
    for one in gold:
        for other in guess:
            if len(one) == len(other):
                return PairedFiles(one.sentences, other.sentences, f"{one.pieces} by {other.pieces}")
    raise DataError(
        f"{gold_path} has {len(gold[-1])} trees and {guess_path} {len(guess[-1])};"
        " give one tree, or an empty line, for every gold tree"
    )


def refuse_other_words(scores: BracketScores) -> None:
    """DataError if not one sentence has the same words on both sides."""
    if scores.status.size and bool((scores.status == ERROR).all()):
        raise DataError(
            f"none of the {scores.status.size} sentences has the same words in both files; "
            "check that both are of one text"
        )


def refuse_other_encodings(content: bytes, path: str | Path) -> None:
    """FormatError for what is not UTF-8: its words could not be printed."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise FormatError(
            "the text is not UTF-8", source=str(path), line=line, remedy="convert the file to UTF-8"
        ) from None


def _views(path: str | Path, *, all_trees: bool, all_text: bool) -> list[_View]:
    """The ways to cut a file into sentences, the likeliest first.

    all_text: the file must be UTF-8.

    all_trees: a line that is no tree is a part of one, or an error; otherwise it is a failed parse
    unless most lines are like that.  Lines that start with ``#`` are comments.
    """
    content = read_bytes(path)
    if all_text:
        refuse_other_encodings(content, path)
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    if not lines[-1]:
        lines.pop()
    lines = [line for line in lines if not line.startswith("#")]
    by_line = read_tree_lines(lines)
    n_broken, n_filled = int(by_line.broken.sum()), sum(1 for line in lines if line.strip())
    if 2 * n_broken > n_filled or (all_trees and n_broken):
        return [_View("tree", TreeLines.of(parse_trees(content, str(path))))]
    views = [_View("line", by_line), _View("filled line", _without_blank(by_line))]
    return views if n_broken else [*views, _View("tree", _by_root(by_line.treebank))]


def _head(lines: TreeLines, n: int) -> TreeLines:
    """The first n sentences."""
    treebank = take_trees(lines.treebank, 0, n)
    return TreeLines(treebank, lines.broken[:n], lines.unclosed[: treebank.label.size])


def _without_blank(lines: TreeLines) -> TreeLines:
    """The sentences that are not just an empty line."""
    size = np.diff(lines.treebank.offsets)
    filled = (size > 0) | lines.broken
    offsets = np.concatenate([[0], np.cumsum(size[filled])])
    treebank = replace(lines.treebank, offsets=offsets, line=lines.treebank.line[filled])
    return TreeLines(treebank, lines.broken[filled], lines.unclosed)


def _by_root(treebank: Treebank) -> TreeLines:
    """One sentence per tree, even where several trees share a line: in post-order a root ends its tree."""
    last = np.flatnonzero(treebank.parent < 0)
    line = np.repeat(treebank.line, np.diff(treebank.offsets))[last]
    return TreeLines.of(replace(treebank, offsets=np.concatenate([[0], last + 1]), line=line))
