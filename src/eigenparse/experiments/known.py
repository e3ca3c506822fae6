"""A small L-PCFG whose every probability and moment is known in closed form, and corpora drawn from it.

S → A B | B A,  A → C D | D C;  B, C and D stand over words.  Every tree holds each label once, so
that all trees can be listed and a corpus is a table of counts.  Tree (r, s, b, c, d): rule r of S, rule s
of A, words b, c, d under B, C, D.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import FloatArray, LongVector, as_ids, as_offsets, generator
from eigenparse.corpus.columns import Label, Trees
from eigenparse.errors import OptionError

LABELS = ("A", "B", "C", "D", "S")
A, B, C, D, S = range(len(LABELS))
N_BINARY = 2  # binary rules of every tree
N_ROWS = 5
STREAM = 0xC0E


@dataclass(frozen=True, slots=True)
class KnownGrammar:
    """The probabilities.  S has one state, the others m.

    top: (2, m, m) of rule and states (A, B).  phrase: (m, 2, m, m) of rule and states (C, D) given A's.
    word: (3, m, n) of the words of B, C and D given the state.
    """

    top: FloatArray
    phrase: FloatArray
    word: FloatArray

    @property
    def n_states(self) -> int:
        return int(self.top.shape[1])

    @property
    def n_words(self) -> int:
        return int(self.word.shape[2])


def known_grammar(n_states: int, n_words: int, seed: int) -> KnownGrammar:
    """Random probabilities, all positive; states favour words of their own."""
    if not 1 <= n_states <= n_words:
        raise OptionError(f"{n_states} states cannot be distinguished by {n_words} words; take fewer states")
    m, rng = n_states, generator(seed, STREAM)
    top = rng.dirichlet(np.full(2 * m * m, 2.0)).reshape(2, m, m)
    phrase = rng.dirichlet(np.full(2 * m * m, 1.0), size=m).reshape(m, 2, m, m)
    favour = 0.5 + 4.0 * (np.arange(n_words) % m == np.arange(m)[:, None])
    word = np.array([[rng.dirichlet(favour[h]) for h in range(m)] for _ in range(3)])
    mixed = 0.9 * phrase + 0.1 / (2 * m * m)  # keeps the smallest probability away from zero
    return KnownGrammar(top, mixed, word)


def blurred(grammar: KnownGrammar, sharpness: float) -> KnownGrammar:
    """The same grammar with the words of a label's states drawn together: 1 leaves them, 0 makes them equal."""
    mean = grammar.word.mean(axis=1, keepdims=True)
    return replace(grammar, word=mean + sharpness * (grammar.word - mean))


def inside_of_phrase(grammar: KnownGrammar) -> FloatArray:
    """p(s, c, d | state of A): (m, 2, n, n)."""
    _, of_c, of_d = grammar.word
    return np.asarray(np.einsum("hsij,ic,jd->hscd", grammar.phrase, of_c, of_d))


def tree_probabilities(grammar: KnownGrammar) -> FloatArray:
    """p of every tree: (2, 2, n, n, n) by r, s, b, c, d."""
    return np.asarray(
        np.einsum("rhk,kb,hscd->rsbcd", grammar.top, grammar.word[0], inside_of_phrase(grammar))
    )


@dataclass(frozen=True, slots=True)
class Conditions:
    """What theorem 8 asks of a grammar: smallest sigma_m(Omega^a), sigma_m(I^a) and rule probability."""

    sigma: float
    xi: float
    gamma: float


def conditions(grammar: KnownGrammar) -> Conditions:
    """The quantities of theorem 8, over the labels with more than one state.

    Features are indicators of whole inside and whole outside trees.
    """
    top, phrase, (of_b, of_c, of_d) = grammar.top, grammar.phrase, grammar.word
    inner = inside_of_phrase(grammar)
    above = np.einsum("rhk,kb->hrb", top, of_b)  # p(state of A, outside of A)
    outside = (
        above,
        np.einsum("rhk,hscd->krscd", top, inner),
        np.einsum("hrb,hsij,jd->irbsd", above, phrase, of_d),
        np.einsum("hrb,hsij,ic->jrbsc", above, phrase, of_c),
    )
    inside = (inner, of_b, of_c, of_d)
    m = grammar.n_states
    sigma, xi = [], []
    for one, other in zip(inside, outside):
        given_state = one.reshape(m, -1).T  # I^a
        omega = given_state @ other.reshape(m, -1)
        sigma.append(float(np.linalg.svd(omega, compute_uv=False)[m - 1]))
        xi.append(float(np.linalg.svd(given_state, compute_uv=False)[m - 1]))
    return Conditions(min(sigma), min(xi), float(min(top.min(), phrase.min())))


def draw_counts(probability: FloatArray, n_trees: int, rng: np.random.Generator) -> LongVector:
    """How often each tree occurs among ``n_trees``: (2, 2, n, n, n)."""
    flat = probability.ravel()
    return as_offsets(rng.multinomial(n_trees, flat / flat.sum())).reshape(probability.shape)


def corpus_of(counts: LongVector) -> Trees:
    """Every tree as often as it was counted, as columns."""
    n = counts.shape[-1]
    kinds = np.repeat(np.arange(counts.size), counts.ravel())
    r, s, b, c, d = np.unravel_index(kinds, counts.shape)
    first = np.where(s == 0, C, D)  # the left daughter of A
    words = {B: b, C: c, D: d}
    shift = np.where(r == 0, 0, 1)  # B stands before A's tree under the second rule
    label = np.empty((kinds.size, N_ROWS), dtype=np.int32)
    rows = np.arange(kinds.size)
    places = {"first": shift, "second": shift + 1, "A": shift + 2, "B": np.where(r == 0, 3, 0)}
    second = np.where(s == 0, D, C)
    for name, value in (("first", first), ("second", second), ("A", A), ("B", B)):
        label[rows, places[name]] = value
    label[:, -1] = S
    word = np.full(label.shape, -1, dtype=np.int32)
    for tag, of in words.items():
        at = np.nonzero(label == tag)
        word[at] = of[at[0]]
    left, right = np.full(label.shape, -1, dtype=np.int32), np.full(label.shape, -1, dtype=np.int32)
    left[rows, places["A"]], right[rows, places["A"]] = places["first"], places["second"]
    left[:, -1] = np.where(r == 0, places["A"], places["B"])
    right[:, -1] = np.where(r == 0, places["B"], places["A"])
    start = N_ROWS * rows[:, None]
    return Trees(
        label=label.ravel(),
        left=as_ids(np.where(left >= 0, left + start, -1).ravel()),
        right=as_ids(np.where(right >= 0, right + start, -1).ravel()),
        word=word.ravel(),
        offsets=as_offsets(N_ROWS * np.arange(kinds.size + 1)),
        labels=tuple(Label((name,)) for name in LABELS),
        words=tuple(f"w{k}" for k in range(n)),
    )
