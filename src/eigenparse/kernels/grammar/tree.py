"""Inside and outside vectors of given trees, and expected counts: one pass up, one pass down.

Parameters are signed, so cells stay linear: each inside vector is divided by its largest
magnitude, and that factor is kept apart.  Sums may be regrouped by the compiler (SIMD), which
keeps them repeatable on a machine; nothing is assumed about signs, zeros or infinities.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.columns import widest_slice
from eigenparse.kernels.compiled import kernel

SUMS = {"reassoc", "contract", "nsz"}


@kernel(fastmath=SUMS)
def apply_rule(C, y, z, w, out):
    """out[a] = sum over b, c of C[a, b, c] y[b] z[c], with C flat and w a work vector of size b * c."""
    nb, nc = y.size, z.size
    n = nb * nc
    for b in range(nb):
        for c in range(nc):
            w[b * nc + c] = y[b] * z[c]
    for a in range(out.size):
        total, row = out[a] * 0, C[a * n : (a + 1) * n]
        for j in range(n):
            total += row[j] * w[j]
        out[a] = total


@kernel(fastmath=SUMS)
def contract_parent(C, o, n, T):
    """T[b c] = sum over a of o[a] C[a, b, c]."""
    for j in range(n):
        T[j] = 0
    for a in range(o.size):
        weight, row = o[a], C[a * n : (a + 1) * n]  # an index into a row needs no check for negative ones
        if weight == 0:
            continue
        for j in range(n):
            T[j] += weight * row[j]


@kernel(fastmath=SUMS)
def add_outer(o, factor, w, S):
    """S[a, b, c] += factor * o[a] * w[b c]."""
    n = w.size
    for a in range(o.size):
        weight, row = factor * o[a], S[a * n : (a + 1) * n]
        for j in range(n):
            row[j] += weight * w[j]


@kernel
def rescale(v):
    """Divide by the largest magnitude and return it; 0 leaves the vector alone."""
    top = 0.0
    for h in range(v.size):
        top = max(top, abs(v[h]))
    if top > 0.0:
        for h in range(v.size):
            v[h] /= top
    return top


BATCH = 128  # rows of one rule that are multiplied together
FEW = 4  # fewer rows than this are done one by one


class Nodes(NamedTuple):
    """Rows of trees, (N,) each: children, rule at phrases, lexicon entry at words (-1 at the other), height.

    schedule: rows by height and rule.  at: (N + 1,), row i owns the cells [at[i], at[i + 1]) of flat vectors.
    """

    schedule: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rule: np.ndarray
    entry: np.ndarray
    height: np.ndarray
    at: np.ndarray


class Tensors(NamedTuple):
    """Flat weights: rule r owns [rule_at[r], rule_at[r + 1]), entry e begins at entry_at[e]."""

    rule_at: np.ndarray
    rule_weight: np.ndarray
    entry_at: np.ndarray
    entry_weight: np.ndarray


@kernel
def same_run(nodes, i, j):
    """Whether row j is a phrase with the rule and the height of row i."""
    return nodes.rule[j] == nodes.rule[i] and nodes.height[j] == nodes.height[i] and nodes.entry[j] < 0


@kernel
def outer_rows(rows, nodes, inside, nb, nc, W):
    """W[k] = inside(left) (x) inside(right) of each row of a run."""
    for k in range(rows.size):
        x, y = nodes.at[nodes.left[rows[k]]], nodes.at[nodes.right[rows[k]]]
        for b in range(nb):
            v = inside[x + b]
            for c in range(nc):
                W[k, b * nc + c] = v * inside[y + c]


# Inside vectors of all rows [cohen-etal-2014, figure 4]: v(i)[a] = sum over b, c of C[a, b, c] v(left)[b] v(right)[c]
# at phrases, the weights of the lexicon entry at words.  The schedule sorts rows by height, so that children come
# before parents, and within a height by rule, so that rows of one rule stand together: their outer products are the
# rows of one matrix, and one product with the rule's tensor does them all.  Every vector is divided by its largest
# magnitude at once, which is kept in ``factor``, so that long sentences do not underflow.
@kernel
def inside_pass(nodes, tensors, inside, factor):
    """Write inside[at[i]:at[i + 1]] of every row i, and in factor[i] the magnitude divided out there."""
    schedule, left, right, at = nodes.schedule, nodes.left, nodes.right, nodes.at
    C, rule_at = tensors.rule_weight, tensors.rule_at
    widest = widest_slice(at)
    w = np.empty(widest * widest, dtype=C.dtype)
    s = np.int64(0)
    while s < schedule.size:
        i = schedule[s]
        if nodes.entry[i] >= 0:
            v = inside[at[i] : at[i + 1]]
            e = tensors.entry_at[nodes.entry[i]]
            for h in range(v.size):
                v[h] = tensors.entry_weight[e + h]
            factor[i] = rescale(v)
            s += 1
            continue
        stop = s + 1
        while stop < schedule.size and stop - s < BATCH and same_run(nodes, i, schedule[stop]):
            stop += 1
        rows = schedule[s:stop]
        r = nodes.rule[i]
        part = C[rule_at[r] : rule_at[r + 1]]
        nb, nc = at[left[i] + 1] - at[left[i]], at[right[i] + 1] - at[right[i]]
        na = at[i + 1] - at[i]
        if rows.size < FEW:
            for k in range(rows.size):
                j = rows[k]
                x, y = left[j], right[j]
                apply_rule(
                    part, inside[at[x] : at[x + 1]], inside[at[y] : at[y + 1]], w, inside[at[j] : at[j + 1]]
                )
        else:
            W = np.empty((rows.size, nb * nc), dtype=C.dtype)
            outer_rows(rows, nodes, inside, nb, nc, W)
            V = np.dot(W, part.reshape(na, nb * nc).T)
            for k in range(rows.size):
                for a in range(na):
                    inside[at[rows[k]] + a] = V[k, a]
        for k in range(rows.size):
            factor[rows[k]] = rescale(inside[at[rows[k]] : at[rows[k] + 1]])
        s = stop


@kernel(fastmath=SUMS)
def children_outside(T, y_in, z_in, inverse, y_out, z_out):
    """Outside vectors of two children from T[b, c], the parent's outside vector through the rule."""
    nb, nc = y_in.size, z_in.size
    for c in range(nc):
        z_out[c] = 0
    for b in range(nb):
        total = y_in[b] * 0
        weight = y_in[b] * inverse
        for c in range(nc):
            total += T[b * nc + c] * z_in[c]
            z_out[c] += T[b * nc + c] * weight
        y_out[b] = total * inverse


class Sums(NamedTuple):
    """Where expected counts are added, laid out as the weights are; rules still lack the factor C."""

    rule: np.ndarray
    entry: np.ndarray


@kernel
def outside_run(rows, nodes, C, inside, factor, outside, rule_sum):
    """The children of a run of rows whose rule has the tensor C, multiplied together; adds to rule_sum."""
    left, right, at = nodes.left, nodes.right, nodes.at
    i = rows[0]
    nb, nc = at[left[i] + 1] - at[left[i]], at[right[i] + 1] - at[right[i]]
    na, n = at[i + 1] - at[i], nb * nc
    scaled = np.empty((rows.size, na), dtype=C.dtype)
    for k in range(rows.size):
        inverse = 1.0 / factor[rows[k]] if factor[rows[k]] != 0.0 else 0.0
        for a in range(na):
            scaled[k, a] = outside[at[rows[k]] + a] * inverse
    T = np.dot(scaled, C.reshape(na, n))
    W = np.empty((rows.size, n), dtype=C.dtype)
    outer_rows(rows, nodes, inside, nb, nc, W)
    G = np.dot(scaled.T, W)
    for a in range(na):
        for j in range(n):
            rule_sum[a * n + j] += G[a, j]
    for k in range(rows.size):
        if factor[rows[k]] != 0.0:
            x, z = left[rows[k]], right[rows[k]]
            children_outside(
                T[k], inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]], 1.0,
                outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]],
            )  # fmt: skip


@kernel
def outside_row(j, nodes, C, inside, factor, outside, rule_sum, room):
    """The same of one row by itself.  room: (2, n) to work in, where n is the largest product of two rows' states."""
    left, right, at = nodes.left, nodes.right, nodes.at
    if factor[j] == 0.0:
        return
    x, z = left[j], right[j]
    y_in, z_in = inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]]
    o, n = outside[at[j] : at[j + 1]], y_in.size * z_in.size
    T = room[0]
    contract_parent(C, o, n, T)
    children_outside(T, y_in, z_in, 1.0 / factor[j], outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]])
    w = room[1, :n]
    for b in range(y_in.size):
        for c in range(z_in.size):
            w[b * z_in.size + c] = y_in[b] * z_in[c]
    add_outer(o, 1.0 / factor[j], w, rule_sum)


# Outside vectors of all rows, from the roots down: with T[b, c] = sum over a of o[a] C[a, b, c] / factor, the children
# of a row get o(left)[b] = sum over c of T[b, c] v(right)[c] and o(right)[c] = sum over b of T[b, c] v(left)[b].  They
# are scaled so that inside . outside = 1 at every row of a tree.  The schedule of the inside pass is walked backwards,
# runs of one rule and height together again.  On the way the expected counts are added up: at words inside * outside,
# at rules the outer products o (x) v(left) (x) v(right), whose product with C is the count (formed once, at the end).
@kernel
def outside_pass(nodes, tensors, inside, factor, outside, sums):
    """Write outside vectors; roots must be set beforehand, rows of trees without mass keep zeros."""
    schedule, at, rule_at = nodes.schedule, nodes.at, tensors.rule_at
    widest = widest_slice(at)
    room = np.empty((2, widest * widest), dtype=tensors.rule_weight.dtype)
    s = schedule.size
    while s > 0:
        i = schedule[s - 1]
        if nodes.entry[i] >= 0:
            e = tensors.entry_at[nodes.entry[i]]
            for h in range(at[i + 1] - at[i]):
                sums.entry[e + h] += outside[at[i] + h] * inside[at[i] + h]
            s -= 1
            continue
        first = s - 1
        while first > 0 and s - first < BATCH and same_run(nodes, i, schedule[first - 1]):
            first -= 1
        rows = schedule[first:s]
        r = nodes.rule[i]
        C = tensors.rule_weight[rule_at[r] : rule_at[r + 1]]
        rule_sum = sums.rule[rule_at[r] : rule_at[r + 1]]
        if rows.size >= FEW:
            outside_run(rows, nodes, C, inside, factor, outside, rule_sum)
        else:
            for k in range(rows.size):
                outside_row(rows[k], nodes, C, inside, factor, outside, rule_sum, room)
        s = first
