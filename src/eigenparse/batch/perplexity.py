"""How well a grammar predicts text or trees: perplexity per word and per character, with standard errors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.api.trees import normalisation_of
from eigenparse.arrays import FloatArray
from eigenparse.batch.inputs import sentences
from eigenparse.batch.lines import open_lines
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import ParseRequest, ScoreRequest, refuse_given, refuse_projection
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.recognise import recognise_lines
from eigenparse.errors import DataError
from eigenparse.inference.grammar.probability import sentence_log_p, sentence_readings, tree_log_p
from eigenparse.inference.grammar.proper import is_signed, projected, proper_parts
from eigenparse.models.words import word_table
from eigenparse.run.local import thread_map
from eigenparse.work.work import Where

LOOK = 200  # lines that tell trees from text
MOST_LOG = 700.0  # exp of a larger number overflows


@dataclass(frozen=True, slots=True)
class Rate:
    """exp of the mean negative log p per unit, and its standard error over sentences."""

    perplexity: float
    error: float

    @classmethod
    def of(cls, log_p: FloatArray, units: FloatArray) -> "Rate":
        """log_p, units: (S,) of each sentence."""
        n = max(float(units.sum()), 1.0)
        mean = -float(log_p.sum()) / n
        if mean > MOST_LOG:
            return cls(np.inf, np.inf)
        spread = float(np.sqrt(np.sum((log_p + mean * units) ** 2))) / n
        return cls(float(np.exp(mean)), float(np.exp(mean)) * spread)

    def __str__(self) -> str:
        return f"{self.perplexity:.2f} +- {self.error:.2f}"


def perplexity_grammar(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Lines of figures: words summed over their trees, known words apart, and trees where trees are given."""
    refuse_given(asked, "a grammar", "column")
    grammar = Grammar.of(loaded(ModelPlace.of(path)))
    refuse_projection(asked, signed=is_signed(grammar.latent))
    if is_signed(grammar.latent):
        if not asked.project:
            raise DataError(
                "the weights are signed, which is not a distribution over sentences; "
                "add --project for the nearest one, or see `eigenparse score` for the trees"
            )
        grammar = Grammar.of(projected(grammar.latent))
        yield b"projected: negative weights are zero; `eigenparse score --project` says what that costs\n"
    words, trees = _read(grammar, asked.sources)
    if not words:
        raise DataError("the input has no sentence; check the file, or what was piped in")
    task = partial(sentence_logs, grammar, exact=asked.exact)
    logs = np.array(list(thread_map(task, words, jobs=where.workers)))
    known = word_table(grammar.latent.skeleton).words
    yield "".join(f"{line}\n" for line in report(words, logs, known, exact=asked.exact)).encode()
    if trees is not None:
        n = np.array([len(one) for one in words], dtype=np.float64)
        yield f"trees with their words {Rate.of(trees, n)} per word ({trees.size} trees, none left out)\n".encode()


def _read(grammar: Grammar, sources: Sequence[str]) -> tuple[list[list[str]], FloatArray | None]:
    """The words of all sentences, and log p of their trees if all sources hold trees."""
    words: list[list[str]] = []
    logs: list[FloatArray] = []
    for source in sources:
        lines = open_lines(Path(source))
        head = [line for _, line in zip(range(LOOK), lines)]
        if source != "-" and recognise_lines(head) == "trees":
            trees = normalise(read_trees(source), options=normalisation_of(grammar.latent))
            words += map(list, sentences_of(trees))
            logs.append(tree_log_p(proper_parts(grammar.latent), trees))
        else:
            asked = ParseRequest(Path(source))
            words += [one for one in sentences(asked, {}, lines=chain(head, lines)) if one]
    whole = len(logs) == len(sources)
    return words, np.concatenate(logs) if whole and logs else None


def sentence_logs(grammar: Grammar, words: Sequence[str], *, exact: bool) -> tuple[float, float]:
    """log p of a sentence, and log p of it with each unknown word as one event, whatever its spelling."""
    parts = proper_parts(grammar.latent)
    if exact:
        both = [sentence_readings(parts, words, spelt=spelt) for spelt in (True, False)]
        spelt, one_event = (sentence_log_p(parts, read, [None] * len(parts)) for read in both)
        return spelt, one_event
    likelihood = grammar.kbest(words, 1)[0].likelihood
    items = None if likelihood is None else likelihood.found.items
    if likelihood is None or items is None:  # no whole tree was found: the glued one gives a bound
        return (0.0 if likelihood is None else likelihood.total(),) * 2
    known = [part.lexicon.table.words for part in parts]
    if all(word in words_of for word in words for words_of in known):  # there is nothing to spell
        return (likelihood.total(),) * 2
    one_event = sentence_log_p(parts, sentence_readings(parts, words, spelt=False), items)
    return likelihood.total(), one_event


def report(
    words: Sequence[Sequence[str]], logs: FloatArray, known: dict[str, int], *, exact: bool
) -> list[str]:
    """Figures of sentences whose log p, with and without spellings, are (S, 2)."""
    n = np.array([len(one) for one in words], dtype=np.float64)
    letters = np.array([sum(map(len, one)) for one in words], dtype=np.float64)
    unknown = [word for one in words for word in one if word not in known]
    spelt = logs[:, 1] - logs[:, 0]
    lines = [
        f"perplexity {Rate.of(logs[:, 0], n)} per word, {Rate.of(logs[:, 0], letters)} per character "
        f"({int(n.sum())} words, {len(words)} sentences)",
        f"perplexity {Rate.of(logs[:, 1], n)} per word if all unknown words count as one word",
        f"unknown words {len(unknown)} ({100 * len(unknown) / max(n.sum(), 1):.2f} %): their spelling costs "
        f"{spelt.sum() / max(len(unknown), 1):.2f} nats per word, a perplexity of "
        f"{np.exp(spelt.sum() / max(sum(map(len, unknown)), 1)):.2f} per character",
    ]
    bound = "summed over all trees" if exact else "summed over the trees that were searched: an upper bound"
    return [*lines, bound]
