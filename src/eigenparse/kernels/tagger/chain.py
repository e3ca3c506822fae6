"""Forward and backward of a refinement HMM over candidate labels, in tensor form.

A candidate is a label that a token may have; its observation vector is v (the paper's c_x, divided
by the emission of the label).  ``u`` is what a forward vector and v become together: all products
alpha_j v_k, or alpha_j v_j if the model is diagonal.  Blocks C^{b|a} are (m_b, pairs_a) matrices on u
[stratos-2013, figure 2 with its backward pass corrected].  Values may be negative.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Chain(NamedTuple):
    """Operators and observation vectors of a refinement HMM with A labels [stratos-2013, figure 2].

    states: (A,) m_a.  diagonal: whether u has m_a entries, else m_a².  state_at, pair_at: (A + 1,) where the states
    and the entries of u of each label begin.  start: c_1 by state.  stop: C^{*|a} by entry of u.  base: (A, A) bigram
    probabilities as [b, a].  block: (A²,) where C^{b|a} begins in values at b * A + a, or -1: its bigram limit.
    values: all C^{b|a}, each (m_b, entries of u) by rows.  vectors: (R, m) observation vectors.
    """

    states: Any
    diagonal: Any
    state_at: Any
    pair_at: Any
    start: Any
    stop: Any
    base: Any
    block: Any
    values: Any
    vectors: Any


class Candidates(NamedTuple):
    """Labels that tokens may have: those of token t stand at cand[t] up to cand[t + 1].

    label, weight: (C,) the label and its emission relative to the best.  vector: (C,) row of its observation vector.
    """

    cand: Any
    label: Any
    weight: Any
    vector: Any


@kernel(inline="always")
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


@kernel(inline="always")
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


@kernel(inline="always")
def pass_on(values, at, base, u, n_pairs, m_to, alpha):
    """alpha += C u for one block; a block that is absent is its bigram limit."""
    if at < 0:
        alpha[0] += base * u[0]
        return
    whole = n_pairs - n_pairs % 4
    for i in range(m_to):
        x, y, z, w = 0.0, 0.0, 0.0, 0.0  # four independent sums, which the processor adds in parallel
        row = at + i * n_pairs
        for p in range(0, whole, 4):
            x += values[row + p] * u[p]
            y += values[row + p + 1] * u[p + 1]
            z += values[row + p + 2] * u[p + 2]
            w += values[row + p + 3] * u[p + 3]
        for p in range(whole, n_pairs):
            x += values[row + p] * u[p]
        alpha[i] += (x + y) + (z + w)


@kernel(inline="always")
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


@kernel(inline="always")
def divide(table, low, high, by):
    """Divide rows low..high."""
    for c in range(low, high):
        for j in range(table.shape[1]):  # loops compile faster than rows
            table[c, j] /= by


@kernel(inline="always")
def rescale(table, low, high):
    """Divide rows low..high by their largest magnitude, which is returned; 0 if all are zero."""
    top = 0.0
    for c in range(low, high):
        for j in range(table.shape[1]):
            top = max(top, abs(table[c, j]))
    if top != 0.0 and top != 1.0:
        divide(table, low, high, top)
    return top


# Forward: alpha_1(b) = c_1(b), alpha_t(b) = sum_a C^{b|a} u_{t-1}(a), and u_t(a) = w_t(a) * (alpha_t(a) ⊗ v_t(a)) with
# the emission w and the observation vector v of the candidate [stratos-2013, figure 2].  Rows of alpha and u are the
# candidates of the sequence in token order, so that one token's candidates lie side by side.  All pairs of candidates
# of neighbouring tokens are visited, the one arrived at outside, so that its row of alpha stays in the cache while the
# blocks stream by.  The rows of a token share one scale, whose logarithm is kept, so long sequences do not underflow.
@kernel
def forward(candidates, chain, alpha, u, scale):
    """Fill alpha and u of one sequence; scale[t] is the log that was taken out at token t."""
    cand, label, weight, vector = candidates
    states, diagonal, state_at, pair_at, start, _, base, block, values, vectors = chain
    A = states.size
    origin = cand[0]
    alpha[: cand[-1] - origin] = 0.0
    for t in range(cand.size - 1):
        for c in range(cand[t], cand[t + 1]):
            b, row = label[c], c - origin
            m_to = states[b]
            if t == 0:
                for j in range(m_to):
                    alpha[row, j] = start[state_at[b] + j]
                continue
            for d in range(cand[t - 1], cand[t]):
                a = label[d]
                n_pairs = pair_at[a + 1] - pair_at[a]
                pass_on(values, block[b * A + a], base[b, a], u[d - origin], n_pairs, m_to, alpha[row])
        top = rescale(alpha, cand[t] - origin, cand[t + 1] - origin)
        scale[t] = np.log(top) if top > 0.0 else 0.0
        for c in range(cand[t], cand[t + 1]):
            v, m = vectors[vector[c]], states[label[c]]
            pair(alpha[c - origin], v, weight[c], m, diagonal, u[c - origin])


# Backward: eta_n(a) = C^{*|a}, eta_t(a) = sum_b C^{b|a}' beta_{t+1}(b), and beta_t(a) = w_t(a) * eta_t(a) v_t(a), so
# that eta . u = beta . alpha is the marginal of a candidate.  Rows as in ``forward``.  eta and beta are both divided by
# the largest beta of the token: posteriors of edges need them on one scale.
@kernel
def backward(candidates, chain, eta, beta, scale):
    """Fill eta (on pairs, before the token's own observation) and beta of one sequence, from its end."""
    cand, label, weight, vector = candidates
    states, diagonal, _, pair_at, _, stop, base, block, values, vectors = chain
    A, n = states.size, cand.size - 1
    origin = cand[0]
    eta[: cand[n] - origin] = 0.0
    beta[: cand[n] - origin] = 0.0
    for t in range(n - 1, -1, -1):
        for c in range(cand[t], cand[t + 1]):
            a, row = label[c], c - origin
            n_pairs = pair_at[a + 1] - pair_at[a]
            if t == n - 1:
                for p in range(n_pairs):
                    eta[row, p] = stop[pair_at[a] + p]
            else:
                for d in range(cand[t + 1], cand[t + 2]):
                    b = label[d]
                    at, limit = block[b * A + a], base[b, a]
                    pass_back(values, at, limit, beta[d - origin], n_pairs, states[b], eta[row])
            unpair(eta[row], vectors[vector[c]], weight[c], states[a], diagonal, beta[row])
        top = rescale(beta, cand[t] - origin, cand[t + 1] - origin)
        scale[t] = 0.0
        if top > 0.0:
            divide(eta, cand[t] - origin, cand[t + 1] - origin, top)
            scale[t] = np.log(top)


@kernel
def widest_pairs(chain):
    """The largest number of entries of u."""
    pairs = 0
    for a in range(chain.states.size):
        pairs = max(pairs, chain.pair_at[a + 1] - chain.pair_at[a])
    return pairs


@kernel
def token_marginals(low, high, label, pair_at, eta, u, marginal):
    """Marginals of the candidates low..high of one token, which are rows 0.. of eta and u; returns their sum.

    They are divided by their sum; uniform if the sum is zero.
    """
    total = 0.0
    for c in range(low, high):
        a = label[c]
        value = 0.0
        for p in range(pair_at[a + 1] - pair_at[a]):
            value += eta[c - low, p] * u[c - low, p]
        marginal[c] = value
        total += value
    for c in range(low, high):
        marginal[c] = marginal[c] / total if total != 0.0 else 1.0 / (high - low)
    return total


@kernel
def marginals(offsets, candidates, chain, marginal, log_abs, sign):
    """mu of every candidate divided by the total; log|p(x)| and sign of p(x) per sequence."""
    cand, label, weight, vector = candidates
    wide, pairs, most = chain.vectors.shape[1], widest_pairs(chain), 0
    for s in range(offsets.size - 1):
        most = max(most, cand[offsets[s + 1]] - cand[offsets[s]])
    alpha, beta = np.zeros((most, wide)), np.zeros((most, wide))
    u, eta = np.zeros((most, pairs)), np.zeros((most, pairs))
    longest = np.max(offsets[1:] - offsets[:-1]) if offsets.size > 1 else 0
    scale, back_scale = np.zeros(longest), np.zeros(longest)
    for s in range(offsets.size - 1):
        n = offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        local = cand[offsets[s] : offsets[s + 1] + 1]
        here = Candidates(local, label, weight, vector)
        forward(here, chain, alpha, u, scale)
        backward(here, chain, eta, beta, back_scale)
        total = 0.0
        for t in range(n):
            low, high, row = local[t], local[t + 1], local[t] - local[0]
            total = token_marginals(low, high, label, chain.pair_at, eta[row:], u[row:], marginal)
        sign[s] = np.sign(total)
        log_abs[s] = np.log(abs(total)) + np.sum(scale[:n]) + back_scale[n - 1] if total != 0.0 else -np.inf
