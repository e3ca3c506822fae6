"""A known grammar in, the toolkit's own grammar type out, so that one inference serves both."""

import numpy as np

from eigenparse.arrays import FloatArray, IntMatrix, LongVector, as_ids, as_offsets
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout
from eigenparse.synthetic.grammar import SyntheticGrammar, expected_counts


def _grouped(codes: LongVector, mass: FloatArray) -> tuple[LongVector, LongVector, FloatArray]:
    """Distinct codes, the place of each code among them, and the mass of each."""
    distinct, place = np.unique(codes, return_inverse=True)
    total = np.zeros(distinct.size)
    np.add.at(total, place, mass)
    return distinct, as_offsets(place), total


def _skeleton(grammar: SyntheticGrammar) -> tuple[Skeleton, LongVector, LongVector]:
    """Visible rules and entries with the best plain PCFG, and where each latent one belongs.

    The plain PCFG nearest to a latent one takes each rule as often as the latent one expects to.
    """
    A, label, count = len(grammar.labels), grammar.symbol_label(), expected_counts(grammar)  # noqa: N806
    a, b, c = label[grammar.rule].T
    rules, rule_of, rule_mass = _grouped(
        (a * A + b) * A + c, count[grammar.rule[:, 0]] * grammar.rule_probability
    )
    word = grammar.lexeme[:, 1].astype(np.int64)
    entries, entry_of, entry_mass = _grouped(
        word * A + label[grammar.lexeme[:, 0]], count[grammar.lexeme[:, 0]] * grammar.lexeme_probability
    )
    total = np.bincount(label, count, minlength=A)
    rule_label = as_ids(np.column_stack(np.unravel_index(rules, (A, A, A))))
    skeleton = Skeleton(
        labels=grammar.labels,
        rules=rule_label,
        symbols=grammar.words,
        entry_label=as_ids(entries % A),
        entry_symbol=as_ids(entries // A),
        entry_start=as_offsets(np.searchsorted(entries // A, np.arange(len(grammar.words) + 1))),
        rule_probability=rule_mass / total[rule_label[:, 0]],
        entry_probability=entry_mass / total[entries % A],
        root_probability=np.add.reduceat(grammar.root_probability, grammar.offsets[:-1]),
        n_words=len(grammar.words),
    )
    return skeleton, rule_of, entry_of


def _places(grammar: SyntheticGrammar, rule_at: LongVector, rule_of: LongVector) -> LongVector:
    """Where each latent rule stands in the flat tensors (m_a, m_b, m_c)."""
    label = grammar.symbol_label()[grammar.rule]
    state: IntMatrix = grammar.rule - grammar.offsets[label]
    m = grammar.n_states[label]
    return as_offsets(rule_at[rule_of] + (state[:, 0] * m[:, 1] + state[:, 1]) * m[:, 2] + state[:, 2])


def latent_grammar(grammar: SyntheticGrammar) -> LatentGrammar:
    """The same distribution over trees as a grammar that can score, parse and be saved.

    Its arrays are writeable, as learnt ones are: kernels are compiled anew for read-only arrays.
    """
    skeleton, rule_of, entry_of = _skeleton(grammar)
    states = as_ids(grammar.n_states)
    rule_at, entry_at, state_at = layout(skeleton, states)
    rule_weight, entry_weight = np.zeros(rule_at[-1]), np.zeros(entry_at[-1])
    rule_weight[_places(grammar, rule_at, rule_of)] = grammar.rule_probability
    symbol = grammar.lexeme[:, 0]
    state = symbol - grammar.offsets[grammar.symbol_label()[symbol]]
    entry_weight[entry_at[entry_of] + state] = grammar.lexeme_probability
    weights = Weights(
        states=states,
        rule_at=rule_at,
        entry_at=entry_at,
        state_at=state_at,
        rule_weight=rule_weight,
        entry_weight=entry_weight,
        root_weight=grammar.root_probability.copy(),
    )
    return LatentGrammar(skeleton, (weights,), report={"method": "known"})
