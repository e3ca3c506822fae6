"""Columns in, ``nltk.Tree`` objects out, and back."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from eigenparse.arrays import as_ids, as_offsets
from eigenparse.corpus.columns import Treebank
from eigenparse.errors import DataError


def _tree_class() -> Any:
    """The class ``nltk.Tree``."""
    try:
        from nltk.tree import Tree
    except ImportError:
        raise DataError("nltk is not installed; run pip install 'eigenparse[nltk]'") from None
    return Tree


def to_nltk(treebank: Treebank) -> list[Any]:
    """Every tree as an ``nltk.Tree``."""
    make = _tree_class()
    offsets = treebank.offsets.tolist()
    label, parent, word = treebank.label.tolist(), treebank.parent.tolist(), treebank.word.tolist()
    children: list[list[Any]] = [[] for _ in label]
    found = []
    for r, up in enumerate(parent):
        below = [treebank.words[word[r]]] if word[r] >= 0 else children[r]
        node = make(treebank.labels[label[r]], below)
        if up >= 0:
            children[up].append(node)
        else:
            found.append(node)
    if len(found) != len(offsets) - 1:
        raise DataError("a tree has several roots; read the corpus again")
    return found


def from_nltk(trees: Iterable[Any]) -> Treebank:
    """Columns of ``nltk.Tree`` objects, whose leaves are words alone under their tags."""
    labels: dict[str, int] = {}
    words: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []  # label, parent, word
    stops = [0]
    for number, tree in enumerate(trees, start=1):
        _append(tree, number, rows, labels, words)
        stops.append(len(rows))
    columns = as_ids(rows).reshape(-1, 3)
    label, parent, word = (np.ascontiguousarray(column) for column in columns.T)
    line = np.arange(1, len(stops), dtype=np.int64)
    return Treebank(label, parent, word, as_offsets(stops), line, tuple(labels), tuple(words))


def _append(
    tree: Any, number: int, rows: list[tuple[int, int, int]], labels: dict[str, int], words: dict[str, int]
) -> None:
    """Append the rows of one tree in post-order, without recursion."""
    if isinstance(tree, str):
        raise DataError(f"tree {number} is a word, not a tree; give it a tag")
    stack: list[tuple[Any, int, list[int]]] = [(tree, 0, [])]
    while stack:
        node, done, below = stack.pop()
        if _is_tag(node, number):
            row = (_id(labels, node.label()), -1, _id(words, node[0]))
        elif done < len(node):
            stack += [(node, done + 1, below), (node[done], 0, [])]
            continue
        else:
            row = (_id(labels, node.label()), -1, -1)
        for child in below:
            rows[child] = (rows[child][0], len(rows), rows[child][2])
        if stack:
            stack[-1][2].append(len(rows))
        rows.append(row)


def _is_tag(node: Any, number: int) -> bool:
    """Whether a node is a tag over one word; refuses what columns cannot hold."""
    n_words = sum(isinstance(child, str) for child in node)
    if len(node) == 0 or (n_words and len(node) > 1):
        problem = (
            "holds neither a word nor a phrase" if len(node) == 0 else "holds a word beside something else"
        )
        raise DataError(
            f"tree {number}: the node {node.label()!r} {problem}; give every word a tag of its own"
        )
    return n_words == 1


def _id(symbols: dict[str, int], symbol: Any) -> int:
    return symbols.setdefault(str(symbol), len(symbols))
