"""Messages on given dependency trees: parameters and heads in, totals and expected counts out.

Parameters, in any basis [dhillon-etal-2012]:  start c_1 (k,); T[d] (k, k), child before parent, d = 0
left and 1 right; A (W, k), one row per observed symbol; D (k, k, k), the product of two messages
u, v being sum_l v[l] u' D[l].  An empty D means the entrywise product: states are then visible, T
and A are probabilities.  A node starts as the product of its symbols' rows (first symbol first) and
takes in its left children outwards, then its right children outwards.  Cells are linear and signed;
each is divided by its largest magnitude, and only that scale is a logarithm.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.tree import rescale


class Parameters(NamedTuple):
    """c_1 (k,), T (2, k, k), A (W, k), D (k, k, k) or empty; or counts of the first three, of the same shapes."""

    start: Any
    transition: Any
    observation: Any
    product: Any


class ObservedTrees(NamedTuple):
    """head: (T,) counted inside the sentence.  offsets: (S + 1,).  symbols: (T, Q) rows of A."""

    head: Any
    offsets: Any
    symbols: Any


class Links(NamedTuple):
    """Children of every position as linked lists.

    first: (2, n + 1) nearest child on each side; following: (n + 1,) next child outwards; 0 ends a list.
    order: (n,) positions 1..n from the root down.
    """

    first: Any
    following: Any
    order: Any


class Messages(NamedTuple):
    """r: (n + 1, k) cells.  up: (n + 1, k) what each sends to its head.  down: (n + 1, k) what comes back."""

    r: Any
    up: Any
    down: Any


# What it computes: linked lists of children and a breadth-first order of positions.  Layout: first (2, n + 1) is the
# innermost child of each position on the left and on the right, following (n + 1,) the next one outwards, 0 ends a
# list; position 0 is the root.  Order: words are linked from the far end inwards, so that each list begins with the
# child that is nearest to its head.
@kernel
def child_links(head):
    """The children of every position of one tree, and its positions with parents before children."""
    n = head.size
    first, following = np.zeros((2, n + 1), dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    for m in range(1, n + 1):
        h = head[m - 1]
        if m < h:
            following[m] = first[0, h]
            first[0, h] = m
    for m in range(n, 0, -1):
        h = head[m - 1]
        if m > h:
            following[m] = first[1, h]
            first[1, h] = m
    done = 0
    m = first[1, 0]
    while m > 0:
        order[done] = m
        done += 1
        m = following[m]
    at = 0
    while at < done:
        for side in range(2):
            m = first[side, order[at]]
            while m > 0:
                order[done] = m
                done += 1
                m = following[m]
        at += 1
    return Links(first, following, order)


@kernel
def multiply(u, v, D, out):
    """out = u * v under the product tensor; entrywise if it is empty."""
    k = u.size
    if D.size == 0:
        for i in range(k):
            out[i] = u[i] * v[i]
        return
    out[:] = 0.0
    for a in range(k):
        for i in range(k):
            c = v[a] * u[i]
            for j in range(k):
                out[j] += c * D[a, i, j]


@kernel
def send_up(r, T, out):
    """Message of a child to its parent: T' r."""
    k = r.size
    for j in range(k):
        out[j] = 0.0
    for i in range(k):
        for j in range(k):
            out[j] += T[i, j] * r[i]


@kernel
def new_messages(n, k):
    """Arrays for the messages of a tree of n words."""
    return Messages(np.empty((n + 1, k)), np.empty((n + 1, k)), np.empty((n + 1, k)))


@kernel
def upward(head, symbols, links, m, messages):
    """Fill the cells r and the messages up of one tree; return the log of their scale, -inf if a cell is zero.

    A cell is divided by its scale before it is sent on.
    """
    k = m.start.size
    r, up = messages.r, messages.up
    spare = np.empty(k)
    log_scale = 0.0
    for at in range(links.order.size - 1, -1, -1):
        i = links.order[at]
        for j in range(k):
            r[i, j] = m.observation[symbols[i - 1, 0], j]
        for q in range(1, symbols.shape[1]):
            multiply(r[i], m.observation[symbols[i - 1, q]], m.product, spare)
            r[i] = spare
        for side in range(2):
            child = links.first[side, i]
            while child > 0:
                multiply(r[i], up[child], m.product, spare)
                r[i] = spare
                child = links.following[child]
        log_scale += np.log(rescale(r[i]))
        if log_scale == -np.inf:
            return log_scale
        send_up(r[i], m.transition[1 if i > head[i - 1] else 0], up[i])
    return log_scale


@kernel
def tree_totals(trees, m, log_abs, sign):
    """Algorithm 1: write log|p| and sign(p) of every tree; an empty sentence has p = 1."""
    k = m.start.size
    for s in range(trees.offsets.size - 1):
        low, high = trees.offsets[s], trees.offsets[s + 1]
        if high == low:
            log_abs[s], sign[s] = 0.0, 1.0
            continue
        links, messages = child_links(trees.head[low:high]), new_messages(high - low, k)
        log_scale = upward(trees.head[low:high], trees.symbols[low:high], links, m, messages)
        p = 0.0
        if log_scale > -np.inf:
            for j in range(k):
                p += m.start[j] * messages.r[links.order[0], j]
        sign[s] = np.sign(p)
        log_abs[s] = log_scale + np.log(abs(p)) if p != 0.0 else -np.inf


# What it computes: the E step of one tree.  With r(i, h) what is below word i in state h, up(m, h) the message of
# child m to its head and T_d the transition of side d,  down(m, g) = sum_h T_d[g, h] down(i, h) r(i, h) / up(m, h)
# and the posterior of h at i is in proportion to down(i, h) r(i, h).  Layout: all (n + 1, k), see ``Messages``.
# Order: parents before children, the reverse of the order in which r and up were made.
@kernel
def add_expected(symbols, links, m, messages, counts):
    """Add the expected counts of one tree, states visible; return p relative to the scale of the cells.

    down[i, h]: weight of all outside the subtree of i with i in state h, up to a constant.  The posterior of state h
    is down[i, h] r[i, h] / mass; what a child m adds to it is taken out by dividing by up[m, h], which is why all
    parameters must be positive.
    """
    k = m.start.size
    r, up, down = messages.r, messages.up, messages.down
    root = links.order[0]
    total = 0.0
    for h in range(k):
        down[root, h] = m.start[h]
        total += m.start[h] * r[root, h]
    for at in range(links.order.size):
        i = links.order[at]
        mass = 0.0
        for h in range(k):
            mass += down[i, h] * r[i, h]
        for q in range(symbols.shape[1]):
            for h in range(k):
                counts.observation[symbols[i - 1, q], h] += down[i, h] * r[i, h] / mass
        if i == root:
            for h in range(k):
                counts.start[h] += down[i, h] * r[i, h] / mass
        for side in range(2):
            child = links.first[side, i]
            while child > 0:
                for g in range(k):
                    down[child, g] = 0.0
                for h in range(k):
                    rest = down[i, h] * r[i, h] / (up[child, h] * mass)
                    for g in range(k):
                        flow = m.transition[side, g, h] * rest
                        down[child, g] += flow
                        counts.transition[side, g, h] += flow * r[child, g]
                child = links.following[child]
    return total


@kernel
def expected_counts(trees, m, counts):
    """Add expected counts of all trees, states visible and all parameters positive; return the sum of log p."""
    log_total = 0.0
    for s in range(trees.offsets.size - 1):
        low, high = trees.offsets[s], trees.offsets[s + 1]
        if high == low:
            continue
        links, messages = child_links(trees.head[low:high]), new_messages(high - low, m.start.size)
        scale = upward(trees.head[low:high], trees.symbols[low:high], links, m, messages)
        log_total += scale + np.log(add_expected(trees.symbols[low:high], links, m, messages, counts))
    return log_total
