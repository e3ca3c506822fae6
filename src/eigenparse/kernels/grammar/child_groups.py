"""Nodes of one rule that share a child: the rule's tensor is multiplied with that child once for all of them.

With y the vector of a shared left child, M[a, c] = sum over b of C[a, b, c] y[b] takes the place of C for all nodes of
the group, and what they give back to the child or to the rule's counts goes through P[a, c] = sum over nodes of
o[a] z[c].  The same holds for a shared right child, with b in the place of c.  A preposition is the left child of
thousands of phrases, so that this saves two fifths of the products of a treebank.
"""

import numpy as np

from eigenparse.kernels.compiled import SUMS, kernel

ALONE, SAME_LEFT, SAME_RIGHT = 0, 1, 2


@kernel
def group_by_child(order, first, left, right, least, sharing):
    """Sort the phrases order[first[r]:first[r + 1]] of every run so that those of one child stand together.

    Those whose left or right child occurs ``least`` times as such in the run come first; sharing: (M,) which it is.
    """
    n = left.size
    of_left, of_right = np.zeros(n, np.int32), np.zeros(n, np.int32)
    for r in range(first.size - 1):
        rows = order[first[r] : first[r + 1]]
        if rows.size < least:
            continue
        for i in rows:
            of_left[left[i]] += 1
            of_right[right[i]] += 1
        key = np.empty(rows.size, np.int64)
        for k in range(rows.size):
            x, z = left[rows[k]], right[rows[k]]
            if of_left[x] >= max(least, of_right[z]):
                sharing[rows[k]], key[k] = SAME_LEFT, x
            elif of_right[z] >= least:
                sharing[rows[k]], key[k] = SAME_RIGHT, n + z
            else:
                key[k] = 2 * n + rows[k]
        for i in rows:
            of_left[left[i]], of_right[right[i]] = 0, 0
        rows[:] = rows[np.argsort(key, kind="mergesort")]


@kernel
def vectors_of(nodes, at, values, out):
    """out[k] = the vector of nodes[k]."""
    for k in range(nodes.size):
        start = at[nodes[k]]
        for h in range(out.shape[1]):
            out[k, h] = values[start + h]


@kernel
def add_vectors(nodes, at, more, values):
    """Add more[k] to the vector of nodes[k]."""
    for k in range(nodes.size):
        start = at[nodes[k]]
        for h in range(more.shape[1]):
            values[start + h] += more[k, h]


@kernel(fastmath=SUMS)
def with_left(C, y, M):
    """M[a, c] = sum over b of C[a, b, c] y[b]."""
    nb, nc = y.size, M.shape[1]
    for a in range(M.shape[0]):
        row = M[a]
        row[:] = 0
        for b in range(nb):
            weight, part = y[b], C[(a * nb + b) * nc : (a * nb + b + 1) * nc]
            for c in range(nc):
                row[c] += weight * part[c]


@kernel(fastmath=SUMS)
def to_left(C, P, out):
    """out[b] += sum over a and c of C[a, b, c] P[a, c]."""
    nb, nc = out.size, P.shape[1]
    for a in range(P.shape[0]):
        row = P[a]
        for b in range(nb):
            part, total = C[(a * nb + b) * nc : (a * nb + b + 1) * nc], out[b] * 0
            for c in range(nc):
                total += part[c] * row[c]
            out[b] += total


@kernel(fastmath=SUMS)
def to_counts(y, P, G):
    """G[a, b, c] += y[b] P[a, c]."""
    nb, nc = y.size, P.shape[1]
    for a in range(P.shape[0]):
        row = P[a]
        for b in range(nb):
            weight, part = y[b], G[(a * nb + b) * nc : (a * nb + b + 1) * nc]
            for c in range(nc):
                part[c] += weight * row[c]


@kernel(fastmath=SUMS)
def to_counts_of_right(P, z, G):
    """G[a, b, c] += P[a, b] z[c]."""
    nc, flat = z.size, P.reshape(P.size)
    for j in range(flat.size):
        weight, part = flat[j], G[j * nc : (j + 1) * nc]
        for c in range(nc):
            part[c] += weight * z[c]


@kernel
def contracted(C, is_left, v, na, n):
    """M (na, n): the tensor with its left or right place filled by the vector of a shared child."""
    M = np.empty((na, n), dtype=C.dtype)
    if is_left:
        with_left(C, v, M)
    else:
        M.reshape(na * n)[:] = np.dot(C.reshape(na * n, v.size), v)
    return M


@kernel
def inside_group(rows, nodes, C, is_left, inside):
    """Inside vectors of nodes of one rule that share a child."""
    at = nodes.at
    shared, others = (nodes.left, nodes.right) if is_left else (nodes.right, nodes.left)
    x, others = shared[rows[0]], others[rows]
    na, n = at[rows[0] + 1] - at[rows[0]], at[others[0] + 1] - at[others[0]]
    M = contracted(C, is_left, inside[at[x] : at[x + 1]], na, n)
    V = np.empty((rows.size, n), dtype=C.dtype)
    vectors_of(others, at, inside, V)
    U = np.dot(V, M.T)
    for k in range(rows.size):
        for a in range(na):
            inside[at[rows[k]] + a] = U[k, a]


@kernel
def outside_group(rows, scaled, nodes, C, is_left, inside, outside):
    """Add to the outside vectors of the children of such nodes.  scaled: the nodes' own, over their factors."""
    at = nodes.at
    shared, others = (nodes.left, nodes.right) if is_left else (nodes.right, nodes.left)
    x, others = shared[rows[0]], others[rows]
    na, n = scaled.shape[1], at[others[0] + 1] - at[others[0]]
    M = contracted(C, is_left, inside[at[x] : at[x + 1]], na, n)
    V = np.empty((rows.size, n), dtype=C.dtype)
    vectors_of(others, at, inside, V)
    add_vectors(others, at, np.dot(scaled, M), outside)
    P, to = np.dot(scaled.T, V), outside[at[x] : at[x + 1]]
    if is_left:
        to_left(C, P, to)
    else:
        to += np.dot(P.reshape(na * n), C.reshape(na * n, to.size))


@kernel
def count_group(rows, scaled, nodes, is_left, inside, G):
    """Add what such nodes give to the counts of their rule, which still lack the factor C."""
    at = nodes.at
    shared, others = (nodes.left, nodes.right) if is_left else (nodes.right, nodes.left)
    x, others = shared[rows[0]], others[rows]
    V = np.empty((rows.size, at[others[0] + 1] - at[others[0]]), dtype=G.dtype)
    vectors_of(others, at, inside, V)
    P, v = np.dot(scaled.T, V), inside[at[x] : at[x + 1]]
    if is_left:
        to_counts(v, P, G)
    else:
        to_counts_of_right(P, v, G)
