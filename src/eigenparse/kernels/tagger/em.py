"""Expected states of a diagonal refinement HMM on labelled sequences: forward, backward, counts."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def expected_states(offsets, labels, vector, vectors, states, model, stop, gamma, pair_counts):
    """Write p(h | x, a) of every token into gamma (T, m) and add edge counts; return the log-likelihood.

    vector: (T,) rows of ``vectors``;  pair_counts: like the values of the blocks, C^{b|a}[h', h];
    the blocks of all label pairs at hand must be present.
    """
    state_at, pair_at, start, _base, block, values = model
    A, wide = states.size, gamma.shape[1]
    longest = np.max(offsets[1:] - offsets[:-1])
    alpha, beta = np.zeros((longest, wide)), np.zeros((longest, wide))
    back = np.zeros(wide)
    log_likelihood = 0.0
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        if first == last:
            continue
        # forward: alpha includes the token's observation and sums to one with ``stop`` left out
        for t in range(first, last):
            b, row = labels[t], vector[t]
            total = 0.0
            for i in range(states[b]):
                if t == first:
                    value = start[state_at[b] + i]
                else:
                    a = labels[t - 1]
                    at = block[b * A + a] + i * states[a]
                    value = 0.0
                    for j in range(states[a]):
                        value += values[at + j] * alpha[t - 1 - first, j]
                alpha[t - first, i] = value * vectors[row, i]
                total += alpha[t - first, i]
            for i in range(states[b]):
                alpha[t - first, i] /= total
            log_likelihood += np.log(total)
        a = labels[last - 1]
        total = 0.0
        for j in range(states[a]):
            beta[last - 1 - first, j] = stop[pair_at[a] + j]
            total += alpha[last - 1 - first, j] * beta[last - 1 - first, j]
        log_likelihood += np.log(total)
        for j in range(states[a]):
            beta[last - 1 - first, j] /= total
        for t in range(last - 2, first - 1, -1):
            a, b = labels[t], labels[t + 1]
            at = block[b * A + a]
            row = vector[t + 1]
            for i in range(states[b]):
                back[i] = beta[t + 1 - first, i] * vectors[row, i]
            for j in range(states[a]):
                beta[t - first, j] = 0.0
            for i in range(states[b]):
                for j in range(states[a]):
                    beta[t - first, j] += values[at + i * states[a] + j] * back[i]
            total = 0.0
            for j in range(states[a]):
                total += alpha[t - first, j] * beta[t - first, j]
            for i in range(states[b]):
                w = back[i] / total
                for j in range(states[a]):
                    k = at + i * states[a] + j
                    pair_counts[k] += values[k] * w * alpha[t - first, j]
            for j in range(states[a]):
                beta[t - first, j] /= total
        for t in range(first, last):
            for j in range(states[labels[t]]):
                gamma[t, j] = alpha[t - first, j] * beta[t - first, j]
    return log_likelihood


@njit(cache=True, nogil=True)
def outer_counts(rows, labels, gamma, states, block, pair_counts):
    """Edge counts of independent state distributions: gamma[t + 1] ⊗ gamma[t] for each row t."""
    A = states.size
    for t in rows:
        a, b = labels[t], labels[t + 1]
        at = block[b * A + a]
        for i in range(states[b]):
            for j in range(states[a]):
                pair_counts[at + i * states[a] + j] += gamma[t + 1, i] * gamma[t, j]
