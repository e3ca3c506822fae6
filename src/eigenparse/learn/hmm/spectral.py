"""Spectral learning of HMMs from unlabelled symbols: windows of past and future in, observable operators out.

With X the view of the future from a position on, W that of the past before it and E[X W'] = 1:
B_x = E[1[x_t = x] X_{t+1} W_t'] [hsu-etal-2012], or B_x = K(a_x) with the third moment
K = E[X_{t+1} ⊗ R_t ⊗ W_t] and the regression dictionary a_x of the present view R [foster-etal-2012;
dhillon-etal-2012, eq. 1, corrected].
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, generator
from eigenparse.corpus.sequences import Column, Sequences, map_symbols
from eigenparse.errors import DataError
from eigenparse.features.tagger.templates import (
    KeyMatrix,
    KeyVector,
    dense_ids,
    parse_template,
    template_keys,
)
from eigenparse.inference.hmm.chain import filtered
from eigenparse.models.hmm.chain import UNKNOWN, ChainModel
from eigenparse.spectral.chain_moments import (
    CentredProjection,
    centred_projection,
    scaled_rows,
    sums_by,
    third_moment,
    trust,
)
from eigenparse.spectral.svd import FeatureRows

MOST_PAIR_VALUES = 4_000_000  # larger tables of pairs of symbols are not made
PAIR_SHARES = (0.3, 0.6, 0.8, 0.9)
HELD_OUT = 0.1
FEWEST = 2000  # minimum number of held-out symbols for the choice


@dataclass(frozen=True, slots=True)
class ChainChoices:
    """states k; window w of past and future symbols; form hsu or foster; shrink: of rare symbols' operators.

    kappa, kappa_past: constants that scale down rare features of future and past.  floor: share of the prediction
    from the last symbol alone that every prediction keeps.  pair_share: weight of the directly estimated pairs
    of symbols in predictions; None: chosen on held-out text.
    """

    states: int = 20
    window: int = 2
    form: str = "hsu"
    kappa: float = 500.0
    kappa_past: float = 2000.0
    cutoff: float = 1e-4
    shrink: float = 5.0
    floor: float = 0.15
    pair_share: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Symbols:
    """Training symbols.  ids: (T,) into ``names`` (0 is unknown); weights: (T,), start_weights: (S,)."""

    ids: IntVector
    offsets: LongVector
    names: tuple[str, ...]
    weights: AnyArray
    start_weights: AnyArray

    @classmethod
    def of(cls, ids: IntVector, offsets: LongVector, names: tuple[str, ...]) -> "Symbols":
        """All tokens and sequences counted once."""
        return cls(ids, offsets, names, np.ones(ids.size), np.ones(offsets.size - 1))


def symbol_table(corpus: Sequences, min_count: int = 1) -> Symbols:
    """Training symbols with 0 for unknown; symbols seen less often than ``min_count`` are unknown."""
    column = corpus.columns[0]
    if not column.ids.size:
        raise DataError("the text has no symbol; give at least one sequence")
    count = np.bincount(column.ids, minlength=len(column.symbols))
    kept = [
        symbol
        for k, symbol in enumerate(column.symbols)
        if count[k] >= max(1, min_count) and symbol != UNKNOWN
    ]
    names = (UNKNOWN, *kept)
    ids = np.maximum(map_symbols(column, {name: k for k, name in enumerate(names)}), 0).astype(np.int32)
    return Symbols.of(ids, corpus.offsets, names)


@dataclass(frozen=True, slots=True)
class WindowViews:
    """future = X, past = W: (T, k) of all tokens; rows: those used in moments; singular: (k - 1,)."""

    future: AnyArray
    past: AnyArray
    rows: LongVector
    singular: AnyArray


def window_texts(window: int) -> tuple[list[str], list[str]]:
    """Templates of the future from the token on and of the past before it."""
    ahead = ["&".join(f"x[{j}]" for j in range(k + 1)) for k in range(window)]
    behind = ["&".join(f"x[{-j}]" for j in range(1, k + 2)) for k in range(window)]
    return ahead, behind


def usable_rows(data: Symbols, window: int) -> LongVector:
    """Tokens whose next token still has a whole window of future: only those see no end of sequence."""
    offsets = data.offsets
    keep = np.ones(int(offsets[-1]), dtype=bool)
    for back in range(1, window + 1):
        ends = offsets[1:] - back
        keep[ends[ends >= offsets[:-1]]] = False
    rows = np.flatnonzero(keep & (data.weights > 0.0))
    if rows.size < 2:
        raise DataError(
            f"no sequence is longer than the window of {window}; give longer ones or a smaller window"
        )
    return rows


def window_keys(data: Symbols, window: int) -> list[KeyMatrix]:
    """Keys (T, window) of the features of future and past of every token."""
    sequences = Sequences((Column("x", data.ids, data.names),), data.offsets, data.offsets[:-1])
    texts = window_texts(window)
    return [template_keys([parse_template(text) for text in part], sequences) for part in texts]


@dataclass(frozen=True, slots=True)
class WindowProjection:
    """Scaled features of future and past of every token, the keys of the features, and the projection of both."""

    scaled: tuple[FeatureRows, FeatureRows]
    keys: tuple[KeyVector, KeyVector]
    projection: CentredProjection


def window_projection(data: Symbols, choices: ChainChoices) -> WindowProjection:
    """Features and projection of the windows of past and future."""
    rows = usable_rows(data, choices.window)
    weights = np.zeros(data.ids.size)
    weights[rows] = data.weights[rows]
    (future, ahead), (past, behind) = (dense_ids(keys) for keys in window_keys(data, choices.window))
    one = scaled_rows(future, weights, kappa=choices.kappa)
    other = scaled_rows(past, weights, kappa=choices.kappa_past)
    rng = generator(choices.seed, 19)
    found = centred_projection(one, other, weights, choices.states, rng=rng, cutoff=choices.cutoff)
    return WindowProjection((one, other), (ahead, behind), found)


def window_views(data: Symbols, choices: ChainChoices) -> WindowViews:
    """Views of past and future windows of every token."""
    rows, made = usable_rows(data, choices.window), window_projection(data, choices)
    one, other = made.scaled
    found = made.projection
    return WindowViews(found.one(one), found.other(other), rows, found.singular)


def fit_spectral_hmm(data: Symbols, unit: str, choices: ChainChoices) -> ChainModel:
    """Operators of the HMM behind the symbols."""
    views = window_views(data, choices)
    share = choices.pair_share
    if share is None:
        share = _held_out_share(data, views, unit, choices)
    return _model_of(data, views, unit, choices, share)


def _held_out_share(data: Symbols, views: WindowViews, unit: str, choices: ChainChoices) -> float:
    """The share of pairs that makes the last tenth of the text likeliest, moments taken from the rest."""
    cut = int((1.0 - HELD_OUT) * data.ids.size)
    n, k = len(data.names), views.future.shape[1]
    early = views.rows[views.rows < cut - 1]
    if n * n * k > MOST_PAIR_VALUES or data.ids.size - cut < FEWEST or early.size < FEWEST or k == 1:
        return 0.0
    model = _model_of(data, replace(views, rows=early), unit, choices, 1.0)
    inside = np.unique(np.clip(data.offsets - cut, 0, None))
    scores = [
        filtered(replace(model, pair_share=share), data.ids[cut:], inside).log_p.sum()
        for share in (0.0, *PAIR_SHARES)
    ]
    return (0.0, *PAIR_SHARES)[int(np.argmax(scores))]


def _model_of(
    data: Symbols, views: WindowViews, unit: str, choices: ChainChoices, pair_share: float
) -> ChainModel:
    """The model whose moments are taken from the rows of the views."""
    rows = views.rows
    share = data.weights[rows] / data.weights[rows].sum()
    form = _direct_operators if choices.form == "hsu" else _reduced_operators
    operators = form(data, views, share, choices)
    long = np.diff(data.offsets) >= choices.window
    start = data.start_weights[long]
    initial = start @ views.future[data.offsets[:-1][long]] / start.sum()
    n = len(data.names)
    unigram = np.bincount(data.ids, weights=data.weights, minlength=n) + 0.5
    reset = _means(views.future[rows + 1], data.ids[rows], share, n)
    model = observable_chain(
        Operators(initial, operators, reset, unigram), data.names, unit, choices, views.singular
    )
    if pair_share > 0.0:
        model = replace(model, pairs=_pair_tables(data, views, share), pair_share=pair_share)
    return model


@dataclass(frozen=True, slots=True)
class Operators:
    """Estimates of b_1 (k,), B (n, k, k) and the state after each symbol (n, k), and counts of symbols (n,)."""

    initial: AnyArray
    operators: AnyArray
    reset: AnyArray
    counts: AnyArray


def observable_chain(
    made: Operators, names: tuple[str, ...], unit: str, choices: ChainChoices, singular: AnyArray
) -> ChainModel:
    """The model of estimates in the basis whose first coordinate is constant: b_inf reads it off."""
    final = np.zeros(made.initial.size)
    final[0] = 1.0
    about = {
        "method": "spectral",
        "form": choices.form,
        "window": choices.window,
        "states": choices.states,
        "singular": [round(float(v), 8) for v in singular],
    }
    return ChainModel(
        symbols=names,
        unit=unit,
        initial=made.initial,
        operators=made.operators,
        final=final,
        predict=np.ascontiguousarray(made.operators[:, 0, :]),
        reset=made.reset,
        unigram=made.counts / made.counts.sum(),
        floor=choices.floor,
        about=about,
    )


def _pair_tables(data: Symbols, views: WindowViews, share: AnyArray) -> AnyArray:
    """E[1[x_t = x] 1[x_{t+1} = y] W_t'] as (n, n, k): what b_inf' B_y B_x is in an HMM, of any rank in x and y."""
    n, rows = len(data.names), views.rows
    code = data.ids[rows].astype(np.int64) * n + data.ids[rows + 1]
    return sums_by(code, views.past[rows] * share[:, None], n * n).reshape(n, n, -1)


def _means(values: AnyArray, ids: IntVector, share: AnyArray, n: int) -> AnyArray:
    """Weighted mean of rows by symbol; the constant view where a symbol has no row."""
    total = sums_by(ids, share[:, None] * values, n)
    weight = np.bincount(ids, weights=share, minlength=n)
    mean = total / np.where(weight > 0.0, weight, 1.0)[:, None]
    mean[weight == 0.0, 0] = 1.0
    return mean


def _direct_operators(data: Symbols, views: WindowViews, share: AnyArray, choices: ChainChoices) -> AnyArray:
    """B_x = E[1[x] X_{t+1} W_t'], shrunk towards E[X_{t+1} | x] E[1[x] W_t'] where x is rare."""
    n, k = len(data.names), views.future.shape[1]
    ids = data.ids[views.rows]
    operators = np.zeros((n, k, k))
    count = np.bincount(ids, weights=data.weights[views.rows], minlength=n)
    order = np.argsort(ids, kind="stable")
    cuts = np.searchsorted(ids[order], np.arange(n + 1))
    for x in range(n):
        part = order[cuts[x] : cuts[x + 1]]
        if not part.size:
            continue
        rows = views.rows[part]
        nearby = views.future[rows + 1] * share[part, None]
        full = nearby.T @ views.past[rows]
        q = trust(count[x], choices.shrink)
        mean = nearby.sum(axis=0) / share[part].sum()
        operators[x] = q * full + (1 - q) * np.outer(mean, full[0])
    return operators


def _reduced_operators(data: Symbols, views: WindowViews, share: AnyArray, choices: ChainChoices) -> AnyArray:
    """B_x = K(a_x): third moment with a view R of the present symbol, regression dictionary a_x."""
    n = len(data.names)
    ids = data.ids[views.rows]
    present = FeatureRows(np.ascontiguousarray(ids[:, None]), np.ones(n))
    behind = np.ascontiguousarray(views.past[views.rows])
    weighted = share[:, None] * behind
    cross = sums_by(ids, weighted, n)
    scale = np.sqrt(1.0 / (np.bincount(ids, weights=share, minlength=n) + 1.0 / ids.size))
    left, _, _ = np.linalg.svd(scale[:, None] * cross, full_matrices=False)  # (n, k)
    R = present.times(np.ascontiguousarray(left * scale[:, None]))
    Sigma = R.T @ weighted  # E[R_t W_t'], (k, k)
    dictionary = cross @ np.linalg.pinv(Sigma, rcond=1e-10)
    K = third_moment(views.future[views.rows + 1] * share[:, None], R, behind)
    K = K.reshape(K.shape[0], R.shape[1], behind.shape[1])
    operators = np.einsum("xr,irj->xij", dictionary, K)
    return np.ascontiguousarray(operators)
