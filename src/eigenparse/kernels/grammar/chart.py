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
from eigenparse.kernels.lanes import LANES, add_blocks, dot_blocks

Array = npt.NDArray[Any]


class SparseRules(NamedTuple):
    """The larger weights of all rules, row by row; empty if kernels are to read whole tensors.

    Row first_row[r] + a holds the weights of state a of rule r's parent, in blocks of LANES columns: block k in
    [row_at[row], row_at[row + 1]) has value[LANES * k + i] at column LANES * block[k] + i = b * m_c + c, 0 where the
    weight is not one of the larger ones or there is no such column.  Values may be short (``kernels.lanes``).
    """

    first_row: Array
    row_at: Array
    block: Array
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
def first_rows(parent_states):
    """The first row of each rule.  parent_states: (R,) states of each rule's parent."""
    first_row = np.zeros(parent_states.size + 1, dtype=np.int64)
    for r in range(parent_states.size):
        first_row[r + 1] = first_row[r] + parent_states[r]
    return first_row


@kernel
def large_weights(rule_at, rule_weight, parent_states, least):
    """The weights of at least ``least`` (see ``SparseRules``)."""
    first_row, size = first_rows(parent_states), 0
    row_at = np.zeros(first_row[-1] + 1, dtype=np.int64)
    block, value = np.empty(0, dtype=np.uint16), np.empty(0, dtype=rule_weight.dtype)
    for fill in (False, True):
        if fill:
            block, value = np.empty(size, dtype=np.uint16), np.zeros(LANES * size, dtype=rule_weight.dtype)
            size = 0
        for r in range(parent_states.size):
            n = (rule_at[r + 1] - rule_at[r]) // parent_states[r]
            for a in range(parent_states[r]):
                row, last = rule_weight[rule_at[r] + a * n : rule_at[r] + (a + 1) * n], -1
                for j in range(n):
                    if row[j] >= least:
                        size += j // LANES != last
                        last = j // LANES
                        if fill:
                            block[size - 1], value[LANES * (size - 1) + j % LANES] = last, row[j]
                row_at[first_row[r] + a + 1] = size
    return SparseRules(first_row, row_at, block, value)


# What it computes: what ``large_weights`` does, for weights that are mostly zero and come as codes (``FewValues``).
# Layout: the places of weights are known by the gaps between them; rows of all rules follow one another.  Order: one
# pass counts blocks, one fills them; both walk over gaps and rows side by side.
@kernel
def large_codes(rule_at, gaps, low, high, table, parent_states, least_code):
    """The weights of codes of at least ``least_code``."""
    first_row, size = first_rows(parent_states), 0
    row_at = np.zeros(first_row[-1] + 1, dtype=np.int64)
    block, value = np.empty(0, dtype=np.uint16), np.empty(0, dtype=table.dtype)
    for fill in (False, True):
        if fill:
            block, value = np.empty(size, dtype=np.uint16), np.zeros(LANES * size, dtype=table.dtype)
            size = 0
        k, at = 0, np.int64(gaps[0]) - 1 if gaps.size > 0 else np.int64(0)
        for r in range(parent_states.size):
            n = (rule_at[r + 1] - rule_at[r]) // parent_states[r]
            for a in range(parent_states[r]):
                first, last = rule_at[r] + a * n, -1
                while k < gaps.size and at < first + n:
                    code = np.int64(high[k]) << 8 | np.int64(low[k])
                    if code >= least_code:
                        place = (at - first) // LANES
                        size += place != last
                        last = place
                        if fill:
                            block[size - 1], value[LANES * (size - 1) + (at - first) % LANES] = (
                                place,
                                table[code],
                            )
                    k += 1
                    at += np.int64(gaps[k]) if k < gaps.size else 0
                row_at[first_row[r] + a + 1] = size
    return SparseRules(first_row, row_at, block, value)


# The inner loops below take whole arrays with the place and the size of a part of them, unsigned: a slice would count
# references, and a signed place would be checked for counting from the end, each of which takes longer than the loop
# over a short vector.
@kernel
def place(x):
    """A place or a size in an array that cannot count from its end."""
    return np.uint64(x)


@kernel(fastmath=SUMS)
def add_applied(weights, r, w, n, out, first, size):
    """out[first + a] += sum over j of C_r[a, j] w[j] for the ``size`` states a of the rule's parent.

    n: how many values w has; it is finite up to the next whole block behind them.
    """
    sparse, dense, n = weights.sparse, weights.rule_weight, place(n)
    row, start = sparse.first_row[r] if sparse.value.size > 0 else 0, place(weights.rule_at[r])
    for a in range(place(size)):
        total = w[0] * 0
        if sparse.value.size > 0:
            total += dot_blocks(sparse.value, sparse.block, sparse.row_at[row], sparse.row_at[row + 1], w)
            row += 1
        else:
            for j in range(n):
                total += dense[start + j] * w[j]
            start += n
        out[place(first) + a] += total


@kernel(fastmath=SUMS)
def contract_rule(weights, r, o, size, T, n):
    """T[b c] = sum over a of o[a] C_r[a, b, c]; rows of states that are 0 are not read.

    o has ``size`` values, T has n and room for a whole block behind them, which may be written to.
    """
    sparse, dense, n = weights.sparse, weights.rule_weight, place(n)
    row, start = sparse.first_row[r] if sparse.value.size > 0 else 0, place(weights.rule_at[r])
    for j in range(n):
        T[j] = 0
    for a in range(place(size)):
        weight = o[a]
        if weight != 0 and sparse.value.size > 0:
            at = row + np.int64(a)
            add_blocks(sparse.value, sparse.block, sparse.row_at[at], sparse.row_at[at + 1], weight, T)
        elif weight != 0:
            for j in range(n):
                T[j] += weight * dense[start + a * n + j]


@kernel(fastmath=SUMS)
def add_products(values, y, y_size, z, z_size, factor, w):
    """w[b c] += factor values[y + b] values[z + c]."""
    for b in range(place(y_size)):
        weight, row = factor * values[place(y) + b], b * place(z_size)
        for c in range(place(z_size)):
            w[row + c] += weight * values[place(z) + c]


@kernel(fastmath=SUMS)
def add_outside(T, vectors, y, z, factor):
    """Add to the outside vectors of two items from T[b c], their parent's through the rule; the marginal."""
    at, inside, outside = vectors.at, vectors.inside, vectors.outside
    y_at, z_at, z_size = place(at[y]), place(at[z]), place(at[z + 1] - at[z])
    marginal = factor * 0
    for b in range(place(at[y + 1] - at[y])):
        total, weight, row = factor * 0, factor * inside[y_at + b], b * z_size
        for c in range(z_size):
            total += T[row + c] * inside[z_at + c]
            outside[z_at + c] += weight * T[row + c]
        outside[y_at + b] += factor * total
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
    at, inside, scale, factor, edge_factor = (
        vectors.at, vectors.inside, vectors.scale, vectors.factor, vectors.edge_factor
    )  # fmt: skip
    edge_at, rule, left, right = forest.edge_at, forest.rule, forest.left, forest.right
    widest = widest_slice(at)
    w = np.zeros(widest * widest + LANES, dtype=inside.dtype)
    for p in range(forest.label.size):
        if forest.entry[p] >= 0:
            word_inside(forest, weights, p, vectors)
            continue
        reference, e = edge_reference(forest, p, vectors), edge_at[p]
        while e < edge_at[p + 1] and reference > -np.inf:
            r, x, y = rule[e], left[e], right[e]
            n = (at[x + 1] - at[x]) * (at[y + 1] - at[y])
            w[:n] = 0.0
            while e < edge_at[p + 1] and rule[e] == r:
                x, y = left[e], right[e]
                f, both = 0.0, scale[x] + scale[y]
                if factor[x] > 0.0 and factor[y] > 0.0:
                    f = np.exp(both - reference) if both != reference else 1.0  # often the only edge
                edge_factor[e] = f
                add_products(inside, at[x], at[x + 1] - at[x], at[y], at[y + 1] - at[y], edge_factor[e], w)
                e += 1
            add_applied(weights, r, w, n, inside, at[p], at[p + 1] - at[p])
        factor[p] = rescale(inside[at[p] : at[p + 1]]) if reference > -np.inf else 0.0
        scale[p] = reference + np.log(factor[p]) if factor[p] > 0.0 else 0.0


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
    at, edge_at, rule, left, right = vectors.at, forest.edge_at, forest.rule, forest.left, forest.right
    widest, kind = widest_slice(at), vectors.inside.dtype
    T, o = np.zeros(widest * widest + LANES, dtype=kind), np.zeros(widest, dtype=kind)
    for p in range(forest.label.size - 1, -1, -1):
        item_marginal[p] = live_outside(vectors, p, least, o)
        e, stop = edge_at[p], edge_at[p + 1] if vectors.factor[p] != 0.0 else edge_at[p]
        while e < stop:
            r, x, y = rule[e], left[e], right[e]
            n = (at[x + 1] - at[x]) * (at[y + 1] - at[y])
            contract_rule(weights, r, o, at[p + 1] - at[p], T, n)
            while e < stop and rule[e] == r:
                factor = vectors.edge_factor[e] / vectors.factor[p]
                edge_marginal[e] = add_outside(T, vectors, left[e], right[e], factor)
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
