"""Products with feature matrices that are stored as ids: n rows, T active features per row."""

import numpy as np

from eigenparse.kernels.compiled import kernel


@kernel
def gather(ids, scale, M, out):
    """out[i] = sum over t of scale[ids[i, t]] * M[ids[i, t]]."""
    n, n_templates = ids.shape
    k = M.shape[1]
    for i in range(n):
        for j in range(k):
            out[i, j] = 0.0
        for t in range(n_templates):
            f = ids[i, t]
            s = scale[f]
            for j in range(k):
                out[i, j] += s * M[f, j]


@kernel
def scatter(ids, scale, P, out):
    """out[f] = sum over (i, t) with ids[i, t] = f of scale[f] * P[i]."""
    n, n_templates = ids.shape
    k = P.shape[1]
    out[:] = 0.0
    for i in range(n):
        for t in range(n_templates):
            f = ids[i, t]
            s = scale[f]
            for j in range(k):
                out[f, j] += s * P[i, j]


@kernel
def nearest(rows, centres, out):
    """out[i] = index of the centre closest to rows[i]; the first on ties."""
    n, d = rows.shape
    for i in range(n):
        best, best_distance = 0, np.inf
        for c in range(centres.shape[0]):
            distance = 0.0
            for j in range(d):
                gap = rows[i, j] - centres[c, j]
                distance += gap * gap
            if distance < best_distance:
                best, best_distance = c, distance
        out[i] = best
