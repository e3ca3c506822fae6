"""Edge posteriors of a refinement HMM and the k best paths through them."""

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.tagger.chain import backward, forward, pass_on, widest_pairs


# mu(a, b, t) is in proportion to beta_t(b) . C^{b|a} u_{t-1}(a) [stratos-2013, figure 2]: the forward pass up to the
# edge, the operator across it, the backward pass behind it.  Each step is divided by its sum, because the scales of
# forward and backward differ from token to token.
@kernel
def edge_posteriors(candidates, chain, edge_at, edges):
    """mu(a, b, t) of all candidate pairs of neighbours in one sequence, each step divided by its sum.

    Edges of step t (from token t - 1 to t) begin at edge_at[t], candidates of t fastest.
    """
    cand, label = candidates.cand, candidates.label
    A, wide, pairs = chain.states.size, chain.vectors.shape[1], widest_pairs(chain)
    n, origin = cand.size - 1, cand[0]
    size = cand[n] - origin
    alpha, beta = np.zeros((size, wide)), np.zeros((size, wide))
    u, eta = np.zeros((size, pairs)), np.zeros((size, pairs))
    scale = np.zeros(n)
    forward(candidates, chain, alpha, u, scale)
    backward(candidates, chain, eta, beta, scale)
    step = np.zeros(wide)
    for t in range(1, n):
        total = 0.0
        e = edge_at[t]
        for d in range(cand[t - 1], cand[t]):
            a = label[d]
            n_pairs = chain.pair_at[a + 1] - chain.pair_at[a]
            for c in range(cand[t], cand[t + 1]):
                b = label[c]
                step[:] = 0.0
                at, base = chain.block[b * A + a], chain.base[b, a]
                pass_on(chain.values, at, base, u[d - origin], n_pairs, chain.states[b], step)
                value = 0.0
                for i in range(chain.states[b]):
                    value += step[i] * beta[c - origin, i]
                edges[e] = value
                total += value
                e += 1
        for k in range(edge_at[t], e):
            edges[k] = edges[k] / total if total != 0.0 else 1.0 / (e - edge_at[t])


# What it computes: the k best paths through the lattice (Viterbi with lists of k).  Layout: best and back are
# (candidates, k), best first; edge (d, c) into token t lies at  edge_at[t] + d width + c.  Order: tokens from left to
# right; a value that does not beat the k-th best of its candidate ends the loop over ranks, which are sorted.
@kernel
def best_paths(cand, log_first, edge_at, log_edges, k, paths, scores):
    """The k best paths by log_first + sum of log_edges; returns how many there are.

    paths: (k, n) candidate numbers counted within their token; scores: (k,).
    """
    n, origin = cand.size - 1, cand[0]
    size = cand[n] - origin
    best = np.full((size, k), -np.inf)
    back = np.full((size, k), -1, dtype=np.int64)
    for c in range(cand[0], cand[1]):
        best[c - origin, 0] = log_first[c - origin]
    for t in range(1, n):
        width = cand[t + 1] - cand[t]
        for c in range(cand[t], cand[t + 1]):
            for d in range(cand[t - 1], cand[t]):
                edge = log_edges[edge_at[t] + (d - cand[t - 1]) * width + (c - cand[t])]
                for r in range(k):
                    value = best[d - origin, r] + edge
                    if value == -np.inf or value <= best[c - origin, k - 1]:
                        break
                    place = k - 1
                    while place > 0 and best[c - origin, place - 1] < value:
                        best[c - origin, place] = best[c - origin, place - 1]
                        back[c - origin, place] = back[c - origin, place - 1]
                        place -= 1
                    best[c - origin, place] = value
                    back[c - origin, place] = (d - origin) * k + r
    low = cand[n - 1] - origin
    flat = best[low:size].copy().reshape(-1)
    order = np.argsort(-flat, kind="mergesort")
    found = 0
    for item in order[:k]:
        if flat[item] == -np.inf:
            break
        scores[found] = flat[item]
        at = low * k + item
        for t in range(n - 1, -1, -1):
            c, r = at // k, at % k
            paths[found, t] = c - (cand[t] - origin)
            at = back[c, r]
        found += 1
    return found
