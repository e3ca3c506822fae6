"""Sentences, tokens and pairs of trees in blocks that any worker can do: parsing, tagging, scoring by shards."""

import functools
import io
import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenparse.errors import FormatError, OptionError
from eigenparse.run.ordered import OrderedRun, blocks, open_run, reduce_ordered

if TYPE_CHECKING:
    from eigenparse.api.grammar import Grammar
    from eigenparse.cli.parse import ParseRequest
    from eigenparse.corpus.dependencies import Dependencies
    from eigenparse.decode.dependency.split_heads import TreeParser
    from eigenparse.decode.grammar.request import Request
    from eigenparse.evaluate.attachment import Attachment
    from eigenparse.evaluate.brackets import BracketScores
    from eigenparse.evaluate.evalb_params import EvalbParams
    from eigenparse.evaluate.pairing import PairedFiles
    from eigenparse.evaluate.tagging import TaggingCounts
    from eigenparse.evaluate.tree_lines import TreeLines
    from eigenparse.models.dependency.arcs import ArcModel

SENTENCES = 500  # in a block that is parsed, as in api.grammar: scores of trees are made block by block
PAIRS = 2000  # in a block that is scored


@dataclass(frozen=True, slots=True)
class ModelPlace:
    """A model that workers read themselves; size and time tell one version from another."""

    path: str
    size: int
    time: int

    @classmethod
    def of(cls, path: Path) -> "ModelPlace":
        from eigenparse.data import located

        path = located(path)
        found = os.stat(path)
        return cls(str(path.resolve()), found.st_size, found.st_mtime_ns)


@functools.lru_cache(maxsize=2)
def loaded_grammar(place: ModelPlace, settings: tuple[tuple[str, Any], ...]) -> "Grammar":
    """A grammar, read once by a worker."""
    from eigenparse.api.grammar import load

    return load(place.path).with_options(**dict(settings))


@functools.lru_cache(maxsize=2)
def loaded_arcs(place: ModelPlace) -> "ArcModel":
    """A dependency parser, read once by a worker."""
    from eigenparse.models.registry import load_model

    found: ArcModel = load_model(place.path, "dependency")
    return found


@functools.lru_cache(maxsize=2)
def loaded_trees(place: ModelPlace, max_length: int | None, memory: int | None) -> "TreeParser":
    """A split-head grammar ready to parse, read once by a worker."""
    from eigenparse.cli.parse_dependency import load_tree_parser

    return load_tree_parser(Path(place.path), max_length, memory)


@dataclass(frozen=True, slots=True)
class ParseBlock:
    """Sentences to parse, None for an empty line."""

    place: ModelPlace
    asked: "ParseRequest"
    requests: "tuple[Request | None, ...]"


def settings_of(asked: "ParseRequest") -> tuple[tuple[str, Any], ...]:
    """What changes how a grammar searches."""
    names = ("decoder", "combination", "threshold", "max_length", "memory")
    return tuple((name, getattr(asked, name)) for name in names)


def parse_block(block: ParseBlock) -> tuple[bytes, Counter[str]]:
    """The trees of a block as they are written, and what happened to its sentences."""
    from eigenparse.cli.parse_lpcfg import count_line, detail_of, parse_lines, written

    grammar = loaded_grammar(block.place, settings_of(block.asked))
    counts: Counter[str] = Counter()
    text = []
    alone = replace(block.asked, jobs=1)
    for found in parse_lines(grammar, block.requests, alone, detail_of(block.asked), SENTENCES):
        count_line(counts, found)
        text.append(written(found, block.asked))
    return b"".join(text), counts


def parse_sentences(asked: "ParseRequest") -> None:
    """Parse with a grammar on a cluster; memory is bounded and order is kept."""
    from eigenparse.cli.output import result_stream

    if asked.form not in ("brackets", "json"):
        raise OptionError(f"--format {asked.form} is made on this machine; leave out --cluster")
    with open_run(asked.cluster, asked.jobs) as run, result_stream(asked.output) as stream:
        _parse_grammar(run, asked, stream)


def parse_dependencies(asked: "ParseRequest") -> None:
    """The same with a dependency parser."""
    from eigenparse.cli.output import result_stream
    from eigenparse.cli.parse_dependency import NO_TAGS
    from eigenparse.cli.progress import tell

    if asked.form != "brackets" or asked.tagged or asked.raw:
        raise OptionError(
            "a dependency parser reads CoNLL-U or tokens and writes CoNLL-U; leave out other formats"
        )
    n_words, tagged = 0, False
    with open_run(asked.cluster, asked.jobs) as run, result_stream(asked.output) as stream:
        for text, n, has_tags in run.map_ordered(parse_arcs_block, _arc_blocks(asked)):
            stream.write(text)
            n_words, tagged = n_words + n, tagged or has_tags
    if n_words and not tagged:
        tell(NO_TAGS)


def parse_split_heads(asked: "ParseRequest") -> None:
    """The same with a latent tree model that is a parser too."""
    from eigenparse.cli.output import result_stream
    from eigenparse.cli.parse_dependency import check_form, refuse_nothing, tell_long

    check_form(asked)
    loaded_trees(
        ModelPlace.of(asked.model), asked.max_length, asked.memory
    )  # a model that cannot is refused here
    task = functools.partial(parse_trees_block, max_length=asked.max_length, memory=asked.memory)
    total: Counter[str] = Counter()
    with open_run(asked.cluster, asked.jobs) as run, result_stream(asked.output) as stream:
        for text, counts in run.map_ordered(task, _arc_blocks(asked)):
            stream.write(text)
            total += counts
    refuse_nothing(total["words"])
    tell_long(total["long"], total["sentences"])


def _parse_grammar(run: OrderedRun, asked: "ParseRequest", stream: Any) -> None:
    from eigenparse.cli.parse_lpcfg import read_requests, summary
    from eigenparse.cli.progress import tell

    place, counts = ModelPlace.of(asked.model), Counter[str]()
    grammar = loaded_grammar(place, settings_of(asked))
    todo = (ParseBlock(place, asked, part) for part in _requests(read_requests(grammar, asked), SENTENCES))
    for text, found in run.map_ordered(parse_block, todo):
        stream.write(text)
        counts += found
    for sentence in summary(counts):
        tell(sentence)


def _requests(todo: "Iterable[Request | None]", size: int) -> "Iterator[tuple[Request | None, ...]]":
    """Blocks of so many sentences, empty lines not counted, as one core takes them."""
    part: list[Request | None] = []
    n = 0
    for request in todo:
        part.append(request)
        n += request is not None
        if n == size:
            yield tuple(part)
            part, n = [], 0
    if part:
        yield tuple(part)


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of whole sentences, the first of them being line ``first`` of the source."""

    place: ModelPlace
    lines: tuple[str, ...]
    first: int
    source: str
    n_best: int = 1


def _arc_blocks(asked: "ParseRequest") -> Iterator[LineBlock]:
    """CoNLL-U in blocks of sentences; bare tokens are put into CoNLL-U first."""
    from eigenparse.cli.sentences import open_lines

    place, lines = ModelPlace.of(asked.model), open_lines(asked.source)
    head: list[str] = []
    while not (head and head[-1].strip()) and (line := next(lines, None)) is not None:
        head.append(line)
    start = head[-1] if head else ""
    as_conllu = start.startswith("# ") or start.count("\t") >= 3
    todo = itertools.chain(head, lines)
    for first, part in sentence_lines(todo, SENTENCES) if as_conllu else _token_lines(todo, SENTENCES):
        if any(line.strip() for line in part):
            yield LineBlock(place, part, first, str(asked.source), asked.kbest)


def _token_lines(lines: Iterable[str], size: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Sentences of bare tokens, one a line, as lines of CoNLL-U."""
    from eigenparse.corpus.conllu import from_sentences

    for number, part in enumerate(blocks(lines, size)):
        found = from_sentences([line.split() for line in part if line.strip()])
        yield 1 + number * size, tuple(line for text in found.text for line in (*text, ""))


def sentence_lines(lines: Iterable[str], size: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines in blocks that end at a blank line after ``size`` of them, or after 40 lines for each."""
    part: list[str] = []
    first, ends = 1, 0
    for number, line in enumerate(lines, start=1):
        part.append(line)
        ends += not line.strip()
        if ends and (ends >= size or len(part) >= 40 * size) and not line.strip():
            yield first, tuple(part)
            part, ends, first = [], 0, number + 1
    if part:
        yield first, tuple(part)


def parse_arcs_block(block: LineBlock) -> tuple[bytes, int, bool]:
    """A block in CoNLL-U with its heads and relations; its words, and whether the parser had tags for them."""
    from eigenparse.cli.parse_dependency import has_tags
    from eigenparse.corpus.conllu import read_input
    from eigenparse.decode.dependency.arcs import parse_corpus

    text, model = io.StringIO(), loaded_arcs(block.place)
    try:
        corpus = read_input(block.lines, source=block.source)
        parse_corpus(model, corpus, text, n_best=block.n_best)
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    tagged = bool(model.taggers) or has_tags(corpus.trees)
    return text.getvalue().encode("utf-8"), corpus.trees.n_words, tagged


def parse_trees_block(
    block: LineBlock, *, max_length: int | None, memory: int | None
) -> tuple[bytes, Counter[str]]:
    """A block in CoNLL-U as a split-head grammar parses it; its sentences, words, and sentences too long."""
    from eigenparse.corpus.conllu import read_input
    from eigenparse.decode.dependency.split_heads import parse_corpus

    text, parser = io.StringIO(), loaded_trees(block.place, max_length, memory)
    try:
        corpus = read_input(block.lines, source=block.source)
        n_long = parse_corpus(parser, corpus, text, n_best=block.n_best)
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    counts = Counter(sentences=len(corpus), words=corpus.trees.n_words, long=n_long)
    return text.getvalue().encode("utf-8"), counts


def shifted(problem: FormatError, first: int) -> FormatError:
    """The same complaint with the line of the whole file."""
    return FormatError(
        problem.problem, source=problem.source, line=problem.line + first - 1, remedy=problem.remedy
    )


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """Sentences to score."""

    gold: "TreeLines"
    guess: "TreeLines"
    params: "EvalbParams"
    strict: bool


def score_block(block: ScoreBlock) -> "BracketScores":
    from eigenparse.evaluate.brackets import score_lines

    return score_lines(block.gold, block.guess, params=block.params, strict=block.strict)


def score_pairs(run: OrderedRun, pair: "PairedFiles", params: "EvalbParams", strict: bool) -> "BracketScores":
    """The scores of paired sentences, block by block; the same as at once."""
    n = len(pair.gold.treebank)
    todo = (
        ScoreBlock(_part(pair.gold, s, s + PAIRS), _part(pair.guess, s, s + PAIRS), params, strict)
        for s in range(0, n, PAIRS)
    )
    scores: BracketScores = reduce_ordered(run, score_block, todo)
    order = sorted(scores.by_label.items(), key=lambda one: (-one[1].gold, -one[1].guess, one[0]))
    return replace(scores, by_label=dict(order))


def _part(lines: "TreeLines", start: int, stop: int) -> "TreeLines":
    """Some of the sentences, with only the symbols that they hold."""
    from eigenparse.corpus.brackets import take_trees
    from eigenparse.corpus.normalise import compact
    from eigenparse.evaluate.tree_lines import TreeLines

    whole = lines.treebank
    stop = min(stop, len(whole))
    part = take_trees(whole, start, stop)
    label, labels = compact(part.label, part.labels)
    word, words = compact(part.word, part.words)
    small = replace(part, label=label, labels=labels, word=word, words=words)
    low, high = int(whole.offsets[start]), int(whole.offsets[stop])
    return TreeLines(small, lines.broken[start:stop], lines.unclosed[low:high])


def attach_block(block: "tuple[Dependencies, Dependencies]") -> "Attachment":
    from eigenparse.evaluate.attachment import attachment

    return attachment(*block)


def attach_pairs(run: OrderedRun, gold: "Dependencies", guess: "Dependencies") -> "Attachment":
    """Counts of right heads and arcs, block by block; the same as at once."""
    import numpy as np

    from eigenparse.evaluate.attachment import attachment, check_same_words

    check_same_words(gold, guess)
    if len(gold) == 0:
        return attachment(gold, guess)
    rows = [np.arange(s, min(s + PAIRS, len(gold))) for s in range(0, len(gold), PAIRS)]
    found: Attachment = reduce_ordered(run, attach_block, ((gold.select(p), guess.select(p)) for p in rows))
    by_length = sorted(found.by_length.items(), key=lambda one: int(one[0].rstrip("+").split("-")[0]))
    return replace(found, by_relation=dict(sorted(found.by_relation.items())), by_length=dict(by_length))


Labels = list[list[str]]
TagPair = tuple[Labels, Labels, list[list[bool]] | None, bool]


def tagging_block(block: TagPair) -> "TaggingCounts":
    from eigenparse.evaluate.tagging import count_tagging

    gold, guess, unknown, iob = block
    return count_tagging(gold, guess, unknown=unknown, iob=iob)


def tagging_pairs(
    run: OrderedRun, gold: Labels, guess: Labels, unknown: list[list[bool]] | None
) -> "TaggingCounts":
    """Counts of right labels and chunks, block by block; the same as at once."""
    from eigenparse.evaluate.tagging import TaggingCounts, count_tagging, is_iob

    if len(gold) != len(guess) or not gold:
        return count_tagging(gold, guess, unknown=unknown)
    iob = is_iob(sorted({label for labels in gold for label in labels}))
    todo = (
        (gold[s : s + PAIRS], guess[s : s + PAIRS], unknown[s : s + PAIRS] if unknown else None, iob)
        for s in range(0, len(gold), PAIRS)
    )
    found: TaggingCounts = reduce_ordered(run, tagging_block, todo)
    return found
