"""A grammar and a dependency treebank in, phrase trees out that keep to the treebank's tags and arcs."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import GuideOptions
from eigenparse.corpus.arc_spans import (
    GUM,
    ArcSentence,
    SpanCounts,
    arc_sentences,
    count_spans,
    demands,
)
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.normalise import ROOT, normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.decode.grammar.constraints import SpanLimit
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError
from eigenparse.learn.grammar.judge_cases import gold_brackets
from eigenparse.work.progress import tell
from eigenparse.work.work import Where, open_work

SENTENCES = 200  # in a block
# Replacements of tags that phrase treebanks may not have; words with other unknown tags are tagged freely.
OTHER_TAGS: Mapping[str, tuple[str, ...]] = {
    "?": (".",), "!": (".",), "HYPH": (":",), "NFP": (":", "."), "AFX": ("JJ",), "ADD": ("NNP", "NN"),
    "SYM": ("NN",), "LS": ("CD",), "-LRB-": ("(",), "-RRB-": (")",), "(": ("-LRB-",), ")": ("-RRB-",),
}  # fmt: skip
WAYS = ("tags and arcs", "tags and uncrossed arcs", "tags alone")


@dataclass(frozen=True, slots=True)
class GuideBlock:
    """Sentences to make trees of, by which model."""

    place: ModelPlace
    sentences: tuple[ArcSentence, ...]
    counts: SpanCounts
    options: GuideOptions


def learn_from(trees: Path, arcs: Path) -> SpanCounts:
    """Count how often spans of arcs are phrases in trees of the same sentences, which may be in another order."""
    treebank = normalise(read_trees(trees))
    spans_of = ({(i, j) for i, j, _ in brackets} for brackets in gold_brackets(treebank))
    known = {_plain(words): spans for words, spans in zip(tokens_of(treebank), spans_of)}
    pairs = [(one, known.get(_plain(one.words))) for one in arc_sentences(read_conllu(arcs).trees)]
    both = [(one, spans) for one, spans in pairs if spans is not None]
    if not both:
        raise DataError(
            f"{trees} and {arcs} have no sentence in common; give two annotations of the same text"
        )
    tell(f"counted spans in {len(both)} sentences that have both annotations")
    return count_spans(both)


def _plain(words: Sequence[str]) -> tuple[str, ...]:
    """Words with -LRB- and -RRB- as parentheses."""
    return tuple(word.replace("-LRB-", "(").replace("-RRB-", ")").replace(" ", "_") for word in words)


def guide(
    model: Path,
    arcs: Path,
    where: Where,
    counts: SpanCounts | None = None,
    options: GuideOptions = GuideOptions(),
) -> Iterator[bytes]:
    """Trees one per line, the confidence of each in the label of its root, as ``(TOP=0.93 (S ...))``.

    counts: how often spans of arcs are phrases; None: the counts of GUM.
    """
    sentences = [one for one in arc_sentences(read_conllu(arcs).trees) if len(one.words) <= options.longest]
    step = max(len(sentences) / (options.most or len(sentences)), 1.0) if sentences else 1.0
    chosen = [sentences[int(k * step)] for k in range(int(len(sentences) / step))]
    place, told = ModelPlace.of(model), Counter[str]()
    blocks = (
        GuideBlock(place, tuple(chosen[k : k + SENTENCES]), counts or GUM, options)
        for k in range(0, len(chosen), SENTENCES)
    )
    with open_work("guide", where) as work:
        for lines, counted in work.map(guide_block, blocks):
            told.update(counted)
            work.progress("sentences", told["sentences"], len(chosen))
            yield "".join(f"{line}\n" for line in lines).encode("utf-8")
    if not told["sentences"]:
        raise DataError(
            "the grammar made no whole tree of any sentence; "
            "check that the file has words, and tags in its fifth column"
        )
    for line in summary(told):
        tell(line)


def summary(told: Counter[str]) -> list[str]:
    """Message about the sentences that were parsed and those left out."""
    n = max(told["sentences"], 1)
    lines = [f"{told['sentences']} sentences: " + ", ".join(f"{told[way]} by {way}" for way in WAYS)]
    if told["left out"]:
        lines.append(f"left out {told['left out']} sentences of which the grammar makes no whole tree")
    if told["freely"]:
        lines.append(f"{told['freely']} words were tagged freely: the grammar does not know their tags")
    return [*lines, f"mean confidence {told['thousandths'] / 1000 / n:.3f}"]


def guide_block(block: GuideBlock) -> tuple[list[str], Counter[str]]:
    """The trees of a block, and how they were found."""
    grammar, told = Grammar.of(loaded(block.place)), Counter[str]()
    lines = []
    for sentence in block.sentences:
        found = guided_parse(grammar, sentence, block, told)
        if found is None:
            told["left out"] += 1
            continue
        sure = confidence(found)
        told.update({"sentences": 1, "freely": len(found.unknown_tags), "thousandths": round(1000 * sure)})
        lines.append(re.sub(rf"^\({ROOT} ", f"({ROOT}={sure:.3f} ", found.tree))
    return lines, told


def guided_parse(
    grammar: Grammar, sentence: ArcSentence, block: GuideBlock, told: Counter[str]
) -> Parse | None:
    """The tree under the constraints that the grammar can keep: first all, then without the required phrases."""
    options = block.options
    kept = demands(sentence, block.counts, required=options.required, crossed=options.crossed)
    tags = tuple(known_tag(grammar, tag) for tag in sentence.tags)
    for way in WAYS:
        limits = tuple(
            SpanLimit(start, end, required=must and way == WAYS[0], uncrossed=not must or way != WAYS[0])
            for (start, end), must in kept.items()
            if way != WAYS[-1]
        )
        try:
            found = next(grammar.stream([Request(sentence.words, tags, limits)]))[0]
        except DataError:
            continue
        if found.status in ("ok", "relaxed"):
            told[way] += 1
            return found
    return None


def known_tag(grammar: Grammar, tag: str) -> str | None:
    """The tag, or its replacement in the grammar; None to leave it open."""
    known = grammar.tables.parser.words.tags
    return next((name for name in (tag, *OTHER_TAGS.get(tag, ())) if name in known), None)


def confidence(found: Parse) -> float:
    """The mean posterior of a tree's phrases: the expected share of correct ones."""
    return float(np.mean([one.posterior for one in found.brackets])) if found.brackets else 1.0
