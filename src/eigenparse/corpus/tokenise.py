"""Plain text in, sentences and Penn-style tokens out.

The conventions are those of the Penn Treebank: punctuation stands apart, clitics are cut off
(``do n't``, ``she 's``), double quotation marks become opening and closing ones.  Newer
treebanks also cut compounds at their hyphens.  Nothing here needs a model; rules are for English and
leave other languages' words whole.
"""

import re
from collections.abc import Iterable, Iterator

import regex

from eigenparse.corpus.recognise import is_clearly_tokenised
from eigenparse.errors import DataError, OptionError

# Words whose full stop does not end a sentence, and words that have one but may end a sentence.
_TITLES = """
mr mrs ms mx dr drs prof profs rev fr gen sen sens rep reps gov capt lt col maj cmdr sgt cpl adm st ste mt ft hon
pres messrs mme mlle supt
"""
_BEFORE = """e.g i.e vs v cf viz fig figs eq eqs ref refs sec ch vol pp p approx ca resp"""
_ANYWHERE = """
etc al inc corp ltd co bros dept univ assn est jr sr esq ave blvd rd jan feb mar apr jun jul aug sep sept oct nov
dec mon tue tues wed thu thur thurs fri sat a.m p.m u.s u.k u.n d.c ph.d b.c a.d
"""
_BEFORE_NUMBERS = frozenset({"no", "nos", "art"})  # "no. 5", but also the word "no"
_NEVER_LAST = frozenset(f"{_TITLES} {_BEFORE}".split())
_SHORT = _NEVER_LAST | frozenset(_ANYWHERE.split())
_FACE = r"[:;=]['’]?-?[()DPp](?!\w)"
# A full stop and closing marks; notes [1] and emoticons belong to what precedes them.  Or an emoticon without a stop.
_END = re.compile(
    rf"""([.!?…]+)(['"”’)\]»]*)(?:\s?\[\d+\])*(?:\s*{_FACE})*(?:\s+|$)|(?<=\s){_FACE}\s+(?=[A-Z])"""
)
_OPENS = re.compile(r"""['"“‘(\[«¿¡-]*(\w)|[$£€\#@<_]""")
_PARAGRAPHS = re.compile(r"\n\s*\n")

_CLITICS = re.compile(r"(?i)(?<=\w)(n['’]t|['’](?:s|m|d|ll|re|ve))$")
_VERBS = """do does did is are was were has have had could would should ai"""
_JOINED = {
    "cannot": 3, "gonna": 3, "gotta": 3, "lemme": 3, "gimme": 3, "wanna": 3, "'tis": 2, "'twas": 2,
    **{f"{verb}nt": -2 for verb in _VERBS.split()},
}  # fmt: skip
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]\.){2,}$|\b[A-Z]\.$")
# First parts that stay with what follows their hyphen, as annotated in newer treebanks.
_PREFIXES = """
a agro ante anti arch be bi bio co counter cross cyber de e eco ex extra inter intra macro mega micro mid mini
multi neo non over para peri post pre pro proto pseudo psycho quasi re semi socio sub super tri u ultra un uh
uni vice
"""
_STAYING = frozenset(_PREFIXES.split())
_HYPHEN = re.compile(r"(?<=[^\W_])([-/])(?=[^\W_])")
_FIGURES = re.compile(r"\d[\d.,]*(?:/\d[\d.,]*)+|\d{3}-\d{4}|\d+(?:-\d+){2,}")  # dates, fractions, telephone
# W is a letter or digit with its combining marks; \X is whatever a reader sees as one character, such as an emoji
# with its skin colour, a flag, or a family joined of several emoji.
_PIECES = regex.compile(
    r"""
    https?://(?:\([^\s<>"()]*\)|[^\s<>"(])*(?:\([^\s<>"()]*\)|[^\s<>"(.,;:!?)\]'])
    | (?:www\.)[\w-]+(?:\.[\w-]+)+(?:/[^\s<>"]*[^\s<>".,;:!?)\]'])? # addresses
  | (?:[\w-]+\.)+(?:com|org|net|edu|gov|info|io|eu|uk|de|fr|co|tv|app|dev)(?:/[^\s<>"]*[^\s<>".,;:!?)\]'])?(?![\w@])
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+ | (?<!\w)[@\#][A-Za-z_]\w*(?:[.-]\w+)*(?:['’]s\b)?  # mail, names
  | (?<![\w/])[ur]/\w+                                                    # topics
  | (?<!\S)FACE                                                           # emoticons
  | \.{2,} | … | -{2,} | [—–] | [!?]{2,} | `` | '' | ([*=_~<>])\1+          # dots, dashes, runs of marks
  | [\d\#*]\uFE0F?\u20E3                                                   # key caps
  | \d{1,2}:\d\d(?=[ap]\.?m\b) | \d{1,2}(?=[ap]m\b)                         # 7:30pm
  | [$\#£€¥]? [+-]? \d+(?:[.,:/]\d+)* (?:W+)? (?:-W+)* (?:['’]s\b)? | %               # numbers
  | (?<!\w)[A-Za-z](?:\+\+\d*|\#)(?!\w) | (?<![\w.])\.[A-Z]\w+                # C++, C#, .NET
  | '\d\ds?\b | ^['’](?:s|m|d|ll|re|ve|em|tis|twas)\b                      # '90s, 's on its own
  | W+(?:\.W+)*(?:[-/&'’]W+(?:\.W+)*)*(?:['’]|-$)? (?:\.(?!\.))?           # words
  | (?!\s)\X                                                               # everything else
    """.replace("FACE", _FACE).replace("W", r"(?:\w[\p{M}\u200C]*)"),
    regex.VERBOSE | regex.IGNORECASE,
)


def sentence_tokens(
    lines: Iterable[str], *, quotes: str = "penn", hyphens: str = "keep"
) -> Iterator[list[str]]:
    """The sentences of plain text as tokens; blank lines separate paragraphs, single line ends are blanks."""
    for paragraph in _paragraphs(lines):
        for sentence in split_sentences(paragraph):
            tokens = tokenise(sentence, quotes=quotes, hyphens=hyphens)
            if tokens:
                yield tokens


def line_tokens(lines: Iterable[str], *, quotes: str = "penn", hyphens: str = "keep") -> Iterator[list[str]]:
    """The tokens of each line, which is taken as one sentence; none for a blank line."""
    return (tokenise(line, quotes=quotes, hyphens=hyphens) for line in lines)


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    kept: list[str] = []
    for line in lines:
        if line.strip():
            kept.append(line.strip())
        elif kept:
            yield " ".join(kept)
            kept = []
    if kept:
        yield " ".join(kept)


def split_sentences(text: str) -> list[str]:
    """Cut a text into sentences at blank lines and at stops that are followed by something that may begin one.

    >>> split_sentences("Mr. Smith came at 5 p.m. He left. Did he? yes!")
    ['Mr. Smith came at 5 p.m.', 'He left.', 'Did he?', 'yes!']
    """
    if not isinstance(text, str):
        raise DataError(f"a text of type {type(text).__name__}; give a string")
    return [sentence for part in _PARAGRAPHS.split(text) for sentence in _split_paragraph(part)]


def _split_paragraph(text: str) -> list[str]:
    text = " ".join(text.split())
    found, start = [], 0
    for mark in _END.finditer(text):
        if mark.end() < len(text) and not _ends_here(text, start, mark):
            continue
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _ends_here(text: str, start: int, mark: re.Match[str]) -> bool:
    """Whether a stop inside a paragraph ends the sentence that starts there."""
    stop, closing = mark.group(1), mark.group(2)
    following = _OPENS.match(text, mark.end())
    if following is None or stop is None:
        return following is not None
    begins = following.group(1) or ""
    if begins.islower() and (closing or stop[:2] in ("..", "…")):
        return False
    if stop != ".":
        return True
    word = text[text.rfind(" ", 0, mark.start()) + 1 : mark.start()].strip("'\"“‘([")
    if begins.islower() and not (word.islower() and word.isalpha() and len(word) > 1 and word not in _SHORT):
        return False
    word = word.lower()
    if word in _NEVER_LAST or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    if word.isdecimal() and not text[start : mark.start()].removesuffix(word):
        return False  # the number of an item in a list
    return not ((word in _SHORT or word in _BEFORE_NUMBERS) and begins.isdigit())


def tokenise(sentence: str, *, quotes: str = "penn", hyphens: str = "keep") -> list[str]:
    """The tokens of one sentence.

    quotes: "penn" writes double quotation marks as two grave or acute accents, "keep" leaves them.
    hyphens: "split" cuts compounds as newer treebanks do, "keep" leaves them whole.

    >>> tokenise("They don't (really) know, she said.")
    ['They', 'do', "n't", '(', 'really', ')', 'know', ',', 'she', 'said', '.']
    >>> tokenise("A well-known non-native plant", hyphens="split")
    ['A', 'well', '-', 'known', 'non-native', 'plant']
    """
    if quotes not in ("penn", "keep") or hyphens not in ("split", "keep"):
        raise OptionError(
            f"quotes are 'penn' or 'keep', hyphens 'split' or 'keep'; got {quotes!r}, {hyphens!r}"
        )
    if not isinstance(sentence, str):
        raise DataError(f"a sentence of type {type(sentence).__name__}; give a string")
    tokens: list[str] = []
    chunks = sentence.split()
    for chunk, following in zip(chunks, [*chunks[1:], ""]):
        if not tokens and following and re.fullmatch(r"\d{1,2}\.", chunk):
            tokens.append(chunk)  # the number of an item in a list
            continue
        for piece in _PIECES.finditer(chunk):
            tokens += _cut(piece.group(), following)
    tokens = _detach_last_stop(tokens)
    if hyphens == "split":
        tokens = [part for token in tokens for part in _split_compound(token)]
    return _told_quotes(tokens) if quotes == "penn" else tokens


def tokens_of(sentence: str, *, quotes: str = "penn", hyphens: str = "keep") -> list[str]:
    """The tokens of a string typed by a user: split at blanks if it is clearly tokenised, else tokenised.

    >>> tokens_of("It 's you , Mr. X ."), tokens_of("It's you.")
    (['It', "'s", 'you', ',', 'Mr.', 'X', '.'], ['It', "'s", 'you', '.'])
    """
    if is_clearly_tokenised(sentence):
        return sentence.split()
    return tokenise(sentence, quotes=quotes, hyphens=hyphens)


def _cut(piece: str, following: str) -> list[str]:
    """A piece of a chunk as tokens: currency, clitics and stray marks come off."""
    if len(piece) > 1 and (piece[0] in "$£€¥" or (piece[0] == "#" and piece[1].isdigit())):
        return [piece[0], *_cut(piece[1:], following)]
    if piece.lower() in _JOINED:
        at = _JOINED[piece.lower()]
        return [piece[:at], piece[at:]]
    if piece[-1:] == "." and len(piece) > 1 and not _keeps_stop(piece, following):
        return [*_cut(piece[:-1], following), "."]
    clitic = _CLITICS.search(piece)
    if clitic:
        return [*_cut(piece[: clitic.start()], following), clitic.group()]
    if piece[-1:] in "'’" and len(piece) > 1 and piece[0] not in "'’":
        return [piece[:-1], piece[-1]]
    return [piece]


def _keeps_stop(piece: str, following: str) -> bool:
    """Whether a full stop belongs to its word: abbreviations, initials, dots in a row."""
    bare = piece[:-1].lower()
    if bare in _BEFORE_NUMBERS:
        return following[:1].isdigit()
    return bare in _SHORT or bool(_ABBREVIATION.search(piece)) or not piece.strip(".")


def _detach_last_stop(tokens: list[str]) -> list[str]:
    """Separate the full stop at the end, unless it belongs to an abbreviation."""
    closing = {'"', "'", "”", "’", ")", "]", "''"}
    last = next((i for i in range(len(tokens) - 1, -1, -1) if tokens[i] not in closing), -1)
    if last < 0 or len(tokens[last]) < 2 or not tokens[last].endswith(".") or not tokens[last].strip("."):
        return tokens
    word = tokens[last]
    parts = [word, "."] if _keeps_stop(word, "") else [word[:-1], "."]
    return [*tokens[:last], *parts, *tokens[last + 1 :]]


def _split_compound(token: str) -> list[str]:
    """A compound cut at its hyphens and slashes; addresses, dates and prefixed words stay whole."""
    if (
        len(token) < 3
        or "//" in token
        or "@" in token
        or token.startswith("www.")
        or _FIGURES.fullmatch(token)
    ):
        return [token]
    parts = _HYPHEN.split(token)  # words at even places, marks between them
    done = [parts[0]]
    for mark, word in zip(parts[1::2], parts[2::2]):
        if mark == "-" and done[-1].lower() in _STAYING:
            done[-1] += mark + word
        else:
            done += [mark, word]
    return done


def _told_quotes(tokens: list[str]) -> list[str]:
    """Straight and curly double quotation marks as opening and closing ones, in turn."""
    opened, told = False, []
    for token in tokens:
        if token in ('"', "“", "”"):
            opening = token == "“" or (token == '"' and not opened)
            opened, token = opening, "``" if opening else "''"
        told.append(token)
    return told
