"""Sums over all projective trees of a latent tree model with visible states: parameters in, posteriors of arcs out.

Half spans [eisner-1996] hold a vector of the head's states for each number of children, arcs a matrix of the states of
head and child; side 0 is left, 1 right.  With a head a and words b, z on its side s:

    half[s, a, z, c, h]     a in state h with c children on side s (capped), whose subtrees reach from a to z
    closed[s, a, z, h]      the same summed over c, times the probability of the number of children given the state
    arc[a, b, c, h, g]      a in state h, already with c nearer children, takes b in state g, whose own side
                            towards a is closed

Sums cost O(n³ k²).  The outside pass is the derivative of the total, by the same loops backwards.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Tables(NamedTuple):
    """The factors of a model for one sentence of n words, k states.

    start: (k,) of the root, its distance included.  transition: (2, k, k) child before parent.  emission: (n, k) of
    words.  distance: (n, k) of distances to the head.  numbers: (2, C, k) of c children on each side.
    """

    start: Any
    transition: Any
    emission: Any
    distance: Any
    numbers: Any


class Chart(NamedTuple):
    """half: (2, n, n, C, k); closed: (2, n, n, k); arc: (n, n, C, k, k), as above."""

    half: Any
    closed: Any
    arc: Any


@kernel
def close(tables, chart, side, a, z):
    """closed from half."""
    C, k = tables.numbers.shape[1:]
    for h in range(k):
        total = 0.0
        for c in range(C):
            total += tables.numbers[side, c, h] * chart.half[side, a, z, c, h]
        chart.closed[side, a, z, h] = total


@kernel
def add_arc(tables, chart, a, b):
    """arc[a, b] from the halves between a and b."""
    C, k = tables.numbers.shape[1:]
    side, step = (1, 1) if b > a else (0, -1)
    arc = chart.arc[a, b]
    for m in range(a, b, step):
        toward = chart.closed[1 - side, b, m + step]
        for c in range(min(C, abs(m - a) + 1)):
            for h in range(k):
                own = chart.half[side, a, m, c, h]
                if own != 0.0:
                    for g in range(k):
                        arc[c, h, g] += own * toward[g]
    far = abs(a - b)
    for g in range(k):
        child = tables.emission[b, g] * tables.distance[far, g]
        for c in range(C):
            for h in range(k):
                arc[c, h, g] *= child * tables.transition[side, g, h]


@kernel
def add_half(tables, chart, a, z):
    """half[side, a, z] from the arcs of a up to z."""
    C, k = tables.numbers.shape[1:]
    side, step = (1, 1) if z > a else (0, -1)
    half = chart.half[side, a, z]
    for b in range(a + step, z + step, step):
        outer = chart.closed[side, b, z]
        for c in range(min(C, abs(b - a))):
            to = min(c + 1, C - 1)
            for h in range(k):
                total = 0.0
                for g in range(k):
                    total += chart.arc[a, b, c, h, g] * outer[g]
                half[to, h] += total
    close(tables, chart, side, a, z)


@kernel
def inside(tables, chart):
    """Fill a chart of zeros; return the total."""
    n, k = tables.emission.shape
    for a in range(n):
        for side in range(2):
            chart.half[side, a, a, 0] = 1.0
            close(tables, chart, side, a, a)
    for width in range(1, n):
        for i in range(n - width):
            add_arc(tables, chart, i, i + width)
            add_arc(tables, chart, i + width, i)
            add_half(tables, chart, i, i + width)
            add_half(tables, chart, i + width, i)
    total = 0.0
    for r in range(n):
        for g in range(k):
            below = chart.closed[0, r, 0, g] * chart.closed[1, r, n - 1, g]
            total += tables.start[g] * tables.emission[r, g] * below
    return total


@kernel
def outside_half(tables, chart, outer, a, z):
    """Pass the derivative of half[side, a, z] on to its factors."""
    C, k = tables.numbers.shape[1:]
    side, step = (1, 1) if z > a else (0, -1)
    half = outer.half[side, a, z]
    for c in range(C):
        for h in range(k):
            half[c, h] += tables.numbers[side, c, h] * outer.closed[side, a, z, h]
    for b in range(a + step, z + step, step):
        inner, down = chart.closed[side, b, z], outer.closed[side, b, z]
        for c in range(min(C, abs(b - a))):
            to = min(c + 1, C - 1)
            for h in range(k):
                own = half[to, h]
                for g in range(k):
                    outer.arc[a, b, c, h, g] += own * inner[g]
                    down[g] += own * chart.arc[a, b, c, h, g]


@kernel
def outside_arc(tables, chart, outer, a, b):
    """Pass the derivative of arc[a, b] on to its factors; return it times the arc."""
    C, k = tables.numbers.shape[1:]
    side, step = (1, 1) if b > a else (0, -1)
    back, far, mass = outer.arc[a, b], abs(a - b), 0.0
    for c in range(C):
        for h in range(k):
            for g in range(k):
                mass += back[c, h, g] * chart.arc[a, b, c, h, g]
                back[c, h, g] *= (
                    tables.emission[b, g] * tables.distance[far, g] * tables.transition[side, g, h]
                )
    for m in range(a, b, step):
        toward, down = chart.closed[1 - side, b, m + step], outer.closed[1 - side, b, m + step]
        for c in range(min(C, abs(m - a) + 1)):
            for h in range(k):
                own, total = chart.half[side, a, m, c, h], 0.0
                for g in range(k):
                    total += back[c, h, g] * toward[g]
                    down[g] += back[c, h, g] * own
                outer.half[side, a, m, c, h] += total
    return mass


@kernel
def posteriors(tables, chart, outer, marginal):
    """Write the posterior of every arc (n + 1, n + 1), head before child, 0 being the root; return the total.

    chart, outer: zeros.  Nothing is written where the total is not a positive number.
    """
    n, k = tables.emission.shape
    total = inside(tables, chart)
    if not 0.0 < total < np.inf:
        return total
    for r in range(n):
        mass = 0.0
        for g in range(k):
            root = tables.start[g] * tables.emission[r, g]
            left, right = chart.closed[0, r, 0, g], chart.closed[1, r, n - 1, g]
            outer.closed[0, r, 0, g] += root * right
            outer.closed[1, r, n - 1, g] += root * left
            mass += root * left * right
        marginal[0, r + 1] = mass / total
    for width in range(n - 1, 0, -1):
        for i in range(n - width):
            outside_half(tables, chart, outer, i, i + width)
            outside_half(tables, chart, outer, i + width, i)
        for i in range(n - width):
            for a, b in ((i, i + width), (i + width, i)):
                marginal[a + 1, b + 1] = outside_arc(tables, chart, outer, a, b) / total
    return total
