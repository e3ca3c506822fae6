"""Products with feature matrices that are stored as ids: n rows, T active features per row."""

import numpy as np

from eigenparse.kernels.compiled import kernel

NARROW = 8  # columns that are held in one register: a block of the iteration for singular vectors


@kernel
def gather(ids, scale, M, out):
    """out[i] = sum over t of scale[ids[i, t]] * M[ids[i, t]]."""
    n, n_templates = ids.shape
    k = M.shape[1]
    if k == NARROW:
        gather_narrow(ids, scale, M, out)
        return
    for i in range(n):
        for j in range(k):
            out[i, j] = 0.0
        for t in range(n_templates):
            f = ids[i, t]
            s = scale[f]
            for j in range(k):
                out[i, j] += s * M[f, j]


@kernel
def gather_narrow(ids, scale, M, out):
    """The same of NARROW columns, whose loops the compiler unrolls."""
    for i in range(ids.shape[0]):
        row = out[i]
        for j in range(NARROW):
            row[j] = 0.0
        for t in range(ids.shape[1]):
            f = ids[i, t]
            s, part = scale[f], M[f]
            for j in range(NARROW):
                row[j] += s * part[j]


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
    columns = np.ascontiguousarray(centres.T)  # so that one sum is made for all centres at once
    distance = np.empty(centres.shape[0])
    for i in range(n):
        distance[:] = 0.0
        for j in range(d):
            value, column = rows[i, j], columns[j]
            for c in range(distance.size):
                gap = value - column[c]
                distance[c] += gap * gap
        out[i] = np.argmin(distance)
