"""Plain text in, sentences and Penn-style tokens out.

The conventions are those of the Penn Treebank: punctuation stands apart, clitics are cut off
(``do n't``, ``she 's``), double quotation marks are told into opening and closing ones.  Nothing
here needs a model; rules are for English and leave other languages' words whole.
"""

import re

# Words whose full stop does not end a sentence, and words that have one but may end a sentence.
_TITLES = """mr mrs ms dr prof rev gen sen rep gov capt lt col sgt st hon pres messrs mme mlle"""
_BEFORE = """e.g i.e vs cf fig figs eq eqs no nos vol pp p approx ca"""
_ANYWHERE = """
etc al inc corp ltd co dept est jr sr jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
a.m p.m u.s u.k u.n d.c ph.d b.c a.d
"""
_NEVER_LAST = frozenset(f"{_TITLES} {_BEFORE}".split())
_SHORT = _NEVER_LAST | frozenset(_ANYWHERE.split())
_END = re.compile(r"""([.!?…]+)(['"”’)\]»]*)(\s+|$)""")
_OPENS = re.compile(r"""['"“‘(\[«¿¡-]*([\w])""")

_CLITICS = re.compile(r"(?i)(?<=\w)(n['’]t|['’](?:s|m|d|ll|re|ve))$")
_JOINED = {
    "cannot": (3,), "gonna": (3,), "gotta": (3,), "lemme": (3,), "gimme": (3,), "wanna": (3,), "'tis": (2,),
    "'twas": (2,),
}  # fmt: skip
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.){2,}$|[A-Z]\.$")
_PIECES = re.compile(
    r"""
    https?://[^\s<>"]+[^\s<>".,;:!?)\]'] | [\w.+-]+@[\w-]+(?:\.[\w-]+)+     # addresses
  | \.{2,} | … | -{2,} | [—–]                                               # dots and dashes
  | [$#£€¥]? [+-]? \d+(?:[.,:/]\d+)* (?:\w+)? (?:-\w+)* | %                # numbers
  | '\d\ds?\b                                                              # '90s
  | \w+(?:\.\w+)*(?:[-/&'’]\w+(?:\.\w+)*)*['’]? (?:\.(?!\.))?              # words
  | \S                                                                     # everything else
    """,
    re.VERBOSE,
)


def split_sentences(text: str) -> list[str]:
    """Cut a paragraph into sentences at stops that are followed by something that may begin one.

    >>> split_sentences("Mr. Smith came at 5 p.m. He left. Did he? Yes!")
    ['Mr. Smith came at 5 p.m.', 'He left.', 'Did he?', 'Yes!']
    """
    text = " ".join(text.split())
    found, start = [], 0
    for mark in _END.finditer(text):
        if mark.end() < len(text) and not _ends_here(text, mark):
            continue
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _ends_here(text: str, mark: re.Match[str]) -> bool:
    """Whether a stop inside a paragraph ends a sentence."""
    following = _OPENS.match(text, mark.end())
    if following is None or following.group(1).islower():
        return False
    if mark.group(1) != ".":
        return True
    before = text[: mark.start()].rsplit(None, 1)[-1:] or [""]
    word = before[0].strip("'\"“‘([").lower()
    if word in _NEVER_LAST or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    return not (word in _SHORT and following.group(1).isdigit())


def tokenise(sentence: str, *, quotes: str = "penn") -> list[str]:
    """The tokens of one sentence.

    quotes: "penn" writes double quotation marks as two grave or acute accents, "keep" leaves them.

    >>> tokenise("They don't (really) know, she said.")
    ['They', 'do', "n't", '(', 'really', ')', 'know', ',', 'she', 'said', '.']
    """
    tokens: list[str] = []
    for chunk in sentence.split():
        for piece in _PIECES.finditer(chunk):
            tokens += _cut(piece.group())
    tokens = _detach_last_stop(tokens)
    return _told_quotes(tokens) if quotes == "penn" else tokens


def _cut(piece: str) -> list[str]:
    """A piece of a chunk as tokens: currency, clitics and stray marks come off."""
    if len(piece) > 1 and piece[0] in "$#£€¥":
        return [piece[0], *_cut(piece[1:])]
    if piece.lower() in _JOINED:
        at = _JOINED[piece.lower()][0]
        return [piece[:at], piece[at:]]
    if piece[-1:] == "." and len(piece) > 1 and not _keeps_stop(piece):
        return [*_cut(piece[:-1]), "."]
    clitic = _CLITICS.search(piece)
    if clitic:
        return [*_cut(piece[: clitic.start()]), clitic.group()]
    if piece[-1:] in "'’" and len(piece) > 1 and piece[0] not in "'’":
        return [piece[:-1], piece[-1]]
    return [piece]


def _keeps_stop(piece: str) -> bool:
    """Whether a full stop belongs to its word: abbreviations, initials, dots in a row."""
    bare = piece[:-1].lower()
    return bare in _SHORT or bool(_ABBREVIATION.search(piece)) or not piece.strip(".")


def _detach_last_stop(tokens: list[str]) -> list[str]:
    """A sentence ends in a stop of its own, unless its last word is an abbreviation that keeps its one."""
    closing = {'"', "'", "”", "’", ")", "]", "''"}
    last = next((i for i in range(len(tokens) - 1, -1, -1) if tokens[i] not in closing), -1)
    if last < 0 or len(tokens[last]) < 2 or not tokens[last].endswith(".") or not tokens[last].strip("."):
        return tokens
    word = tokens[last]
    parts = [word, "."] if _keeps_stop(word) else [word[:-1], "."]
    return [*tokens[:last], *parts, *tokens[last + 1 :]]


def _told_quotes(tokens: list[str]) -> list[str]:
    """Straight and curly double quotation marks as opening and closing ones, in turn."""
    opened, told = False, []
    for token in tokens:
        if token in ('"', "“", "”"):
            opening = token == "“" or (token == '"' and not opened)
            opened, token = opening, "``" if opening else "''"
        told.append(token)
    return told
