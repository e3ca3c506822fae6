"""Chains of discrete symbols: filtering with observable operators, expected counts of proper HMMs."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def operator_products(symbols, offsets, b_1, B, b_inf, log_abs, sign):
    """log|p| and sign(p) of p = b_inf' B[x_n] .. B[x_1] b_1 per sequence; values may be negative."""
    k = b_1.size
    state, moved = np.zeros(k), np.zeros(k)
    for s in range(offsets.size - 1):
        state[:] = b_1
        log_scale = 0.0
        for t in range(offsets[s], offsets[s + 1]):
            top = 0.0
            for i in range(k):
                total = 0.0
                for j in range(k):
                    total += B[symbols[t], i, j] * state[j]
                moved[i] = total
                top = max(top, abs(total))
            if top == 0.0:
                state[:] = 0.0
                break
            for i in range(k):
                state[i] = moved[i] / top
            log_scale += np.log(top)
        p = 0.0
        for i in range(k):
            p += b_inf[i] * state[i]
        sign[s] = np.sign(p)
        log_abs[s] = log_scale + np.log(abs(p)) if p != 0.0 else -np.inf


@njit(cache=True, nogil=True)
def next_distribution(state, P, unigram, floor, out):
    """Raw values P state made a distribution: floored at a share of the unigram and renormalised."""
    n, k = P.shape
    total = 0.0
    for x in range(n):
        p = 0.0
        for j in range(k):
            p += P[x, j] * state[j]
        out[x] = max(p, floor * unigram[x])
        total += out[x]
    for x in range(n):
        out[x] /= total


@njit(cache=True, nogil=True)
def filter_chain(symbols, offsets, b_1, B, P, reset, unigram, floor, tiny, log_p, states, counts):
    """log of each symbol's floored probability given those before it, and the state before each symbol.

    Where the raw value of the symbol that came is below tiny * unigram, the state starts again from
    reset[x].  counts: (2,) floored symbols and resets.
    """
    n, k = P.shape
    PT = np.ascontiguousarray(P.T)
    raw, moved, state = np.zeros(n), np.zeros(k), np.zeros(k)
    for s in range(offsets.size - 1):
        state[:] = b_1
        for t in range(offsets[s], offsets[s + 1]):
            x = symbols[t]
            for j in range(k):
                states[t, j] = state[j]
            raw[:] = 0.0
            for j in range(k):
                for y in range(n):
                    raw[y] += PT[j, y] * state[j]
            total = 0.0
            for y in range(n):
                total += max(raw[y], floor * unigram[y])
            log_p[t] = np.log(max(raw[x], floor * unigram[x]) / total)
            counts[0] += raw[x] < floor * unigram[x]
            if raw[x] <= tiny * unigram[x]:
                state[:] = reset[x]
                counts[1] += 1
                continue
            for i in range(k):
                value = 0.0
                for j in range(k):
                    value += B[x, i, j] * state[j]
                moved[i] = value / raw[x]
            state[:] = moved


@njit(cache=True, nogil=True)
def expected_counts(symbols, offsets, start, T, E, gamma, start_counts, T_counts, E_counts):
    """Add expected starts, transitions T_counts[h', h] and emissions E_counts[x, h]; return log p(x).

    T[h', h] and E[x, h] are probabilities; gamma (T, k) gets the posterior states.
    """
    k = start.size
    longest = np.max(offsets[1:] - offsets[:-1])
    alpha, back, beta = np.zeros((longest, k)), np.zeros(k), np.zeros(k)
    new_beta = np.zeros(k)
    log_likelihood = 0.0
    for s in range(offsets.size - 1):
        low, n = offsets[s], offsets[s + 1] - offsets[s]
        if n == 0:
            continue
        for t in range(n):
            x = symbols[low + t]
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
        beta[:] = 1.0
        for t in range(n - 1, -1, -1):
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


@njit(cache=True, nogil=True)
def draw_symbols(offsets, start, T, E, uniform, symbols, states):
    """Fill symbols and states of sequences of given lengths; uniform: (T, 2) numbers in [0, 1)."""
    for s in range(offsets.size - 1):
        for t in range(offsets[s], offsets[s + 1]):
            p = start if t == offsets[s] else T[:, states[t - 1]]
            states[t] = _pick(p, uniform[t, 0])
            symbols[t] = _pick(E[:, states[t]], uniform[t, 1])


@njit(cache=True, nogil=True)
def _pick(p, u):
    total = 0.0
    for i in range(p.size):
        total += p[i]
        if u < total:
            return i
    return p.size - 1
