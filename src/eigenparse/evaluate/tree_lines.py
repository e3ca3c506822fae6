"""Lines of text in, one sentence per line out, read as EVALB reads them.

The treebank reader refuses what is not a tree.  A scorer cannot: the output of a parser also has
lines for its failures (empty, ``(())``, ``(TOP )``), and each must stay opposite its gold tree.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, as_ids, as_offsets
from eigenparse.corpus.columns import Treebank

# An opening bracket with its label and, for a tag, the word (perhaps none) and the closing
# bracket; or a closing bracket; or text that stands where no text may stand.  Nothing is ever
# matched twice (``++``), so that long blanks take linear time.
_TOKEN = re.compile(r"\(([^\s()]*+)(?:\s++([^\s()]*+)\s*+\))?|(\))|[^\s()]++", re.ASCII)


@dataclass(frozen=True, slots=True)
class TreeLines:
    """One sentence for each line, a line without a tree being a sentence without rows.

    broken: (S,) lines whose brackets do not match or that have text outside tags.
    unclosed: (N,) brackets that were never closed (they end with their line).
    """

    treebank: Treebank
    broken: BoolVector
    unclosed: BoolVector

    @classmethod
    def of(cls, treebank: Treebank) -> "TreeLines":
        """Trees in which nothing is broken."""
        return cls(
            treebank, np.zeros(len(treebank), dtype=np.bool_), np.zeros(treebank.label.size, dtype=np.bool_)
        )


class _Columns:
    """Rows under construction."""

    __slots__ = ("broken", "label", "labels", "offsets", "parent", "unclosed", "word", "words")

    def __init__(self) -> None:
        self.labels: dict[str, int] = {}
        self.words: dict[str, int] = {}
        self.label: list[int] = []
        self.parent: list[int] = []
        self.word: list[int] = []
        self.unclosed: list[int] = []
        self.offsets = [0]
        self.broken: list[bool] = []

    def add_row(self, label: str, word: int, children: list[int]) -> int:
        row = len(self.label)
        self.label.append(self.labels.setdefault(label, len(self.labels)))
        self.word.append(word)
        self.parent.append(-1)
        for child in children:
            self.parent[child] = row
        return row

    def add_line(self, line: str) -> None:
        """Read one line; what is left open at its end is closed and marked."""
        waiting: list[int] = []  # finished rows without a parent
        stack: list[tuple[str, int]] = []  # label of each open bracket, rows that waited before it
        broken = False
        for match in _TOKEN.finditer(line):
            label, word, close = match.groups()
            if word is not None:
                waiting.append(self.add_row(label, self.words.setdefault(word, len(self.words)), []))
            elif label is not None:
                stack.append((label, len(waiting)))
            elif close and stack:
                waiting[stack[-1][1] :] = [self.add_row(stack[-1][0], -1, waiting[stack[-1][1] :])]
                stack.pop()
            else:
                broken = True
        while stack:
            broken = True
            label, below = stack.pop()
            waiting[below:] = [self.add_row(label, -1, waiting[below:])]
            self.unclosed.append(waiting[below])
        self.offsets.append(len(self.label))
        self.broken.append(broken)


def read_tree_lines(lines: Sequence[str]) -> TreeLines:
    """The sentences of lines, one each.

    >>> lines = read_tree_lines(["(S (NN rain))", "", "(S (NN"])
    >>> np.diff(lines.treebank.offsets).tolist(), lines.broken.tolist()
    ([2, 0, 2], [False, False, True])
    """
    columns = _Columns()
    for line in lines:
        columns.add_line(line)
    treebank = Treebank(
        label=as_ids(columns.label),
        parent=as_ids(columns.parent),
        word=as_ids(columns.word),
        offsets=as_offsets(columns.offsets),
        line=np.arange(1, len(lines) + 1, dtype=np.int64),
        labels=tuple(columns.labels),
        words=tuple(columns.words),
    )
    unclosed = np.zeros(len(columns.label), dtype=np.bool_)
    unclosed[columns.unclosed] = True
    return TreeLines(treebank, np.array(columns.broken, dtype=np.bool_), unclosed)
