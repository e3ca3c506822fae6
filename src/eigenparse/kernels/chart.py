"""Latent inside and outside vectors over a packed forest, one model at a time.

Edges are sorted by (parent, rule); a run of equal (parent, rule) applies its tensor once.  Inside
vectors are divided by their largest magnitude and carry a log scale; outside vectors are scaled
so that inside . outside is the item's marginal, sign and all.
"""

import numpy as np
from numba import njit

from eigenparse.kernels.tree import SUMS, contract_parent, rescale


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_applied(C, w, n, out):
    """out[a] += sum over j of C[a, j] w[j]."""
    for a in range(out.size):
        total = out[a] * 0
        base = a * n
        for j in range(n):
            total += C[base + j] * w[j]
        out[a] += total


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
    w = np.zeros(widest * widest)
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
                for b in range(nb):
                    weight = f * inside[at[x] + b]
                    for c in range(nc):
                        w[b * nc + c] += weight * inside[at[y] + c]
                e += 1
            add_applied(C[rule_at[r] : rule_at[r + 1]], w, nb * nc, v)
        item_factor[p] = rescale(v)
        item_scale[p] = reference + np.log(item_factor[p]) if item_factor[p] > 0.0 else 0.0


@njit(cache=True, nogil=True, fastmath=SUMS)
def chart_outside(
    item_label, item_entry, edge_at, edge_left, edge_right, edge_rule, rule_at, C, at, inside, item_factor, edge_factor,
    outside, item_marginal, edge_marginal,
):  # fmt: skip
    """Outside vectors, marginals of items and of edges; the outside vectors of roots must be set."""
    widest = 0
    for p in range(item_label.size):
        widest = max(widest, at[p + 1] - at[p])
    T = np.zeros(widest * widest)
    for p in range(item_label.size - 1, -1, -1):
        o = outside[at[p] : at[p + 1]]
        mu = 0.0
        for h in range(o.size):
            mu += o[h] * inside[at[p] + h]
        item_marginal[p] = mu
        if item_entry[p] >= 0 or item_factor[p] == 0.0:
            edge_marginal[edge_at[p] : edge_at[p + 1]] = 0.0
            continue
        e = edge_at[p]
        while e < edge_at[p + 1]:
            r = edge_rule[e]
            nb = at[edge_left[e] + 1] - at[edge_left[e]]
            nc = at[edge_right[e] + 1] - at[edge_right[e]]
            contract_parent(C[rule_at[r] : rule_at[r + 1]], o, nb * nc, T)
            while e < edge_at[p + 1] and edge_rule[e] == r:
                x, y = at[edge_left[e]], at[edge_right[e]]
                f = edge_factor[e] / item_factor[p]
                total = 0.0
                for b in range(nb):
                    s = 0.0
                    weight = f * inside[x + b]
                    for c in range(nc):
                        s += T[b * nc + c] * inside[y + c]
                        outside[y + c] += weight * T[b * nc + c]
                    outside[x + b] += f * s
                    total += weight * s
                edge_marginal[e] = total
                e += 1
