"""The first bytes of a file in, its kind out, so that no file is silently read as something else."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import dropwhile, takewhile

from eigenparse.errors import FormatError

# The answers of ``recognise``, and how messages name them.
NAMES = {
    "text": "plain text",
    "tokens": "tokenised text, one sentence per line",
    "trees": "bracketed trees",
    "conllu": "CoNLL-U",
    "columns": "columns, one token per line",
    "tagged": "words with their tags, as the_DT",
    "table": "a table",
    "spaced": "CoNLL-U with blanks between its columns",
    "square": "trees in square brackets",
    "partial": "partial trees, with brackets around some phrases",
    "unclosed": "a partial tree with a bracket that is never closed",
    "code": "source code",
    "config": "a file of settings (YAML, TOML or INI)",
    "log": "a log file",
    "markdown": "Markdown",
    "mail": "an e-mail",
    "subtitles": "a file of subtitles",
    "numbers": "a table of numbers, as files of word vectors are",
    "phones": "a phone alignment",
    "json": "JSON",
    "markup": "HTML or XML",
    "model": "a model file",
    "audio": "audio",
    "packed": "a compressed file or archive",
    "document": "a document (PDF, Word, Excel, RTF)",
    "binary": "binary data",
    "empty": "an empty file",
}
# What to do with a file that was given where something else is expected.
REMEDIES = {
    "text": "`eigenparse parse` reads plain text",
    "tokens": "`eigenparse parse` reads tokenised text",
    "trees": "`eigenparse convert` makes CoNLL-U, words or tags of trees",
    "conllu": "`eigenparse train dependency` learns from CoNLL-U",
    "columns": "`eigenparse train rhmm` and `eigenparse tag` read columns",
    "tagged": "`eigenparse parse --tagged` and `eigenparse train rhmm` read lines of word_TAG, with _ before the tag",
    "table": "take its column of text out, one sentence per line",
    "spaced": "separate its ten columns by tabs",
    "square": "write (S (NP ...)), with round brackets and a tag over each word",
    "partial": "`eigenparse parse MODEL --constraints FILE` keeps such brackets",
    "unclosed": "add ')', and give the file as `eigenparse parse MODEL --constraints FILE`",
    "code": "give text or trees in a language that people speak",
    "config": "put the sentences that are meant into a file of their own",
    "log": "put the sentences that are meant into a file of their own",
    "markdown": "save it as plain text",
    "mail": "save its text without the header",
    "subtitles": "leave out the lines of numbers and times",
    "numbers": "give text or trees",
    "phones": "`eigenparse train phones` reads alignments beside recordings, `eigenparse evaluate` scores them",
    "json": "give the text itself, one sentence per line",
    "markup": "save the page as plain text first",
    "model": "give the model as MODEL and a corpus or text here",
    "audio": "`eigenparse transcribe` reads recordings",
    "packed": "unpack it first",
    "document": "save it as plain text in UTF-8 first",
    "binary": "give a text file in UTF-8",
    "empty": "check that it is the right file",
}
HEAD = 64 * 1024  # bytes that are enough to tell
_TREE = re.compile(r"\s*\(\s*(?:[^\s()]+\s*)?\([^\s()]|\s*\([^\s()]+ [^\s()]+\)")
_CONLLU = re.compile(r"(?:\d+(?:[-.]\d+)?)\t[^\t]*(?:\t[^\t]*){8}$")
_PHONE = re.compile(r"\d+ \d+ \S+")
_MAGIC = (
    (b"RIFF", "audio"), (b"fLaC", "audio"), (b"NIST_1A", "audio"), (b"OggS", "audio"), (b"ID3", "audio"),
    (b"PK\x03\x04", "packed"), (b"\x1f\x8b", "packed"), (b"\xfd7zXZ", "packed"), (b"BZh", "packed"),
    (b"%PDF", "document"), (b"{\\rtf", "document"), (b"\xd0\xcf\x11\xe0", "document"), (b"\x89PNG", "binary"),
    (b"\xff\xd8\xff", "binary"),
)  # fmt: skip
_OFFICE = (b"[Content_Types].xml", b"mimetypeapplication/")  # in the archives that newer programs write


_WIDE = re.compile(
    rb"(?:[\t-~]\0){4}|(?:\0[\t-~]){4}|[\t-~]\0{3}[\t-~]\0{3}|\0{3}[\t-~]\0{3}[\t-~]"
)  # UTF-16 or UTF-32
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f"))


def recognise(head: bytes) -> str:
    """One of ``NAMES`` for a file that begins with these bytes (after decompression, if it was compressed).

    >>> recognise(b"(ROOT (S (NP (NN rain)) (VP (VBZ falls))))"), recognise(b"The rain falls .")
    ('trees', 'tokens')
    """
    kind = recognise_bytes(head)
    if kind is not None:
        return kind
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.count("\ufffd") > 0.05 * len(text) + 1:
        return "binary"
    return recognise_lines(text.split("\n"))


def recognise_bytes(head: bytes) -> str | None:
    """The kind of a file that is no text by its first bytes; None for one that may be text."""
    if len(head) > 9 and head[8:9] == b"{" and b"eigenparse" in head[:HEAD] and head[4:8] == b"\0\0\0\0":
        return "model"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            office = kind == "packed" and any(name in head[:HEAD] for name in _OFFICE)
            return "document" if office else kind
    if b"\0" in head[:HEAD]:
        return "binary"
    controls = len(head[:HEAD]) - len(head[:HEAD].translate(None, _CONTROLS))
    return "binary" if controls > max(1, len(head[:HEAD]) // 50) else None


def misplaced(kind: str, source: str, wanted: str) -> FormatError:
    """The error for a file of one kind where another is expected."""
    return FormatError(
        f"this is {NAMES[kind]}, where {wanted} should be", source=source, line=1, remedy=REMEDIES[kind]
    )


def refuse_bytes(head: bytes, source: str) -> None:
    """FormatError for binary files and other encodings: models, recordings, archives, pictures, UTF-16."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _WIDE.match(head):
        raise FormatError(
            "the text is UTF-16 or UTF-32", source=source, line=1, remedy="convert the file to UTF-8"
        )
    kind = recognise_bytes(head)
    if kind is not None:
        raise misplaced(kind, source, "text")


NO_PROSE = (
    "trees", "partial", "unclosed", "conllu", "columns", "phones", "json", "markup", "subtitles", "config", "log",
)  # fmt: skip


def refuse_no_prose(lines: Sequence[str], source: str) -> None:
    """FormatError for data instead of prose: trees, CoNLL-U, columns, alignments, JSON, markup."""
    kind = recognise_lines(lines)
    if kind in NO_PROSE:
        raise misplaced(kind, source, "plain text")


def may_be_trees(head: bytes) -> bool:
    """Whether a file that begins so has brackets: most of its lines begin or end with one."""
    lines = [line.strip() for line in head[:HEAD].split(b"\n") if line.strip() and not line.startswith(b"#")]
    return 2 * sum(line.startswith((b"(", b")")) or line.endswith(b")") for line in lines) >= len(lines)


def recognise_lines(lines: Sequence[str]) -> str:
    """The same for text that was decoded already."""
    filled = [line.rstrip("\r") for line in lines if line.strip()]
    if not filled:
        return "empty"
    body = [line for line in filled if not line.startswith("#")] or filled
    first = body[0].lstrip()
    if _CONLLU.match(body[0]):
        return "conllu"
    if "ooTextFile" in first or all(_PHONE.fullmatch(line.strip()) for line in body[:-1] or body):
        return "phones"
    if first.startswith(("<!", "<?xml", "<html", "<HTML", "<svg")):
        return "markup"
    if first[:1] in "{[" and _is_json(first, filled):
        return "json"
    if _is_partial(body):
        return "unclosed" if sum(line.count("(") - line.count(")") for line in body) > 0 else "partial"
    if _is_mail(lines):
        return "mail"
    if _is_config(filled):
        return "config"
    if _is_log(filled):
        return "log"
    if _is_code(filled):
        return "code"
    if _TREE.match("\n".join(body[:2])):  # a root label may stand on a line alone
        return "trees"
    if _is_columns(lines):
        return "columns"
    for kind, fits in _DATA.items():
        if fits(body):
            return kind
    if _is_markdown(filled):
        return "markdown"
    return "tokens" if _is_tokenised(filled) else "text"


def _is_json(first: str, lines: Sequence[str]) -> bool:
    """Whether the text is JSON or JSON lines; a document that is cut off counts by its beginning."""
    for text in (first, "\n".join(lines)):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            continue
        return True
    return bool(re.match(r'[{\[]\s*(?:"[^"]*"\s*[:,\]]|[{\[]|$)', first))


_LABEL = re.compile(r"[A-Z][A-Z0-9$|:-]*|O")


def _is_columns(lines: Sequence[str]) -> bool:
    """Whether all lines have the same number of fields, the last one a label, with blank lines between sequences."""
    filled = [line.split() for line in lines if line.strip()]
    if len(filled) == len(lines) or len(filled) < 3:
        return False
    widths = {len(fields) for fields in filled[:-1] or filled}
    labels = sum(_LABEL.fullmatch(fields[-1]) is not None for fields in filled)
    return len(widths) == 1 and widths.pop() in range(2, 7) and 2 * labels >= len(filled)


_TAGGED = re.compile(r"\S+[_/](?:[A-Z][A-Z0-9$|+*:-]*|[.,:$#`'-]+|-[LR][RSC]B-)")
_SPACED = re.compile(r"\d+(?:[-.]\d+)?(?: +\S+){5} +(?:\d+|_)(?: +\S+){1,3}\s*")
_SQUARE = re.compile(r"\s*\[\s*[A-Z][^\s\[\]]*\s+\S")
_NUMBER = re.compile(r"-?\d*[.,]?\d+(?:[eE][-+]?\d+)?")


def _is_tagged(lines: Sequence[str]) -> bool:
    """Whether nearly every token ends in a tag."""
    tokens = [token for line in lines for token in line.split()]
    return len(tokens) > 2 and sum(map(bool, map(_TAGGED.fullmatch, tokens))) >= 0.9 * len(tokens)


def _is_table(lines: Sequence[str]) -> bool:
    """Whether lines have the same number of tabs, or of commas or semicolons without a blank after them."""
    if min(line.count("\t") for line in lines) >= 7 or all(re.match(r"\d+\t", line) for line in lines):
        return True
    counts = [{line.count(mark) for line in lines} for mark in "\t,;"]
    tight = not any(", " in line or "; " in line for line in lines)
    return len(lines) > 2 and any(
        len(found) == 1 and min(found) > 0 and (mark == "\t" or tight) for mark, found in zip("\t,;", counts)
    )


def _is_numbers(lines: Sequence[str]) -> bool:
    """Whether every line after the first is a name and several numbers, some of them with a point."""
    rows = [line.split() for line in lines[1:]]
    values = [value for row in rows for value in row[1:]]
    whole = all(len(row) > 2 for row in rows) and all(map(_NUMBER.fullmatch, values))
    return bool(rows) and whole and any("." in value for value in values)


_PHRASE = re.compile(
    r"\((?:SBARQ?|SINV|SQ|S|WH(?:NP|PP|ADVP|ADJP)|NP|VP|PP|ADJP|ADVP|PRN|PRT|QP|FRAG|INTJ|NML|CONJP|IP|CP)"
    r"(?:-[A-Z0-9-]+)?\s+[^\s()]"
)
_CODE = re.compile(
    r"""\#!/ | (?:import\s[\w.]+(?:\sas\s\w+)?|from\s[\w.]+\simport\s.*)$ | (?:async\sdef|def|class)\s\w.*:$
    | (?:if|for|while|elif|with|try|else|except)\b.*:$ | (?:\#include|\#define|package|using|namespace)\s\S+;?$
    | (?:public|private|static|const|let|var|function|export|fn|func)\s\w.*[;{})]$ | .*(?:[{}]|[)\]}]\s*;)$
    | [\w.\[\]]+(?::\s\w+)?\s*[-+*/|]?=\s*(?:\S+|\S.*[)\]}"';,\\])$ | [\w.]+\(.*\)$
    | (?:return|raise|yield)\s.*[\w)\]"'](?<![.!?])$
    | \((?:defun|define|defvar|let|setq|ns|lambda)\s""",
    re.VERBOSE,
)
_TIMES = re.compile(r"(?:\d+:)?\d+:\d+[,.]\d+ +--> +(?:\d+:)?\d+:\d+[,.]\d+")


def _is_partial(lines: Sequence[str]) -> bool:
    """Whether half of the lines or more have words beside or directly inside a bracket with a phrase's label."""
    marked = [line for line in lines if line.count("(") >= line.count(")") and _PHRASE.search(line)]
    return 2 * len(marked) >= len(lines) and 2 * sum(map(_has_bare_words, marked)) > len(lines)


def _has_bare_words(line: str) -> bool:
    """Whether words stand outside all brackets, or several in one."""
    parts = re.split(r"[()]", re.sub(r"\([^\s()]*", "(", line.strip()))
    return bool(parts[0] or parts[-1]) or any(len(part.split()) > 1 for part in parts)


def _is_code(lines: Sequence[str]) -> bool:
    """Whether two lines or more, and a third of all, look like a programming language."""
    marked = sum(_CODE.match(line.strip()) is not None for line in lines)
    return marked > 1 and 3 * marked >= len(lines)


_HEADER = re.compile(
    r"(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Return-Path|Delivered-To|Received|Message-ID|MIME-Version|"
    r"Content-[A-Z][\w-]*|X-[\w-]+): ?\S",
    re.IGNORECASE,
)
_SETTING = re.compile(r"\s*(?:-\s+)*(?P<name>[\w./\"'-]+)\s*:(?:\s+(?P<value>\S.*))?$")
_SECTION = re.compile(r"\[\[?[\w.\"' :/-]+\]\]?$")
_ASSIGNED = re.compile(r"\s*[\w.\"'-]+\s*=\s*\S*")
_SENTENCE_END = re.compile(r"[^\W\d_][.!?][\"'”]?$")
_LOGGED = re.compile(
    r"\W?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d | \W?\d\d:\d\d:\d\d\W.*\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"
    r" | [A-Z][a-z]{2}\s+\d+\s\d\d:\d\d:\d\d\s | \[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[\]:\s]"
    r" | [\d.]+\s-\s\S+\s\[\d+/[A-Z][a-z]{2}/\d{4}:",
    re.VERBOSE,
)


def _is_mail(lines: Sequence[str]) -> bool:
    """Whether the text begins with two header lines or more, which a blank line ends."""
    head = list(takewhile(str.strip, dropwhile(lambda line: not line.strip(), lines)))
    known = sum(map(bool, map(_HEADER.match, head)))
    return known > 1 and bool(_HEADER.match(head[0])) and 2 * known >= len(head)


def _is_config(lines: Sequence[str]) -> bool:
    """Whether the lines are names with short values: with colons and indents, or with = below names in brackets."""
    body = [line for line in lines if not line.lstrip().startswith(("#", ";"))] or lines
    if _SECTION.match(body[0]) or any(map(_SECTION.match, body[1:])):
        set_here = sum(bool(_SECTION.match(line) or _ASSIGNED.match(line)) for line in body)
        return 5 * set_here >= 3 * len(body) and any(map(_ASSIGNED.match, body))
    found = [one for one in map(_SETTING.match, body) if one]
    rows = sum(line.lstrip().startswith("- ") and not _SETTING.match(line) for line in body)
    small = [
        one for one in found if one["value"] is None or one["name"][:1].islower() or one["name"][:1] in "\"'"
    ]
    short = [one for one in found if len((one["value"] or "").split()) < 4]
    ends = sum(map(bool, map(_SENTENCE_END.search, body)))
    marks = sum(line.strip() in ("---", "...") for line in body)
    return (
        len(found) > 1 and 10 * (len(found) + rows + marks) >= 8 * len(body) and 2 * len(small) > len(found)
        and 2 * len(short) >= len(found) and 5 * ends <= len(body)
    )  # fmt: skip


def _is_log(lines: Sequence[str]) -> bool:
    """Whether two lines or more, and half of all, begin with a time or with what a program calls their importance."""
    marked = sum(map(bool, map(_LOGGED.match, lines)))
    return marked > 1 and 2 * marked >= len(lines)


_HEADING = re.compile(r" {0,3}#{1,6} +[^\W\d_][^=]*$")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) +\S")
_LINK = re.compile(r"\[[^\]]+\]\((?:https?:|[\w./#-]+\))|(?:^|\s)\*\*\w[^*]*\*\*")


def _is_markdown(lines: Sequence[str]) -> bool:
    """Whether text has headings, fences of code, links, or lists of two items or more."""
    apart, attached = _marks(lines)
    if apart > attached:
        return False
    if any(_HEADING.match(line) or _FENCE.match(line) or _LINK.search(line) for line in lines):
        return True
    items = sum(map(bool, map(_ITEM.match, lines)))
    return items > 1 and 3 * items >= len(lines)


_DATA: dict[str, Callable[[Sequence[str]], bool]] = {
    "spaced": lambda lines: lines[0][:1] in "01" and all(map(_SPACED.fullmatch, lines[:-1] or lines)),
    "table": _is_table,
    "tagged": _is_tagged,
    "square": lambda lines: (
        bool(_SQUARE.match(lines[0]))
        and sum(line.count("[") - line.count("]") for line in lines) == 0
        and 2 * sum(line.lstrip().startswith("[") for line in lines) >= len(lines)
    ),
    "numbers": _is_numbers,
    "subtitles": lambda lines: 6 * sum(map(bool, map(_TIMES.match, lines))) > len(lines),
}
_ATTACHED = re.compile(
    r"""[^\W\d_][,;:!?](?:\s|$) | [^\W\d_]{2}[.]$ | [^\W_]n['’]t\b | [^\W_]['’](?:s|re|ve|ll|m|d)\b | ["(]\w""",
    re.VERBOSE,
)
_APART = re.compile(r"""(?:^|\s)(?:[.,;:!?]|n['’]t|['’](?:s|re|ve|ll|m|d)|``|''|-LRB-|-RRB-)(?=\s|$)""")


def _is_tokenised(lines: Sequence[str]) -> bool:
    """Whether most punctuation and clitics are separate tokens; text with neither counts as tokenised."""
    apart, attached = _marks(lines)
    return apart >= max(attached, 1) or not attached


def is_clearly_tokenised(sentence: str) -> bool:
    """Whether a string is tokenised: some punctuation or clitics are separate, and more than are attached.

    >>> [is_clearly_tokenised(one) for one in ("It 's you .", "It's you.", "It rains")]
    [True, False, False]
    """
    apart, attached = _marks([sentence])
    return apart > attached


def _marks(lines: Sequence[str]) -> tuple[int, int]:
    """How many punctuation marks and clitics are separate, and how many are attached to a word."""
    apart = sum(len(_APART.findall(line)) for line in lines)
    return apart, sum(len(_ATTACHED.findall(line.rstrip())) for line in lines)
