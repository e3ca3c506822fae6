"""Latent inside and outside vectors over a packed forest, one model at a time.

Edges are sorted by (parent, rule); a run of equal (parent, rule) applies its tensor once.  Inside
vectors are divided by their largest magnitude and carry a log scale; outside vectors are scaled
so that inside . outside is the item's marginal, sign and all.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.columns import widest_slice
from eigenparse.kernels.compiled import SUMS, kernel
from eigenparse.kernels.grammar.tree import rescale

Array = npt.NDArray[Any]


class SparseRules(NamedTuple):
    """The larger weights of all rules, row by row; empty if kernels are to read whole tensors.

    Row first_row[r] + a holds the weights of state a of rule r's parent: value[k] at column[k] = b * m_c + c
    for k in [row_at[row], row_at[row + 1]).
    """

    first_row: Array
    row_at: Array
    column: Array
    value: Array


class LatentArrays(NamedTuple):
    """Latent weights as kernels read them (see ``Weights``); rule r owns rule_weight[rule_at[r]:rule_at[r + 1]].

    sparse: what is read instead of rule_weight, unless it is empty.
    """

    states: Array
    rule_at: Array
    rule_weight: Array
    entry_at: Array
    entry_weight: Array
    state_at: Array
    root_weight: Array
    sparse: SparseRules


class Vectors(NamedTuple):
    """Vectors of a forest: item p owns [at[p], at[p + 1]) of inside and outside.

    scale: log of what each item's inside vector was divided by in all.  factor: what it was divided
    by after its edges were summed; 0 if nothing is there.  edge_factor: what each edge was multiplied by.
    """

    at: Array
    inside: Array
    outside: Array
    scale: Array
    factor: Array
    edge_factor: Array


class ForestMarginals(NamedTuple):
    """Marginals of items and edges, log |p| and the sign of p of the sentence, and the vectors."""

    item: Array
    edge: Array
    log_total: float
    sign: float
    inside: Array
    outside: Array
    at: Array


@kernel
def large_weights(rule_at, rule_weight, parent_states, least):
    """The weights of at least ``least`` (see ``SparseRules``).  parent_states: (R,) states of each rule's parent."""
    n_rules = parent_states.size
    first_row, size = np.zeros(n_rules + 1, dtype=np.int64), 0
    for r in range(n_rules):
        first_row[r + 1] = first_row[r] + parent_states[r]
    row_at = np.zeros(first_row[-1] + 1, dtype=np.int64)
    for k in range(rule_weight.size):
        size += rule_weight[k] >= least
    column, value = np.empty(size, dtype=np.uint16), np.empty(size, dtype=rule_weight.dtype)
    size = 0
    for r in range(n_rules):
        n = (rule_at[r + 1] - rule_at[r]) // parent_states[r]
        for a in range(parent_states[r]):
            row = rule_weight[rule_at[r] + a * n : rule_at[r] + (a + 1) * n]
            for j in range(n):
                if row[j] >= least:
                    column[size], value[size] = j, row[j]
                    size += 1
            row_at[first_row[r] + a + 1] = size
    return SparseRules(first_row, row_at, column, value)


@kernel
def large_codes(rule_at, gaps, low, high, table, parent_states, least_code):
    """The same of weights that are mostly zero, by their codes (see ``FewValues``)."""
    n_rules = parent_states.size
    first_row, size = np.zeros(n_rules + 1, dtype=np.int64), 0
    for r in range(n_rules):
        first_row[r + 1] = first_row[r] + parent_states[r]
    row_at = np.zeros(first_row[-1] + 1, dtype=np.int64)
    if least_code <= 1:  # only zeros, which have no code, are smaller
        size = gaps.size
    else:
        for k in range(gaps.size):
            size += (np.int64(high[k]) << 8 | np.int64(low[k])) >= least_code
    column, value = np.empty(size, dtype=np.uint16), np.empty(size, dtype=table.dtype)
    size, k, at = 0, 0, np.int64(gaps[0]) - 1 if gaps.size > 0 else np.int64(0)
    for r in range(n_rules):
        n = (rule_at[r + 1] - rule_at[r]) // parent_states[r]
        for a in range(parent_states[r]):
            first = rule_at[r] + a * n
            while k < gaps.size and at < first + n:
                code = np.int64(high[k]) << 8 | np.int64(low[k])
                if code >= least_code:
                    column[size], value[size] = at - first, table[code]
                    size += 1
                k += 1
                at += np.int64(gaps[k]) if k < gaps.size else 0
            row_at[first_row[r] + a + 1] = size
    return SparseRules(first_row, row_at, column, value)


@kernel(fastmath=SUMS)
def add_applied(weights, r, w, out):
    """out[a] += sum over j of C_r[a, j] w[j]."""
    n, sparse = w.size, weights.sparse
    for a in range(out.size):
        total = out[a] * 0
        if sparse.value.size > 0:
            row = sparse.first_row[r] + a
            low, high = sparse.row_at[row], sparse.row_at[row + 1]
            column, value = sparse.column[low:high], sparse.value[low:high]
            for k in range(high - low):
                total += value[k] * w[column[k]]
        else:
            dense = weights.rule_weight[weights.rule_at[r] + a * n : weights.rule_at[r] + (a + 1) * n]
            for j in range(n):  # an index into a row needs no check for negative ones
                total += dense[j] * w[j]
        out[a] += total


@kernel(fastmath=SUMS)
def contract_rule(weights, r, o, T):
    """T[b c] = sum over a of o[a] C_r[a, b, c]; rows of states that are 0 are not read."""
    n, sparse = T.size, weights.sparse
    for j in range(n):
        T[j] = 0
    for a in range(o.size):
        weight = o[a]
        if weight == 0:
            continue
        if sparse.value.size > 0:
            row = sparse.first_row[r] + a
            low, high = sparse.row_at[row], sparse.row_at[row + 1]
            column, value = sparse.column[low:high], sparse.value[low:high]
            for k in range(high - low):
                T[column[k]] += weight * value[k]
        else:
            dense = weights.rule_weight[weights.rule_at[r] + a * n : weights.rule_at[r] + (a + 1) * n]
            for j in range(n):
                T[j] += weight * dense[j]


@kernel(fastmath=SUMS)
def add_products(y, z, factor, w):
    """w[b c] += factor y[b] z[c]."""
    for b in range(y.size):
        weight, row = factor * y[b], w[b * z.size : (b + 1) * z.size]
        for c in range(z.size):
            row[c] += weight * z[c]


@kernel(fastmath=SUMS)
def add_outside(T, y, z, factor, y_out, z_out):
    """Add to the outside vectors of two children from T[b c], the parent's through the rule; the marginal."""
    marginal = factor * 0
    for b in range(y.size):
        total, weight, row = factor * 0, factor * y[b], T[b * z.size : (b + 1) * z.size]
        for c in range(z.size):
            total += row[c] * z[c]
            z_out[c] += weight * row[c]
        y_out[b] += factor * total
        marginal += weight * total
    return marginal


@kernel
def new_vectors(forest, weights):
    """Vectors of a forest, all zero."""
    n_items, n_edges, kind = forest.label.size, forest.rule.size, weights.entry_weight.dtype
    at = np.zeros(n_items + 1, dtype=np.int64)
    for p in range(n_items):
        at[p + 1] = at[p] + weights.states[forest.label[p]]
    inside, outside = np.zeros(at[-1], kind), np.zeros(at[-1], kind)
    return Vectors(at, inside, outside, np.zeros(n_items), np.zeros(n_items, kind), np.zeros(n_edges, kind))


@kernel
def word_inside(forest, weights, p, vectors):
    """The inside vector of a word item: its lexical weights times its emission."""
    v = vectors.inside[vectors.at[p] : vectors.at[p + 1]]
    first = weights.entry_at[forest.entry[p]]
    for h in range(v.size):
        v[h] = weights.entry_weight[first + h] * forest.emission[p]
    vectors.factor[p] = rescale(v)
    vectors.scale[p] = np.log(vectors.factor[p]) if vectors.factor[p] > 0.0 else 0.0


@kernel
def edge_reference(forest, p, vectors):
    """The largest log scale of an item's edges, -inf if all have an empty child."""
    reference = -np.inf
    for e in range(forest.edge_at[p], forest.edge_at[p + 1]):
        x, y = forest.left[e], forest.right[e]
        if vectors.factor[x] > 0.0 and vectors.factor[y] > 0.0:
            reference = max(reference, vectors.scale[x] + vectors.scale[y])
    return reference


# What it computes: the inside vector of every item,  v_p[a] = sum over edges (p -> x y by rule r) and b, c
# of  C_r[a, b, c] v_x[b] v_y[c]  [cohen-etal-2014, figure 5].  The edges of an item that share a rule are
# summed first as outer products of their children,  w[b, c] += f v_x[b] v_y[c],  and then go through the
# tensor together, since reading the tensor is what takes the time.  f takes the children's scales to the
# largest of the item's edges.  Layout: see ``Vectors``; a tensor lies as (a, b, c), so that each a is one
# scalar product with w, dense or over the larger weights alone: nine tenths of the weights of a learnt grammar
# are too small to matter.  Order: items ascend, so children are ready.
@kernel
def chart_inside(forest, weights, vectors):
    """Fill the inside vectors, scales and factors of all items."""
    at, inside, edge_at = vectors.at, vectors.inside, forest.edge_at
    widest = widest_slice(at)
    w = np.zeros(widest * widest, dtype=inside.dtype)
    for p in range(forest.label.size):
        if forest.entry[p] >= 0:
            word_inside(forest, weights, p, vectors)
            continue
        reference, e = edge_reference(forest, p, vectors), edge_at[p]
        v = inside[at[p] : at[p + 1]]
        while e < edge_at[p + 1] and reference > -np.inf:
            r, x, y = forest.rule[e], forest.left[e], forest.right[e]
            n = (at[x + 1] - at[x]) * (at[y + 1] - at[y])
            for j in range(n):
                w[j] = 0.0
            while e < edge_at[p + 1] and forest.rule[e] == r:
                x, y = forest.left[e], forest.right[e]
                f = 0.0
                if vectors.factor[x] > 0.0 and vectors.factor[y] > 0.0:
                    f = np.exp(vectors.scale[x] + vectors.scale[y] - reference)
                vectors.edge_factor[e] = f
                add_products(inside[at[x] : at[x + 1]], inside[at[y] : at[y + 1]], vectors.edge_factor[e], w)
                e += 1
            add_applied(weights, r, w[:n], v)
        vectors.factor[p] = rescale(v) if reference > -np.inf else 0.0
        vectors.scale[p] = reference + np.log(vectors.factor[p]) if vectors.factor[p] > 0.0 else 0.0


@kernel
def set_roots(forest, weights, vectors):
    """Write root weights, over the sentence total, into the outside vectors of roots; log |total| and its sign."""
    at, inside, outside = vectors.at, vectors.inside, vectors.outside
    reference, total = -np.inf, 0.0
    for p in forest.root:
        if vectors.factor[p] > 0.0:
            reference = max(reference, vectors.scale[p])
    for p in forest.root:
        if vectors.factor[p] > 0.0:
            first, factor = weights.state_at[forest.label[p]], np.exp(vectors.scale[p] - reference)
            for h in range(at[p + 1] - at[p]):
                outside[at[p] + h] = weights.root_weight[first + h] * factor
                total += outside[at[p] + h] * inside[at[p] + h]
    for p in forest.root:
        for h in range(at[p], at[p + 1] if total != 0.0 else at[p]):
            outside[h] /= total
    return (reference + np.log(abs(total)) if total != 0.0 else -np.inf), np.sign(total)


@kernel(fastmath=SUMS)
def live_outside(vectors, p, least, o):
    """Copy an item's outside vector to ``o``, without states below ``least`` of its marginal; the marginal."""
    first, marginal = vectors.at[p], 0.0
    size = vectors.at[p + 1] - first
    for h in range(size):
        marginal += vectors.outside[first + h] * vectors.inside[first + h]
    for h in range(size):
        worth = abs(vectors.outside[first + h] * vectors.inside[first + h])
        o[h] = vectors.outside[first + h] if worth >= least * abs(marginal) else 0.0
    return marginal


# What it computes: outside vectors from the roots down and the marginals of items and edges.  For an edge
# p -> x y by rule r,  T[b, c] = sum over a of o_p[a] C_r[a, b, c]  is made once for all edges of p that share
# r; then  o_x[b] += f sum over c of T[b, c] v_y[c],  likewise o_y, and the edge's marginal is f v_x' T v_y,
# with f the edge's factor over its parent's.  States of p below ``least`` of its marginal are skipped:
# each costs a row of the tensor and contributes almost nothing.  Order: items descend, so o_p is complete.
@kernel(fastmath=SUMS)
def chart_outside(forest, weights, vectors, least, item_marginal, edge_marginal):
    """Fill outside vectors and marginals; the outside vectors of roots must be set."""
    at, inside, outside, edge_at = vectors.at, vectors.inside, vectors.outside, forest.edge_at
    widest = widest_slice(at)
    T, o = np.zeros(widest * widest, dtype=inside.dtype), np.zeros(widest, dtype=inside.dtype)
    for p in range(forest.label.size - 1, -1, -1):
        item_marginal[p] = live_outside(vectors, p, least, o)
        e, stop = edge_at[p], edge_at[p + 1] if vectors.factor[p] != 0.0 else edge_at[p]
        while e < stop:
            r, x, y = forest.rule[e], forest.left[e], forest.right[e]
            n = (at[x + 1] - at[x]) * (at[y + 1] - at[y])
            contract_rule(weights, r, o[: at[p + 1] - at[p]], T[:n])
            while e < stop and forest.rule[e] == r:
                x, y = forest.left[e], forest.right[e]
                edge_marginal[e] = add_outside(
                    T, inside[at[x] : at[x + 1]], inside[at[y] : at[y + 1]],
                    vectors.edge_factor[e] / vectors.factor[p],
                    outside[at[x] : at[x + 1]], outside[at[y] : at[y + 1]],
                )  # fmt: skip
                e += 1


@kernel
def forest_marginals(forest, weights, least):
    """Marginals of all items and edges under one set of latent weights, in one call."""
    vectors = new_vectors(forest, weights)
    item, edge = np.zeros(forest.label.size), np.zeros(forest.rule.size)
    chart_inside(forest, weights, vectors)
    log_total, sign = set_roots(forest, weights, vectors)
    if sign != 0.0:
        chart_outside(forest, weights, vectors, least, item, edge)
    return ForestMarginals(item, edge, log_total, sign, vectors.inside, vectors.outside, vectors.at)
