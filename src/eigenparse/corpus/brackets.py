"""Penn-style brackets in, columns of trees out, and back.

Labels and words are kept as written (``-LRB-`` stays ``-LRB-``, function tags and traces stay);
``eigenparse.corpus.normalise`` cleans them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from eigenparse.arrays import AnyArray, IntMatrix, IntVector, LongMatrix, LongVector, as_ids, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.files import (
    LIMIT,
    STANDARD_INPUT,
    find_files,
    path_given,
    read_bytes,
    read_head,
    write_whole,
)
from eigenparse.corpus.recognise import HEAD, may_be_trees, misplaced, recognise
from eigenparse.errors import DataError, FormatError, ResourceError
from eigenparse.kernels import brackets as kernel

MAX_PROBLEMS = 1000
MIN_WORDS_PER_SPLIT = 100
MOST_INDENTS = 40  # deeper phrases are not indented further
_PROBLEMS = {
    kernel.NEVER_CLOSED: ("the bracket opened here is never closed", "add the missing ')'"),
    kernel.UNMATCHED: ("this ')' closes nothing", "remove it or add the missing '('"),
    kernel.OUTSIDE: ("text stands outside brackets", "put it into a tree or start the line with '#'"),
    kernel.CHILDLESS: ("a bracket holds neither a word nor a phrase", "give it a child or remove it"),
    kernel.MIXED: ("a word stands beside a phrase", "put the word under a tag of its own"),
    kernel.TWO_WORDS: ("two words stand under one tag", "give each word a tag of its own"),
    kernel.OPEN_COMMENT: ("the comment opened here is never closed", "add the missing '*/'"),
    kernel.NOT_UTF8: ("the text is not UTF-8", "convert the file to UTF-8"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The trees of some files, and what was skipped or repaired.

    sources: (F,) names of the files; first: (F + 1,) the number of each file's first tree.
    problems holds at most MAX_PROBLEMS of the ``n_skipped`` broken trees.  ``n_split`` words
    shared a tag with another word and got a tag node of their own.  left_out: files of folders
    that hold no trees.
    """

    treebank: Treebank
    sources: tuple[str, ...]
    first: LongVector
    n_skipped: int
    n_split: int
    problems: tuple[FormatError, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """The trees of one file, with symbol ids of its own.  problems: (P, 2) kind and line."""

    treebank: Treebank
    n_skipped: int
    n_split: int
    problems: LongMatrix


def read_trees(paths: str | Path | Iterable[str | Path], *, skip_broken: bool = False) -> Treebank:
    """All trees of files, directories and globs, in order; ``-`` is standard input."""
    return read_trees_report(paths, skip_broken=skip_broken).treebank


def read_trees_report(paths: str | Path | Iterable[str | Path], *, skip_broken: bool = False) -> Reading:
    """All trees of files, directories and globs, and what had to be skipped.

    Raises FormatError at the first broken tree unless ``skip_broken``; then reading goes on at
    the next line that starts with a bracket.
    """
    files, left_out = tree_files(paths)
    reading = _reading(((str(path), read_bytes(path)) for path in files), skip_broken)
    return replace(reading, left_out=left_out)


def tree_files(paths: str | Path | Iterable[str | Path]) -> tuple[list[Path], tuple[str, ...]]:
    """The files of trees that paths, folders and globs name, and files of folders that hold none, as a README.txt."""
    given = [paths] if isinstance(paths, str | Path) or not isinstance(paths, Iterable) else list(paths)
    named = {path_given(path) for path in given} | {STANDARD_INPUT}
    files: list[Path] = []
    left_out: list[str] = []
    for path in find_files(given):
        if path in named or not path.is_file() or may_be_trees(read_head(path)):
            files.append(path)
        else:
            left_out.append(str(path))
    if not files:
        raise DataError(
            f"{left_out[0]}: neither this file nor one beside it holds trees; name the files themselves"
        )
    return files, tuple(left_out)


def notes(reading: Reading) -> list[str]:
    """Messages for the user about what was skipped or repaired."""
    told = [f"left out {path}, which holds no trees" for path in reading.left_out[:5]]
    if reading.n_skipped:
        told.append(f"skipped {reading.n_skipped} broken trees, the first at {reading.problems[0]}")
    if reading.n_split:
        told.append(f"{reading.n_split} words shared a tag with another word and got that tag for themselves")
    return told


def parse_trees(text: bytes | str, source: str = "<text>", *, skip_broken: bool = False) -> Treebank:
    """The trees of a text.

    >>> parse_trees("(S (NP (NN rain)) (VP (VBZ falls)))").words
    ('rain', 'falls')
    """
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    return _reading([(source, content.removeprefix(b"\xef\xbb\xbf"))], skip_broken).treebank


def _reading(contents: Iterable[tuple[str, bytes]], skip_broken: bool) -> Reading:
    """Read each content and join the parts under common symbol ids."""
    parts: list[Treebank] = []
    sources: list[str] = []
    problems: list[FormatError] = []
    n_skipped = n_split = 0
    for source, content in contents:
        part = _read_part(content, source, skip_broken)
        found = [_error(int(kind), int(line), source) for kind, line in part.problems]
        if not len(part.treebank) and not found:
            found = [_no_trees(source)]
        if found and not (skip_broken and len(part.treebank)):
            _refuse_other_kinds(content, source)
        if found and not skip_broken:
            raise found[0]
        problems.extend(found[: MAX_PROBLEMS - len(problems)])
        n_skipped += max(part.n_skipped, len(found))
        n_split += part.n_split
        parts.append(part.treebank)
        sources.append(source)
    first = as_offsets(np.cumsum([0] + [len(part) for part in parts]))
    return Reading(join_treebanks(parts), tuple(sources), first, n_skipped, n_split, tuple(problems))


def _error(kind: int, line: int, source: str) -> FormatError:
    problem, remedy = _PROBLEMS[kind]
    return FormatError(problem, source=source, line=line, remedy=remedy)


def _refuse_other_kinds(content: bytes, source: str) -> None:
    """FormatError with the kind of a file that does not look like trees."""
    head = content[:HEAD]
    kind = recognise(head)
    if kind == "code" or (kind != "trees" and not may_be_trees(head)):
        raise misplaced(kind, source, "bracketed trees")


def _no_trees(source: str) -> FormatError:
    return FormatError(
        "the file holds no tree", source=source, line=1, remedy="check that it is the right file"
    )


def _read_part(content: bytes, source: str, skip_broken: bool) -> _Part:
    """Read one file into columns.

    In real corpora a tag rarely holds two words; a file where that is common has no tags.
    """
    if len(content) > LIMIT:
        raise ResourceError(f"{source}: more than {LIMIT} bytes; split the file")
    part = _scan(content, skip_broken, split=True)
    words = int(np.count_nonzero(part.treebank.word >= 0))
    return part if part.n_split * MIN_WORDS_PER_SPLIT <= words else _scan(content, skip_broken, split=False)


def _scan(content: bytes, skip_broken: bool, split: bool) -> _Part:
    """Scan the bytes into rows of slices, and the slices into ids."""
    data = np.frombuffer(content, dtype=np.uint8)
    n_open = int(np.count_nonzero(data == kernel.OPEN))
    n = n_open + (int(np.count_nonzero(data <= ord(" "))) if split else 0)
    rows = np.empty((n, 4), dtype=np.int32)
    parent, done = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    stack = np.empty((n_open + 1, 6), dtype=np.int32)
    stop, line = np.empty(n_open, dtype=np.int64), np.empty(n_open, dtype=np.int64)
    problems = np.zeros((MAX_PROBLEMS, 2), dtype=np.int64)
    state = np.array([0, 1, 0, 0, 0, 0], dtype=np.int64)
    scan = kernel.Scan(state, stack, done, rows, parent)
    kernel.scan_trees(data, skip_broken, split, scan, stop, line, problems)
    n_rows, n_trees, n_problems, n_split = state[kernel.ROWS :].tolist()
    treebank = _columns(content, rows[:n_rows], parent[:n_rows].copy(), stop[:n_trees], line[:n_trees].copy())
    return _Part(treebank, n_problems, n_split, problems[:n_problems])


def _columns(
    content: bytes, rows: IntMatrix, parent: IntVector, stop: LongVector, line: LongVector
) -> Treebank:
    """Columns of ids from rows of slices."""
    tagged = np.flatnonzero(rows[:, kernel.WORD] >= 0)
    label, labels = _intern(content, rows[:, kernel.LABEL], rows[:, kernel.LABEL_STOP])
    ids, words = _intern(content, rows[tagged, kernel.WORD], rows[tagged, kernel.WORD_STOP])
    word = np.full(parent.size, -1, dtype=np.int32)
    word[tagged] = ids
    return Treebank(label, parent, word, as_offsets(np.append(0, stop)), line, labels, words)


def _intern(content: bytes, start: IntVector, stop: IntVector) -> tuple[IntVector, tuple[str, ...]]:
    """Dense ids of slices in order of first occurrence, and the distinct symbols."""
    n = start.size
    start, stop = np.ascontiguousarray(start), np.ascontiguousarray(stop)
    table = np.full(1 << (2 * n).bit_length(), -1, dtype=np.int32)
    hashes, first = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.int64)
    ids = np.empty(n, dtype=np.int32)
    data = np.frombuffer(content, dtype=np.uint8)
    n_distinct = kernel.intern_slices(data, start, stop, table, hashes, ids, first)
    low, high = start[first[:n_distinct]].tolist(), stop[first[:n_distinct]].tolist()
    return ids, tuple(content[a:b].decode("utf-8") for a, b in zip(low, high, strict=True))


def join_treebanks(parts: Iterable[Treebank]) -> Treebank:
    """Treebanks one after the other, under common symbol ids in order of first occurrence."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise DataError("no treebank to join; name at least one file")
    labels: dict[str, int] = {}
    words: dict[str, int] = {}
    columns: list[tuple[IntVector, IntVector, IntVector]] = []
    start = 0
    for part in parts:
        label = _renumber(part.label, part.labels, labels)
        word = _renumber(part.word, part.words, words)
        columns.append((label, np.where(part.parent >= 0, part.parent + np.int32(start), -1), word))
        start += part.label.size
        if start > np.iinfo(np.int32).max:
            raise ResourceError("more than 2147483647 nodes in one treebank; read fewer files at a time")
    sizes = [np.diff(part.offsets) for part in parts]
    label, parent, word = (as_ids(np.concatenate(column)) for column in zip(*columns, strict=True))
    offsets = np.cumsum(np.concatenate([[0], *sizes]))
    line = np.concatenate([part.line for part in parts])
    weight = None
    if any(part.weight is not None for part in parts):
        weight = np.concatenate(
            [np.ones(len(part)) if part.weight is None else part.weight for part in parts]
        )
    return Treebank(
        label, parent, word, as_offsets(offsets), as_offsets(line), tuple(labels), tuple(words), weight
    )


def _renumber(ids: IntVector, symbols: tuple[str, ...], common: dict[str, int]) -> IntVector:
    """Ids into the common symbols, which grow; -1 stays -1."""
    to = [common.setdefault(symbol, len(common)) for symbol in symbols]
    return np.array([*to, -1], dtype=np.int32)[ids]


def format_trees(treebank: Treebank) -> bytes:
    """All trees as UTF-8 text, one per line; parentheses in symbols become ``-LRB-`` and ``-RRB-``.

    Raises DataError for symbols that brackets cannot hold.
    """
    labels, label_at = _encoded(treebank.labels, "label")
    words, word_at = _encoded(treebank.words, "word")
    if np.any((treebank.word >= 0) & (np.diff(label_at) == 0)[treebank.label]):
        raise DataError("a tag is empty, which brackets cannot represent; give every word a tag")
    label, parent, word = treebank.label, treebank.parent, treebank.word
    size = np.empty(label.size, dtype=np.int64)
    kernel.text_sizes(label, parent, word, np.diff(label_at), np.diff(word_at), size)
    root = treebank.offsets[1:] - 1
    stop = np.cumsum(size[root] + 1)
    text = np.full(int(stop[-1]) if stop.size else 0, ord(" "), dtype=np.uint8)
    text[stop - 1] = ord("\n")
    at = np.empty(label.size, dtype=np.int64)
    at[root] = stop - 1 - size[root]
    kernel.write_text(label, parent, word, size, at, kernel.Names(labels, label_at, words, word_at), text)
    return text.tobytes()


def _encoded(symbols: tuple[str, ...], what: str) -> tuple[AnyArray, LongVector]:
    """All symbols as bytes, escaped, and the offset of each."""
    try:
        coded = [escape(symbol).encode("utf-8") for symbol in symbols]
    except UnicodeEncodeError as problem:
        raise DataError(f"the {what} {problem.object!r} is not valid Unicode; replace it") from None
    for symbol, code in zip(symbols, coded, strict=True):
        if code.split() != [code] and (code or what == "word"):
            raise DataError(
                f"the {what} {symbol!r} is empty or contains spaces, which brackets cannot represent; replace it"
            )
    offsets = np.cumsum([0] + [len(code) for code in coded], dtype=np.int64)
    return np.frombuffer(b"".join(coded), dtype=np.uint8), offsets


def escape(symbol: str) -> str:
    """A symbol as it is written inside brackets."""
    return symbol.replace("(", "-LRB-").replace(")", "-RRB-")


def take_trees(treebank: Treebank, start: int, stop: int) -> Treebank:
    """Trees ``start`` up to, not including, ``stop``, with the same symbols."""
    low, high = int(treebank.offsets[start]), int(treebank.offsets[stop])
    parent = treebank.parent[low:high]
    return Treebank(
        label=treebank.label[low:high],
        parent=np.where(parent >= 0, parent - np.int32(low), parent),
        word=treebank.word[low:high],
        offsets=treebank.offsets[start : stop + 1] - low,
        line=treebank.line[start:stop],
        labels=treebank.labels,
        words=treebank.words,
        weight=None if treebank.weight is None else treebank.weight[start:stop],
    )


def indent(line: str) -> str:
    """A one-line tree as several lines: each phrase starts a line, tags stay with their words."""
    pieces: list[str] = []
    depth = 0
    for piece in line.split(" "):
        starts = piece.startswith("(")
        pieces.append(("\n" + " " * (2 * min(depth, MOST_INDENTS)) if starts and pieces else " ") + piece)
        depth += piece.count("(") - piece.count(")")
    return "".join(pieces).lstrip(" ")


def encode_trees(treebank: Treebank, *, pretty: bool = False) -> bytes:
    """All trees as they stand in a file."""
    text = format_trees(treebank)
    if not pretty:
        return text
    return "".join(indent(line) + "\n" for line in text.decode("utf-8").split("\n") if line).encode("utf-8")


def write_trees(treebank: Treebank, target: str | Path | IO[str]) -> None:
    """Write all trees to a path (whole or not at all) or a text stream."""
    text = format_trees(treebank)
    if isinstance(target, str | Path):
        write_whole(target, text)
    else:
        target.write(text.decode("utf-8"))
