"""Inside and outside vectors of given trees, and expected counts: one pass up, one pass down.

Parameters are signed, so cells stay linear: each inside vector is divided by its largest
magnitude, and that factor is kept apart.  Sums may be regrouped by the compiler (SIMD), which
keeps them repeatable on a machine; nothing is assumed about signs, zeros or infinities.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.columns import widest_slice
from eigenparse.kernels.compiled import SUMS, kernel
from eigenparse.kernels.grammar.child_groups import (
    ALONE,
    SAME_LEFT,
    count_group,
    inside_group,
    outside_group,
)


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
    """Nodes, (M,) each: children, rule at phrases, lexicon entry at words (-1 at the other), height.

    Nodes are the rows of trees, or subtrees that several of them share.  schedule: nodes by height and rule.
    sharing: which child a node has in common with the nodes beside it (see ``child_groups``).
    at: (M + 1,), node i owns the cells [at[i], at[i + 1]) of flat vectors.
    """

    schedule: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rule: np.ndarray
    entry: np.ndarray
    height: np.ndarray
    sharing: np.ndarray
    at: np.ndarray


class Tensors(NamedTuple):
    """Flat weights: rule r owns [rule_at[r], rule_at[r + 1]), entry e begins at entry_at[e]."""

    rule_at: np.ndarray
    rule_weight: np.ndarray
    entry_at: np.ndarray
    entry_weight: np.ndarray


@kernel
def together(nodes, i, j, size):
    """Whether phrases i and j have one rule and share a child, or both share none, and the run may still grow."""
    if nodes.rule[j] != nodes.rule[i] or nodes.sharing[j] != nodes.sharing[i] or nodes.entry[j] >= 0:
        return False
    if nodes.sharing[i] == ALONE:
        return size < BATCH
    return (
        nodes.left[j] == nodes.left[i] if nodes.sharing[i] == SAME_LEFT else nodes.right[j] == nodes.right[i]
    )


@kernel
def same_run(nodes, i, j, size):
    """Whether rows i and j are of one height, too."""
    return nodes.height[j] == nodes.height[i] and together(nodes, i, j, size)


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
    """Write inside[at[i]:at[i + 1]] of every node i, and in factor[i] the magnitude divided out there."""
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
        while stop < schedule.size and same_run(nodes, i, schedule[stop], stop - s):
            stop += 1
        rows = schedule[s:stop]
        r = nodes.rule[i]
        part = C[rule_at[r] : rule_at[r + 1]]
        nb, nc = at[left[i] + 1] - at[left[i]], at[right[i] + 1] - at[right[i]]
        na = at[i + 1] - at[i]
        if nodes.sharing[i] != ALONE:
            inside_group(rows, nodes, part, nodes.sharing[i] == SAME_LEFT, inside)
        elif rows.size < FEW:
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
    """Add to the outside vectors of two children, from T[b, c], the parent's outside vector through the rule."""
    nb, nc = y_in.size, z_in.size
    for b in range(nb):
        total = y_in[b] * 0
        weight = y_in[b] * inverse
        for c in range(nc):
            total += T[b * nc + c] * z_in[c]
            z_out[c] += T[b * nc + c] * weight
        y_out[b] += total * inverse


@kernel
def scaled_outside(rows, at, factor, outside, scaled):
    """scaled[k] = outside vector of rows[k] / its factor; zeros if the factor is 0."""
    for k in range(rows.size):
        inverse = 1.0 / factor[rows[k]] if factor[rows[k]] != 0.0 else 0.0
        for a in range(scaled.shape[1]):
            scaled[k, a] = outside[at[rows[k]] + a] * inverse


@kernel
def outside_run(rows, nodes, C, inside, factor, outside):
    """The children of a run of rows whose rule has the tensor C, multiplied together."""
    left, right, at = nodes.left, nodes.right, nodes.at
    i = rows[0]
    nb, nc = at[left[i] + 1] - at[left[i]], at[right[i] + 1] - at[right[i]]
    na = at[i + 1] - at[i]
    scaled = np.empty((rows.size, na), dtype=C.dtype)
    scaled_outside(rows, at, factor, outside, scaled)
    T = np.dot(scaled, C.reshape(na, nb * nc))
    for k in range(rows.size):
        if factor[rows[k]] != 0.0:
            x, z = left[rows[k]], right[rows[k]]
            children_outside(
                T[k], inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]], 1.0,
                outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]],
            )  # fmt: skip


@kernel
def outside_row(j, nodes, C, inside, factor, outside, T):
    """The same of one row by itself.  T: (n,) to work in, where n is the largest product of two rows' states."""
    left, right, at = nodes.left, nodes.right, nodes.at
    if factor[j] == 0.0:
        return
    x, z = left[j], right[j]
    y_in, z_in = inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]]
    contract_parent(C, outside[at[j] : at[j + 1]], y_in.size * z_in.size, T)
    children_outside(T, y_in, z_in, 1.0 / factor[j], outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]])


# Outside vectors of all nodes, from the roots down: with T[b, c] = sum over a of o[a] C[a, b, c] / factor, the children
# of a node get o(left)[b] = sum over c of T[b, c] v(right)[c] and o(right)[c] = sum over b of T[b, c] v(left)[b].  They
# are scaled so that inside . outside = 1 at every row of a tree.  A node that stands for several rows gets the sum of
# their outside vectors: all that is below it is linear in them.  The schedule of the inside pass is walked backwards,
# runs of one rule and height together again, so that a node is complete before its children are looked at.
@kernel
def outside_pass(nodes, tensors, inside, factor, outside):
    """Add up outside vectors; roots must be set beforehand and all else be zero, as rows without mass stay."""
    schedule, rule_at = nodes.schedule, tensors.rule_at
    widest = widest_slice(nodes.at)
    room = np.empty(widest * widest, dtype=tensors.rule_weight.dtype)
    s = schedule.size
    while s > 0:
        i = schedule[s - 1]
        if nodes.entry[i] >= 0:
            s -= 1
            continue
        first = s - 1
        while first > 0 and same_run(nodes, i, schedule[first - 1], s - first):
            first -= 1
        rows = schedule[first:s]
        r = nodes.rule[i]
        C = tensors.rule_weight[rule_at[r] : rule_at[r + 1]]
        if nodes.sharing[i] != ALONE:
            scaled = np.empty((rows.size, nodes.at[i + 1] - nodes.at[i]), dtype=C.dtype)
            scaled_outside(rows, nodes.at, factor, outside, scaled)
            outside_group(rows, scaled, nodes, C, nodes.sharing[i] == SAME_LEFT, inside, outside)
        elif rows.size >= FEW:
            outside_run(rows, nodes, C, inside, factor, outside)
        else:
            for k in range(rows.size):
                outside_row(rows[k], nodes, C, inside, factor, outside, room)
        s = first


@kernel
def entry_counts(nodes, entry_at, inside, outside, out):
    """Expected counts of lexicon entries: inside * outside, added to ``out``."""
    at = nodes.at
    for i in range(nodes.entry.size):
        if nodes.entry[i] >= 0:
            e = entry_at[nodes.entry[i]]
            for h in range(at[i + 1] - at[i]):
                out[e + h] += outside[at[i] + h] * inside[at[i] + h]


@kernel(fastmath=SUMS)
def add_to(values, more):
    """values += more."""
    for j in range(values.size):
        values[j] += more[j]


@kernel(fastmath=SUMS)
def times_in_place(values, factors):
    """values *= factors."""
    for j in range(values.size):
        values[j] *= factors[j]


@kernel
def count_run(rows, scaled, nodes, inside, G):
    """Add the outer products of nodes of one rule to its counts."""
    at, x, y = nodes.at, nodes.left[rows[0]], nodes.right[rows[0]]
    nb, nc = at[x + 1] - at[x], at[y + 1] - at[y]
    W = np.empty((rows.size, nb * nc), dtype=G.dtype)
    outer_rows(rows, nodes, inside, nb, nc, W)
    add_to(G, np.dot(scaled.T, W).reshape(G.size))


# The expected count of a rule with states a, b, c is C[a, b, c] times the sum over its nodes of o[a] v(left)[b]
# v(right)[c] / factor.  All nodes of a rule are summed one after the other, whatever their heights, so that every
# count is written while it is in the cache.
@kernel
def rule_counts(nodes, by_rule, first, tensors, inside, factor, outside, out):
    """Write the expected counts of all rules.  by_rule: phrases sorted by rule, those of rule r from first[r]."""
    at, rule_at = nodes.at, tensors.rule_at
    for r in range(first.size - 1):
        G = out[rule_at[r] : rule_at[r + 1]]
        G[:] = 0
        start = first[r]
        while start < first[r + 1]:
            i, stop = by_rule[start], start + 1
            while stop < first[r + 1] and together(nodes, i, by_rule[stop], stop - start):
                stop += 1
            rows = by_rule[start:stop]
            scaled = np.empty((rows.size, at[i + 1] - at[i]), dtype=G.dtype)
            scaled_outside(rows, at, factor, outside, scaled)
            if nodes.sharing[i] != ALONE:
                count_group(rows, scaled, nodes, nodes.sharing[i] == SAME_LEFT, inside, G)
            else:
                count_run(rows, scaled, nodes, inside, G)
            start = stop
        if first[r] < first[r + 1]:
            times_in_place(G, tensors.rule_weight[rule_at[r] : rule_at[r + 1]])


@kernel
def add_by_label(label, at, value, state_at, total):
    """Add the values of each node's states to those of its label."""
    for i in range(label.size):
        start = state_at[label[i]]
        for h in range(at[i + 1] - at[i]):
            total[start + h] += value[at[i] + h]
