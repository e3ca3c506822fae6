"""Latent counts: from annotated rows to flat tensors, smoothed and normalised."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import SUMS, kernel


class Layout(NamedTuple):
    """Rules (R, 3), labels of lexicon entries (E,), states of labels (A,), and where each begins in flat arrays."""

    rules: np.ndarray
    entry_label: np.ndarray
    states: np.ndarray
    rule_at: np.ndarray
    entry_at: np.ndarray
    state_at: np.ndarray


class Annotated(NamedTuple):
    """Rows of trees, (N,) each, with the latent state of each."""

    left: np.ndarray
    right: np.ndarray
    rule: np.ndarray
    entry: np.ndarray
    state: np.ndarray


@kernel
def annotated_counts(rows, layout, weight, rule_count, entry_count):
    """Count rules and entries of rows whose latent state is given, each by the weight of its row (N,)."""
    state, states = rows.state, layout.states
    for i in range(state.size):
        if rows.left[i] >= 0:
            r = rows.rule[i]
            b, c = states[layout.rules[r, 1]], states[layout.rules[r, 2]]
            place = (state[i] * b + state[rows.left[i]]) * c + state[rows.right[i]]
            rule_count[layout.rule_at[r] + place] += weight[i]
        else:
            entry_count[layout.entry_at[rows.entry[i]] + state[i]] += weight[i]


class Margins(NamedTuple):
    """Sums of a rule's counts over one state (pairs ab, ac, bc) and over two (singles a, b, c)."""

    ab: np.ndarray
    ac: np.ndarray
    bc: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


@kernel(fastmath=SUMS)
def margins(count, start, na, nb, nc, out):
    """Pair and single margins of one rule's counts; returns their total."""
    ab, ac, bc, pa, pb, pc = out
    ac[:na, :nc], bc[:nb, :nc] = 0.0, 0.0
    pa[:na], pb[:nb], pc[:nc] = 0.0, 0.0, 0.0
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


# Backs the joint distribution of a rule's three states off to simpler ones.  E1 is the joint, E2 the mean of the three
# (pair x single) products, E3 the product of the rule's own margins, E4 the product of label-wide shares.  With n the
# rule's count and l = sqrt(n) / (C + sqrt(n)), E = l E1 + (1 - l)(l E2 + (1 - l)(l E3 + (1 - l) E4)), times n.  All
# factors that do not depend on c are formed outside the innermost loop, which runs over contiguous cells.
@kernel(fastmath=SUMS)
def smooth_rule_counts(layout, count, label_share, C, total):
    """Smooth the counts of every rule in place, and add up in ``total`` those of each (label, state) of parents."""
    rules, states, rule_at, state_at = layout.rules, layout.states, layout.rule_at, layout.state_at
    widest = 0
    for a in range(states.size):
        widest = max(widest, states[a])
    ab, ac, bc = np.zeros((widest, widest)), np.zeros((widest, widest)), np.zeros((widest, widest))
    pa, pb, pc = np.zeros(widest), np.zeros(widest), np.zeros(widest)
    for r in range(rules.shape[0]):
        la, lb, lc = rules[r, 0], rules[r, 1], rules[r, 2]
        na, nb, nc = states[la], states[lb], states[lc]
        n = margins(count, rule_at[r], na, nb, nc, Margins(ab, ac, bc, pa, pb, pc))
        if n <= 0.0:
            continue
        keep = np.sqrt(n) / (C + np.sqrt(n))
        back = 1.0 - keep
        third = keep * back / (3.0 * n)
        single = keep * back * back / (n * n)
        far = back * back * back * n
        share_c = label_share[state_at[lc] : state_at[lc] + nc]
        for a in range(na):
            s = 0.0
            for b in range(nb):
                row = count[rule_at[r] + (a * nb + b) * nc : rule_at[r] + (a * nb + b + 1) * nc]
                by_c = third * ab[a, b] + single * pa[a] * pb[b]
                by_ac, by_bc = third * pb[b], third * pa[a]
                by_share = far * label_share[state_at[la] + a] * label_share[state_at[lb] + b]
                for c in range(nc):
                    v = (
                        keep * row[c]
                        + by_c * pc[c]
                        + by_ac * ac[a, c]
                        + by_bc * bc[b, c]
                        + by_share * share_c[c]
                    )
                    row[c] = v
                    s += v
            total[state_at[la] + a] += s


@kernel(fastmath=SUMS)
def rule_totals(layout, rule_count, total):
    """Add the count of each (label, state) as the parent of rules."""
    rules, _, states, rule_at, _, state_at = layout
    for r in range(rules.shape[0]):
        a = rules[r, 0]
        n = (rule_at[r + 1] - rule_at[r]) // states[a]
        for h in range(states[a]):
            start = rule_at[r] + h * n
            s = 0.0
            for j in range(n):
                s += rule_count[start + j]
            total[state_at[a] + h] += s


@kernel
def entry_totals(layout, entry_count, total):
    """Add the count of each (label, state) as that of words."""
    _, entry_label, states, _, entry_at, state_at = layout
    for e in range(entry_label.size):
        a = entry_label[e]
        for h in range(states[a]):
            total[state_at[a] + h] += entry_count[entry_at[e] + h]


@kernel
def divide_by_totals(layout, total, rule_count, entry_count):
    """Counts become conditional probabilities given the parent's (label, state), in place."""
    rules, entry_label, states, rule_at, entry_at, state_at = layout
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


@kernel
def copy_blocks(values, source_at, chosen, at, out):
    """Copy block chosen[k] of ``values``, from source_at[chosen[k]], to block k of ``out``, from at[k]; -1: no copy."""
    for k in range(chosen.size):
        if chosen[k] >= 0:
            shift = source_at[chosen[k]] - at[k]
            for i in range(at[k], at[k + 1]):
                out[i] = values[i + shift]
