"""Interactive correction: parse, let the user fix one node, parse again under all corrections, save accepted trees.

Every accepted tree is added to the end of the file at once, so nothing is lost when the user stops; the next run
continues after the sentences whose trees are in the file.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from eigenparse.api.correct import Draft
from eigenparse.api.grammar import Grammar
from eigenparse.api.pictures import text
from eigenparse.batch.first_use import announce_first_use
from eigenparse.batch.parse_grammar import read_requests
from eigenparse.batch.requests import ParseRequest, refuse_given
from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.columns import sentences_of
from eigenparse.decode.grammar.constraints import Tag, span_limits
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError, OptionError
from eigenparse.models.grammar.kind import GRAMMARS
from eigenparse.models.registry import kind_of, load_model
from eigenparse.work.progress import tell

HELP = """\
  (enter)      the tree is right: keep it, next sentence
  3 NP         constituent 3 is an NP
  2-5 NP       words 2 to 5 are an NP; 2-5 alone: they belong together
  x 3          constituent 3 is not a constituent
  t 4 VBD      the tag of word 4 is VBD
  u            undo the last correction
  s            leave this sentence out, next
  q            end; what was kept is in the file"""
Ask = Callable[[str], str]


def ask(model: Path, asked: ParseRequest, prompt: Ask = input) -> int:
    """Correct the trees of sentences one by one; at the end, report how many trees the file has."""
    if asked.output is None:
        raise OptionError("--ask needs --out FILE, to which every accepted tree is added")
    refuse_given(asked, "--ask", "kbest")
    if asked.form is not None:
        raise OptionError("--format changes nothing for --ask; leave it out")
    grammar = Grammar.of(load_model(model, *GRAMMARS)).with_options(
        decoder=asked.decoder, combination=asked.combination, threshold=asked.threshold,
        max_length=asked.max_length, memory=asked.memory,
    )  # fmt: skip
    announce_first_use(kind_of(model))
    kept = sentences_of(read_trees(asked.output)) if _filled(asked.output) else []
    if kept:
        tell(
            f"{asked.output} has {len(kept)} trees; new ones are added, sentences that are there are left out"
        )
    known, n = set(kept), len(kept)
    print(HELP)
    for request in read_requests(grammar, asked):
        if request is None or request.tokens in known:
            continue
        answer = corrected(grammar, request, prompt)
        if answer is None:
            break
        if answer:
            append_line(asked.output, answer)
            n += 1
    tell(f"{asked.output} has {n} trees; `eigenparse train lpcfg {asked.output}` learns from them")
    return n


def _filled(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def append_line(path: Path, line: str) -> None:
    """Add a line to the end of a file and flush it to disk."""
    with path.open("ab") as stream:
        stream.write(f"{line}\n".encode())
        stream.flush()
        os.fsync(stream.fileno())


def corrected(grammar: Grammar, request: Request, prompt: Ask) -> str | None:
    """The tree that was accepted in the end, "" for a sentence left out, None to end."""
    drafts = [Draft.of(grammar, request)]
    print("\n".join(shown(drafts[-1].parse)))
    while True:
        try:
            words = prompt("> ").split()
        except EOFError:
            return None
        if not words:
            return drafts[-1].parse.tree
        if words[0] in ("q", "s"):
            return None if words[0] == "q" else ""
        if words[0] == "u":
            drafts = drafts[:-1] or drafts
        else:
            try:
                drafts.append(fixed(grammar, drafts[-1], words))
                if drafts[-1].parse.status == "imposed":
                    print("no tree of the grammar has this; it is put into the tree as given")
            except (DataError, ValueError, IndexError) as problem:
                print(problem if isinstance(problem, DataError) else f"not understood\n{HELP}")
                continue
        print("\n".join(shown(drafts[-1].parse)))


def shown(parse: Parse) -> Iterator[str]:
    """The tree as a picture, and its constituents and words with their numbers."""
    yield text(parse)
    for number, one in enumerate(parse.brackets, start=1):
        words = " ".join(parse.tokens[one.start : one.end])
        yield f"{number:4d}  {one.label:8s} {one.posterior:5.2f}  {one.start + 1}-{one.end}  {words}"
    yield "      " + " ".join(f"{i}:{w}/{t.tag}" for i, (w, t) in enumerate(zip(parse.tokens, parse.tags), 1))


def fixed(grammar: Grammar, draft: Draft, words: list[str]) -> Draft:
    """The draft after one correction."""
    request, parse = draft.request, draft.parse
    if words[0] == "t":
        tags: list[Tag] = list(request.tags or [None] * len(request.tokens))
        tags[_index(words[1], len(tags))] = words[2]
        return draft.corrected(grammar, tags=tuple(tags))
    if words[0] == "x":
        one = parse.brackets[_index(words[1], len(parse.brackets))]
        return draft.corrected(grammar, span_limits((), [(one.start, one.end, one.label)]))
    first, _, last = words[0].partition("-")
    if last:
        start, end = int(first) - 1, int(last)
        spans = [(start, end, words[1]) if len(words) > 1 else (start, end)]
        return draft.corrected(grammar, span_limits(spans))
    one = parse.brackets[_index(first, len(parse.brackets))]
    wrong = [(one.start, one.end, one.label)] if one.label != words[1] else []
    return draft.corrected(grammar, span_limits([(one.start, one.end, words[1])], wrong))


def _index(word: str, n: int) -> int:
    """A number counted from 1."""
    number = int(word)
    if not 1 <= number <= n:
        raise DataError(f"{number} is none of 1 to {n}; look at the numbers above")
    return number - 1
