"""Pairs of words at a distance: ids in, codes out; codes in, tables out; tables in, their sum out."""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Table(NamedTuple):
    """Counts of pairs: those of first word x are [starts[x], starts[x + 1]), sorted by their second words."""

    starts: Any
    seconds: Any
    counts: Any


@kernel
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


@kernel
def table_of_codes(codes, n_words, starts, seconds, counts):
    """Write the ``Table`` of sorted codes, equal ones counted; returns its size."""
    m, x = 0, 0
    last = np.int64(-1)
    for i in range(codes.size):
        if codes[i] == last:
            counts[m - 1] += 1
            continue
        last = codes[i]
        first = last // n_words
        while x <= first:
            starts[x] = m
            x += 1
        seconds[m] = last - first * n_words
        counts[m] = 1
        m += 1
    starts[x:] = m
    return m


@kernel
def merge_tables(one, two, out):
    """The sum of two tables; returns its size."""
    m = 0
    for x in range(one.starts.size - 1):
        out.starts[x] = m
        i, j, i_end, j_end = one.starts[x], two.starts[x], one.starts[x + 1], two.starts[x + 1]
        while i < i_end or j < j_end:
            if j == j_end or (i < i_end and one.seconds[i] < two.seconds[j]):
                out.seconds[m], out.counts[m] = one.seconds[i], one.counts[i]
                i += 1
            elif i == i_end or two.seconds[j] < one.seconds[i]:
                out.seconds[m], out.counts[m] = two.seconds[j], two.counts[j]
                j += 1
            else:
                out.seconds[m], out.counts[m] = one.seconds[i], one.counts[i] + two.counts[j]
                i += 1
                j += 1
            m += 1
    out.starts[one.starts.size - 1] = m
    return m


@kernel
def drop_rare(starts, seconds, counts, least):
    """Drop the pairs of a table seen at most ``least`` times, in place; returns its size and the occurrences lost."""
    m, lost, first = 0, 0, 0
    for x in range(starts.size - 1):
        last = starts[x + 1]
        starts[x] = m
        for i in range(first, last):
            if counts[i] > least:
                seconds[m], counts[m] = seconds[i], counts[i]
                m += 1
            else:
                lost += counts[i]
        first = last
    starts[starts.size - 1] = m
    return m, lost
