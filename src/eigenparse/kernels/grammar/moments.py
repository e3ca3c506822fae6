"""Third moments of projected features by rule, backed off to pairs, singles and labels."""

import numpy as np
from numba import njit

from eigenparse.kernels.grammar.tree import SUMS, add_outer


@njit(cache=True, nogil=True, fastmath=SUMS)
def rule_moments(
    rows, rule_first, rules, left, right, at, Y, Z, label_count, mean_at, mean_Y, mean_Z, C, rule_at, out
):  # fmt: skip
    """Tensor of every rule: count share times the smoothed mean of Z (x) Y_left (x) Y_right.

    rows: phrase rows sorted by rule, rule r owns rows[rule_first[r]:rule_first[r + 1]].  Y, Z: flat,
    row i owns [at[i], at[i + 1]).  mean_Y, mean_Z: label-wide means, flat at mean_at.  With n rows
    and l = sqrt(n) / (C + sqrt(n)): E = l E1 + (1 - l)(l E2 + (1 - l)(l E3 + (1 - l) E4)), E1 the third
    moment, E2 the mean of the three (pair x single) products, E3 the product of the means within
    the rule, E4 the product of label-wide means.
    """
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
        n = float(last - first)
        E = out[rule_at[r] : rule_at[r + 1]]
        E[:] = 0.0
        ab[:na, :nb], ac[:na, :nc], bc[: nb * nc] = 0.0, 0.0, 0.0
        pa[:na], pb[:nb], pc[:nc] = 0.0, 0.0, 0.0
        for s in range(first, last):
            i = rows[s]
            z = Z[at[i] : at[i + 1]]
            y, x = Y[at[left[i]] : at[left[i] + 1]], Y[at[right[i]] : at[right[i] + 1]]
            for b in range(nb):
                pb[b] += y[b]
                for c in range(nc):
                    w[b * nc + c] = y[b] * x[c]
                    bc[b * nc + c] += y[b] * x[c]
            for c in range(nc):
                pc[c] += x[c]
            for a in range(na):
                pa[a] += z[a]
                for b in range(nb):
                    ab[a, b] += z[a] * y[b]
                for c in range(nc):
                    ac[a, c] += z[a] * x[c]
            add_outer(z, 1.0, w[: nb * nc], E)
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
