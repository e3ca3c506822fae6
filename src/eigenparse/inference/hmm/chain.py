"""HMM and symbol sequences in: probabilities, next symbols, states and samples out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets, generator
from eigenparse.corpus.sequences import Column
from eigenparse.errors import DataError
from eigenparse.inference.spelling import N_CODES, NO_WORD, learn_spelling
from eigenparse.kernels.hmm.chain import (
    Hmm,
    Observable,
    draw_symbols,
    expected_counts,
    filter_chain,
    mix_pairs,
    predict_next,
)
from eigenparse.models.hmm.chain import ChainModel

USUAL_LENGTH = 40.0  # mean length of sequences, if a model does not have it
BLEND = 0.05  # weight of the state after one symbol in a prediction that had to be floored


@dataclass(frozen=True, slots=True)
class Filtered:
    """log_p: (T,) of every symbol given those before; states, shorts: (T, k) before it; repairs counted."""

    log_p: AnyArray
    states: AnyArray
    shorts: AnyArray
    n_floored: int
    n_resets: int

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log probability per symbol."""
        return float(np.exp(-self.log_p.mean())) if self.log_p.size else 1.0


def filtered(model: ChainModel, symbols: IntVector, offsets: LongVector) -> Filtered:
    """Run the model along the sequences; every prediction is a distribution over symbols."""
    log_p = np.zeros(symbols.size)
    states, shorts = (np.zeros((symbols.size, model.n_states)) for _ in range(2))
    counts = np.zeros(2, dtype=np.int64)
    blend = 0.0 if model.is_proper else BLEND
    moves = model.initial, model.operators, model.predict, model.pairs, model.pair_share
    kernel = Observable(*moves, model.reset, model.unigram, model.floor, blend)
    filter_chain(symbols, offsets, kernel, log_p, states, shorts, counts)
    return Filtered(log_p, states, shorts, int(counts[0]), int(counts[1]))


def sequence_scores(model: ChainModel, symbols: IntVector, offsets: LongVector) -> AnyArray:
    """log p of each sequence given its length, (S,): the sum of its symbols' log predictions."""
    return _sums(filtered(model, symbols, offsets).log_p, offsets)


def _sums(logs: AnyArray, offsets: LongVector) -> AnyArray:
    """The sum over each sequence, (S,); -inf where one of its logs is."""
    sequence = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    return np.bincount(sequence, weights=logs, minlength=offsets.size - 1)


def whole_logs(model: ChainModel, column: Column, offsets: LongVector) -> AnyArray:
    """log p of each sequence, (S,), as a distribution over sequences of any length and any symbols.

    Lengths are geometric with the mean of training.  An unknown symbol is one that the model does not know: a
    character, all with equal probability, or a word spelt letter by letter.
    """
    new = [symbol if symbol not in model.symbols[1:] else "" for symbol in column.symbols]
    log_new = np.where([bool(symbol) for symbol in new], new_symbol_logs(model, new), 0.0)
    stop = 1.0 / (1.0 + mean_length(model))
    length = np.log(stop) + np.diff(offsets) * np.log1p(-stop)
    scores = sequence_scores(model, model.encode(column), offsets)
    return scores + _sums(log_new[column.ids], offsets) + length


def mean_length(model: ChainModel) -> float:
    """The mean length of the training sequences, or a default if the model does not have it."""
    said = model.about.get("mean_length", USUAL_LENGTH)
    return float(said) if isinstance(said, int | float) and 0.0 < said < np.inf else USUAL_LENGTH


def new_symbol_logs(model: ChainModel, symbols: Sequence[str]) -> AnyArray:
    """log p of symbols that the model does not know, given that they are unknown."""
    known = [symbol for symbol in model.symbols[1:] if symbol]
    if model.unit == "char":
        return np.full(len(symbols), -np.log(N_CODES - len(known)))
    spelt = learn_spelling(known, np.zeros(len(known)), 1, NO_WORD).logs([*symbols, *known])[:, 0]
    taken = float(np.exp(spelt[len(symbols) :]).sum())
    return spelt[: len(symbols)] - np.log1p(-min(taken, 0.999))


def next_symbol(model: ChainModel, prefix: IntVector) -> AnyArray:
    """Distribution of the symbol after a prefix, (n,)."""
    longer = np.append(prefix, 0).astype(np.int32)
    found = filtered(model, longer, as_offsets([0, longer.size]))
    raw, out = np.zeros(len(model.symbols)), np.zeros(len(model.symbols))
    PT = np.ascontiguousarray(model.predict.T)
    predict_next(found.states[-1], found.shorts[-1], PT, model.unigram, model.floor, raw, out)
    if model.pair_share > 0.0 and prefix.size:
        mix_pairs(found.states[-2], model.pairs[prefix[-1]], model.pair_share, raw, out)
    return out


def posterior_states(model: ChainModel, symbols: IntVector, offsets: LongVector) -> AnyArray:
    """p(state | whole sequence) of every token, (T, k); proper models only."""
    proper = _probabilities(model, "states")
    gamma = np.zeros((symbols.size, model.n_states))
    if symbols.size:
        sums = Hmm(*(np.zeros_like(part) for part in proper))
        expected_counts(symbols, offsets, proper, gamma, sums)
    return gamma


def sample(model: ChainModel, lengths: LongVector, *, seed: int) -> tuple[IntVector, IntVector]:
    """Symbols and states of sequences of the given lengths; proper models only."""
    proper = _probabilities(model, "samples")
    offsets = as_offsets(np.concatenate([[0], np.cumsum(lengths)]))
    n = int(offsets[-1])
    symbols, states = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    draw_symbols(offsets, proper, generator(seed, 17).random((n, 2)), symbols, states)
    return symbols, states


def _probabilities(model: ChainModel, what: str) -> Hmm:
    if not model.is_proper:
        raise DataError(f"{what} need a model of probabilities; train it with the method cluster or em")
    return Hmm(model.start, model.transition, model.emission)
