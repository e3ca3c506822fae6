"""Emissions of labels from labelled sequences: an interpolated back-off chain, or a log-linear model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, generator
from eigenparse.corpus.sequences import Sequences
from eigenparse.features.tagger.templates import KeyMatrix, dense_ids, parse_template, template_keys
from eigenparse.kernels.tagger.loglinear import Neighbours, adagrad_pass
from eigenparse.learn.tagger.base import Labelled
from eigenparse.models.tagger.rhmm import Emission
from eigenparse.work.work import Work


@dataclass(frozen=True, slots=True)
class BackoffEmission:
    """Generative emission o(x|a) = p(a|x) p(x) / p(a), p(a|x) interpolated from coarse to fine templates.

    rare: coarser templates count only words seen at most this often, because unknown words are
    similar to rare ones.  strength: pseudo-count of the coarser estimate.
    """

    templates: tuple[str, ...]
    rare: int = 5
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class LogLinearEmission:
    """o(x|a) in proportion to the exponential of a sum of template weights.

    The window templates look at the neighbours too, so x is the token *in its place*.  Weights are fitted to
    p(a|x), and for the share ``context`` of the tokens to p(a | x, label before, label after) of the
    bigram HMM, so that emission and transitions do not count the same evidence twice.
    """

    templates: tuple[str, ...]
    fewest: int = 2
    passes: int = 4
    rate: float = 0.2
    decay: float = 1e-5
    context: float = 0.75
    sharpness: float = 1.2


EmissionLearner = BackoffEmission | LogLinearEmission


def label_counts(labels: IntVector, n_labels: int) -> AnyArray:
    """How often each label occurs, (A,), plus one half so that none is impossible."""
    return np.bincount(labels, minlength=n_labels) + 0.5


def fit_emission(learner: EmissionLearner, data: Labelled, seed: int = 0, work: Work = Work()) -> Emission:
    """The emission that the learner describes."""
    keys = template_keys([parse_template(text) for text in learner.templates], data.sequences)
    if isinstance(learner, BackoffEmission):
        return backoff_emission(learner, keys, data.labels, len(data.names))
    return _loglinear(learner, keys, data, seed, work)


def backoff_emission(learner: BackoffEmission, keys: KeyMatrix, labels: IntVector, n_labels: int) -> Emission:
    """The emission of tokens whose template keys (T, K), from coarse to fine, and labels are known."""
    prior = label_counts(labels, n_labels)
    prior /= prior.sum()
    finest, _ = dense_ids(keys[:, -1:])
    often = np.bincount(finest[:, 0])[finest[:, 0]] if finest.size else np.zeros(0, dtype=np.int64)
    rare = often <= learner.rare if np.any(often <= learner.rare) else np.ones(often.size, dtype=bool)
    above = np.broadcast_to(prior, (labels.size, n_labels))
    all_keys, all_rows = [], []
    for k in range(keys.shape[1]):
        last = k == keys.shape[1] - 1
        row, above, key = _interpolate(keys[:, k], labels, above, rare | last, learner.strength)
        all_keys.append(key)
        all_rows.append(row)
    rows = np.log(np.concatenate(all_rows)).astype(np.float32)
    return Emission(learner.templates, np.concatenate(all_keys), rows, "last", -np.log(prior))


def _interpolate(
    keys: AnyArray, labels: IntVector, above: AnyArray, counted: AnyArray, strength: float
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """p(key) p(a | key) by key, p(a | key) by token, and the keys; above: (T, A), the coarser p(a | .)."""
    ids, distinct = dense_ids(keys[:, None])
    ids = ids[:, 0]
    A = above.shape[1]
    joint = np.zeros((distinct.size, A))
    np.add.at(joint, (ids[counted], labels[counted]), 1.0)
    share = joint.sum(axis=1, keepdims=True)
    first = np.full(distinct.size, -1, dtype=np.int64)
    first[ids[::-1]] = np.arange(ids.size)[::-1]
    p = (joint + strength * above[first]) / (share + strength)
    weight = (share + 0.5) / (counted.sum() + 0.5 * distinct.size)
    return p * weight, p[ids], distinct


def _loglinear(
    learner: LogLinearEmission, keys: KeyMatrix, data: Labelled, seed: int, work: Work
) -> Emission:
    labels, n_labels = data.labels, len(data.names)
    ids, distinct = dense_ids(keys)
    count = np.bincount(ids.reshape(-1), minlength=distinct.size)
    kept = np.flatnonzero(count >= learner.fewest)
    renumber = np.full(distinct.size, -1, dtype=np.int32)
    renumber[kept] = np.arange(kept.size)
    ids = renumber[ids]
    rows = np.zeros((kept.size, 2 * n_labels), dtype=np.float32)
    mean = np.zeros((kept.size, n_labels), dtype=np.float32)
    before, after, left, right = _neighbours(data.sequences, labels, n_labels)
    rng = generator(seed, 31)
    for step in range(learner.passes):
        work.progress("emission", step, learner.passes)
        order = rng.permutation(ids.shape[0])
        alone = rng.random(labels.size) >= learner.context
        one, other = (np.where(alone, n_labels + 1, side) for side in (before, after))
        neighbours = Neighbours(one, other, left, right)
        adagrad_pass(ids, labels, order, neighbours, rows, learner.rate, learner.decay)
        if step >= learner.passes // 2:
            mean += rows[:, :n_labels]
    mean /= max(1, learner.passes - learner.passes // 2)
    return Emission(learner.templates, distinct[kept], learner.sharpness * mean, "sum", np.zeros(n_labels))


def _neighbours(
    sequences: Sequences, labels: IntVector, n_labels: int
) -> tuple[IntVector, IntVector, AnyArray, AnyArray]:
    """Labels before and after every token (A at the ends), and log p(a | before), log p(after | a) by them.

    Row A + 1 of the tables is for a token on its own: log p(a), and nothing.
    """
    before, after = (
        np.full(labels.size, n_labels, dtype=np.int32),
        np.full(labels.size, n_labels, dtype=np.int32),
    )
    before[1:], after[:-1] = labels[:-1], labels[1:]
    before[sequences.offsets[:-1]] = n_labels
    after[sequences.offsets[1:] - 1] = n_labels
    pairs = np.zeros((n_labels + 1, n_labels + 1))
    np.add.at(pairs, (after, labels), 1.0)
    np.add.at(pairs, (labels[sequences.offsets[:-1]], np.full(len(sequences), n_labels)), 1.0)
    share = label_counts(labels, n_labels) / label_counts(labels, n_labels).sum()
    base = (pairs + np.append(share, 1.0)[:, None]) / (pairs.sum(axis=0) + 2.0)
    left = np.log(np.vstack([base[:n_labels].T, share]))
    right = np.vstack([np.log(base[:, :n_labels]), np.zeros(n_labels)])
    return before, after, left, right


WINDOW = (-2, -1, 0, 1, 2)


def default_templates(columns: Sequence[str], kind: str) -> tuple[str, ...]:
    """Templates for the columns at hand: the first is the word; others (tags) join it."""
    word, extra = columns[0], list(columns[1:])
    if kind == "class":
        if extra:
            return (extra[0], f"{word}&{extra[0]}")
        return (f"class({word})", word)
    if kind == "backoff":
        if extra:
            return (extra[0], f"suffix3({word})&{extra[0]}", f"{word}&{extra[0]}")
        chain = [f"suffix{n}({word})&shape({word})" for n in (1, 2, 3, 4)]
        return (f"shape({word})", *chain, f"lower({word})", word)
    affixes = [f"suffix{n}({word})" for n in (1, 2, 3, 4)] + [f"prefix{n}({word})" for n in (1, 2, 3)]
    near = [f"{word}[{k}]" for k in WINDOW] + [f"lower({word})", f"shape({word})", "bias"]
    near += [f"shape({word})[-1]", f"{word}[-1]&{word}", f"{word}&{word}[1]", f"suffix3({word})[-1]"]
    near += [f"suffix3({word})[1]", f"shape({word})&suffix2({word})"]
    for tag in extra:
        near += [f"{tag}[{k}]" for k in WINDOW]
        near += [f"{tag}[{k}]&{tag}[{k + 1}]" for k in (-2, -1, 0, 1)]
        near += [f"{tag}[-2]&{tag}[-1]&{tag}", f"{tag}[-1]&{tag}&{tag}[1]", f"{tag}&{tag}[1]&{tag}[2]"]
        near += [f"{word}&{tag}", f"{word}[-1]&{tag}", f"{tag}&{word}[1]"]
    skip = set(affixes[:2] + affixes[4:6]) if extra else set()
    return tuple(text for text in [*affixes, *near] if text not in skip and text != "bias")
