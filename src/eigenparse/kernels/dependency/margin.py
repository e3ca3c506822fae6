"""Averaged weights that move by margin-based updates, shared by the parser and the re-ranker.

One step of MIRA [crammer-etal-2006]: if the rival y is not beaten by the target g with a margin, the weights move by
tau (f(g) - f(y)) with tau = min(C, slack / |f(g) - f(y)|^2).  Features are rows of one hashed table, so f(g) and f(y)
are lists of rows, in which a row may occur several times.  ``delta`` holds the difference while it is needed and is
zero otherwise: the update touches only rows of the two lists, however large the table is.
"""

from typing import Any, NamedTuple

from eigenparse.kernels.compiled import kernel


class Averaged(NamedTuple):
    """Weights during training.

    weights: (2^bits,) or (2^bits, L) float32.  drift: of the same shape, the sum of clock times update, so that the
    mean of the weights over all steps is weights - drift / clock.  delta: (2^bits,) int16, zero between steps.
    ceiling: C, the largest step.
    """

    weights: Any
    drift: Any
    delta: Any
    ceiling: float


@kernel
def squared_distance(plus, minus, delta):
    """|f(g) - f(y)|^2 of two lists of rows; ``delta`` is left holding the difference."""
    for row in plus:
        delta[row] += 1
    for row in minus:
        delta[row] -= 1
    norm = 0.0
    for row in plus:
        norm += delta[row]
    for row in minus:
        norm -= delta[row]
    return norm


@kernel
def step_size(slack, norm, ceiling):
    """tau = min(C, slack / norm), 0 where the features are the same."""
    return min(ceiling, slack / norm) if norm > 0.0 else 0.0


@kernel
def shift(rows, tau, clock, averaged):
    """Move the weights of these rows by tau times ``delta``, which is zero afterwards."""
    for row in rows:
        if averaged.delta[row] != 0:
            averaged.weights[row] += tau * averaged.delta[row]
            averaged.drift[row] += clock * tau * averaged.delta[row]
            averaged.delta[row] = 0
