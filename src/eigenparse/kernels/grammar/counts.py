"""Latent counts: from annotated rows to flat tensors, smoothed and normalised."""

import numpy as np
from numba import njit

from eigenparse.kernels.grammar.tree import SUMS


@njit(cache=True, nogil=True)
def annotated_counts(
    label, left, right, rule, entry, state, states, rule_at, entry_at, rule_count, entry_count
):
    """Count rules and entries of rows whose latent state is given."""
    for i in range(label.size):
        if left[i] >= 0:
            b, c = states[label[left[i]]], states[label[right[i]]]
            rule_count[rule_at[rule[i]] + (state[i] * b + state[left[i]]) * c + state[right[i]]] += 1
        else:
            entry_count[entry_at[entry[i]] + state[i]] += 1


@njit(cache=True, nogil=True, fastmath=SUMS)
def margins(count, start, na, nb, nc, ab, ac, bc, pa, pb, pc):
    """Pair and single margins of one rule's counts; returns their total."""
    n = 0.0
    for a in range(na):
        for b in range(nb):
            base, total = start + (a * nb + b) * nc, 0.0
            for c in range(nc):
                v = float(count[base + c])
                total += v
                ac[a, c] += v
                bc[b, c] += v
            ab[a, b] = total
            pa[a] += total
            pb[b] += total
            n += total
    for a in range(na):
        for c in range(nc):
            pc[c] += ac[a, c]
    return n


@njit(cache=True, nogil=True, fastmath=SUMS)
def smooth_rule_counts(rules, states, rule_at, state_at, count, label_share, C, out):
    """Back a rule's joint distribution of states off to its pairs, its margins and its labels'.

    E1 the joint of the three states; E2 the mean of the three (pair x single) products; E3 the
    product of the margins; E4 the product of label-wide shares; with n the rule's count and
    l = sqrt(n) / (C + sqrt(n)), E = l E1 + (1 - l)(l E2 + (1 - l)(l E3 + (1 - l) E4)).
    """
    widest = 0
    for a in range(states.size):
        widest = max(widest, states[a])
    ab, ac, bc = np.zeros((widest, widest)), np.zeros((widest, widest)), np.zeros((widest, widest))
    pa, pb, pc = np.zeros(widest), np.zeros(widest), np.zeros(widest)
    for r in range(rules.shape[0]):
        la, lb, lc = rules[r, 0], rules[r, 1], rules[r, 2]
        na, nb, nc = states[la], states[lb], states[lc]
        ac[:na, :nc], bc[:nb, :nc] = 0.0, 0.0
        pa[:na], pb[:nb], pc[:nc] = 0.0, 0.0, 0.0
        n = margins(count, rule_at[r], na, nb, nc, ab, ac, bc, pa, pb, pc)
        if n <= 0.0:
            continue
        keep = np.sqrt(n) / (C + np.sqrt(n))
        back = 1.0 - keep
        third = keep * back / (3.0 * n)
        single = keep * back * back / (n * n)
        far = back * back * back * n
        share_c = label_share[state_at[lc] : state_at[lc] + nc]
        for a in range(na):
            for b in range(nb):
                base = rule_at[r] + (a * nb + b) * nc
                by_c = third * ab[a, b] + single * pa[a] * pb[b]
                by_ac, by_bc = third * pb[b], third * pa[a]
                by_share = far * label_share[state_at[la] + a] * label_share[state_at[lb] + b]
                for c in range(nc):
                    out[base + c] = (
                        keep * count[base + c]
                        + by_c * pc[c]
                        + by_ac * ac[a, c]
                        + by_bc * bc[b, c]
                        + by_share * share_c[c]
                    )


@njit(cache=True, nogil=True, fastmath=SUMS)
def state_totals(rules, entry_label, states, rule_at, entry_at, state_at, rule_count, entry_count, total):
    """Count of each (label, state) as the parent of rules and entries."""
    for r in range(rules.shape[0]):
        a = rules[r, 0]
        n = (rule_at[r + 1] - rule_at[r]) // states[a]
        for h in range(states[a]):
            start = rule_at[r] + h * n
            s = 0.0
            for j in range(n):
                s += rule_count[start + j]
            total[state_at[a] + h] += s
    for e in range(entry_label.size):
        a = entry_label[e]
        for h in range(states[a]):
            total[state_at[a] + h] += entry_count[entry_at[e] + h]


@njit(cache=True, nogil=True)
def divide_by_totals(rules, entry_label, states, rule_at, entry_at, state_at, total, rule_count, entry_count):
    """Counts become conditional probabilities given the parent's (label, state), in place."""
    for r in range(rules.shape[0]):
        a = rules[r, 0]
        n = (rule_at[r + 1] - rule_at[r]) // states[a]
        for h in range(states[a]):
            t = total[state_at[a] + h]
            scale = 1.0 / t if t > 0.0 else 0.0
            start = rule_at[r] + h * n
            for j in range(n):
                rule_count[start + j] *= scale
    for e in range(entry_label.size):
        a = entry_label[e]
        for h in range(states[a]):
            t = total[state_at[a] + h]
            if t > 0.0:
                entry_count[entry_at[e] + h] /= t
