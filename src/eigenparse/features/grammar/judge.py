"""Charts of sentences in; what the judge's kernels look at out: hashed words, symbols, brackets and tags in order."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntVector
from eigenparse.corpus.heads import feature_rules, rank_table
from eigenparse.kernels.grammar.judge import DENSE, FEWER, MARGIN, MORE, TEMPLATES, Seen, Symbols
from eigenparse.kernels.grammar.judge_tags import SPELLINGS, TAG_DENSE, Tagged

N_DENSE = {"brackets": DENSE, "tags": TAG_DENSE}  # how many dense features each kind of look has
N_TEMPLATES = (FEWER, MORE, TEMPLATES)  # that looks at brackets may have

MOST_KEPT = 1 << 16  # words whose hashes are remembered
ENDING = 3  # letters of a rare word that are looked at
# What stands beyond the ends of a sentence.
_MARGIN = np.full((MARGIN, SPELLINGS), 2, dtype=np.uint64).tobytes()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a grammar says about a sentence: likely brackets by start and end, likely tags by word.

    start, end, symbol, posterior: (m,) of brackets.  word, word_tag, word_posterior: (T,) of tags.
    voices, word_voices: (V, m) and (V, T) posteriors under each grammar of an ensemble and under small ones.
    tag: (n,) the likeliest of each word.  Symbol numbers are those of the maker's table.
    """

    start: IntVector
    end: IntVector
    symbol: IntVector
    posterior: FloatArray
    voices: FloatArray
    word: IntVector
    word_tag: IntVector
    word_posterior: FloatArray
    word_voices: FloatArray
    tag: IntVector


@dataclass(frozen=True, slots=True)
class Charts:
    """What a grammar says about sentences: names of its symbols, which are tags, and a record per sentence."""

    names: tuple[str, ...]
    is_tag: BoolVector
    found: list[Evidence | None]


@dataclass(frozen=True, slots=True)
class WordKeys:
    """Hashes of words: of those in ``known`` themselves, of others the shape and the last letters.

    known: hashes of the words that the judge may know by name.
    """

    known: frozenset[int]
    _seen: dict[str, bytes] = field(default_factory=dict, repr=False)

    def of(self, words: Sequence[str]) -> AnyArray:
        """Hashes of each word and its spelling between two margins on each side: (n + 4, SPELLINGS)."""
        rows = [self._seen.get(word) or self._keys(word) for word in words]
        return np.frombuffer(bytearray().join([_MARGIN, *rows, _MARGIN]), dtype=np.uint64).reshape(
            -1, SPELLINGS
        )

    def _keys(self, word: str) -> bytes:
        own, small = word_hash(word), word.lower()
        key = own if own in self.known else word_hash(rare_class(word))
        endings = [f"\0{k}{small[-k:]}" for k in range(1, 5)]
        parts = [f"\0w{small}", *endings, f"\0p{small[:3]}", f"\0s{word_shape(word)}"]
        found = np.array([key, *(word_hash(part) for part in parts)], dtype=np.uint64).tobytes()
        if len(self._seen) < MOST_KEPT:
            self._seen[word] = found
        return found


def word_hash(text: str) -> int:
    """A number of 32 bits that is the same on every machine."""
    return zlib.crc32(text.encode("utf-8"))


def rare_class(word: str) -> str:
    """Shape and last letters of a word, in a form that no word has.

    >>> rare_class("Parsers")
    '\\x00Aers'
    """
    case = "A" if word[:1].isupper() else "a" if word.islower() else "."
    shout = "A" if word.isupper() and len(word) > 1 else ""
    digit = "0" if any(character.isdigit() for character in word) else ""
    return f"\0{case}{shout}{digit}{word[-ENDING:].lower()}"


def word_shape(word: str) -> str:
    """Runs of capitals, small letters and digits.

    >>> word_shape("Post-1990s")
    'Aa-0a'
    """
    kinds = ("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in word)
    return "".join(kind for kind, _ in groupby(kinds))


def symbol_tables(names: Sequence[str], is_tag: Sequence[bool] | BoolVector) -> Symbols:
    """Hashes and heads of symbols; a tag and a phrase of the same name differ."""
    key = [word_hash(f"{'tag' if tag else 'phrase'} {name}") for name, tag in zip(names, is_tag)]
    once = tuple(dict.fromkeys(names))
    rank, rightmost = rank_table(once, feature_rules(once))
    at = [once.index(name) for name in names]
    ranks = np.ascontiguousarray(rank[at][:, at])
    coarse = np.array([sort_hash(name) for name in names], dtype=np.uint64)
    return Symbols(np.array(key, dtype=np.uint64), ranks, rightmost[at], coarse)


def sort_hash(tag: str) -> int:
    """An even number for the first letter of a tag, an odd one for a mark of punctuation.

    >>> sort_hash("NNS") == sort_hash("NNP"), sort_hash(",") % 2
    (True, 1)
    """
    mark = not tag[:1].isalnum()
    return 2 * word_hash(tag if mark else tag[:1]) + mark


def seen_in(evidence: Evidence, spelling: AnyArray, doubtful: tuple[float, float]) -> Seen:
    """Brackets as the kernel takes them; candidates have posteriors between the two ends of ``doubtful``.

    spelling: of the words, as ``WordKeys`` has them.
    """
    low, high = doubtful
    posterior = np.ascontiguousarray(evidence.posterior, dtype=np.float64)
    return Seen(
        np.ascontiguousarray(spelling[:, 0]), evidence.tag.copy(), evidence.start, evidence.end, evidence.symbol,
        posterior, posterior.copy(), (posterior > low) & (posterior < high), evidence.voices,
    )  # fmt: skip


def tagged_in(evidence: Evidence, spelling: AnyArray, doubtful: tuple[float, float]) -> Tagged:
    """Tags as the kernel takes them, likewise."""
    low, high = doubtful
    posterior = np.ascontiguousarray(evidence.word_posterior, dtype=np.float64)
    return Tagged(
        spelling,
        evidence.tag,
        evidence.word,
        evidence.word_tag,
        posterior,
        (posterior > low) & (posterior < high),
        evidence.word_voices,
    )
