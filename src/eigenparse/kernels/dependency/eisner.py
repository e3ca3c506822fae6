"""Scores of arcs and sibling pairs in, projective trees out: best, k best, and posteriors of arcs.

One chart serves both orders [eisner-1996, mcdonald-pereira-2006].  Words are 1..n, position 0 is
the root and has exactly one child.  Cells (kind, i, j):

    GAP   (i, j)   two heads i and j whose subtrees meet between them
    ARC_R (i, j)   arc i -> j          ARC_L (i, j)   arc j -> i
    OUT_R (i, j)   i with all its right descendants, up to j
    OUT_L (i, j)   j with all its left descendants, down to i

A cell's edges are numbered; ``edge_cells`` and ``edge_bonus`` are the whole grammar, and every
algorithm below is one loop over them.  Each tree has exactly one derivation, so k-best lists are
distinct.  scores[h, m]; siblings[h, s, m] with s = h for a first child; ends[side, h, s] where s is
the outermost child on side 0 (left) or 1 (right) and s = h if there is none.  With empty
``siblings`` and ``ends`` the model is first order.  An arc with score -inf is excluded.
"""

import numpy as np

from eigenparse.kernels.compiled import kernel

GAP, ARC_R, ARC_L, OUT_R, OUT_L = 0, 1, 2, 3, 4
NO_SIBLINGS = np.zeros((0, 0, 0), dtype=np.float32)
NO_ENDS = np.zeros((0, 0, 0))


@kernel
def n_edges(kind, i, j, second):
    """Number of ways to build a cell with i < j."""
    if kind == ARC_R or kind == ARC_L:  # noqa: SIM109
        return j - i if second else 1
    return j - i


@kernel
def edge_cells(kind, i, j, e, w, second):
    """The one or two cells that edge e of cell (kind, i, j) is built from; -1 for none."""
    if kind == GAP:
        return (OUT_R * w + i) * w + i + e, (OUT_L * w + i + e + 1) * w + j
    if kind == OUT_R:
        return (ARC_R * w + i) * w + i + 1 + e, (OUT_R * w + i + 1 + e) * w + j
    if kind == OUT_L:
        return (OUT_L * w + i) * w + i + e, (ARC_L * w + i + e) * w + j
    if not second:
        return (GAP * w + i) * w + j, -1
    if kind == ARC_R:
        if e == 0:
            return (OUT_L * w + i + 1) * w + j, -1
        return (ARC_R * w + i) * w + i + e, (GAP * w + i + e) * w + j
    if e == 0:
        return (OUT_R * w + i) * w + j - 1, -1
    return (GAP * w + i) * w + i + e, (ARC_L * w + i + e) * w + j


@kernel
def edge_bonus(kind, i, j, e, scores, siblings, ends, second):
    """What edge e of cell (kind, i, j) adds to the scores of the cells below it."""
    if kind == GAP:
        return 0.0
    if kind == OUT_R:
        return ends[1, i, i + 1 + e] if second else 0.0
    if kind == OUT_L:
        return ends[0, j, i + e] if second else 0.0
    if kind == ARC_R:
        return scores[i, j] + siblings[i, i + e, j] if second else scores[i, j]
    if not second:
        return scores[j, i]
    return scores[j, i] + siblings[j, j if e == 0 else i + e, i]


@kernel
def is_closed(kind, i, j, scores):
    """Whether a cell is an excluded arc."""
    return (kind == ARC_R and scores[i, j] == -np.inf) or (kind == ARC_L and scores[j, i] == -np.inf)


@kernel
def leaf_value(kind, i, ends, second):
    """Score of OUT_R (i, i) or OUT_L (i, i): no child on that side."""
    if not second:
        return 0.0
    return ends[1 if kind == OUT_R else 0, i, i]


@kernel
def root_bonus(r, scores, siblings, ends, second):
    """What choosing word r as the child of the root adds."""
    if second:
        return scores[0, r] + siblings[0, 0, r] + ends[1, 0, r]
    return scores[0, r]


# What it computes: the best derivation of every cell,  value(cell) = max over edges e of bonus(e) + value(a) +
# value(b)  with a, b the cells that e joins.  Layout: value and back are flat (5, n + 1, n + 1), cell (kind, i, j) at
# (kind (n + 1) + i)(n + 1) + j.  Order: by width, and within a width by kind: GAP is needed by the arcs of the same
# span, and arcs by the OUT cells.
@kernel
def fill_best(n, scores, siblings, ends, value, back):
    """Best value and edge of every cell, and (best total, word under the root)."""
    second = siblings.size > 0
    w = n + 1
    for i in range(1, n + 1):
        value[(OUT_R * w + i) * w + i] = leaf_value(OUT_R, i, ends, second)
        value[(OUT_L * w + i) * w + i] = leaf_value(OUT_L, i, ends, second)
    for width in range(1, n):
        for i in range(1, n + 1 - width):
            j = i + width
            for kind in range(5):
                top, which = -np.inf, 0
                for e in range(0 if is_closed(kind, i, j, scores) else n_edges(kind, i, j, second)):
                    a, b = edge_cells(kind, i, j, e, w, second)
                    if value[a] == -np.inf:
                        continue
                    total = value[a] + edge_bonus(kind, i, j, e, scores, siblings, ends, second)
                    if b >= 0:
                        total += value[b]
                    if total > top:
                        top, which = total, e
                value[(kind * w + i) * w + j] = top
                back[(kind * w + i) * w + j] = which
    top, root = -np.inf, 1
    for r in range(1, n + 1):
        total = value[(OUT_L * w + 1) * w + r] + value[(OUT_R * w + r) * w + n]
        total += root_bonus(r, scores, siblings, ends, second)
        if total > top:
            top, root = total, r
    return top, root


# What it computes: the arcs of the derivation behind the best total, from the edges that ``fill_best`` noted.  Layout:
# a stack of cells, each as one number (see ``fill_best``).  The word under the root has a left and a right half, which
# are opened first; every arc cell that is opened sets one head.  A stack, because kernels do not recurse.
@kernel
def best_tree(scores, siblings, ends, head):
    """Write the heads (n,) of the best projective tree; return its score."""
    n = head.size
    if n == 0:
        return 0.0
    second = siblings.size > 0
    w = n + 1
    value = np.empty(5 * w * w)
    back = np.empty(5 * w * w, dtype=np.int32)
    total, root = fill_best(n, scores, siblings, ends, value, back)
    head[root - 1] = 0
    stack = np.empty(4 * w + 4, dtype=np.int64)
    stack[0], stack[1] = (OUT_L * w + 1) * w + root, (OUT_R * w + root) * w + n
    size = 2
    while size > 0:
        size -= 1
        cell = stack[size]
        kind, i, j = cell // (w * w), cell // w % w, cell % w
        if i == j:
            continue
        if kind == ARC_R:
            head[j - 1] = i
        elif kind == ARC_L:
            head[i - 1] = j
        a, b = edge_cells(kind, i, j, np.int64(back[cell]), w, second)
        stack[size] = a
        size += 1
        if b >= 0:
            stack[size] = b
            size += 1
    return total


# What it computes: as ``fill_best``, with log sum exp in place of max:  value(cell) = log sum over edges e of
# exp(bonus(e) + value(a) + value(b));  the result is log Z, the sum over all trees.  Layout and order: those of
# ``fill_best``.  The terms of a cell are collected first, so that their largest can be taken out of the sum.
@kernel
def log_inside(n, scores, siblings, ends, value):
    """Log-sum of every cell, and of all trees."""
    second = siblings.size > 0
    w = n + 1
    terms = np.empty(n + 1)
    for i in range(1, n + 1):
        value[(OUT_R * w + i) * w + i] = leaf_value(OUT_R, i, ends, second)
        value[(OUT_L * w + i) * w + i] = leaf_value(OUT_L, i, ends, second)
    for width in range(1, n):
        for i in range(1, n + 1 - width):
            j = i + width
            for kind in range(5):
                count = 0
                for e in range(0 if is_closed(kind, i, j, scores) else n_edges(kind, i, j, second)):
                    a, b = edge_cells(kind, i, j, e, w, second)
                    total = value[a] + edge_bonus(kind, i, j, e, scores, siblings, ends, second)
                    if b >= 0:
                        total += value[b]
                    if total > -np.inf:
                        terms[count] = total
                        count += 1
                value[(kind * w + i) * w + j] = log_sum(terms, count)
    for r in range(1, n + 1):
        terms[r - 1] = value[(OUT_L * w + 1) * w + r] + value[(OUT_R * w + r) * w + n]
        terms[r - 1] += root_bonus(r, scores, siblings, ends, second)
    return log_sum(terms, n)


@kernel
def log_sum(terms, count):
    """log of the sum of exp of the first ``count`` terms."""
    if count <= 1:
        return terms[0] if count else -np.inf
    top = terms[0]
    for e in range(1, count):
        top = max(top, terms[e])
    if top == -np.inf:
        return top
    total = 0.0
    for e in range(count):
        total += np.exp(terms[e] - top)
    return top + np.log(total)


# What it computes: mu(h -> m) = sum of exp(score - log Z) over the trees with that arc.  ``log_inside`` is the same
# loop as ``fill_best`` with log-sum-exp in the place of the maximum.  Order: cells by falling width, kinds in the
# reverse of their order there, so that the mass of a cell is complete before it is passed on.
@kernel
def arc_posteriors(scores, siblings, ends, marginal):
    """Write the posterior of every arc (n + 1, n + 1) under p(tree) ~ exp(score); return log Z.

    Top-down: the posterior of a cell is shared out over its edges in proportion to their weight.
    """
    n = marginal.shape[0] - 1
    marginal[:] = 0.0
    if n == 0:
        return 0.0
    second = siblings.size > 0
    w = n + 1
    value = np.empty(5 * w * w)
    log_total = log_inside(n, scores, siblings, ends, value)
    mass = np.zeros(5 * w * w)
    for r in range(1, n + 1):
        a, b = (OUT_L * w + 1) * w + r, (OUT_R * w + r) * w + n
        share = np.exp(value[a] + value[b] + root_bonus(r, scores, siblings, ends, second) - log_total)
        marginal[0, r] = share
        mass[a] += share
        mass[b] += share
    for width in range(n - 1, 0, -1):
        for i in range(1, n + 1 - width):
            j = i + width
            for kind in range(4, -1, -1):
                cell = (kind * w + i) * w + j
                if mass[cell] == 0.0:
                    continue
                for e in range(n_edges(kind, i, j, second)):
                    a, b = edge_cells(kind, i, j, e, w, second)
                    total = value[a] + edge_bonus(kind, i, j, e, scores, siblings, ends, second)
                    if b >= 0:
                        total += value[b]
                    share = mass[cell] * np.exp(total - value[cell])
                    mass[a] += share
                    if b >= 0:
                        mass[b] += share
            marginal[i, j] = mass[(ARC_R * w + i) * w + j]
            marginal[j, i] = mass[(ARC_L * w + i) * w + j]
    return log_total
