"""Third moments of projected features by rule, backed off to pairs, singles and labels."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import SUMS, kernel
from eigenparse.kernels.grammar.tree import add_outer


class Phrases(NamedTuple):
    """Phrase rows sorted by rule: rule r owns rows[first[r]:first[r + 1]]; children and weights of all rows."""

    rows: np.ndarray
    first: np.ndarray
    left: np.ndarray
    right: np.ndarray
    weight: np.ndarray


class Values(NamedTuple):
    """Projected features, flat: row i (or label a, for label-wide means) owns [at[i], at[i + 1]) of Y and of Z."""

    at: np.ndarray
    Y: np.ndarray
    Z: np.ndarray


# The third moments of the method of moments [cohen-etal-2014, figure 7], smoothed [cohen-etal-2013]: the tensor of
# rule a -> b c is count(rule) / count(a) times the mean of Z (x) Y_left (x) Y_right over its n rows, backed off with
# l = sqrt(n) / (C + sqrt(n)) as E = l E1 + (1 - l)(l E2 + (1 - l)(l E3 + (1 - l) E4)): E1 the third moment, E2 the mean
# of the three (pair x single) products, E3 the product of the means within the rule, E4 that of label-wide means.
# A row of weight v counts as v rows.  Rows are sorted by rule so that one rule's sums stay in the cache while its rows
# pass.
@kernel(fastmath=SUMS)
def rule_moments(rules, phrases, values, label_count, means, C, rule_at, out):
    """Write the tensor of every rule.  label_count: (A,) nodes; means: label-wide."""
    rows, rule_first, left, right, weight = phrases
    at, Y, Z = values
    mean_at, mean_Y, mean_Z = means
    widest = 1
    for a in range(mean_at.size - 1):
        widest = max(widest, mean_at[a + 1] - mean_at[a])
    ab, ac = np.empty((widest, widest)), np.empty((widest, widest))
    w, bc = np.empty(widest * widest), np.empty(widest * widest)
    pa, pb, pc = np.empty(widest), np.empty(widest), np.empty(widest)
    for r in range(rules.shape[0]):
        la, lb, lc = rules[r, 0], rules[r, 1], rules[r, 2]
        na, nb, nc = (
            mean_at[la + 1] - mean_at[la],
            mean_at[lb + 1] - mean_at[lb],
            mean_at[lc + 1] - mean_at[lc],
        )
        first, last = rule_first[r], rule_first[r + 1]
        n = 0.0
        E = out[rule_at[r] : rule_at[r + 1]]
        E[:] = 0.0
        ab[:na, :nb], ac[:na, :nc], bc[: nb * nc] = 0.0, 0.0, 0.0
        pa[:na], pb[:nb], pc[:nc] = 0.0, 0.0, 0.0
        for s in range(first, last):
            i = rows[s]
            v = weight[i]
            n += v
            z = Z[at[i] : at[i + 1]]
            y, x = Y[at[left[i]] : at[left[i] + 1]], Y[at[right[i]] : at[right[i] + 1]]
            for b in range(nb):
                pb[b] += v * y[b]
                for c in range(nc):
                    w[b * nc + c] = y[b] * x[c]
                    bc[b * nc + c] += v * (y[b] * x[c])
            for c in range(nc):
                pc[c] += v * x[c]
            for a in range(na):
                pa[a] += v * z[a]
                for b in range(nb):
                    ab[a, b] += v * (z[a] * y[b])
                for c in range(nc):
                    ac[a, c] += v * (z[a] * x[c])
            add_outer(z, v, w[: nb * nc], E)
        keep = 1.0 if C == 0.0 else np.sqrt(n) / (C + np.sqrt(n))
        back = 1.0 - keep
        share = n / label_count[la]
        for a in range(na):
            for b in range(nb):
                for c in range(nc):
                    j = (a * nb + b) * nc + c
                    pairs = (ab[a, b] * pc[c] + ac[a, c] * pb[b] + bc[b * nc + c] * pa[a]) / (3.0 * n * n)
                    singles = pa[a] * pb[b] * pc[c] / (n * n * n)
                    labels = mean_Z[mean_at[la] + a] * mean_Y[mean_at[lb] + b] * mean_Y[mean_at[lc] + c]
                    E[j] = share * (
                        keep * E[j] / n + back * (keep * pairs + back * (keep * singles + back * labels))
                    )
