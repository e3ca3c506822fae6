"""Chains of discrete symbols: filtering with observable operators, expected counts of proper HMMs."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Hmm(NamedTuple):
    """Probabilities of an HMM, or counts of the same shapes: start (k,), T (k, k) as [to, from], E (n, k)."""

    start: Any
    T: Any
    E: Any


class Observable(NamedTuple):
    """An HMM in observable operators [hsu-etal-2012] with the values that keep its filter stable; n symbols, k states.

    b_1: (k,).  B: (n, k, k).  P: (n, k), rows b_inf' B_x.  D: (n, n, k), b_inf' B_y B_x as D[x, y], or empty.
    share: weight of D in predictions.  reset: (n, k) the state after x alone.  unigram: (n,).  floor: share of
    a coarser prediction below which none falls.  blend: how much of reset enters each state.
    """

    b_1: Any
    B: Any
    P: Any
    D: Any
    share: Any
    reset: Any
    unigram: Any
    floor: Any
    blend: Any


@kernel
def predict_next(state, short, PT, unigram, floor, raw, out):
    """Raw values P state, and out: the same floored by a share of the short state's prediction, renormalised.

    ``short`` is the state after the last symbol alone; its own predictions are floored by the unigram.
    """
    k, n = PT.shape
    raw[:] = 0.0
    out[:] = 0.0
    for j in range(k):
        for y in range(n):
            raw[y] += PT[j, y] * state[j]
    if floor > 0.0:
        for j in range(k):
            for y in range(n):
                out[y] += PT[j, y] * short[j]
    total = 0.0
    for y in range(n):
        out[y] = max(raw[y], floor * max(out[y], 0.1 * unigram[y]))
        total += out[y]
    for y in range(n):
        out[y] /= total


@kernel
def mix_pairs(before, D, share, values, out):
    """Mix out with the symbols after x as the state before x sees them: D[y] = b_inf' B_y B_x, (n, k)."""
    n, k = D.shape
    total = 0.0
    for y in range(n):
        value = 0.0
        for j in range(k):
            value += D[y, j] * before[j]
        values[y] = max(value, 0.0)
        total += values[y]
    if total <= 0.0:
        return
    for y in range(n):
        out[y] = (1.0 - share) * out[y] + share * values[y] / total


# The filter p(x_t | x_1 .. x_{t-1}) = P[x_t] s_t with the state s_{t+1} = B[x_t] s_t / (P[x_t] s_t) [hsu-etal-2012].
# Learnt operators may predict negative values, so predictions are floored by those of the state after the last
# symbol alone, and after a symbol x the state is mixed with reset[x], the more the smaller its raw value was beside
# blend * (floored value); where almost nothing is left, it restarts there.  D adds estimates of
# pairs of symbols.  P is transposed once: a prediction then adds whole rows of n symbols (SIMD).
@kernel
def filter_chain(symbols, offsets, model, log_p, states, shorts, counts):
    """log of each symbol's floored probability given those before it, and the states before each symbol.

    counts: (2,) floored symbols, and restarts from reset[x] alone.
    """
    b_1, B, P, D, share, reset, unigram, floor, blend = model
    n, k = P.shape
    PT = np.ascontiguousarray(P.T)
    raw, out, state, short = np.zeros(n), np.zeros(n), np.zeros(k), np.zeros(k)
    values = np.zeros(n)
    for s in range(offsets.size - 1):
        state[:] = b_1
        short[:] = b_1
        for t in range(offsets[s], offsets[s + 1]):
            x = symbols[t]
            states[t] = state
            shorts[t] = short
            predict_next(state, short, PT, unigram, floor, raw, out)
            weight = blend * out[x]
            counts[0] += raw[x] < 0.99 * out[x]
            if share > 0.0 and t > offsets[s]:
                mix_pairs(states[t - 1], D[symbols[t - 1]], share, values, out)
            log_p[t] = np.log(out[x])
            short[:] = reset[x]
            if raw[x] <= 0.1 * weight or raw[x] <= 0.0:
                state[:] = reset[x]
                counts[1] += 1
                continue
            for i in range(k):
                value = 0.0
                for j in range(k):
                    value += B[x, i, j] * states[t, j]
                state[i] = (value + weight * reset[x, i]) / (raw[x] + weight)


@kernel
def chain_forward(symbols, model, alpha):
    """Forward probabilities (n, k) of one sequence, each row divided by its sum; returns the log of the sums."""
    start, T, E = model
    k = start.size
    log_likelihood = 0.0
    for t in range(symbols.size):
        x = symbols[t]
        total = 0.0
        for i in range(k):
            value = start[i]
            if t > 0:
                value = 0.0
                for j in range(k):
                    value += T[i, j] * alpha[t - 1, j]
            alpha[t, i] = value * E[x, i]
            total += alpha[t, i]
        for i in range(k):
            alpha[t, i] /= total
        log_likelihood += np.log(total)
    return log_likelihood


# The E step of Baum-Welch: p(h_t | x) in proportion to alpha_t * beta_t, and the count of a transition to
# T * alpha_{t-1} * E * beta_t, with alpha scaled to sum to one and beta to alpha . beta = 1.  Only one row of beta is
# held: the backward pass adds its counts as it goes.
@kernel
def expected_counts(symbols, offsets, model, gamma, counts):
    """Add expected starts, transitions and emissions to ``counts``; return log p(x).

    model, counts: ``Hmm``;  gamma (T, k) gets the posterior states.
    """
    start, T, E = model
    start_counts, T_counts, E_counts = counts
    k = start.size
    longest = np.max(offsets[1:] - offsets[:-1])
    alpha, back, beta, new_beta = np.zeros((longest, k)), np.zeros(k), np.zeros(k), np.zeros(k)
    log_likelihood = 0.0
    for s in range(offsets.size - 1):
        low = offsets[s]
        log_likelihood += chain_forward(symbols[low : offsets[s + 1]], model, alpha)
        beta[:] = 1.0
        for t in range(offsets[s + 1] - low - 1, -1, -1):
            x = symbols[low + t]
            total = 0.0
            for i in range(k):
                total += alpha[t, i] * beta[i]
            for i in range(k):
                g = alpha[t, i] * beta[i] / total
                gamma[low + t, i] = g
                E_counts[x, i] += g
                if t == 0:
                    start_counts[i] += g
            if t == 0:
                break
            for i in range(k):
                back[i] = beta[i] * E[x, i]
            new_beta[:] = 0.0
            for i in range(k):
                for j in range(k):
                    new_beta[j] += T[i, j] * back[i]
            total = 0.0
            for j in range(k):
                total += alpha[t - 1, j] * new_beta[j]
            for i in range(k):
                w = back[i] / total
                for j in range(k):
                    T_counts[i, j] += T[i, j] * w * alpha[t - 1, j]
            for j in range(k):
                beta[j] = new_beta[j] / total
    return log_likelihood


@kernel
def draw_symbols(offsets, model, uniform, symbols, states):
    """Fill symbols and states of sequences of given lengths; uniform: (T, 2) numbers in [0, 1)."""
    for s in range(offsets.size - 1):
        for t in range(offsets[s], offsets[s + 1]):
            p = model.start if t == offsets[s] else model.T[:, states[t - 1]]
            states[t] = _pick(p, uniform[t, 0])
            symbols[t] = _pick(model.E[:, states[t]], uniform[t, 1])


@kernel
def _pick(p, u):
    total = 0.0
    for i in range(p.size):
        total += p[i]
        if u < total:
            return i
    return p.size - 1
