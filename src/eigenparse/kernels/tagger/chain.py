"""Forward and backward of a refinement HMM over candidate labels, in tensor form.

A candidate is a label that a token may have; its observation vector is v (the paper's c_x, divided
by the emission of the label).  ``u`` is what a forward vector and v become together: all products
alpha_j v_k, or alpha_j v_j if the model is diagonal.  Blocks C^{b|a} are (m_b, pairs_a) matrices on u
[stratos-2013, figure 2 with its backward pass put right].  Values may be negative.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def pair(alpha, v, weight, m, diagonal, u):
    """u = weight * (alpha outer v), or the coordinate-wise product."""
    if diagonal:
        for j in range(m):
            u[j] = weight * alpha[j] * v[j]
    else:
        for j in range(m):
            w = weight * alpha[j]
            for k in range(m):
                u[j * m + k] = w * v[k]


@njit(cache=True, nogil=True, inline="always")
def unpair(eta, v, weight, m, diagonal, beta):
    """beta_j = weight * sum_k eta_jk v_k: the transpose of ``pair`` in its first argument."""
    if diagonal:
        for j in range(m):
            beta[j] = weight * eta[j] * v[j]
    else:
        for j in range(m):
            total = 0.0
            for k in range(m):
                total += eta[j * m + k] * v[k]
            beta[j] = weight * total


@njit(cache=True, nogil=True, inline="always")
def pass_on(values, at, base, u, n_pairs, m_to, alpha):
    """alpha += C u for one block; a block that is absent is its bigram limit."""
    if at < 0:
        alpha[0] += base * u[0]
        return
    whole = n_pairs - n_pairs % 4
    for i in range(m_to):
        x, y, z, w = 0.0, 0.0, 0.0, 0.0  # four sums, so that they need not wait for each other
        row = at + i * n_pairs
        for p in range(0, whole, 4):
            x += values[row + p] * u[p]
            y += values[row + p + 1] * u[p + 1]
            z += values[row + p + 2] * u[p + 2]
            w += values[row + p + 3] * u[p + 3]
        for p in range(whole, n_pairs):
            x += values[row + p] * u[p]
        alpha[i] += (x + y) + (z + w)


@njit(cache=True, nogil=True, inline="always")
def pass_back(values, at, base, beta, n_pairs, m_to, eta):
    """eta += C' beta for one block."""
    if at < 0:
        eta[0] += base * beta[0]
        return
    for i in range(m_to):
        row = at + i * n_pairs
        b = beta[i]
        for p in range(n_pairs):
            eta[p] += b * values[row + p]


@njit(cache=True, nogil=True, inline="always")
def rescale(table, low, high, width):
    """Divide rows low..high by their largest magnitude; return its logarithm (0 if all are zero)."""
    top = 0.0
    for c in range(low, high):
        for j in range(width):
            top = max(top, abs(table[c, j]))
    if top == 0.0 or top == 1.0:
        return 0.0
    for c in range(low, high):
        for j in range(width):
            table[c, j] /= top
    return np.log(top)


@njit(cache=True, nogil=True)
def forward(first, last, cand, label, weight, vector, vectors, states, diagonal, model, alpha, u, scale):
    """Fill alpha and u of tokens first..last; scale[t] is the log that was taken out at token t."""
    state_at, pair_at, start, base, block, values = model
    A = states.size
    wide = alpha.shape[1]
    origin = cand[first]
    alpha[: cand[last] - origin] = 0.0
    for t in range(first, last):
        for c in range(cand[t], cand[t + 1]):
            b, row = label[c], c - origin
            m_to = states[b]
            if t == first:
                for j in range(m_to):
                    alpha[row, j] = start[state_at[b] + j]
                continue
            for d in range(cand[t - 1], cand[t]):
                a = label[d]
                n_pairs = pair_at[a + 1] - pair_at[a]
                pass_on(values, block[b * A + a], base[b, a], u[d - origin], n_pairs, m_to, alpha[row])
        scale[t] = rescale(alpha, cand[t] - origin, cand[t + 1] - origin, wide)
        for c in range(cand[t], cand[t + 1]):
            row = c - origin
            pair(alpha[row], vectors[vector[c]], weight[c], states[label[c]], diagonal, u[row])


@njit(cache=True, nogil=True)
def backward(
    first, last, cand, label, weight, vector, vectors, states, diagonal, model, stop, eta, beta, scale
):
    """Fill eta (on pairs, before the token's own observation) and beta of tokens last..first."""
    _state_at, pair_at, _start, base, block, values = model
    A = states.size
    origin = cand[first]
    eta[: cand[last] - origin] = 0.0
    beta[: cand[last] - origin] = 0.0
    for t in range(last - 1, first - 1, -1):
        for c in range(cand[t], cand[t + 1]):
            a, row = label[c], c - origin
            n_pairs = pair_at[a + 1] - pair_at[a]
            if t == last - 1:
                for p in range(n_pairs):
                    eta[row, p] = stop[pair_at[a] + p]
            else:
                for d in range(cand[t + 1], cand[t + 2]):
                    b = label[d]
                    pass_back(
                        values, block[b * A + a], base[b, a], beta[d - origin], n_pairs, states[b], eta[row]
                    )
            unpair(eta[row], vectors[vector[c]], weight[c], states[a], diagonal, beta[row])
        # beta and eta must share their scale for edge posteriors: rescale both by beta's size
        top = 0.0
        for c in range(cand[t] - origin, cand[t + 1] - origin):
            for j in range(beta.shape[1]):
                top = max(top, abs(beta[c, j]))
        scale[t] = 0.0
        if top > 0.0:
            for c in range(cand[t] - origin, cand[t + 1] - origin):
                for j in range(beta.shape[1]):  # loops compile faster than rows
                    beta[c, j] /= top
                for j in range(eta.shape[1]):
                    eta[c, j] /= top
            scale[t] = np.log(top)


@njit(cache=True, nogil=True)
def marginals(
    offsets,
    cand,
    label,
    weight,
    vector,
    vectors,
    states,
    diagonal,
    model,
    stop,
    marginal,
    log_abs,
    sign,
    n_negative,
):
    """mu of every candidate divided by the total; log|p(x)| and sign of p(x) per sequence.

    n_negative: (2,) totals that are not positive and marginals below zero, counted.
    """
    pair_at = model[1]
    wide, pairs, most = vectors.shape[1], 0, 0
    for a in range(states.size):
        pairs = max(pairs, pair_at[a + 1] - pair_at[a])
    for s in range(offsets.size - 1):
        most = max(most, cand[offsets[s + 1]] - cand[offsets[s]])
    alpha, beta = np.zeros((most, wide)), np.zeros((most, wide))
    u, eta = np.zeros((most, pairs)), np.zeros((most, pairs))
    longest = np.max(offsets[1:] - offsets[:-1]) if offsets.size > 1 else 0
    scale, back_scale = np.zeros(longest), np.zeros(longest)
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        if first == last:
            continue
        local = cand[first : last + 1]
        n = last - first
        forward(0, n, local, label, weight, vector, vectors, states, diagonal, model, alpha, u, scale)
        backward(
            0, n, local, label, weight, vector, vectors, states, diagonal, model, stop, eta, beta, back_scale
        )
        origin = local[0]
        total = 0.0
        for t in range(n):
            here = 0.0
            for c in range(local[t], local[t + 1]):
                a = label[c]
                value = 0.0
                for p in range(pair_at[a + 1] - pair_at[a]):
                    value += eta[c - origin, p] * u[c - origin, p]
                marginal[c] = value
                here += value
            if t == n - 1:
                total = here
            for c in range(local[t], local[t + 1]):
                marginal[c] = marginal[c] / here if here != 0.0 else 1.0 / (local[t + 1] - local[t])
                if marginal[c] < 0.0:
                    n_negative[1] += 1
        sign[s] = np.sign(total)
        n_negative[0] += total <= 0.0
        log_abs[s] = np.log(abs(total)) + np.sum(scale[:n]) + back_scale[n - 1] if total != 0.0 else -np.inf
