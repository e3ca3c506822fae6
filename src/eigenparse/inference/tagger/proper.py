"""A tagger as a distribution over labelled sentences: p(words, labels), with every state normalised and unknown words
spelt out.

Only a tagger of probabilities whose emission looks at one word alone has one; any other has a distribution over
labellings of given tokens, see ``kbest.joint_log``.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import BoolVector, FloatArray, IntVector, LongVector, as_offsets, generator
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError
from eigenparse.features.tagger.templates import RUN_FUNCTIONS, parse_template
from eigenparse.inference.spelling import NO_WORD, Spelling, learn_spelling
from eigenparse.inference.tagger.chain import emission_scores, vector_rows
from eigenparse.inference.tagger.kbest import LabelPaths
from eigenparse.models.tagger.rhmm import Operators, RefinementHMM, Tagger

ENOUGH = 50  # rare words that a label needs for a spelling model of its own
RARE = 2.5  # words below this count represent unknown words
MOST_DRAWS = 100  # draws for a sentence of an allowed length
LARGEST = 300.0  # log weight; sound models have none above 0, and larger ones would overflow
Sentence = tuple[list[str], list[str]]


@dataclass(frozen=True, slots=True)
class ProperChain:
    """An HMM over the S states of all labels that ends.

    label: (S,) of each state.  start, stop: (S,); move: (S, S) as [to, from].  emission: (V, S) p(known word | state);
    unknown: (S,) what is left for unknown words, groups: (S, G) shares of the groups of their spellings.
    """

    words: dict[str, int]
    label: IntVector
    start: FloatArray
    move: FloatArray
    stop: FloatArray
    emission: FloatArray
    unknown: FloatArray
    groups: FloatArray
    spelling: Spelling

    def rows(self, words: Sequence[str], *, spelt: bool = True) -> tuple[FloatArray, FloatArray]:
        """(K, S) p(word | state) and (K,) the logs that were taken out; spelt: else unknown words are one event."""
        place = np.array([self.words.get(word, -1) for word in words], dtype=np.int64)
        logs = self.spelling.logs(words)
        if not spelt:
            logs[place < 0] = 0.0
        shift = np.where(place < 0, logs.max(axis=1), 0.0)
        finite = np.where(np.isfinite(shift), shift, 0.0)
        own = np.vstack([self.emission, np.zeros(self.label.size)])[place]
        return own + np.exp(logs - finite[:, None]) @ (self.unknown[:, None] * self.groups).T, finite

    def log_p(self, rows: FloatArray) -> float:
        """log p of a sentence whose words have these rows (n, S)."""
        total, now = 0.0, self.start
        for t, row in enumerate(rows):
            now = (self.move @ now if t else now) * row
            top = float(now.sum())
            if top <= 0.0:
                return -np.inf
            total += np.log(top)
            now = now / top
        return total + float(np.log(self.stop @ now)) if self.stop @ now > 0.0 else -np.inf


def is_joint(tagger: Tagger) -> bool:
    """Whether a tagger is a distribution over words too: one column, the token alone, probabilities."""
    return all(_is_joint(member) for member in tagger.members)


def _is_joint(model: RefinementHMM) -> bool:
    o, v = model.operators, model.observations
    atoms = [
        atom
        for text in (*model.emission.templates, *v.templates)
        for atom in parse_template(text).atoms
    ]  # fmt: skip
    alone = all(atom.offset == 0 and atom.function not in RUN_FUNCTIONS for atom in atoms)
    positive = all(bool(np.all(part >= 0.0)) for part in (o.start, o.stop, o.values, o.base, v.vectors))
    return (
        len(model.columns) == 1 and model.emission.combine == "last" and o.diagonal and alone and positive
        and bool(model.words)
    )  # fmt: skip


def proper_chain(model: RefinementHMM) -> ProperChain:
    """The distribution of one tagger, derived from what is in its file."""
    o, V, A = model.operators, len(model.words), len(model.labels)
    label = np.repeat(np.arange(A, dtype=np.int32), o.states)
    start, move, stop = _moves(o)
    column = Column.of(model.columns[0], model.words)
    alone = Sequences((column,), as_offsets(np.arange(V + 1)), np.arange(V))
    scores = emission_scores(model.emission, alone)
    every = np.tile(np.arange(A, dtype=np.int32), V)
    vector = vector_rows(model.observations, alone, as_offsets(np.arange(V + 1) * A), every).reshape(V, A)
    within = np.arange(label.size) - o.state_at[label]
    weight = (
        np.exp(np.minimum(scores, LARGEST))[:, label] * model.observations.vectors[vector[:, label], within]
    )
    weight /= np.maximum(weight.sum(axis=0), 1e-300)
    share = np.exp(np.minimum(scores - model.emission.offset, LARGEST))
    size = (
        1.5 * share.sum(axis=1) / max(share.sum(axis=1).min(), 1e-300) - 0.5
    )  # the rarest word was seen once
    ones, twos = float(np.sum(size < 1.5)), float(np.sum((size >= 1.5) & (size < RARE)))
    discount = min(max(ones / (ones + 2.0 * twos), 0.1), 0.9) if ones and twos else 0.5
    group, n_groups = _groups(share.argmax(axis=1), size < RARE, A)
    rare = np.flatnonzero(size < RARE) if np.any(size < RARE) else np.arange(V)
    spelling = learn_spelling([model.words[w] for w in rare], group[rare], n_groups, NO_WORD)
    given = weight * (discount / np.maximum(size, 1.0))[:, None]
    unknown = given.sum(axis=0)
    groups = np.stack([given[group == g].sum(axis=0) for g in range(n_groups)], axis=1)
    groups = np.where(unknown[:, None] > 0, groups / np.maximum(unknown, 1e-300)[:, None], spelling.share)
    emission = weight - given
    silent = emission.sum(axis=0) + unknown <= 0.0  # a label without a word: all its words are unknown
    words = {word: i for i, word in enumerate(model.words)}
    return ProperChain(
        words, label, start, move, stop, emission, np.where(silent, 1.0, unknown), groups, spelling
    )


def _groups(best: LongVector, rare: BoolVector, n_labels: int) -> tuple[IntVector, int]:
    """The group of each word: that of its most probable label if enough rare words have it, else 0."""
    number = np.bincount(best[rare], minlength=n_labels)
    large = np.flatnonzero(number >= ENOUGH)
    of_label = np.zeros(n_labels, dtype=np.int32)
    of_label[large] = np.arange(1, large.size + 1)
    return of_label[best], large.size + 1


def _moves(o: Operators) -> tuple[FloatArray, FloatArray, FloatArray]:
    """start, move and stop over all states, each state's ways out normalised."""
    A, at = o.states.size, o.state_at.tolist()
    move = np.zeros((at[-1], at[-1]))
    for b in range(A):
        for a in range(A):
            place, to, of = int(o.block[b * A + a]), int(o.states[b]), int(o.states[a])
            if place < 0:
                move[at[b], at[a]] = o.base[b, a]
            else:
                move[at[b] : at[b + 1], at[a] : at[a + 1]] = o.values[place : place + to * of].reshape(to, of)
    total = move.sum(axis=0) + o.stop
    if not o.start.sum() > 0.0:
        raise DataError("no label of the tagger can begin a sentence; train the model again")
    total = np.where(total > 0.0, total, 1.0)
    return o.start / o.start.sum(), move / total, o.stop / total


def chains_of(tagger: Tagger) -> tuple[ProperChain, ...]:
    """The distributions of all members; DataError if the tagger has none."""
    if not is_joint(tagger):
        raise DataError(
            "this tagger is not a distribution over words; one by `train rhmm --method cluster --emission backoff` is"
        )
    return tuple(map(proper_chain, tagger.members))


def sentence_logs(
    chains: Sequence[ProperChain], words: Column, offsets: LongVector, *, spelt: bool = True
) -> FloatArray:
    """(S,) log p of sentences, summed over all labellings; the mean of all members' p."""
    return _mean_logs(chains, words, offsets, None, spelt)


def labelling_logs(
    chains: Sequence[ProperChain], words: Column, offsets: LongVector, labels: IntVector
) -> FloatArray:
    """(S,) log p of sentences with their labels (T,); a label of -1 is one that the tagger does not know."""
    return _mean_logs(chains, words, offsets, labels, True)


def rescored(
    chains: Sequence[ProperChain], sequences: Sequence[Sequences], lists: Sequence[LabelPaths]
) -> list[LabelPaths]:
    """Lists of labellings with log p of the words with their labels and its share of the sentence's p, best first."""
    found = []
    for one, paths in zip(sequences, lists):
        k, n, words = len(paths.labels), one.n_tokens, one.columns[0]
        copies = Column(words.name, np.tile(words.ids, k), words.symbols)
        logs = labelling_logs(chains, copies, np.arange(k + 1) * n, paths.labels.reshape(-1))
        order = np.argsort(-logs, kind="stable")
        whole = sentence_logs(chains, words, one.offsets)
        share = np.exp(logs - whole) if np.isfinite(whole).all() else np.zeros(k)
        found.append(LabelPaths(paths.labels[order], logs[order], share[order]))
    return found


def _mean_logs(
    chains: Sequence[ProperChain], words: Column, offsets: LongVector, labels: IntVector | None, spelt: bool
) -> FloatArray:
    logs, spans = np.zeros((len(chains), offsets.size - 1)), list(itertools.pairwise(offsets.tolist()))
    for k, chain in enumerate(chains):
        table, shift = chain.rows(words.symbols, spelt=spelt)
        for s, (low, high) in enumerate(spans):
            ids = words.ids[low:high]
            rows = table[ids]
            if labels is not None:
                rows = rows * (chain.label[None] == labels[low:high, None])
            logs[k, s] = chain.log_p(rows) + float(shift[ids].sum())
    return np.logaddexp.reduce(logs, axis=0) - np.log(len(chains))


def sample_sentences(tagger: Tagger, n: int, *, seed: int, most: int = 400) -> list[Sentence]:
    """Words and labels of sentences that were drawn; those with more than ``most`` words are drawn again.

    DataError if hardly any sentence is that short.
    """
    chains, rng, names = chains_of(tagger), generator(seed, 21), tagger.labels
    ways = [np.cumsum(np.vstack([chain.move, chain.stop]), axis=0) for chain in chains]
    known = [np.cumsum(np.vstack([chain.emission, chain.unknown]), axis=0) for chain in chains]
    made: list[Sentence] = []
    draws = 0
    while len(made) < n:
        draws += 1
        if draws > MOST_DRAWS * (len(made) + 1):
            raise DataError(
                f"hardly any sentence of at most {most} words comes up; allow more with --max-words"
            )
        k = int(rng.integers(len(chains)))
        chain, end = chains[k], chains[k].label.size
        state, words, labels = _draw(np.cumsum(chain.start), rng), list[str](), list[str]()
        while state < end and len(words) <= most:
            word = _draw(known[k][:, state], rng)
            group = _draw(np.cumsum(chain.groups[state]), rng) if word == len(chain.words) else 0
            words.append(
                chain.spelling.draw(group, rng) if word == len(chain.words) else tagger.members[k].words[word]
            )
            labels.append(names[chain.label[state]])
            state = _draw(ways[k][:, state], rng)
        if len(words) <= most:
            made.append((words, labels))
    return made


def _draw(running: FloatArray, rng: np.random.Generator) -> int:
    """An index of weights whose running sums are given."""
    place = int(np.searchsorted(running, rng.random() * running[-1], side="right"))
    return min(place, running.size - 1)
