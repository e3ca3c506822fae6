"""Expected states of a diagonal refinement HMM on labelled sequences: forward, backward, counts."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Room(NamedTuple):
    """Tables for one sequence: alpha, beta: (n, m) by token and state; back: (m,)."""

    alpha: Any
    beta: Any
    back: Any


@kernel
def states_forward(first, last, labels, vector, chain, alpha):
    """alpha of tokens first..last, each row summing to one; returns the log of what was divided out."""
    states, _, state_at, _, start, _, _, block, values, vectors = chain
    A = states.size
    log_likelihood = 0.0
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
    return log_likelihood


# What it computes: beta_t(g) = sum_h C^{b|a}[h, g] v_{t+1}(h) beta_{t+1}(h)  and the expected counts of steps,
# alpha_t(g) C^{b|a}[h, g] v_{t+1}(h) beta_{t+1}(h), for labels a, b that are given.  Layout: block[b A + a] is where
# the (m_b, m_a) numbers of C^{b|a} begin.  Order: backwards, after all alpha are known; beta is scaled so that
# alpha . beta = 1 at every token, which makes the counts posteriors.
@kernel
def states_backward(first, last, labels, vector, chain, room, pair_counts):
    """beta of tokens last..first, with alpha . beta = 1, and edge counts; returns the log of the last step."""
    states, _, _, pair_at, _, stop, _, block, values, vectors = chain
    alpha, beta, back = room
    A = states.size
    a = labels[last - 1]
    total = 0.0
    for j in range(states[a]):
        beta[last - 1 - first, j] = stop[pair_at[a] + j]
        total += alpha[last - 1 - first, j] * beta[last - 1 - first, j]
    log_likelihood = np.log(total)
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
    return log_likelihood


# The E step with the labels given: alpha_t(h) = v_t(h) sum_g C^{b|a}[h, g] alpha_{t-1}(g), the backward recursion in
# reverse, gamma = alpha * beta, and the expected count of an edge is alpha * C * v * beta.  alpha is scaled to sum to
# one and beta so that alpha . beta = 1 at every token: gamma and counts then need no division by the total.
@kernel
def expected_states(offsets, labels, vector, chain, gamma, pair_counts):
    """Write p(h | x, a) of every token into gamma (T, m) and add edge counts; return the log-likelihood.

    vector: (T,) rows of the observation vectors;  pair_counts: like the values of the blocks, C^{b|a}[h', h];
    the blocks of all label pairs of the sequences must be present.
    """
    wide, states = gamma.shape[1], chain.states
    longest = np.max(offsets[1:] - offsets[:-1])
    alpha, beta = np.zeros((longest, wide)), np.zeros((longest, wide))
    room = Room(alpha, beta, np.zeros(wide))
    log_likelihood = 0.0
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        if first == last:
            continue
        log_likelihood += states_forward(first, last, labels, vector, chain, alpha)
        log_likelihood += states_backward(first, last, labels, vector, chain, room, pair_counts)
        for t in range(first, last):
            for j in range(states[labels[t]]):
                gamma[t, j] = alpha[t - first, j] * beta[t - first, j]
    return log_likelihood


@kernel
def outer_counts(rows, labels, gamma, states, block, pair_counts):
    """Edge counts of independent state distributions: gamma[t + 1] ⊗ gamma[t] for each row t."""
    A = states.size
    for t in rows:
        a, b = labels[t], labels[t + 1]
        at = block[b * A + a]
        for i in range(states[b]):
            for j in range(states[a]):
                pair_counts[at + i * states[a] + j] += gamma[t + 1, i] * gamma[t, j]
