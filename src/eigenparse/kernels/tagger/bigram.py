"""Bigram pass over labels: emission scores in, the few candidate labels of each token out."""

import numpy as np

from eigenparse.kernels.compiled import kernel


@kernel
def shortlist(scores, beam, most, cand, label, weight, shift):
    """Labels within ``beam`` of each token's best log score, ``most`` at the most; returns their number.

    weight: exp(score - best);  shift[t]: the best score;  cand: (T + 1,) offsets into label and weight.
    """
    n, A = scores.shape
    count = 0
    cand[0] = 0
    for t in range(n):
        top = -np.inf
        for a in range(A):
            top = max(top, scores[t, a])
        shift[t] = top
        floor = top - beam
        while True:
            n_here = 0
            for a in range(A):
                n_here += scores[t, a] >= floor
            if n_here <= most or floor >= top:
                break
            floor += max(0.25 * (top - floor), 1e-3 * beam)
            floor = min(floor, top)
        for a in range(A):
            if scores[t, a] >= floor:
                label[count] = a
                weight[count] = np.exp(scores[t, a] - top)
                count += 1
        cand[t + 1] = count
    return count


# What it computes: forward-backward of the bigram HMM over the candidates of each token,
# alpha_t(b) = weight(b) sum_a p(b | a) alpha_{t-1}(a),  beta_t(a) = sum_b p(b | a) weight(b) beta_{t+1}(b),  each
# scaled so that the posterior of a token's candidates sums to one.  Layout: token t owns [cand[t], cand[t + 1]).
@kernel
def bigram_posteriors(offsets, cand, label, weight, start, base, stop, posterior):
    """Posterior of every candidate under the bigram model p(b|a) = base[b, a]."""
    n = cand[-1]
    alpha, beta = np.zeros(n), np.zeros(n)
    for s in range(offsets.size - 1):
        first, last = offsets[s], offsets[s + 1]
        for t in range(first, last):
            total = 0.0
            for c in range(cand[t], cand[t + 1]):
                b = label[c]
                value = start[b]
                if t > first:
                    value = 0.0
                    for d in range(cand[t - 1], cand[t]):
                        value += base[b, label[d]] * alpha[d]
                alpha[c] = value * weight[c]
                total += alpha[c]
            for c in range(cand[t], cand[t + 1]):
                alpha[c] = alpha[c] / total if total > 0.0 else 1.0 / (cand[t + 1] - cand[t])
        for t in range(last - 1, first - 1, -1):
            total = 0.0
            for c in range(cand[t], cand[t + 1]):
                a = label[c]
                value = stop[a]
                if t < last - 1:
                    value = 0.0
                    for d in range(cand[t + 1], cand[t + 2]):
                        value += base[label[d], a] * weight[d] * beta[d]
                beta[c] = value
                total += value * alpha[c]
            for c in range(cand[t], cand[t + 1]):
                beta[c] = beta[c] / total if total > 0.0 else 1.0
                posterior[c] = alpha[c] * beta[c]


@kernel
def keep_likely(posterior, threshold, cand, label, weight, new_cand):
    """Drop candidates below the threshold in place, never a token's best; returns how many stay."""
    count = 0
    new_cand[0] = 0
    for t in range(cand.size - 1):
        top = 0.0
        for c in range(cand[t], cand[t + 1]):
            top = max(top, posterior[c])
        floor = min(threshold, top)
        for c in range(cand[t], cand[t + 1]):
            if posterior[c] >= floor:
                label[count] = label[c]
                weight[count] = weight[c]
                count += 1
        new_cand[t + 1] = count
    return count


@kernel
def choose_vectors(cand, label, levels, row_at, row_label, vector):
    """Row of each candidate's observation vector: of the finest level that has one for its label, else 0.

    levels: (T, L) key positions from coarse to fine, -1 absent;  rows row_at[k]..row_at[k+1] belong to key k.
    """
    n_levels = levels.shape[1]
    for t in range(cand.size - 1):
        for c in range(cand[t], cand[t + 1]):
            vector[c] = 0
            for j in range(n_levels - 1, -1, -1):
                k = levels[t, j]
                if k < 0:
                    continue
                for r in range(row_at[k], row_at[k + 1]):
                    if row_label[r] == label[c]:
                        vector[c] = r
                        break
                if vector[c] > 0:
                    break
