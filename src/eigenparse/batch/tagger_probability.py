"""Probabilities of a tagger: labelled tokens in, log p and perplexity out, or sentences drawn from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.arrays import FloatArray, IntVector
from eigenparse.batch.facts import log_table
from eigenparse.batch.perplexity import Rate
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import SampleRequest, ScoreRequest, refuse_given
from eigenparse.batch.tag import named_columns
from eigenparse.corpus.label_sources import guess_format, looks_like_prose, parse_labelled
from eigenparse.corpus.sequences import Sequences, map_symbols
from eigenparse.corpus.tagged import text_lines
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.tagger.chain import NO_PRUNING, posteriors
from eigenparse.inference.tagger.kbest import joint_log
from eigenparse.inference.tagger.proper import (
    chains_of,
    is_joint,
    labelling_logs,
    sample_sentences,
    sentence_logs,
)
from eigenparse.learn.tagger.reading import joined
from eigenparse.models.tagger.rhmm import Tagger
from eigenparse.work.work import Where

GIVEN = "p of labels given the tokens: this tagger is not a distribution over words"


@dataclass(frozen=True, slots=True)
class Conditional:
    """log |p(labels | tokens)| and its sign: (S,) each; n_totals: sums over labellings that are not positive."""

    log_abs: FloatArray
    sign: FloatArray
    n_totals: int

    def sentence(self) -> str:
        """The message about signed weights."""
        return (
            f"{int((self.sign <= 0).sum())} of {self.sign.size} labellings and {self.n_totals} of {self.sign.size} "
            "sums over labellings are not positive"
        )


def score(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """A line per sentence with its number, log p and number of tokens, a line of totals, and what p is of."""
    refuse_given(asked, "a tagger", "column", "skip_broken", "project")
    model: Tagger = loaded(ModelPlace.of(path))
    corpus = _read(model, asked)
    if model.label not in corpus.names:
        raise DataError("the tokens have no labels, whose probability is wanted; see `eigenparse perplexity`")
    n = np.diff(corpus.offsets)
    if is_joint(model):
        logs, note = _labelled(model, corpus), "p of words with their labels"
    else:
        found = conditional(model, corpus)
        logs, note = np.where(found.sign > 0, found.log_abs, np.nan), f"{GIVEN}; {found.sentence()}"
    if np.isnan(logs).all():
        raise DataError(
            f"{path} gives no labelling of these tokens a probability; check that it was trained on labels like these"
        )
    yield log_table(logs, n, "token")
    yield f"{note}\n".encode()


def perplexity(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Lines of figures: words summed over all labellings, and with their labels where labels are given."""
    refuse_given(asked, "a tagger", "column", "exact", "project")
    model: Tagger = loaded(ModelPlace.of(path))
    corpus = _read(model, asked)
    n, words = np.diff(corpus.offsets).astype(np.float64), corpus.column(model.columns[0])
    if not is_joint(model):
        raise DataError(
            "this tagger is a distribution over labels given the tokens, not over words; train with --emission class "
            "or backoff and --method cluster, em, hmm or unigram, or see `eigenparse score` for the labels"
        )
    chains = chains_of(model)
    whole, event = (sentence_logs(chains, words, corpus.offsets, spelt=spelt) for spelt in (True, False))
    ends = np.concatenate(([0], np.cumsum([len(word) for word in words.strings()])))
    letters = np.diff(ends[corpus.offsets]).astype(np.float64)
    unknown = sum(word not in chains[0].words for word in words.strings())
    yield (
        f"perplexity {Rate.of(whole, n)} per word, {Rate.of(whole, letters)} per character "
        f"({int(n.sum())} words, {n.size} sentences)\n"
        f"perplexity {Rate.of(event, n)} per word if all unknown words count as one word\n"
        f"unknown words {unknown} ({100 * unknown / max(n.sum(), 1):.2f} %)\n"
        "summed over all labellings\n"
    ).encode()
    if model.label in corpus.names:
        yield f"labels with their words {Rate.of(_labelled(model, corpus), n)} per word\n".encode()


def sample(path: Path, asked: SampleRequest, where: Where) -> Iterator[bytes]:
    """Tokens with their labels, an empty line after each sentence; or the words alone, a sentence per line."""
    refuse_given(asked, "a tagger", "project")
    if asked.length is not None:
        raise OptionError("the length of a labelled sentence is drawn too; leave out --length")
    for words, labels in sample_sentences(
        loaded(ModelPlace.of(path)), asked.n, seed=asked.seed, most=asked.max_words
    ):
        lines = [" ".join(words)] if asked.words else [*map(" ".join, zip(words, labels)), ""]
        yield "".join(f"{line}\n" for line in lines).encode("utf-8")


def conditional(model: Tagger, corpus: Sequences) -> Conditional:
    """log p(labels | tokens) of the first member, nothing pruned."""
    tokens, labels = corpus.without(model.label), _labels(model, corpus)
    known = np.maximum(labels, 0).astype(np.int32)
    joint, sign = joint_log(model.first, tokens, known)
    total = posteriors(model.first, tokens, pruning=NO_PRUNING)
    strange = np.add.reduceat(labels < 0, corpus.offsets[:-1]) > 0
    both = np.where(strange, 0.0, sign * total.sign)
    with np.errstate(invalid="ignore"):
        return Conditional(joint - total.log_abs, both, int((total.sign <= 0).sum()))


def _labelled(model: Tagger, corpus: Sequences) -> FloatArray:
    words = corpus.column(model.columns[0])
    return labelling_logs(chains_of(model), words, corpus.offsets, _labels(model, corpus))


def _labels(model: Tagger, corpus: Sequences) -> IntVector:
    """(T,) labels as the model numbers them, -1 for others."""
    return map_symbols(corpus.column(model.label), {name: a for a, name in enumerate(model.labels)})


def _read(model: Tagger, asked: ScoreRequest) -> Sequences:
    """The tokens of all sources, with labels where there are any."""
    parts = []
    for source in asked.sources:
        lines = list(text_lines(source))
        form = guess_format(lines, source)
        form = "plain" if form == "columns" and looks_like_prose(lines) else form
        corpus = parse_labelled(lines, source=source, form=form)
        parts.append(named_columns(model, corpus, source, given=form != "columns"))
    whole = joined(parts)
    if not whole.n_tokens:
        raise DataError("the input has no token; check the file, or what was piped in")
    return whole
