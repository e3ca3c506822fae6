"""Latent inside and outside vectors over a packed forest, one model at a time.

Edges are sorted by (parent, rule); a run of equal (parent, rule) applies its tensor once.  Inside
vectors are divided by their largest magnitude and carry a log scale; outside vectors are scaled
so that inside . outside is the item's marginal, sign and all.
"""

import numpy as np
from numba import njit

from eigenparse.kernels.grammar.tree import SUMS, contract_parent, rescale


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_applied(C, w, n, out):
    """out[a] += sum over j of C[a, j] w[j]."""
    for a in range(out.size):
        total = out[a] * 0
        base = a * n
        for j in range(n):
            total += C[base + j] * w[j]
        out[a] += total


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_products(y, z, factor, w):
    """w[b c] += factor y[b] z[c]."""
    for b in range(y.size):
        weight, base = factor * y[b], b * z.size
        for c in range(z.size):
            w[base + c] += weight * z[c]


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_outside(T, y, z, factor, y_out, z_out):
    """Add to the outside vectors of two children from T[b c], the parent's through the rule; the marginal."""
    marginal = factor * 0
    for b in range(y.size):
        total, weight, base = factor * 0, factor * y[b], b * z.size
        for c in range(z.size):
            total += T[base + c] * z[c]
            z_out[c] += weight * T[base + c]
        y_out[b] += factor * total
        marginal += weight * total
    return marginal


@njit(cache=True, nogil=True)
def chart_inside(
    item_label, item_entry, edge_at, edge_left, edge_right, edge_rule, states, rule_at, C, entry_at, lexical, emission,
    at, inside, item_scale, item_factor, edge_factor,
):  # fmt: skip
    """Inside vectors of all items; item p owns edges [edge_at[p], edge_at[p + 1]) and inside[at[p]:at[p + 1]].

    emission: (items,) a factor on the lexical weight of each word item (soft tags), 1 elsewhere.
    """
    widest = 0
    for p in range(item_label.size):
        widest = max(widest, at[p + 1] - at[p])
    w = np.zeros(widest * widest, dtype=C.dtype)
    for p in range(item_label.size):
        v = inside[at[p] : at[p + 1]]
        if item_entry[p] >= 0:
            e = entry_at[item_entry[p]]
            for h in range(v.size):
                v[h] = lexical[e + h] * emission[p]
            item_factor[p] = rescale(v)
            item_scale[p] = np.log(item_factor[p]) if item_factor[p] > 0.0 else 0.0
            continue
        reference = -np.inf
        for e in range(edge_at[p], edge_at[p + 1]):
            if item_factor[edge_left[e]] > 0.0 and item_factor[edge_right[e]] > 0.0:
                reference = max(reference, item_scale[edge_left[e]] + item_scale[edge_right[e]])
        v[:] = 0.0
        if reference == -np.inf:
            item_factor[p], item_scale[p] = 0.0, 0.0
            edge_factor[edge_at[p] : edge_at[p + 1]] = 0.0
            continue
        e = edge_at[p]
        while e < edge_at[p + 1]:
            r = edge_rule[e]
            nb = at[edge_left[e] + 1] - at[edge_left[e]]
            nc = at[edge_right[e] + 1] - at[edge_right[e]]
            for j in range(nb * nc):
                w[j] = 0.0
            while e < edge_at[p + 1] and edge_rule[e] == r:
                x, y = edge_left[e], edge_right[e]
                f = 0.0
                if item_factor[x] > 0.0 and item_factor[y] > 0.0:
                    f = np.exp(item_scale[x] + item_scale[y] - reference)
                edge_factor[e] = f
                add_products(inside[at[x] : at[x + 1]], inside[at[y] : at[y + 1]], edge_factor[e], w)
                e += 1
            add_applied(C[rule_at[r] : rule_at[r + 1]], w, nb * nc, v)
        item_factor[p] = rescale(v)
        item_scale[p] = reference + np.log(item_factor[p]) if item_factor[p] > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath=SUMS)
def chart_outside(
    item_label, item_entry, edge_at, edge_left, edge_right, edge_rule, rule_at, C, at, inside, item_factor, edge_factor,
    outside, item_marginal, edge_marginal, least,
):  # fmt: skip
    """Outside vectors, marginals of items and of edges; the outside vectors of roots must be set.

    States below ``least`` of their item's marginal pass nothing on to the children.
    """
    widest = 0
    for p in range(item_label.size):
        widest = max(widest, at[p + 1] - at[p])
    T, o = np.zeros(widest * widest, dtype=C.dtype), np.zeros(widest, dtype=C.dtype)
    for p in range(item_label.size - 1, -1, -1):
        first, size, mu = at[p], at[p + 1] - at[p], 0.0
        for h in range(size):
            mu += outside[first + h] * inside[first + h]
        item_marginal[p] = mu
        if item_entry[p] >= 0 or item_factor[p] == 0.0:
            edge_marginal[edge_at[p] : edge_at[p + 1]] = 0.0
            continue
        for h in range(size):
            worth = abs(outside[first + h] * inside[first + h])
            o[h] = outside[first + h] if worth >= least * abs(mu) else 0.0
        e, factor = edge_at[p], item_factor[p]
        while e < edge_at[p + 1]:
            r = edge_rule[e]
            nb = at[edge_left[e] + 1] - at[edge_left[e]]
            nc = at[edge_right[e] + 1] - at[edge_right[e]]
            contract_parent(C[rule_at[r] : rule_at[r + 1]], o[:size], nb * nc, T)
            while e < edge_at[p + 1] and edge_rule[e] == r:
                x, y = edge_left[e], edge_right[e]
                edge_marginal[e] = add_outside(
                    T, inside[at[x] : at[x + 1]], inside[at[y] : at[y + 1]], edge_factor[e] / factor,
                    outside[at[x] : at[x + 1]], outside[at[y] : at[y + 1]],
                )  # fmt: skip
                e += 1
