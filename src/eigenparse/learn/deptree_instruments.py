"""Words with all their neighbours in, spectral parameters of the latent tree model out.

Families with children on both sides are few, and some states never head one.  Any view z of a word
that is independent of its symbol and of a child, given its state, serves as an instrument: the children
on the other side, and the head of the word with its side; zeros stand for what is missing.  With ridge
in place of plain inverses every word is used, and every channel gets its rows.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.errors import DataError
from eigenparse.learn.deptree_moments import SpectralParameters, inverse


@dataclass(frozen=True, slots=True)
class WordViews:
    """One row a word.

    own (M, k): its projection y.  left, right (M, k): mean projection of its children on each side,
    zeros if there are none.  above (M, 2 k): projection of its head in the half of its own side, zeros
    at roots.  symbols (M, Q): rows of the observation table; shape (Q,): whether a channel says how
    many children there are, so that children cannot be its instrument.  is_root (M,).  weight (M,).
    """

    own: FloatArray
    left: FloatArray
    right: FloatArray
    above: FloatArray
    symbols: AnyArray
    shape: AnyArray
    is_root: AnyArray
    weight: FloatArray


def instrument_parameters(views: WordViews, n_symbols: int, *, ridge: float = 0.0) -> SpectralParameters:
    """E_d = E[y_child z'] E[y z']^+, D(y) = E_d^-1 E[y_child (y_own . y) z'] E[y z']^+ averaged over sides,
    c_inf' = E[z]' E[y z']^+, a_x' = E[1_x z'] E[y z']^+.
    """
    roots = views.weight * views.is_root
    if roots.sum() <= 0:
        raise DataError("there is no root among the words; train on whole trees")
    sides = [
        _side(views, child, other, ridge)
        for child, other in ((views.left, views.right), (views.right, views.left))
    ]
    share = np.array([n for _, _, n in sides])
    product = sum(D * (n / share.sum()) for _, D, n in sides)
    z = np.concatenate([views.above, views.left, views.right], axis=1)
    over = inverse((views.own * views.weight[:, None]).T @ z, ridge)
    return SpectralParameters(
        start=roots @ views.own / roots.sum(),
        final=(views.weight @ z) @ over,
        transition=np.stack([E for E, _, _ in sides]),
        product=np.ascontiguousarray(product),
        observation=_rows(views, n_symbols, z, over, ridge),
    )


def _side(
    views: WordViews, child: FloatArray, other: FloatArray, ridge: float
) -> tuple[FloatArray, FloatArray, float]:
    """E and D from the words with a child on one side, and their weight."""
    have = np.flatnonzero(np.any(child != 0.0, axis=1))
    if have.size == 0:
        raise DataError("no word has a child on one of the sides; train on larger trees")
    w, y, c = views.weight[have], views.own[have], child[have]
    z = np.concatenate([other[have], views.above[have]], axis=1)
    over = inverse((y * w[:, None]).T @ z, ridge)
    E = (c * w[:, None]).T @ z @ over
    triple = np.einsum("ni,nj,nl->jil", c * w[:, None], y, z, optimize=True)
    D = np.einsum("ai,jil,lb->jab", inverse(E, ridge), triple, over, optimize=True)
    return E, np.asarray(D), float(w.sum())


def _rows(views: WordViews, n_symbols: int, z: FloatArray, over: FloatArray, ridge: float) -> FloatArray:
    """Observation rows of all channels; those that tell of children use the head alone as instrument."""
    alone = inverse((views.own * views.weight[:, None]).T @ views.above, ridge)
    table = np.zeros((n_symbols, views.own.shape[1]))
    for q in range(views.symbols.shape[1]):
        instrument, back = (views.above, alone) if views.shape[q] else (z, over)
        sums = np.zeros((n_symbols, instrument.shape[1]))
        np.add.at(sums, views.symbols[:, q], instrument * views.weight[:, None])
        table += sums @ back
    return table
