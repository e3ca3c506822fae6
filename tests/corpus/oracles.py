"""Slow, recursive twins of the readers and transforms, on nested tuples; and random trees.

A tree is ``(label, [children])`` or ``(tag, word)``.
"""

from typing import Any

from hypothesis import strategies as st

from eigenparse.corpus.brackets import format_trees, take_trees
from eigenparse.corpus.columns import Label, Treebank, Trees

Tree = tuple[Any, Any]

NASTY = st.text(alphabet="AB|@^-=<>,+$#%;*/\\é漢\u00a0\u2028\x00\x1f\"'", min_size=1, max_size=4)
COMMON = st.sampled_from(
    ["S", "NP", "NP-SBJ", "NP=2", "VP|NP", "TOP", "ROOT", "S1", "-NONE-", "ID", "CODE", "ID-1"]
)
EDITORIAL = st.sampled_from(["METADATA", "", "-LRB-", "TOP-1", "ROOT-X", "VROOT"])


def trees(labels: st.SearchStrategy[str], words: st.SearchStrategy[str] = NASTY) -> st.SearchStrategy[Tree]:
    """Random trees, with unary chains and wide nodes."""
    tags = st.tuples(labels.filter(bool), words)
    return st.recursive(
        tags,
        lambda below: st.tuples(labels, st.lists(below, min_size=1, max_size=5)),
        max_leaves=12,
    )


def clean_trees(labels: st.SearchStrategy[str]) -> st.SearchStrategy[Tree]:
    """Random trees as normalisation leaves them."""
    top = st.lists(trees(labels), min_size=1, max_size=4).map(lambda below: ("TOP", below))
    return top.filter(lambda tree: normalised(tree, keep_tags=True, strip=False) == tree)


def written(tree: Tree) -> str:
    """Brackets of a tree."""
    label, below = tree
    inside = below if isinstance(below, str) else " ".join(map(written, below))
    return f"({label} {inside})"


def all_written(found: list[Tree]) -> str:
    return "".join(written(tree) + "\n" for tree in found)


def nested(treebank: Treebank) -> list[Tree]:
    """Columns as nested tuples."""
    below: list[list[Tree]] = [[] for _ in treebank.label]
    found: list[Tree] = []
    for r, (a, up, x) in enumerate(zip(treebank.label, treebank.parent, treebank.word, strict=True)):
        node = (treebank.labels[a], treebank.words[x] if x >= 0 else below[r])
        (below[up] if up >= 0 else found).append(node)
    return found


def nested_binary(trees: Trees) -> list[Tree]:
    """Binary columns as nested tuples with ``Label`` objects."""
    made: list[Tree] = []
    for a, b, c, x in zip(trees.label, trees.left, trees.right, trees.word, strict=True):
        made.append((trees.labels[a], trees.words[x] if x >= 0 else [made[b], made[c]]))
    return [made[r] for r in trees.root]


def stripped(label: str) -> str:
    if label[:1] == "-":
        return label
    for k, c in enumerate(label):
        if k and c in "-=|":
            return label[:k]
    return label


ROOTS = ("", "ROOT", "TOP", "S1", "VROOT")


def normalised(tree: Tree, *, keep_tags: bool = False, strip: bool = True) -> Tree | None:
    """One tree cleaned step by step: prune, rename, find the root, merge."""
    clean = stripped if strip else (lambda label: label)

    def pruned(node: Tree, below_root: bool) -> Tree | None:
        label, below = node
        if stripped(label) in ("-NONE-", "CODE", "METADATA") or (stripped(label) == "ID" and below_root):
            return None
        if isinstance(below, str):
            return (label if keep_tags else clean(label), below)
        left = [pruned(child, below_root and stripped(label) in ROOTS) for child in below]
        kept = [child for child in left if child is not None]
        return (clean(label), kept) if kept else None

    def merged(node: Tree) -> Tree:
        label, below = node
        while not isinstance(below, str) and len(below) == 1 and below[0][0] == label:
            if isinstance(below[0][1], str):
                break
            below = below[0][1]
        return (label, below if isinstance(below, str) else [merged(child) for child in below])

    left = pruned(tree, True)
    if left is None:
        return None
    if isinstance(left[1], str) or left[0] not in ROOTS:
        return merged(("TOP", [left]))
    below = left[1]
    while len(below) == 1 and not isinstance(below[0][1], str) and below[0][0] in ROOTS:
        below = below[0][1]
    return merged(("TOP", below))


def binarised(tree: Tree, factor: str, horizontal: int, vertical: int) -> Tree:
    """One normalised tree made binary by the definitions."""
    if len(tree[1]) == 1 and tree[1][0][0] != "TOP":
        return _binary(tree[1][0], ("TOP",), factor, horizontal, vertical)
    return _binary(tree, (), factor, horizontal, vertical)


def _binary(tree: Tree, above: tuple[str, ...], factor: str, horizontal: int, vertical: int) -> Tree:
    chain, ancestors = [tree[0]], above
    while not isinstance(tree[1], str) and len(tree[1]) == 1:
        ancestors = (tree[0], *ancestors)
        tree = tree[1][0]
        chain.append(tree[0])
    if isinstance(tree[1], str):
        return (Label(tuple(chain)), tree[1])
    children = tree[1] if factor == "right" else tree[1][::-1]
    made = [_binary(child, (tree[0], *ancestors), factor, horizontal, vertical) for child in children]
    names = [child[0] for child in children]
    node = made[-1]
    for k in range(len(made) - 2, -1, -1):
        label = Label(tuple(chain), above=above[: vertical - 1])
        if k:
            remembered = tuple(names[max(k - horizontal, 0) : k])
            label = Label((tree[0],), True, remembered, ancestors[: vertical - 1])
        node = (label, [made[k], node] if factor == "right" else [node, made[k]])
    return node


def format_tree(treebank: Treebank, i: int) -> str:
    """Tree ``i`` on one line."""
    return format_trees(take_trees(treebank, i, i + 1)).decode("utf-8").rstrip("\n")
