"""Parse sentences with a latent-variable grammar: lines in, trees out, block by block."""

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from eigenparse.api.correct import Draft
from eigenparse.api.grammar import Grammar
from eigenparse.api.raw import conventions, tokens_in
from eigenparse.api.trees import normalisation_of
from eigenparse.batch.inputs import LOOK, is_interactive, n_sentences, name_of, opened, sentences
from eigenparse.batch.lines import open_lines, split_tags
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import ParseRequest
from eigenparse.batch.written import MADE_HERE, drawn_files, numbered_conllu, written
from eigenparse.corpus.cleaning import Normalisation, strip_label
from eigenparse.corpus.partial import read_known
from eigenparse.corpus.recognise import misplaced, recognise_lines
from eigenparse.decode.grammar.constraints import Span, check_limits
from eigenparse.decode.grammar.request import Request, lookup_form
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError, OptionError
from eigenparse.run.local import thread_map
from eigenparse.work.progress import tell
from eigenparse.work.work import Where, Work, open_work

FEW, STRANGE = 5, 0.6  # words, and the share of unknown ones from which on another language is suspected
NO_CONSTRAINTS = ("conllu", "columns", "phones", "markup", "subtitles", "config", "log")
SENTENCES = 500  # in a block: scores of trees are made block by block
Lists = tuple[tuple[Parse, ...], ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ParseBlock:
    """Sentences to parse, None for an empty line.  threads: that share the block."""

    place: ModelPlace
    asked: ParseRequest
    requests: tuple[Request | None, ...]
    threads: int = 1


def parse(path: Path, asked: ParseRequest, where: Where) -> Iterator[bytes]:
    """Trees as they are written, in the order of the sentences; memory is bounded.

    On this machine threads share a block of sentences, on a cluster each worker has blocks of its own.
    """
    here = where.cluster is None
    if not here and asked.form in MADE_HERE:
        raise OptionError(f"--format {asked.form} is made on this machine; leave out --cluster")
    if asked.threshold is not None and asked.decoder not in (None, "brackets"):
        raise OptionError(
            f"--threshold changes nothing with --decoder {asked.decoder}; leave one of them out"
        )
    if asked.combination is not None and loaded_grammar(ModelPlace.of(path), asked).summary()["members"] == 1:
        raise OptionError("--combination is for ensembles, and this grammar has one member; leave it out")
    counts: Counter[str] = Counter(expected=n_sentences(asked) or 0)
    with open_work("parsing", replace(where, jobs=1), show=_is_watched(asked)) as work:
        threads = where.workers if here else 1
        todo = _todo(ModelPlace.of(path), asked, threads)
        if asked.form == "svg":
            read = (path, asked.source, asked.constraints)
            yield from drawn_files(_done(parse_block, todo, work, counts), asked.output, read)
        elif asked.form == "conllu":
            yield from numbered_conllu(_done(parse_block, todo, work, counts))
        else:
            yield from _done(written_block, todo, work, counts)
    if asked.form == "conllu":
        facts = loaded_grammar(ModelPlace.of(path), asked).summary()
        tell(f"arcs follow from the trees by head rules ({facts['heads']})")
    if counts["lettered"] >= FEW and counts["strange"] > STRANGE * counts["lettered"]:
        share = 100 * counts["strange"] / counts["lettered"]
        tell(
            f"{share:.0f} % of the words are unknown to this model; is the text in the language of its trees?"
        )
    if asked.text is None or counts["ok"] < counts["lines"]:
        for sentence in summary(counts):
            tell(sentence)


def _todo(place: ModelPlace, asked: ParseRequest, threads: int) -> Iterator[ParseBlock]:
    """The sentences in blocks; typed sentences are answered one by one."""
    requests = read_requests(loaded_grammar(place, asked), asked)
    for part in _blocks(requests, 1 if is_interactive(asked) else SENTENCES):
        yield ParseBlock(place, asked, part, threads)


def _done(
    task: Callable[[ParseBlock], tuple[T, Counter[str]]],
    todo: Iterable[ParseBlock],
    work: Work,
    counts: Counter[str],
) -> Iterator[T]:
    """What a task makes of every block, in order; counts: collects the status of the sentences."""
    for made, counted in work.map(task, todo):
        counts.update(counted)
        work.progress("sentences", counts["lines"], counts["expected"] or None)
        yield made


def written_block(block: ParseBlock) -> tuple[bytes, Counter[str]]:
    """The trees of a block as text, and the status of its sentences."""
    found, counts = parse_block(block)
    return b"".join(written(one, block.asked) for one in found), counts


def parse_block(block: ParseBlock) -> tuple[Lists, Counter[str]]:
    """The trees of a block, none for an empty line, and the status of its sentences."""
    grammar, asked = loaded_grammar(block.place, block.asked), block.asked
    real = [request for request in block.requests if request is not None]
    if asked.constraints is not None:
        parsed = iter(thread_map(partial(_drafted, grammar, k=asked.kbest), real, jobs=block.threads))
    else:
        parsed = grammar.stream(
            real,
            k=asked.kbest,
            jobs=block.threads,
            detail=asked.form not in (None, "brackets"),
            block=max(len(real), 1),
        )
    found = tuple(() if request is None else next(parsed) for request in block.requests)
    counts: Counter[str] = Counter()
    for one in found:
        _count_line(counts, one)
        words, strange = unknown_words(grammar, one[0].tokens) if one else (0, 0)
        counts.update(lettered=words, strange=strange)
    return found, counts


def unknown_words(grammar: Grammar, tokens: Sequence[str]) -> tuple[int, int]:
    """How many tokens have letters, and how many of these the grammar has never seen, in any case."""
    known = grammar.tables.parser.words.words
    words = [lookup_form(grammar.tables.parser, token) for token in tokens if any(map(str.isalpha, token))]
    strange = [w for w in words if w not in known and w.lower() not in known and w.capitalize() not in known]
    return len(words), len(strange)


def _drafted(grammar: Grammar, request: Request, k: int) -> tuple[Parse, ...]:
    """The trees of a sentence; constraints that no tree of the grammar keeps are put in."""
    if len(request.tokens) > grammar.options.max_length:
        return next(grammar.stream([request]))
    try:
        return Draft.of(grammar, request, k).parses
    except DataError as problem:
        raise DataError(f"{' '.join(request.tokens)!r}: {problem}") from None


def loaded_grammar(place: ModelPlace, asked: ParseRequest) -> Grammar:
    """A grammar with the given search options; loaded once per process."""
    return _grammar(place, asked.decoder, asked.combination, asked.threshold, asked.max_length, asked.memory)


@functools.lru_cache(maxsize=2)
def _grammar(
    place: ModelPlace,
    decoder: str | None,
    combination: str | None,
    threshold: float | None,
    max_length: int | None,
    memory: int | None,
) -> Grammar:
    return Grammar.of(loaded(place)).with_options(
        decoder=decoder, combination=combination, threshold=threshold, max_length=max_length, memory=memory
    )


def _is_watched(asked: ParseRequest) -> bool:
    """Whether progress may be shown: not if trees are printed to the terminal."""
    return asked.output is not None or not sys.stdout.isatty()


def _blocks(todo: Iterable[Request | None], size: int) -> Iterator[tuple[Request | None, ...]]:
    """Blocks of ``size`` sentences, empty lines not counted."""
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


def read_requests(grammar: Grammar, asked: ParseRequest) -> Iterator[Request | None]:
    """One request for each line, None for an empty one."""
    normalisation = normalisation_of(grammar.latent)
    if asked.keep_tag_suffix is not None and asked.keep_tag_suffix != normalisation.keep_tag_suffix:
        does = "keeps" if normalisation.keep_tag_suffix else "has none of"
        raise OptionError(
            f"this grammar {does} the suffixes of tags, which `train lpcfg --keep-tag-suffix` decides; "
            "leave the option out or train another"
        )
    if asked.constraints is not None:
        yield from constrained(grammar, asked.constraints)
        return
    if not asked.tagged:
        for tokens in sentences(asked, conventions(grammar), normalisation):
            yield None if tokens is None else grammar.request(tokens)
        return
    tagged = 0
    for line in opened(asked):
        words, tags = split_tags(line.split())
        tagged += sum(tag is not None for tag in tags)
        cut = [tag if tag is None or normalisation.keep_tag_suffix else strip_label(tag) for tag in tags]
        yield grammar.request(words, tags=cut) if words else None
    if not tagged:
        tell(f"{name_of(asked)}: no token is word_TAG, so words were tagged freely; leave out --tagged")


def constrained(grammar: Grammar, path: Path) -> Iterator[Request | None]:
    """The sentences of a file of constraints; labels are cut as those of the grammar's trees."""
    normalisation = normalisation_of(grammar.latent)
    lines = open_lines(path)
    head = list(islice(lines, LOOK))
    kind = recognise_lines(head)
    if kind in NO_CONSTRAINTS:
        raise misplaced(kind, str(path), "sentences with constraints")
    for number, line in enumerate(chain(head, lines), start=1):
        if not line.strip():
            yield None
            continue
        known = read_known(line, partial(tokens_in, grammar), str(path), number)
        required = [one for span in known.required for one in _cut_span(span, normalisation)]
        request = grammar.request(known.tokens, tags=known.tags, required=required, forbidden=known.forbidden)
        try:
            check_limits(request.limits, len(known.tokens))
        except DataError as problem:
            raise DataError(f"{path}:{number}: {problem}") from None
        yield request


def _cut_span(span: Span, normalisation: Normalisation) -> list[Span]:
    """A required span with its label cut as the grammar's; none for a root, which every tree has."""
    if len(span) < 3:
        return [span]
    if span[2] in normalisation.roots:
        return []
    keep = normalisation.keep_tag_suffix and span[1] - span[0] == 1
    return [span if keep else (span[0], span[1], strip_label(span[2]))]


def _count_line(counts: Counter[str], found: tuple[Parse, ...]) -> None:
    """Note the status of a line."""
    counts["lines"] += 1
    if not found:
        counts["empty"] += 1
        return
    best = found[0]
    counts[best.status] += 1
    counts["words"] += len(best.tokens)
    counts["non-positive"] += best.n_non_positive > 0
    counts["unknown tags"] += len(best.unknown_tags)


def summary(counts: Counter[str]) -> list[str]:
    """The messages about a run; DataError if there was no line."""
    if not counts["lines"]:
        raise DataError("the input has no line: nothing to parse; check the file, or what was piped in")
    named = [
        f"{counts[name]} {name}"
        for name in ("ok", "relaxed", "imposed", "fallback", "skipped", "empty")
        if counts[name]
    ]
    told = [f"{counts['lines']} lines, {counts['words']} words: {', '.join(named)}"]
    if counts["imposed"]:
        told.append(
            "imposed: no tree of the grammar has what is known of these sentences; it was put in as given"
        )
    if counts["unknown tags"]:
        told.append(
            f"{counts['unknown tags']} given tags are not in the grammar; these words were tagged freely"
        )
    if counts["non-positive"]:
        told.append(f"{counts['non-positive']} sentences have a total that is not positive under some member")
    if counts["skipped"]:
        told.append("skipped sentences are too long and have an empty line; raise --max-length")
    return told
