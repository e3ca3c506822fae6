"""Words with all their neighbours in, spectral parameters of the latent tree model out.

Families with children on both sides are few, and some states never head one.  Any view z of a word
that is independent of its symbol and of a child, given its state, serves as an instrument: the children
on the other side, and the head of the word with its side; zeros stand for what is missing.  With ridge
in place of plain inverses every word is used, and every channel gets its rows.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, Sums
from eigenparse.errors import DataError
from eigenparse.learn.dependency.moments import SpectralParameters, inverse


@dataclass(frozen=True, slots=True)
class WordViews:
    """One row per word.

    own (M, k): its projection y.  left, right (M, k): mean projection of its children on each side,
    zeros if there are none.  above (M, 2 k): projection of its head in the half of its own side, zeros
    at roots.  symbols (M, Q): rows of the observation table; shape (Q,): whether a channel depends on
    the number of children, so that children cannot be its instrument.  is_root (M,).  weight (M,).
    """

    own: FloatArray
    left: FloatArray
    right: FloatArray
    above: FloatArray
    symbols: AnyArray
    shape: AnyArray
    is_root: AnyArray
    weight: FloatArray


@dataclass(frozen=True, slots=True)
class SideMoments(Sums):
    """Sums over words y with a child c on one side and instruments z: y z', c z', y c z (k, k, Z), weight."""

    own: FloatArray
    child: FloatArray
    triple: FloatArray
    n: float


@dataclass(frozen=True, slots=True)
class InstrumentMoments(Sums):
    """Weighted sums over words; they add.  z: all instruments (4 k), above: the head alone (2 k).

    start: sum of y over roots; mean: sum of z; own_z, own_above: y z'; table_z, table_above: e_x z' of the
    channels that each of the two serves.
    """

    left: SideMoments
    right: SideMoments
    start: FloatArray
    n_roots: float
    mean: FloatArray
    own_z: FloatArray
    own_above: FloatArray
    table_z: FloatArray
    table_above: FloatArray


def instrument_moments(views: WordViews, n_symbols: int) -> InstrumentMoments:
    """The sums that the estimator needs; channels that depend on the children have only the head as instrument."""
    roots = views.weight * views.is_root
    z = np.concatenate([views.above, views.left, views.right], axis=1)
    tables = [np.zeros((n_symbols, instrument.shape[1])) for instrument in (z, views.above)]
    for q in range(views.symbols.shape[1]):
        instrument = views.above if views.shape[q] else z
        np.add.at(tables[int(views.shape[q])], views.symbols[:, q], instrument * views.weight[:, None])
    weighted = (views.own * views.weight[:, None]).T
    return InstrumentMoments(
        left=_side_moments(views, views.left, views.right),
        right=_side_moments(views, views.right, views.left),
        start=roots @ views.own,
        n_roots=float(roots.sum()),
        mean=views.weight @ z,
        own_z=weighted @ z,
        own_above=weighted @ views.above,
        table_z=tables[0],
        table_above=tables[1],
    )


def _side_moments(views: WordViews, child: FloatArray, other: FloatArray) -> SideMoments:
    """Sums over the words with a child on one side; the other side and the head are instruments."""
    have = np.flatnonzero(np.any(child != 0.0, axis=1))
    w, y, c = views.weight[have], views.own[have], child[have]
    z = np.concatenate([other[have], views.above[have]], axis=1)
    return SideMoments(
        own=(y * w[:, None]).T @ z,
        child=(c * w[:, None]).T @ z,
        triple=np.einsum("ni,nj,nl->jil", c * w[:, None], y, z, optimize=True),
        n=float(w.sum()),
    )


def instrument_parameters(m: InstrumentMoments, *, ridge: float = 0.0) -> SpectralParameters:
    """E_d = E[y_child z'] E[y z']^+, D(y) = E_d^-1 E[y_child (y_own . y) z'] E[y z']^+ averaged over sides,
    c_inf' = E[z]' E[y z']^+, a_x' = E[1_x z'] E[y z']^+.
    """
    if m.n_roots <= 0:
        raise DataError("there is no root among the words; train on whole trees")
    sides = [_side(side, ridge) for side in (m.left, m.right)]
    total = m.left.n + m.right.n
    over, alone = inverse(m.own_z, ridge), inverse(m.own_above, ridge)
    return SpectralParameters(
        start=m.start / m.n_roots,
        final=m.mean @ over,
        transition=np.stack([E for E, _ in sides]),
        product=np.ascontiguousarray(sides[0][1] * (m.left.n / total) + sides[1][1] * (m.right.n / total)),
        observation=m.table_z @ over + m.table_above @ alone,
    )


def _side(m: SideMoments, ridge: float) -> tuple[FloatArray, FloatArray]:
    """E and D of one side."""
    if m.n <= 0:
        raise DataError("no word has a child on one of the sides; train on larger trees")
    over = inverse(m.own, ridge)
    E = m.child @ over
    D = np.einsum("ai,jil,lb->jab", inverse(E, ridge), m.triple, over, optimize=True)
    return E, np.asarray(D)
