"""Messages on given dependency trees: parameters and heads in, totals and expected counts out.

Parameters, in any basis [dhillon-etal-2012]:  start c_1 (k,); T[d] (k, k), child before parent, d = 0
left and 1 right; A (W, k), one row an observed symbol; D (k, k, k), the product of two messages
u, v being sum_l v[l] u' D[l].  An empty D means the entrywise product: states are then visible, T
and A are probabilities.  A node starts as the product of its symbols' rows (first symbol first) and
takes in its left children outwards, then its right children outwards.  Cells are linear and signed;
each is divided by its largest magnitude, and only that scale is a logarithm.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def child_links(head, first, following, order):
    """Children of every position as linked lists, and positions with parents before children.

    head: (n,).  first: (2, n + 1) nearest child on each side; following: (n + 1,) next child
    outwards; 0 ends a list.  order: (n,) positions 1..n from the root down.
    """
    n = head.size
    first[:] = 0
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
    return done


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def rescale(r):
    """Divide by the largest magnitude; return its logarithm, or -inf if all is zero."""
    top = 0.0
    for i in range(r.size):
        top = max(top, abs(r[i]))
    if top == 0.0:
        return -np.inf
    for i in range(r.size):
        r[i] /= top
    return np.log(top)


@njit(cache=True, nogil=True)
def send_up(r, T, out):
    """Message of a child to its parent: T' r."""
    k = r.size
    for j in range(k):
        out[j] = 0.0
    for i in range(k):
        for j in range(k):
            out[j] += T[i, j] * r[i]


@njit(cache=True, nogil=True)
def upward(head, symbols, first, following, order, T, A, D, r, up):
    """Fill r (n + 1, k) and the messages up (n + 1, k) of one tree; return the log of their scale.

    symbols: (n, Q) rows of A.  A cell is divided by its scale before it is sent on.
    """
    k = A.shape[1]
    spare = np.empty(k)
    log_scale = 0.0
    for at in range(order.size - 1, -1, -1):
        i = order[at]
        for j in range(k):
            r[i, j] = A[symbols[i - 1, 0], j]
        for q in range(1, symbols.shape[1]):
            multiply(r[i], A[symbols[i - 1, q]], D, spare)
            r[i] = spare
        for side in range(2):
            m = first[side, i]
            while m > 0:
                multiply(r[i], up[m], D, spare)
                r[i] = spare
                m = following[m]
        log_scale += rescale(r[i])
        if log_scale == -np.inf:
            return log_scale
        send_up(r[i], T[1 if i > head[i - 1] else 0], up[i])
    return log_scale


@njit(cache=True, nogil=True)
def tree_totals(head, offsets, symbols, c_1, T, A, D, log_abs, sign):
    """Algorithm 1: write log|p| and sign(p) of every tree; an empty sentence has p = 1."""
    k = c_1.size
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        n = high - low
        if n == 0:
            log_abs[s], sign[s] = 0.0, 1.0
            continue
        first, following = np.empty((2, n + 1), dtype=np.int64), np.empty(n + 1, dtype=np.int64)
        order = np.empty(n, dtype=np.int64)
        r, up = np.empty((n + 1, k)), np.empty((n + 1, k))
        child_links(head[low:high], first, following, order)
        log_scale = upward(head[low:high], symbols[low:high], first, following, order, T, A, D, r, up)
        p = 0.0
        if log_scale > -np.inf:
            for j in range(k):
                p += c_1[j] * r[order[0], j]
        sign[s] = np.sign(p)
        log_abs[s] = log_scale + np.log(abs(p)) if p != 0.0 else -np.inf


@njit(cache=True, nogil=True)
def add_expected(head, symbols, first, following, order, c_1, T, r, up, counts_1, counts_T, counts_A, down):
    """Add the expected counts of one tree, states visible; return p relative to the scale of ``r``.

    down[i, h]: weight of all outside the subtree of i with i in state h, up to a constant.
    """
    k = c_1.size
    root = order[0]
    total = 0.0
    for h in range(k):
        down[root, h] = c_1[h]
        total += c_1[h] * r[root, h]
    for at in range(order.size):
        i = order[at]
        mass = 0.0
        for h in range(k):
            mass += down[i, h] * r[i, h]
        for q in range(symbols.shape[1]):
            for h in range(k):
                counts_A[symbols[i - 1, q], h] += down[i, h] * r[i, h] / mass
        if i == root:
            for h in range(k):
                counts_1[h] += down[i, h] * r[i, h] / mass
        for side in range(2):
            m = first[side, i]
            while m > 0:
                for g in range(k):
                    down[m, g] = 0.0
                for h in range(k):
                    rest = down[i, h] * r[i, h] / (up[m, h] * mass)
                    for g in range(k):
                        flow = T[side, g, h] * rest
                        down[m, g] += flow
                        counts_T[side, g, h] += flow * r[m, g]
                m = following[m]
    return total


@njit(cache=True, nogil=True)
def expected_counts(head, offsets, symbols, c_1, T, A, counts_1, counts_T, counts_A):
    """Add expected counts of all trees, states visible and all parameters positive; return sum of log p."""
    k = c_1.size
    log_total = 0.0
    no_tensor = np.empty((0, 0, 0))
    for s in range(offsets.size - 1):
        low, high = offsets[s], offsets[s + 1]
        n = high - low
        if n == 0:
            continue
        first, following = np.empty((2, n + 1), dtype=np.int64), np.empty(n + 1, dtype=np.int64)
        order = np.empty(n, dtype=np.int64)
        r, up, down = np.empty((n + 1, k)), np.empty((n + 1, k)), np.empty((n + 1, k))
        child_links(head[low:high], first, following, order)
        scale = upward(head[low:high], symbols[low:high], first, following, order, T, A, no_tensor, r, up)
        p = add_expected(
            head[low:high], symbols[low:high], first, following, order, c_1, T, r, up,
            counts_1, counts_T, counts_A, down,
        )  # fmt: skip
        log_total += scale + np.log(p)
    return log_total
