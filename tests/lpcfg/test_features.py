"""Node columns and feature templates on trees worked by hand, and against slow twins."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.transform import binarise
from eigenparse.errors import OptionError
from eigenparse.features.grammar.tree import KNOWN, NodeView, key, node_view
from eigenparse.learn.grammar.encode import encoded_whole
from eigenparse.learn.grammar.states import NodeFeatures, StateOptions, node_features, sample_nodes
from tolerances import SINGLE

TEXT = """
(TOP (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (JJ big) (NN cat)))))
(TOP (S (NP (NNP Kim)) (VP (VBD slept) (ADVP (RB well)))))
(TOP (S (NP (NP (DT the) (NN cat)) (PP (IN of) (NP (NNP Kim)))) (VP (VBD saw) (NP (DT the) (NN dog)))))
(TOP (INTJ (UH oh)))
"""
ROWS = ["DT", "NN", "NP", "VBD", "DT", "JJ", "NN", "@NP", "NP", "VP", "S"]  # the first tree in post-order


def corpus() -> tuple[Trees, NodeView]:
    trees = binarise(normalise(parse_trees(TEXT)))
    return trees, node_view(trees, trees.word)


def names(trees: Trees, ids: np.ndarray) -> list[str | None]:
    return [str(trees.labels[a]) if a >= 0 else None for a in ids]


def test_first_tree_by_hand() -> None:
    trees, view = corpus()
    first = slice(0, 11)
    assert names(trees, trees.label[first]) == ROWS
    assert view.start[first].tolist() == [0, 1, 0, 2, 3, 4, 5, 4, 3, 2, 0]
    assert view.size[first].tolist() == [1, 1, 2, 1, 1, 1, 1, 2, 3, 4, 6]
    assert view.before[first].tolist() == view.start[first].tolist()
    assert view.after[first].tolist() == [5, 4, 4, 3, 2, 1, 0, 0, 0, 0, 0]
    assert view.parent[first].tolist() == [2, 2, 10, 9, 8, 7, 7, 8, 9, 10, -1]


def test_heads_by_hand() -> None:
    """NN heads NP through the intermediate node, VBD heads VP and S."""
    trees, view = corpus()
    heads = ["DT", "NN", "NN", "VBD", "DT", "JJ", "NN", "NN", "NN", "VBD", "VBD"]
    assert names(trees, view.head[:11]) == heads
    above = ["NN", "VBD", "VBD", None, "NN", "NN", "VBD", "VBD", "VBD", None, None]
    assert names(trees, view.other_head[:11]) == above
    second = names(trees, trees.label[11:16])
    assert second == ["NP|NNP", "VBD", "ADVP|RB", "VP", "S"]
    assert names(trees, view.head[11:16]) == ["NP|NNP", "VBD", "ADVP|RB", "VBD", "VBD"]


def test_tags_beside_by_hand() -> None:
    trees, view = corpus()
    before = [None, "DT", None, "NN", "VBD", "DT", "JJ", "DT", "VBD", "NN", None]
    after = ["NN", "VBD", "VBD", "DT", "JJ", "NN", None, None, None, None, None]
    assert names(trees, view.tag_before[:11]) == before
    assert names(trees, view.tag_after[:11]) == after
    assert names(trees, view.tag_before[11:16]) == [None, "NP|NNP", "VBD", "NP|NNP", None]
    assert view.tag_before[-1] == view.tag_after[-1] == -1  # a one-word sentence has no neighbours


@dataclass
class Node:
    """A node with pointers, for slow twins."""

    label: int
    word: int
    view_row: int
    left: Any = None
    right: Any = None
    parent: Any = None
    span: tuple[int, int, int] = (0, 0, 0)
    extra: dict[str, int] = field(default_factory=dict)


def nodes(trees: Trees, view: NodeView) -> list[Node]:
    made = [Node(int(a), int(w), i) for i, (a, w) in enumerate(zip(trees.label, trees.word))]
    for s in range(len(trees)):
        rows = range(trees.offsets[s], trees.offsets[s + 1])
        n = sum(trees.word[i] >= 0 for i in rows)
        done = 0
        for i in rows:
            node = made[i]
            if node.word >= 0:
                node.span = (done, done + 1, n)
                done += 1
                continue
            node.left, node.right = made[trees.left[i]], made[trees.right[i]]
            node.left.parent = node.right.parent = node
            node.span = (node.left.span[0], node.right.span[1], n)
    for node in made:
        node.extra = {
            name: int(getattr(view, name)[node.view_row])
            for name in ("head", "other_head", "tag_before", "tag_after")
        }
    return made


def rule(node: Node) -> tuple[Any, ...]:
    return (node.label, node.word) if node.left is None else (node.label, node.left.label, node.right.label)


def marked(node: Node | None) -> Any:
    """The rule above a node and which child the node is."""
    return None if node is None or node.parent is None else (rule(node.parent), node.parent.left is node)


def up(node: Node | None, times: int) -> Node | None:
    for _ in range(times):
        node = node.parent if node is not None else None
    return node


def name_of(node: Node | None) -> int | None:
    return None if node is None else node.label


def or_word(node: Node, value: Callable[[], Any]) -> Any:
    return rule(node) if node.left is None else value()


TWINS: dict[str, Callable[[Node], Any]] = {
    "left-child": lambda n: or_word(n, lambda: (n.label, n.left.label)),
    "right-child": lambda n: or_word(n, lambda: (n.label, n.right.label)),
    "rule": rule,
    "rule-and-left-rule": lambda n: or_word(n, lambda: (rule(n), rule(n.left))),
    "rule-and-right-rule": lambda n: or_word(n, lambda: (rule(n), rule(n.right))),
    "head-tag": lambda n: (n.label, n.extra["head"]),
    "words": lambda n: (n.label, n.span[1] - n.span[0]),
    "rule-above": lambda n: (n.label, marked(n)),
    "two-rules-above": lambda n: (n.label, marked(n), marked(up(n, 1))),
    "three-rules-above": lambda n: (n.label, marked(n), marked(up(n, 1)), marked(up(n, 2))),
    "parent": lambda n: (n.label, name_of(up(n, 1))),
    "parent-and-grandparent": lambda n: (n.label, name_of(up(n, 1)), name_of(up(n, 2))),
    "other-head": lambda n: (n.label, n.extra["other_head"]),
    "words-before": lambda n: (n.label, n.span[0]),
    "words-after": lambda n: (n.label, n.span[2] - n.span[1]),
    "left-label": lambda n: (n.label, name_of(n.left)),
    "right-label": lambda n: (n.label, name_of(n.right)),
    "grandparent": lambda n: (n.label, name_of(up(n, 2))),
    "second-rule-above": lambda n: (n.label, marked(up(n, 1))),
    "tag-before": lambda n: (n.label, n.extra["tag_before"]),
    "tag-after": lambda n: (n.label, n.extra["tag_after"]),
}


@pytest.mark.parametrize("name", list(KNOWN))
def test_every_template_tells_apart_what_its_twin_does(name: str) -> None:
    trees, view = corpus()
    keys = KNOWN[name](view).tolist()
    twins = [TWINS[name](node) for node in nodes(trees, view)]
    assert len(set(zip(keys, map(repr, twins)))) == len(set(keys)) == len(set(map(repr, twins)))
    assert len(set(keys)) > 4


def test_long_spans_look_alike() -> None:
    leaves = " ".join("(N w)" for _ in range(60))
    trees = binarise(normalise(parse_trees(f"(TOP (X {leaves}))")))
    view = node_view(trees, trees.word)
    keys = KNOWN["words"](view)
    partial = trees.label == trees.label[trees.offsets[1] - 2]
    assert len(set(keys[partial].tolist())) == 39  # sizes 2 to 40, and all beyond as 40


def featured(**options: Any) -> tuple[NodeFeatures, NodeView]:
    """Features of all nodes by label, and what feature functions see; inside and outside have the same functions."""
    trees, view = corpus()
    chosen = StateOptions(outside=options["inside"], **options)
    encoded = encoded_whole(trees, 0)
    count = np.bincount(trees.label, minlength=len(trees.labels))
    return node_features([sample_nodes(encoded, chosen)], count, chosen), view


def test_features_are_numbered_and_scaled() -> None:
    names = ("rule", "parent")
    found, view = featured(inside=names, kappa=5.0)
    assert found
    for one in found.values():
        for t, name in enumerate(names):
            keys, ids = KNOWN[name](view), one.inside.ids[:, t]
            for i, row in enumerate(one.rows):
                same = keys == keys[row]
                assert np.array_equal(ids == ids[i], same[one.rows])
                wanted = np.sqrt(view.label.size / (same.sum() + 5.0))
                assert_allclose(one.inside.scale[ids[i]], wanted, rtol=SINGLE)
        assert not set(one.inside.ids[:, 0].tolist()) & set(one.inside.ids[:, 1].tolist())
        assert set(one.inside.ids.ravel().tolist()) == set(range(one.inside.scale.size))
        assert one.inside_keys.size == one.inside.scale.size
    plain, _ = featured(inside=names, kappa=None, precision="double")
    assert all(
        one.inside.scale.dtype == np.float64 and np.all(one.inside.scale == 1) for one in plain.values()
    )


def test_every_node_of_a_label_is_looked_at() -> None:
    found, view = featured(inside=tuple(KNOWN))
    for a, n in Counter(view.label.tolist()).items():
        assert (a in found) == (n > 1)
        assert a not in found or np.array_equal(found[a].rows, np.flatnonzero(view.label == a))


def test_users_may_bring_their_own_functions() -> None:
    found, view = featured(inside=(lambda v: key(v.label, v.start % 2),), kappa=None)
    for one in found.values():
        odd = view.start[one.rows] % 2
        ids = one.inside.ids[:, 0]
        assert np.array_equal(ids[:, None] == ids, odd[:, None] == odd)


def test_unknown_features_are_refused() -> None:
    with pytest.raises(OptionError, match="unknown feature 'colour'"):
        featured(inside=("colour",))
