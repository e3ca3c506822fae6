"""Posteriors of binary rows in, posteriors of the n-ary rows that ``unbinarise`` makes of them out."""

from collections.abc import Sequence

from eigenparse.corpus.columns import Label
from eigenparse.corpus.normalise import ROOT


def row_posteriors(labels: Sequence[Label], posterior: Sequence[float]) -> list[float]:
    """One number for each row of the n-ary tree, its root included.

    labels, posterior: of one tree's binary rows in post-order.  Every label of a collapsed chain
    gets the number of its row; intermediate rows are dropped.
    """
    rows: list[float] = []
    for number, (label, value) in enumerate(zip(labels, posterior, strict=True)):
        if not label.partial or number == len(labels) - 1:
            rows += [float(value)] * len(label.chain)
    return rows if labels[-1].chain[0] == ROOT else [*rows, 1.0]
