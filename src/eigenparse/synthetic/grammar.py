"""A known latent-variable grammar as frozen arrays: what the sampler draws from.

A *symbol* is a label in one of its hidden states; symbols are numbered label by label, so that
the states of label ``a`` are the symbols ``offsets[a]`` up to ``offsets[a + 1]``.
"""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import FloatArray, IntMatrix, LongVector
from eigenparse.corpus.columns import Label
from eigenparse.errors import DataError

ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class SyntheticGrammar:
    """A proper L-PCFG: every symbol's rules, or its words, have probabilities that sum to one.

    rule: (K, 3) symbols a, b, c of a → b c, sorted by a; rule_probability: (K,).
    lexeme: (L, 2) symbol and word, sorted by symbol; lexeme_probability: (L,).
    root_probability: (Y,) of each symbol as the root.  offsets: (A + 1,).
    state_names: for each label the names of its states, in symbol order.
    """

    labels: tuple[Label, ...]
    state_names: tuple[tuple[str, ...], ...]
    words: tuple[str, ...]
    rule: IntMatrix
    rule_probability: FloatArray
    lexeme: IntMatrix
    lexeme_probability: FloatArray
    root_probability: FloatArray
    offsets: LongVector

    @property
    def n_symbols(self) -> int:
        """Number of (label, state) pairs."""
        return int(self.offsets[-1])

    @property
    def n_states(self) -> LongVector:
        """Number of hidden states of each label."""
        return np.diff(self.offsets)

    def symbol_label(self) -> LongVector:
        """Label of each symbol."""
        return np.repeat(np.arange(len(self.labels)), self.n_states)

    def symbol_name(self, symbol: int) -> str:
        """A symbol as ``label:state``, for reports."""
        label = int(np.searchsorted(self.offsets, symbol, side="right")) - 1
        return f"{self.labels[label]}:{self.state_names[label][symbol - int(self.offsets[label])]}"


def symbol_totals(grammar: SyntheticGrammar) -> FloatArray:
    """(Y,) sum of the probabilities of everything that each symbol may become."""
    total = np.zeros(grammar.n_symbols)
    np.add.at(total, grammar.rule[:, 0], grammar.rule_probability)
    np.add.at(total, grammar.lexeme[:, 0], grammar.lexeme_probability)
    return total


def check_grammar(grammar: SyntheticGrammar) -> SyntheticGrammar:
    """The same grammar, or a sentence naming the symbol that is not a distribution."""
    wrong = np.flatnonzero(np.abs(symbol_totals(grammar) - 1.0) > ROUNDING)
    if wrong.size:
        name = grammar.symbol_name(int(wrong[0]))
        raise DataError(f"the rules of {name} do not sum to one; normalise them by mother symbol")
    if abs(grammar.root_probability.sum() - 1.0) > ROUNDING:
        raise DataError("the root probabilities do not sum to one; normalise them")
    both = np.intersect1d(grammar.rule[:, 0], grammar.lexeme[:, 0])
    if both.size:
        raise DataError(
            f"{grammar.symbol_name(int(both[0]))} has both rules and words; split it into two symbols"
        )
    return grammar


def _mean_children(grammar: SyntheticGrammar) -> FloatArray:
    """(Y, Y) expected number of children c of a symbol a, at [a, c]; checked to die out."""
    n = grammar.n_symbols
    mean = np.zeros((n, n))
    for child in (1, 2):
        np.add.at(mean, (grammar.rule[:, 0], grammar.rule[:, child]), grammar.rule_probability)
    if np.abs(np.linalg.eigvals(mean)).max() >= 1.0:
        raise DataError("the grammar's trees have no finite expected size; weaken its recursive rules")
    return mean


def expected_counts(grammar: SyntheticGrammar) -> FloatArray:
    """(Y,) how often each symbol occurs in a tree on average, from one linear system.

    Raises DataError if the branching is so strong that the expectation is infinite.
    """
    below = _mean_children(grammar).T
    return np.asarray(np.linalg.solve(np.eye(grammar.n_symbols) - below, grammar.root_probability))


def expected_words(grammar: SyntheticGrammar) -> float:
    """Expected number of words of a sentence."""
    tags = np.unique(grammar.lexeme[:, 0])
    return float(expected_counts(grammar)[tags].sum())
