"""Input text in, sentences of tokens out; its format is recognised, and a message says how it is read."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise

from eigenparse.batch.lines import open_lines, sentence_lines, shifted
from eigenparse.batch.requests import AUTO, RAW, RAW_LINES, STANDARD_INPUT, TOKENS, ParseRequest
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.cleaning import Normalisation, refuse_absent
from eigenparse.corpus.columns import sentences_of
from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.files import unpacker
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.recognise import (
    HEAD,
    NAMES,
    REMEDIES,
    is_clearly_tokenised,
    misplaced,
    recognise_bytes,
    recognise_lines,
)
from eigenparse.corpus.tokenise import line_tokens, sentence_tokens, split_sentences, tokens_of
from eigenparse.errors import FormatError, OptionError
from eigenparse.work.progress import tell

LOOK = 200  # lines that tell what a text is
MOST = 0.9  # share of lines that must match
SENTENCES = 500  # of CoNLL-U that are read at a time
Words = Iterator[list[str] | None]
_CLOSING = "\"'”’)]»"
_MARKED = {
    "markdown": "marks",
    "mail": "header lines",
}  # kinds of plain text, and what of them is no sentence
_SAID = {
    TOKENS: "",
    RAW: "looks like plain text: it was split into sentences and tokens; --tokens reads it as it is",
    RAW_LINES: "looks like plain text with a sentence on each line: it was split into tokens; --raw joins lines, "
    "--tokens reads it as it is",
    "trees": "holds bracketed trees; their words are parsed",
    "conllu": "holds CoNLL-U; its words are parsed",
}


def sentences(
    asked: ParseRequest,
    style: Mapping[str, str],
    normalisation: Normalisation = Normalisation(),
    lines: Iterator[str] | None = None,
) -> Words:
    """The tokens of each sentence, None for an empty line.

    style: how a treebank writes quotation marks and compounds.  normalisation: how trees are cleaned of which only
    the words are wanted.  lines: of the source, where it was opened already.  Raises FormatError for what is neither
    text, trees nor CoNLL-U.
    """
    lines = opened(asked) if lines is None else lines
    if asked.reading == AUTO and is_interactive(asked):
        return (tokens_of(line, **style) or None for line in lines)
    head = list(islice(lines, LOOK))
    kind = recognise_lines(head)
    if kind == "empty" and asked.text is None and str(asked.source) != STANDARD_INPUT and len(head) < LOOK:
        raise misplaced(kind, name_of(asked), "text")
    how = asked.reading if asked.reading != AUTO else _chosen(kind, head, asked)
    if asked.drop and how != "trees":
        raise OptionError("--drop takes nodes out of trees, and the input holds none; leave it out")
    for sentence in _said(asked, kind, how, head):
        tell(sentence)
    readers: dict[str, Callable[[Iterable[str]], Words]] = {
        TOKENS: lambda text: (line.split() or None for line in text),
        RAW: lambda text: iter(sentence_tokens(text, **style)),
        RAW_LINES: lambda text: (tokens or None for tokens in line_tokens(text, **style)),
        "trees": lambda text: _tree_words(text, name_of(asked), normalisation, asked.drop),
        "conllu": lambda text: _conllu_words(text, name_of(asked)),
    }
    return readers[how](chain(head, lines))


def opened(asked: ParseRequest) -> Iterator[str]:
    """The lines of the text or of the source."""
    return open_lines(asked.source) if asked.text is None else iter(asked.text.split("\n"))


def n_sentences(asked: ParseRequest) -> int | None:
    """Number of sentences of a file with one per line, or of CoNLL-U; None if it is not known in advance."""
    path = asked.constraints or asked.source
    if asked.text is not None or not path.is_file():
        return None
    with path.open("rb") as stream:
        head = stream.read(HEAD)
        if unpacker(head) or recognise_bytes(head):
            return None
        lines = head.decode("utf-8", "replace").split("\n")[:LOOK]
        kind = recognise_lines(lines)
        if kind == "text" and asked.reading not in (RAW_LINES, TOKENS) and not _has_sentence_lines(lines):
            return None
        end = {"conllu": b"\n\n", "tokens": b"\n", "text": b"\n", "tagged": b"\n"}.get(kind)
        return (
            None
            if end is None
            else head.count(end) + sum(part.count(end) for part in iter(lambda: stream.read(HEAD), b""))
        )


def is_interactive(asked: ParseRequest) -> bool:
    """Whether sentences are typed at a terminal and each answer is awaited."""
    return asked.text is None and str(asked.source) == STANDARD_INPUT and sys.stdin.isatty()


def name_of(asked: ParseRequest) -> str:
    """The name of the input in messages."""
    if asked.text is not None:
        return "the text"
    return "standard input" if str(asked.source) == STANDARD_INPUT else str(asked.source)


def _chosen(kind: str, head: list[str], asked: ParseRequest) -> str:
    """How text of a kind is read."""
    if asked.tagged and kind not in ("trees", "conllu"):
        return TOKENS
    if kind in ("trees", "conllu"):
        return kind
    if kind == "text" or kind in _MARKED:
        return RAW_LINES if _has_sentence_lines(head) else RAW
    if kind in ("tokens", "empty"):
        return TOKENS
    raise misplaced(kind, name_of(asked), "text")


def _has_sentence_lines(lines: list[str]) -> bool:
    """Whether nearly every line is one sentence: it ends like one, and no other ends inside."""
    filled = [line.strip() for line in lines if line.strip()]
    whole = sum(
        line.rstrip(_CLOSING).endswith((".", "!", "?", "…")) and len(split_sentences(line)) == 1
        for line in filled
    )
    return len(filled) > 1 and whole >= MOST * len(filled)


def _said(asked: ParseRequest, kind: str, how: str, head: list[str]) -> Iterator[str]:
    """The message about how the input is read."""
    name = name_of(asked)
    if kind in _MARKED:
        yield f"{name} looks like {NAMES[kind]}, and its {_MARKED[kind]} are parsed as text, too; {REMEDIES[kind]}"
        return
    if asked.reading == AUTO:
        if _SAID[how] and (asked.text is None or how in ("trees", "conllu")):
            yield f"{name} {_SAID[how]}"
        return
    looks = NAMES[kind]
    if kind in ("tokens", "text") and how == TOKENS:
        wrong = kind == "text"
    elif kind == "tokens":
        wrong, looks = is_clearly_tokenised("\n".join(head)), "tokenised text"
    else:
        wrong = kind not in ("text", "empty")
    if wrong:
        yield (
            f"{name} looks like {looks} but --{how} reads it differently; "
            "leave the option out to have the format recognised"
        )


def _tree_words(
    lines: Iterable[str], source: str, normalisation: Normalisation, drop: Sequence[str]
) -> Words:
    """The words of trees, which may spread over lines.  drop: labels of nodes that are taken out, too."""
    trees = parse_trees("\n".join(lines), source)
    refuse_absent(drop, trees.labels)
    normalisation = replace(normalisation, dropped=(*normalisation.dropped, *drop))
    yield from map(list, sentences_of(normalise(trees, options=normalisation)))


def _conllu_words(lines: Iterable[str], source: str) -> Words:
    """The forms of CoNLL-U."""
    for first, part in sentence_lines(lines, SENTENCES):
        try:
            found = read_lines(part, source=source, heads=False).trees
        except FormatError as problem:
            raise shifted(problem, first) from None
        forms, ends = found.strings("form"), found.offsets.tolist()
        yield from (list(forms[i:j]) for i, j in pairwise(ends))
