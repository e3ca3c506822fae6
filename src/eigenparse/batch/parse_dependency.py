"""Parse with a dependency parser or a latent tree model: CoNLL-U or tokens in, CoNLL-U out, block by block."""

import functools
import io
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eigenparse.batch.inputs import n_sentences, opened, sentences
from eigenparse.batch.lines import sentence_lines, shifted
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import AUTO, ParseRequest
from eigenparse.corpus.conllu import from_sentences, read_input
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency import arcs, latent_trees, split_heads
from eigenparse.decode.grammar.parser import ParserOptions
from eigenparse.errors import DataError, FormatError, OptionError
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.run.ordered import blocks
from eigenparse.work.progress import tell
from eigenparse.work.work import Where, open_work

SENTENCES = 500  # in a block
NO_TAGS = "the sentences have no tags, which this model needs; tag them or train with --tags predicted"
GRAMMAR_ONLY = ("decoder", "combination", "threshold", "constraints", "keep_tag_suffix")


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of whole sentences, the first of them being line ``first`` of the source."""

    place: ModelPlace
    asked: ParseRequest
    lines: tuple[str, ...]
    first: int


Task = Callable[[LineBlock], tuple[bytes, Counter[str]]]


def parse_arcs(path: Path, asked: ParseRequest, where: Where) -> Iterator[bytes]:
    """Trees of a graph-based parser."""
    _check(asked, *GRAMMAR_ONLY, "memory")
    counts: Counter[str] = Counter()
    yield from _parsed(arcs_block, path, asked, where, counts)
    if not counts["tagged"]:
        tell(NO_TAGS)


def parse_trees(path: Path, asked: ParseRequest, where: Where) -> Iterator[bytes]:
    """Trees of a latent tree model."""
    _check(asked, *GRAMMAR_ONLY)
    _tree_parser(
        ModelPlace.of(path), asked.max_length, asked.memory
    )  # a model that cannot parse is refused here
    counts: Counter[str] = Counter()
    yield from _parsed(trees_block, path, asked, where, counts)


def _parsed(
    task: Task, path: Path, asked: ParseRequest, where: Where, counts: Counter[str]
) -> Iterator[bytes]:
    with open_work("parsing", where) as work:
        expected = n_sentences(asked)
        for text, counted in work.map(task, _line_blocks(ModelPlace.of(path), asked)):
            counts.update(counted)
            work.progress("sentences", counts["sentences"], expected)
            yield text
    if not counts["words"]:
        raise DataError("the input has no word: nothing to parse; check the file, or what was piped in")
    if asked.text is None:
        parsed = counts["sentences"] - counts["long"]
        tell(f"{counts['sentences']} sentences, {counts['words']} words: {parsed} parsed")
    if counts["long"]:
        tell(
            f"{counts['long']} of {counts['sentences']} sentences are too long to be parsed: each of their words heads "
            "the next; raise --max-length or cut them"
        )


def _check(asked: ParseRequest, *meaningless: str) -> None:
    """Refuse options that do not apply to these models."""
    if asked.form not in (None, "conllu") or asked.tagged:
        raise OptionError(
            "a dependency parser reads CoNLL-U or tokens and writes CoNLL-U; leave out other formats"
        )
    for name in meaningless:
        if getattr(asked, name) is not None:
            raise OptionError(f"--{name.replace('_', '-')} is for other kinds of models; leave it out")


def _line_blocks(place: ModelPlace, asked: ParseRequest) -> Iterator[LineBlock]:
    """CoNLL-U in blocks of sentences; bare tokens are put into CoNLL-U first."""
    lines = opened(asked)
    head: list[str] = []  # up to the first line that is no comment
    while (not head or not head[-1].strip() or head[-1].startswith("#")) and (
        line := next(lines, None)
    ) is not None:
        head.append(line)
    as_conllu = asked.reading == AUTO and bool(head) and head[-1].count("\t") >= 3
    if as_conllu and asked.drop:
        raise OptionError("--drop takes nodes out of trees, and CoNLL-U holds none; leave it out")
    todo = itertools.chain(head, lines)
    model = loaded(place)
    style = model.style if isinstance(model, ArcModel) else {"quotes": "keep"}
    words = sentences(asked, style, lines=todo) if not as_conllu else iter(())
    for first, part in sentence_lines(todo, SENTENCES) if as_conllu else _token_lines(words, SENTENCES):
        if any(line.strip() for line in part):
            yield LineBlock(place, asked, part, first)


def _token_lines(words: Iterable[Sequence[str] | None], size: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Sentences of bare tokens as lines of CoNLL-U."""
    for number, part in enumerate(blocks(words, size)):
        found = from_sentences([tokens for tokens in part if tokens])
        yield 1 + number * size, tuple(line for text in found.text for line in (*text, ""))


def arcs_block(block: LineBlock) -> tuple[bytes, Counter[str]]:
    """A block in CoNLL-U with its heads and relations; its sentences, words, and whether there are tags."""
    text, model, source = io.StringIO(), loaded(block.place), str(block.asked.source)
    try:
        corpus = read_input(block.lines, source=source)
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    is_long = corpus.trees.lengths() > (block.asked.max_length or ParserOptions().max_length)
    cuts = [0, *(np.flatnonzero(np.diff(is_long)) + 1).tolist(), len(corpus)]
    for low, high in itertools.pairwise(cuts):
        write = arcs.write_chains if is_long[low:high].any() else arcs.parse_corpus
        write(model, corpus.part(low, high), text, n_best=block.asked.kbest)
    tagged = bool(model.taggers) or _has_tags(corpus.trees)
    counts = Counter(
        sentences=len(corpus), words=corpus.trees.n_words, tagged=int(tagged), long=int(is_long.sum())
    )
    return text.getvalue().encode("utf-8"), counts


def trees_block(block: LineBlock) -> tuple[bytes, Counter[str]]:
    """A block as a latent tree model parses it; its sentences, words, and sentences too long."""
    text, asked = io.StringIO(), block.asked
    parser = _tree_parser(block.place, asked.max_length, asked.memory)
    try:
        corpus = read_input(block.lines, source=str(asked.source))
        n_long = parser.parse_corpus(corpus, text, n_best=asked.kbest)
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    counts = Counter(sentences=len(corpus), words=corpus.trees.n_words, long=n_long)
    return text.getvalue().encode("utf-8"), counts


@functools.lru_cache(maxsize=2)
def _tree_parser(
    place: ModelPlace, max_length: int | None, memory: int | None
) -> "split_heads.TreeParser | latent_trees.LatentParser":
    """A latent tree model ready to parse; OptionError if it scores trees only."""
    model, usual = loaded(place), ParserOptions()
    limits = replace(usual, max_length=max_length or usual.max_length, memory=memory or usual.memory)
    if isinstance(model, SplitHeads):
        return split_heads.tree_parser(model, limits)
    return latent_trees.latent_parser(model, limits)


def _has_tags(trees: Dependencies) -> bool:
    """Whether any word has a tag."""
    return set(trees.symbols["upos"]) | set(trees.symbols["xpos"]) != {"_"}
