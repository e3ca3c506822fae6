"""Inside and outside vectors of given trees, and expected counts: one pass up, one pass down.

Parameters are signed, so cells stay linear: each inside vector is divided by its largest
magnitude, and that factor is kept apart.  Sums may be regrouped by the compiler (SIMD), which
keeps them repeatable on a machine; nothing is assumed about signs, zeros or infinities.
"""

import numpy as np
from numba import njit

SUMS = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=SUMS)
def apply_rule(C, y, z, w, out):
    """out[a] = sum over b, c of C[a, b, c] y[b] z[c], with C flat and w a work vector of size b * c."""
    nb, nc = y.size, z.size
    n = nb * nc
    for b in range(nb):
        for c in range(nc):
            w[b * nc + c] = y[b] * z[c]
    for a in range(out.size):
        total = out[a] * 0
        base = a * n
        for j in range(n):
            total += C[base + j] * w[j]
        out[a] = total


@njit(cache=True, nogil=True, fastmath=SUMS)
def contract_parent(C, o, n, T):
    """T[b c] = sum over a of o[a] C[a, b, c]."""
    for j in range(n):
        T[j] = 0
    for a in range(o.size):
        base = a * n
        weight = o[a]
        for j in range(n):
            T[j] += weight * C[base + j]


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_outer(o, factor, w, S):
    """S[a, b, c] += factor * o[a] * w[b c]."""
    n = w.size
    for a in range(o.size):
        weight = factor * o[a]
        base = a * n
        for j in range(n):
            S[base + j] += weight * w[j]


@njit(cache=True, nogil=True)
def rescale(v):
    """Divide by the largest magnitude and return it; 0 leaves the vector alone."""
    top = 0.0
    for h in range(v.size):
        top = max(top, abs(v[h]))
    if top > 0.0:
        for h in range(v.size):
            v[h] /= top
    return top


@njit(cache=True, nogil=True)
def inside_pass(schedule, left, right, rule, entry, at, rule_at, C, lexical_at, lexical, inside, factor):
    """Inside vectors of all rows.

    Row i owns inside[at[i]:at[i + 1]] and factor[i], the magnitude divided out at that row.
    rule: (N,) at phrases.  entry: (N,) lexicon entry at preterminals, -1 at phrases.
    """
    widest = 0
    for i in range(left.size):
        widest = max(widest, at[i + 1] - at[i])
    w = np.empty(widest * widest, dtype=C.dtype)
    for s in range(schedule.size):
        i = schedule[s]
        v = inside[at[i] : at[i + 1]]
        if entry[i] >= 0:
            e = lexical_at[entry[i]]
            for h in range(v.size):
                v[h] = lexical[e + h]
        else:
            x, y = left[i], right[i]
            apply_rule(
                C[rule_at[rule[i]] : rule_at[rule[i] + 1]],
                inside[at[x] : at[x + 1]],
                inside[at[y] : at[y + 1]],
                w,
                v,
            )
        factor[i] = rescale(v)


@njit(cache=True, nogil=True, fastmath=SUMS)
def outside_pass(
    schedule, left, right, rule, entry, at, rule_at, C, inside, factor, outside, collect, rule_sum, lexical_at, lexical_sum
):
    """Outside vectors of all rows, scaled so that inside . outside = 1 at every row of a tree.

    Roots must be set beforehand; rows of trees without mass keep zeros.  With ``collect``, adds
    to rule_sum the outer products whose product with C are the expected rule counts, and to
    lexical_sum the expected counts of lexicon entries.
    """
    widest = 0
    for i in range(left.size):
        widest = max(widest, at[i + 1] - at[i])
    T = np.empty(widest * widest, dtype=C.dtype)
    w = np.empty(widest * widest, dtype=C.dtype)
    for s in range(schedule.size - 1, -1, -1):
        i = schedule[s]
        o = outside[at[i] : at[i + 1]]
        if entry[i] >= 0:
            if collect:
                e = lexical_at[entry[i]]
                for h in range(o.size):
                    lexical_sum[e + h] += o[h] * inside[at[i] + h]
            continue
        if factor[i] == 0.0:
            continue
        x, z = left[i], right[i]
        y_in, z_in = inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]]
        y_out, z_out = outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]]
        nb, nc = y_in.size, z_in.size
        r = rule[i]
        part = C[rule_at[r] : rule_at[r + 1]]
        contract_parent(part, o, nb * nc, T)
        inverse = 1.0 / factor[i]
        for c in range(nc):
            z_out[c] = 0
        for b in range(nb):
            total = y_in[b] * 0
            for c in range(nc):
                total += T[b * nc + c] * z_in[c]
            y_out[b] = total * inverse
            for c in range(nc):
                z_out[c] += T[b * nc + c] * (y_in[b] * inverse)
        if collect:
            for b in range(nb):
                for c in range(nc):
                    w[b * nc + c] = y_in[b] * z_in[c]
            add_outer(o, inverse, w[: nb * nc], rule_sum[rule_at[r] : rule_at[r + 1]])
