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
        total, row = out[a] * 0, C[a * n : (a + 1) * n]
        for j in range(n):
            total += row[j] * w[j]
        out[a] = total


@njit(cache=True, nogil=True, fastmath=SUMS)
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


@njit(cache=True, nogil=True, fastmath=SUMS)
def add_outer(o, factor, w, S):
    """S[a, b, c] += factor * o[a] * w[b c]."""
    n = w.size
    for a in range(o.size):
        weight, row = factor * o[a], S[a * n : (a + 1) * n]
        for j in range(n):
            row[j] += weight * w[j]


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


BATCH = 128  # rows of one rule that are multiplied together
FEW = 4  # fewer rows than this are done one by one


@njit(cache=True, nogil=True)
def run_end(schedule, rule, entry, height, s):
    """End of the run of rows in the schedule that share rule and height with row s, or are words."""
    i = schedule[s]
    stop = s + 1
    while stop < schedule.size and stop - s < BATCH:
        j = schedule[stop]
        if rule[j] != rule[i] or height[j] != height[i] or entry[j] >= 0:
            break
        stop += 1
    return stop


@njit(cache=True, nogil=True)
def outer_rows(rows, child, other, at, inside, nb, nc, W):
    """W[k] = inside(left) (x) inside(right) of each row of a run."""
    for k in range(rows.size):
        x, y = at[child[rows[k]]], at[other[rows[k]]]
        for b in range(nb):
            v = inside[x + b]
            for c in range(nc):
                W[k, b * nc + c] = v * inside[y + c]


@njit(cache=True, nogil=True)
def inside_pass(
    schedule, left, right, rule, entry, height, at, rule_at, C, lexical_at, lexical, inside, factor
):
    """Inside vectors of all rows.

    Row i owns inside[at[i]:at[i + 1]] and factor[i], the magnitude divided out at that row.
    rule: (N,) at phrases.  entry: (N,) lexicon entry at preterminals, -1 at phrases.  schedule: rows
    by height and rule; rows of one rule and height are multiplied together.
    """
    widest = 0
    for i in range(left.size):
        widest = max(widest, at[i + 1] - at[i])
    w = np.empty(widest * widest, dtype=C.dtype)
    s = np.int64(0)
    while s < schedule.size:
        i = schedule[s]
        if entry[i] >= 0:
            v = inside[at[i] : at[i + 1]]
            e = lexical_at[entry[i]]
            for h in range(v.size):
                v[h] = lexical[e + h]
            factor[i] = rescale(v)
            s += 1
            continue
        stop = run_end(schedule, rule, entry, height, s)
        rows = schedule[s:stop]
        part = C[rule_at[rule[i]] : rule_at[rule[i] + 1]]
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
            outer_rows(rows, left, right, at, inside, nb, nc, W)
            V = np.dot(W, part.reshape(na, nb * nc).T)
            for k in range(rows.size):
                for a in range(na):
                    inside[at[rows[k]] + a] = V[k, a]
        for k in range(rows.size):
            factor[rows[k]] = rescale(inside[at[rows[k]] : at[rows[k] + 1]])
        s = stop


@njit(cache=True, nogil=True, fastmath=SUMS)
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


@njit(cache=True, nogil=True)
def outside_pass(
    schedule, left, right, rule, entry, height, at, rule_at, C, inside, factor, outside, collect, rule_sum, lexical_at,
    lexical_sum,
):  # fmt: skip
    """Outside vectors of all rows, scaled so that inside . outside = 1 at every row of a tree.

    Roots must be set beforehand; rows of trees without mass keep zeros.  With ``collect``, adds
    to rule_sum the outer products whose product with C are the expected rule counts, and to
    lexical_sum the expected counts of lexicon entries.
    """
    widest = 0
    for i in range(left.size):
        widest = max(widest, at[i + 1] - at[i])
    T1 = np.empty(widest * widest, dtype=C.dtype)
    W1 = np.empty((1, widest * widest), dtype=C.dtype)
    s = schedule.size
    while s > 0:
        i = schedule[s - 1]
        if entry[i] >= 0:
            if collect:
                e = lexical_at[entry[i]]
                for h in range(at[i + 1] - at[i]):
                    lexical_sum[e + h] += outside[at[i] + h] * inside[at[i] + h]
            s -= 1
            continue
        first = s - 1
        while first > 0 and s - first < BATCH:
            j = schedule[first - 1]
            if rule[j] != rule[i] or height[j] != height[i] or entry[j] >= 0:
                break
            first -= 1
        rows = schedule[first:s]
        r = rule[i]
        part = C[rule_at[r] : rule_at[r + 1]]
        nb, nc = at[left[i] + 1] - at[left[i]], at[right[i] + 1] - at[right[i]]
        na, n = at[i + 1] - at[i], nb * nc
        many = rows.size >= FEW
        if many:
            scaled = np.empty((rows.size, na), dtype=C.dtype)
            for k in range(rows.size):
                inverse = 1.0 / factor[rows[k]] if factor[rows[k]] != 0.0 else 0.0
                for a in range(na):
                    scaled[k, a] = outside[at[rows[k]] + a] * inverse
            T = np.dot(scaled, part.reshape(na, n))
            if collect:
                W = np.empty((rows.size, n), dtype=C.dtype)
                outer_rows(rows, left, right, at, inside, nb, nc, W)
                G = np.dot(scaled.T, W)
                for a in range(na):
                    for j in range(n):
                        rule_sum[rule_at[r] + a * n + j] += G[a, j]
        for k in range(rows.size):
            j = rows[k]
            if factor[j] == 0.0:
                continue
            x, z = left[j], right[j]
            y_in, z_in = inside[at[x] : at[x + 1]], inside[at[z] : at[z + 1]]
            y_out, z_out = outside[at[x] : at[x + 1]], outside[at[z] : at[z + 1]]
            if many:
                children_outside(T[k], y_in, z_in, 1.0, y_out, z_out)
            else:
                o = outside[at[j] : at[j + 1]]
                contract_parent(part, o, n, T1)
                children_outside(T1, y_in, z_in, 1.0 / factor[j], y_out, z_out)
                if collect:
                    outer_rows(rows[k : k + 1], left, right, at, inside, nb, nc, W1)
                    add_outer(o, 1.0 / factor[j], W1[0, :n], rule_sum[rule_at[r] : rule_at[r + 1]])
        s = first
