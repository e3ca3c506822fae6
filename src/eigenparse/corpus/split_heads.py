"""Dependency trees as binary trees of split heads, which the latent PCFG learners take as they are."""

import numpy as np

from eigenparse.arrays import AnyArray, as_ids, as_offsets
from eigenparse.corpus.columns import Label, Trees
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import DataError
from eigenparse.kernels.dependency.split_heads import split_heads

KINDS = ("", "0", ">", "<")


def word_tags(trees: Dependencies, tags: str) -> tuple[tuple[str, ...], AnyArray]:
    """Names of tags and (T,) the tag of every word: ``upos``, or ``tag``, the finer one where there is one."""
    upos, xpos = trees.symbols["upos"], trees.symbols["xpos"]
    if tags == "upos":
        return upos, trees.upos
    names = (*xpos, *upos)
    missing = np.array([tag == "_" for tag in xpos], dtype=bool)[trees.xpos]
    return names, np.where(missing, trees.upos + np.int32(len(xpos)), trees.xpos)


def split_head_trees(trees: Dependencies, *, tags: str = "upos") -> Trees:
    """Binary trees of projective dependency trees; sentences without words are not allowed.

    A word with all its children is labelled by its tag; an incomplete head by its tag and the tag of its last child.
    """
    if trees.lengths().min(initial=1) < 1:
        raise DataError("a sentence without words has no tree; leave it out")
    n_rows = 2 * trees.n_words - len(trees)
    kind, owner = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    left, right = np.zeros(n_rows, dtype=np.int32), np.zeros(n_rows, dtype=np.int32)
    bad = split_heads(trees.head, trees.offsets, kind, owner, left, right)
    if bad:
        raise DataError(f"sentence {bad} is not a projective tree; lift its crossing arcs first")
    names, tag = word_tags(trees, tags)
    used, label = np.unique(kind * len(names) + tag[owner], return_inverse=True)
    labels = tuple(_label(names[c % len(names)], c // len(names)) for c in used.tolist())
    forms, form = np.unique(trees.form, return_inverse=True)  # a part of a corpus has symbols it does not use
    return Trees(
        label=as_ids(label.ravel()),
        left=left,
        right=right,
        word=as_ids(np.where(left < 0, form.ravel()[owner], -1)),
        offsets=as_offsets(2 * trees.offsets - np.arange(len(trees) + 1)),
        labels=labels,
        words=tuple(trees.symbols["form"][i] for i in forms.tolist()),
    )


def _label(tag: str, kind: int) -> Label:
    return Label((tag,), partial=True, siblings=(KINDS[kind],)) if kind else Label((tag,))
