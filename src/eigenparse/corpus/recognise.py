"""The beginning of a file in, what kind of file it is out: so that nothing is silently read as something else."""

import json
import re
from collections.abc import Sequence

# What ``recognise`` may answer, and how a sentence names it.
NAMES = {
    "text": "plain text",
    "tokens": "tokenised text, one sentence per line",
    "trees": "bracketed trees",
    "conllu": "CoNLL-U",
    "columns": "columns, one token per line",
    "json": "JSON",
    "markup": "HTML or XML",
    "model": "a model file",
    "audio": "audio",
    "packed": "a compressed file or archive",
    "binary": "binary data",
    "empty": "nothing",
}
HEAD = 64 * 1024  # bytes that are enough to tell
_TREE = re.compile(r"\s*\(\s*(?:[^\s()]+\s*)?\(|\s*\([^\s()]+ [^\s()]+\)")
_CONLLU = re.compile(r"(?:\d+(?:[-.]\d+)?)\t[^\t]*(?:\t[^\t]*){8}$")
_MAGIC = (
    (b"RIFF", "audio"), (b"fLaC", "audio"), (b"NIST_1A", "audio"), (b"OggS", "audio"), (b"ID3", "audio"),
    (b"PK\x03\x04", "packed"), (b"\x1f\x8b", "packed"), (b"\xfd7zXZ", "packed"), (b"BZh", "packed"),
    (b"%PDF", "binary"), (b"\x89PNG", "binary"), (b"\xff\xd8\xff", "binary"),
)  # fmt: skip


def recognise(head: bytes) -> str:
    """One of ``NAMES`` for a file that begins with these bytes (after decompression, if it was compressed).

    >>> recognise(b"(ROOT (S (NP (NN rain)) (VP (VBZ falls))))"), recognise(b"The rain falls .")
    ('trees', 'tokens')
    """
    if len(head) > 9 and head[8:9] == b"{" and b"eigenparse" in head[:HEAD] and head[4:8] == b"\0\0\0\0":
        return "model"
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if b"\0" in head:
        return "binary"
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.count("\ufffd") > 0.05 * len(text) + 1:
        return "binary"
    return recognise_lines(text.split("\n"))


def recognise_lines(lines: Sequence[str]) -> str:
    """The same for text that was decoded already."""
    filled = [line.rstrip("\r") for line in lines if line.strip()]
    if not filled:
        return "empty"
    body = [line for line in filled if not line.startswith("#")] or filled
    first = body[0].lstrip()
    if _CONLLU.match(body[0]):
        return "conllu"
    if first.startswith(("<!", "<?xml", "<html", "<HTML")):
        return "markup"
    if first[:1] in "{[" and _is_json(first, filled):
        return "json"
    if _TREE.match(body[0]) or (first == "(" and len(body) > 1 and body[1].lstrip().startswith("(")):
        return "trees"
    if _is_columns(lines):
        return "columns"
    return "tokens" if _is_tokenised(filled) else "text"


def _is_json(first: str, lines: Sequence[str]) -> bool:
    """Whether the text is JSON or JSON lines; a document that is cut off counts by its beginning."""
    for text in (first, "\n".join(lines)):
        try:
            json.loads(text)
        except ValueError:
            continue
        return True
    return bool(re.match(r'[{\[]\s*(?:"[^"]*"\s*[:,\]]|[{\[]|$)', first))


def _is_columns(lines: Sequence[str]) -> bool:
    """Several fields per line, always as many, with blank lines between sequences."""
    filled = [line.split() for line in lines if line.strip()]
    if len(filled) == len(lines) or len(filled) < 3:
        return False
    widths = {len(fields) for fields in filled[:-1] or filled}
    return len(widths) == 1 and widths.pop() in range(2, 7)


_ATTACHED = re.compile(
    r"""[^\W\d_][,;:!?](?:\s|$) | [^\W\d_]{2,}[.]$ | [^\W_]n['’]t\b | [^\W_]['’](?:s|re|ve|ll|m|d)\b | ["(]\w""",
    re.VERBOSE,
)
_APART = re.compile(r"""(?:^|\s)(?:[.,;:!?]|n['’]t|['’](?:s|re|ve|ll|m|d)|``|''|-LRB-|-RRB-)(?=\s|$)""")


def _is_tokenised(lines: Sequence[str]) -> bool:
    """Whether punctuation and clitics stand apart more often than not; text with neither counts as tokenised."""
    apart = sum(len(_APART.findall(line)) for line in lines)
    attached = sum(len(_ATTACHED.findall(line.rstrip())) for line in lines)
    return apart >= max(attached, 1) or not attached
