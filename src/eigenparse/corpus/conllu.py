"""CoNLL-U and CoNLL-X files in, dependency columns and the original lines out, and back.

Both formats have ten tab-separated columns; CoNLL-X has no comments, word ranges or empty nodes.
The lines of a sentence are kept, so that writing changes only what was predicted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.dependencies import (
    ATTRIBUTES,
    FAULTS,
    Dependencies,
    broken_trees,
    check_heads,
    columns_of,
    from_tokens,
)
from eigenparse.corpus.files import find_files, read_text
from eigenparse.corpus.recognise import misplaced, recognise_lines
from eigenparse.errors import FormatError

N_COLUMNS = 10
CONLLU_SUFFIXES = (".conllu", ".conll", ".conllx")
RANK, SCORE = "# rank = ", "# score = "  # comments of the trees of an n-best list
COLUMN = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "relation": 7}


@dataclass(frozen=True, slots=True)
class Conllu:
    """A file: its trees, the lines of every sentence as they were, and what was left out.

    text: one tuple of lines per sentence, without the blank line after it.  skipped: one sentence
    for each broken tree that was left out.
    """

    trees: Dependencies
    text: tuple[tuple[str, ...], ...]
    source: str
    skipped: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.text)

    def part(self, start: int, end: int) -> "Conllu":
        """Sentences ``start`` up to ``end``, which is not included and may lie beyond the last."""
        chosen = np.arange(start, min(end, len(self)))
        return Conllu(self.trees.select(chosen), self.text[start:end], self.source)


def read_conllu(path: str | Path, *, heads: bool = True, skip_broken: bool = False) -> Conllu:
    """Read a file; with ``heads`` every sentence must carry a single-rooted tree.

    Raises FormatError with file, line and remedy, or with ``skip_broken`` leaves the sentence out.
    """
    lines = read_text(path).split("\n")
    check_conllu(lines, str(path))
    return read_lines(lines, source=str(path), heads=heads, skip_broken=skip_broken)


def check_conllu(lines: Sequence[str], source: str) -> None:
    """FormatError with the kind of a file that is clearly something else."""
    first = next((line for line in lines if line.strip() and line[0] != "#"), "")
    if first.count("\t") < 3 and (first or not any(line.startswith("# ") for line in lines)):
        raise misplaced(recognise_lines(lines[:200]), source, "CoNLL-U")


def read_many(paths: Sequence[str | Path], *, skip_broken: bool = False) -> Conllu:
    """Read several files as one corpus."""
    paths = find_files(paths, suffixes=CONLLU_SUFFIXES)
    parts = [read_conllu(path, skip_broken=skip_broken) for path in paths]
    if len(parts) == 1:
        return parts[0]
    lines = (line for part in parts for sentence in part.text for line in (*sentence, ""))
    whole = read_lines(lines, source=", ".join(map(str, paths)))
    return Conllu(whole.trees, whole.text, whole.source, tuple(s for part in parts for s in part.skipped))


def read_lines(lines: Iterable[str], *, source: str, heads: bool = True, skip_broken: bool = False) -> Conllu:
    """Read the lines of a file that is already open."""
    rows: dict[str, list[str]] = {name: [] for name in ATTRIBUTES}
    head: list[int] = []
    numbers: list[int] = []
    sizes: list[int] = []
    text: list[tuple[str, ...]] = []
    skipped: list[str] = []
    for start, block in sentence_blocks(lines):
        before = len(head)
        try:
            _read_block(block, start, source, heads, rows, head, numbers)
        except FormatError as problem:
            if not skip_broken:
                raise
            skipped.append(str(problem))
            for column in rows.values():
                del column[before:]
            del head[before:], numbers[before:]
            continue
        sizes.append(len(head) - before)
        text.append(tuple(block))
    corpus = Conllu(columns_of(rows, head, sizes, numbers), tuple(text), source, tuple(skipped))
    if not heads:
        return corpus
    return _without_broken(corpus) if skip_broken else _checked(corpus)


def read_input(lines: Iterable[str], *, source: str) -> Conllu:
    """CoNLL-U if the first line that is not blank looks like it, else blank-separated tokens."""
    text = [line.rstrip("\r\n") for line in lines]
    first = next((line for line in text if line.strip()), "")
    if first.startswith("# ") or first.count("\t") >= 3:
        return read_lines(text, source=source, heads=False)
    return from_sentences([line.split() for line in text if line.strip()], source=source)


def sentence_blocks(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Blocks of lines between blank lines, each with the number of its first line."""
    block: list[str] = []
    start = 1
    for number, line in enumerate(lines, start=1):
        line = line.rstrip("\r\n")
        if line.strip():
            if not block:
                start = number
            block.append(line)
        elif block:
            yield start, block
            block = []
    if block:
        yield start, block


def _read_block(
    block: list[str],
    start: int,
    source: str,
    heads: bool,
    rows: dict[str, list[str]],
    head: list[int],
    numbers: list[int],
) -> None:
    """Add the words of one sentence to the columns."""
    expected = 1
    for number, line in enumerate(block, start=start):
        if line[0] == "#":
            continue
        cells = line.split("\t")
        if len(cells) != N_COLUMNS:
            raise FormatError(
                f"{len(cells)} columns instead of {N_COLUMNS}",
                source=source, line=number, remedy="separate ten columns by tabs, with _ for what is missing",
            )  # fmt: skip
        name = cells[0]
        if "-" in name or "." in name:
            _check_extra(name, number, source)
            continue
        if name != str(expected):
            raise FormatError(
                f"word number {name!r} where {expected} was expected",
                source=source, line=number, remedy="number the words of a sentence 1, 2, 3 …",
            )  # fmt: skip
        expected += 1
        for attribute, column in COLUMN.items():
            rows[attribute].append(cells[column])
        head.append(_head(cells[6], number, source, heads))
        numbers.append(number)


def _check_extra(name: str, number: int, source: str) -> None:
    """Refuse a first column that is neither a word range (3-4) nor an empty node (8.1)."""
    first, _, second = name.replace(".", "-", 1).partition("-")
    if not (first.isdecimal() and second.isdecimal()):
        raise FormatError(
            f"{name!r} is not a word number",
            source=source,
            line=number,
            remedy="write 3, a range 3-4 or an empty node 8.1",
        )


def _head(cell: str, number: int, source: str, heads: bool) -> int:
    """A head as a number; -1 if it is missing and not required."""
    if cell.isdecimal() and len(cell) < 7:
        return int(cell)
    if cell == "_" and not heads:
        return -1
    problem = "the head is missing" if cell == "_" else f"the head {cell!r} is not a number"
    raise FormatError(
        problem, source=source, line=number, remedy="give the number of the head, 0 for the root"
    )


def _checked(corpus: Conllu) -> Conllu:
    check_heads(corpus.trees, source=corpus.source)
    return corpus


def _without_broken(corpus: Conllu) -> Conllu:
    """The sentences whose heads are trees; the others are reported."""
    trees = corpus.trees
    bad, fault, row = broken_trees(trees)
    kept = np.setdiff1d(np.arange(len(trees)), bad)
    reports = [f"{corpus.source}:{trees.line[r]}: {FAULTS[int(f)][0]}" for f, r in zip(fault, row)]
    text = tuple(corpus.text[s] for s in kept)
    return Conllu(trees.select(kept), text, corpus.source, (*corpus.skipped, *reports))


def from_sentences(sentences: Sequence[Sequence[str]], *, source: str = "tokens") -> Conllu:
    """Token lists as CoNLL-U without heads."""
    text = tuple(
        tuple(word_line(i, token) for i, token in enumerate(sentence, start=1)) for sentence in sentences
    )
    return Conllu(from_tokens(sentences), text, source)


def word_line(
    number: int,
    form: str,
    upos: str = "_",
    xpos: str = "_",
    head: object = "_",
    relation: str = "_",
    misc: str = "_",
) -> str:
    """The line of one word."""
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{misc}"


def sentence_lines(
    text: Sequence[str],
    heads: Sequence[int],
    relations: Sequence[str],
    comments: Sequence[str] = (),
    tags: Sequence[Sequence[str]] | None = None,
) -> list[str]:
    """The lines of a sentence with other heads and relations; enhanced arcs of words are dropped.

    tags: lemma, universal tag, other tag and features of each word, if they are predicted too.
    """
    out, i = list(comments), 0
    for line in text:
        name = line.partition("\t")[0]
        if not name.isdecimal():
            out.append(line)
            continue
        cells = line.split("\t")
        cells[6], cells[7], cells[8] = str(heads[i]), relations[i], "_"
        if tags is not None:
            cells[2:6] = tags[i]
        out.append("\t".join(cells))
        i += 1
    return out


def write_conllu(
    stream: TextIO,
    corpus: Conllu,
    head: AnyArray,
    relations: Sequence[str],
    tags: Sequence[Sequence[str]] | None = None,
) -> None:
    """Write a corpus with new heads (T,), relations and, if given, tags (one per word); the rest is unchanged."""
    heads, offsets = head.tolist(), corpus.trees.offsets.tolist()
    for s, text in enumerate(corpus.text):
        low, high = offsets[s], offsets[s + 1]
        known = None if tags is None else tags[low:high]
        lines = sentence_lines(text, heads[low:high], relations[low:high], tags=known)
        stream.write("\n".join(lines) + "\n\n")


class Lists(Protocol):
    """The best trees of every sentence, best first: heads (k, T), scores (S, k), and how many there are, (S,)."""

    @property
    def heads(self) -> AnyArray: ...

    @property
    def scores(self) -> AnyArray: ...

    @property
    def found(self) -> AnyArray: ...


def write_lists(
    stream: TextIO, corpus: Conllu, lists: Lists, relations: Sequence[Sequence[str]], *, ranked: bool = True
) -> None:
    """Write each sentence once per tree, with rank and score in comments if ``ranked``.

    relations: one row of names per rank.
    """
    offsets = corpus.trees.offsets.tolist()
    for s, text in enumerate(corpus.text):
        low, high = offsets[s], offsets[s + 1]
        for rank in range(int(lists.found[s])):
            notes = [f"{RANK}{rank + 1}", f"{SCORE}{lists.scores[s, rank]:.6f}"] if ranked else []
            heads = lists.heads[rank, low:high].tolist()
            lines = sentence_lines(text, heads, relations[rank][low:high], notes)
            stream.write("\n".join(lines) + "\n\n")
