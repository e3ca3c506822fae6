"""``eigenparse parse`` with a latent-variable grammar: lines in, trees out, block by block."""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import BLOCK, Grammar
from eigenparse.cli.output import result_stream
from eigenparse.cli.parse import ParseRequest
from eigenparse.cli.progress import counted, tell
from eigenparse.cli.sentences import open_lines, split_tags
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import Detail, Parse
from eigenparse.errors import DataError, OptionError
from eigenparse.kernels.columns import heights
from eigenparse.models.grammar.pcfg import LatentGrammar


def warm_up() -> None:
    """Call one kernel: the first call of a process loads the compiler's tables."""
    none = np.empty(0, dtype=np.int32)
    heights(none, none, none)


def parse_all(latent: LatentGrammar, request: ParseRequest) -> None:
    """Parse a file or standard input."""
    grammar = Grammar.of(latent).with_options(
        decoder=request.decoder,
        combination=request.combination,
        threshold=request.threshold,
        max_length=request.max_length,
        memory=request.memory,
    )
    interactive = request.text is None and str(request.source) == "-" and sys.stdin.isatty()
    counts: Counter[str] = Counter()
    sentences = read_requests(grammar, request)
    lists = parse_lines(grammar, sentences, request, detail_of(request), 1 if interactive else BLOCK)
    shown = counted(lists, "parsing", show=request.output is not None or not sys.stdout.isatty())
    if request.form == "svg":
        _draw(request.output, (found for found in shown if count_line(counts, found)))
    elif request.form == "conllu":
        _write_dependencies(request.output, (found for found in shown if count_line(counts, found)))
    else:
        with result_stream(request.output) as stream:
            for found in shown:
                count_line(counts, found)
                stream.write(written(found, request))
                if interactive:
                    stream.flush()
    if request.text is None or counts["ok"] < counts["lines"]:
        for sentence in summary(counts):
            tell(sentence)


def detail_of(request: ParseRequest) -> Detail:
    """What is worked out of a parse because it is written."""
    return Detail(
        posteriors=request.form != "brackets",
        probabilities=request.form in ("json", "text") or request.kbest > 1,
    )


def read_requests(grammar: Grammar, request: ParseRequest) -> Iterator[Request | None]:
    """One request for each line, None for an empty one."""
    if request.raw:
        from eigenparse.api.raw import sentences_of

        lines = open_lines(request.source) if request.text is None else request.text.split("\n")
        yield from map(grammar.request, sentences_of(grammar, lines))
        return
    lines = open_lines(request.source)
    for line in lines:
        tokens = line.split()
        if not tokens:
            yield None
        elif request.tagged:
            words, tags = split_tags(tokens)
            yield grammar.request(words, tags=tags)
        else:
            yield grammar.request(tokens)


def parse_lines(
    grammar: Grammar, requests: Iterable[Request | None], asked: ParseRequest, detail: Detail, block: int
) -> Iterator[tuple[Parse, ...]]:
    """The trees of every line, in order; none for an empty line."""
    empty: list[bool] = []

    def real() -> Iterator[Request]:
        for request in requests:
            empty.append(request is None)
            if request is not None:
                yield request

    place = 0
    for found in grammar.stream(real(), k=asked.kbest, jobs=asked.jobs, detail=detail, block=block):
        while empty[place]:
            place += 1
            yield ()
        place += 1
        yield found
        if place > BLOCK:
            del empty[:place]
            place = 0
    yield from (() for _ in empty[place:])


def written(found: tuple[Parse, ...], asked: ParseRequest) -> bytes:
    """What a line of input gives: a tree a line, or one JSON object."""
    if asked.form == "json":
        return (json.dumps(_json(found, asked.kbest), ensure_ascii=False) + "\n").encode("utf-8")
    if asked.form == "text":
        return drawn(found).encode("utf-8")
    if asked.kbest == 1 or not found:
        return ((found[0].tree if found else "") + "\n").encode("utf-8")
    rows = [f"{one.score:.6f}\t{one.probability:.6g}\t{one.tree}" for one in found]
    return ("\n".join(rows) + "\n\n").encode("utf-8")


def drawn(found: tuple[Parse, ...]) -> str:
    """Trees as pictures of lines, each with its probability and what is least sure about it."""
    from eigenparse.api.pictures import doubts, text

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
    parts = [f"{text(one, width=width)}\n\n{doubts(one)}\n" for one in found if one.tree]
    return "\n".join(parts) + "\n" if parts else "\n"


def _json(found: tuple[Parse, ...], k: int) -> dict[str, object]:
    """The best tree; with k above 1 the others follow under "kbest"."""
    if not found:
        return {"tokens": [], "tree": None, "status": "empty"}
    best = found[0].as_dict()
    if k > 1:
        best["kbest"] = [
            {
                name: value
                for name, value in one.as_dict().items()
                if name not in ("tokens", "status", "log_total")
            }
            for one in found
        ]
    return best


def count_line(counts: Counter[str], found: tuple[Parse, ...]) -> bool:
    """Note the status of a line; whether there is a tree to show."""
    counts["lines"] += 1
    if not found:
        counts["empty"] += 1
        return False
    best = found[0]
    counts[best.status] += 1
    counts["words"] += len(best.tokens)
    counts["non-positive"] += best.n_non_positive > 0
    counts["unknown tags"] += len(best.unknown_tags)
    return best.status != "skipped"


def summary(counts: Counter[str]) -> list[str]:
    """What a user should know about a run; DataError if there was no line."""
    if not counts["lines"]:
        raise DataError("the input has no line: nothing to parse; check the file, or what was piped in")
    named = [
        f"{counts[name]} {name}" for name in ("ok", "relaxed", "fallback", "skipped", "empty") if counts[name]
    ]
    told = [f"{counts['lines']} lines, {counts['words']} words: {', '.join(named)}"]
    if counts["unknown tags"]:
        told.append(
            f"{counts['unknown tags']} given tags are not in the grammar; these words were tagged freely"
        )
    if counts["non-positive"]:
        told.append(f"{counts['non-positive']} sentences have a total that is not positive under some member")
    if counts["skipped"]:
        told.append("skipped sentences are too long and have an empty line; raise --max-length")
    return told


def _draw(output: Path | None, lists: Iterable[tuple[Parse, ...]]) -> None:
    """SVG pictures: one to standard output, or numbered files."""
    from eigenparse.api.pictures import svg
    from eigenparse.cli.draw import numbered
    from eigenparse.corpus.files import write_whole

    trees = [one for found in lists for one in found]
    if output is None:
        if len(trees) != 1:
            raise OptionError(f"{len(trees)} pictures do not fit into one stream; add --output FILE")
        sys.stdout.write(svg(trees[0]))
        return
    for number, tree in enumerate(trees, start=1):
        write_whole(numbered(output, number, len(trees)), svg(tree).encode("utf-8"))


def _write_dependencies(output: Path | None, lists: Iterator[tuple[Parse, ...]]) -> None:
    """CoNLL-U by head rules, a block of sentences at a time; of a k-best list the best."""
    from eigenparse.api.dependencies import conllu

    first = 1
    with result_stream(output) as stream:
        while block := [found[0] for found in islice(lists, BLOCK)]:
            stream.write(conllu(block, first=first).encode("utf-8"))
            first += len(block)
