"""Pairs of words at a distance: ids in, codes out; sorted codes and counts in, their sum out."""

from numba import njit


@njit(cache=True, nogil=True)
def window_codes(ids, reach, n_words, codes, sizes):
    """codes[d - 1, :sizes[d - 1]]: first * n_words + second of all pairs at distance d; -1 ends a sentence."""
    n = ids.size
    for t in range(n):
        if ids[t] < 0:
            continue
        for d in range(1, reach + 1):
            if t + d >= n or ids[t + d] < 0:
                break
            codes[d - 1, sizes[d - 1]] = ids[t] * n_words + ids[t + d]
            sizes[d - 1] += 1


@njit(cache=True, nogil=True)
def run_lengths(codes, out_codes, out_counts):
    """Distinct codes of a sorted array and how often each occurs; returns their number."""
    m = 0
    for i in range(codes.size):
        if m and out_codes[m - 1] == codes[i]:
            out_counts[m - 1] += 1
        else:
            out_codes[m] = codes[i]
            out_counts[m] = 1
            m += 1
    return m


@njit(cache=True, nogil=True)
def merge_counts(a, a_counts, b, b_counts, out, out_counts):
    """The sum of two tables sorted by code; returns its size."""
    i, j, m = 0, 0, 0
    while i < a.size or j < b.size:
        if j == b.size or (i < a.size and a[i] < b[j]):
            out[m], out_counts[m] = a[i], a_counts[i]
            i += 1
        elif i == a.size or b[j] < a[i]:
            out[m], out_counts[m] = b[j], b_counts[j]
            j += 1
        else:
            out[m], out_counts[m] = a[i], a_counts[i] + b_counts[j]
            i += 1
            j += 1
        m += 1
    return m
