"""Spellings of unknown words: a list of words in, a distribution over all strings out.

A word is spelt from its end to its beginning, letter by letter, by n-grams of characters with Witten-Bell smoothing.
The longest contexts belong to a group of words (a class of endings, say), the others are shared.  Below all contexts
is a uniform distribution over all allowed characters, so that each string without blanks has a positive probability
and all strings together have probability 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.kernels.spelling import Level, spell_words

END, START = 0x110000, 0x110001  # beside all code points
BITS = np.int64(21)  # of a code point or a mark
CONTEXT = 4  # characters that a context holds at most
NO_WORD = frozenset(
    (*range(0xD800, 0xE000), *map(ord, "\t\n\r"))
)  # what no word can hold; CoNLL-U has blanks
BRACKETS = NO_WORD | frozenset(map(ord, "\v\f ()"))  # what words in trees cannot hold
N_CODES = 0x110000  # characters there are


@dataclass(frozen=True, slots=True)
class Spelling:
    """Counts of characters after contexts of 0 to ``CONTEXT`` letters, and after the longest in each group.

    share: (G,) of each group in all words.  excluded: characters that no word has.
    """

    share: FloatArray
    levels: tuple[Level, ...]
    grouped: Level
    excluded: frozenset[int] = BRACKETS

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.share.size)

    def probabilities(self, words: Sequence[str]) -> FloatArray:
        """(words, G) the probability of each word in each group; 0 for words with excluded characters."""
        return np.exp(self.logs(words))

    def logs(self, words: Sequence[str]) -> FloatArray:
        """(words, G) the logs of the same."""
        character, before, first = _letters(["", *words])
        log_p = np.zeros((len(words) + 1, self.n_groups))
        even = 1.0 / (N_CODES - len(self.excluded) + 1)
        spell_words(character, before, first, self.levels, self.grouped, even, log_p)
        out: FloatArray = log_p[1:] - np.log1p(-np.exp(log_p[0]))  # a word is not empty
        out[[not _fine(word, self.excluded) for word in words]] = -np.inf
        return out

    def draw(self, group: int, rng: np.random.Generator, *, blanks: bool = False) -> str:
        """One word of a group; blanks: it may hold some, else words with blanks, which few have, are drawn again."""
        letters: list[int] = []
        while True:
            character = self._draw([*letters[::-1], *[START] * CONTEXT][:CONTEXT], group, rng)
            if character != END:
                letters.append(character)
                continue
            word = "".join(map(chr, reversed(letters)))
            if letters and (blanks or len(word.split()) == 1):
                return word
            letters.clear()

    def _draw(self, before: list[int], group: int, rng: np.random.Generator) -> int:
        """A character: each context, the longest first, draws one of its own or backs off to a shorter one."""
        known = [(self.levels[0], 0)]
        for k, level in enumerate(self.levels[1:]):
            place = _find(level.key, (known[-1][1] << int(BITS)) | before[k])
            if place < 0:
                break
            known.append((level, place))
        if len(known) > CONTEXT:
            place = _find(self.grouped.key, known[-1][1] * self.n_groups + group)
            known += [(self.grouped, place)] if place >= 0 else []
        for level, place in reversed(known):
            low, high = int(level.at[place]), int(level.at[place + 1])
            running = np.cumsum(level.number[low:high])
            point = rng.random() * (running[-1] + high - low)
            if point < running[-1]:
                return int(level.event[low + np.searchsorted(running, point, side="right")]) & (
                    (1 << int(BITS)) - 1
                )
        n = N_CODES - len(self.excluded)
        number = int(rng.integers(n + 1))
        return END if number == n else _allowed(number, self.excluded)


def _find(table: AnyArray, wanted: int) -> int:
    place = int(np.searchsorted(table, wanted))
    return place if place < table.size and table[place] == wanted else -1


def _fine(word: str, excluded: frozenset[int]) -> bool:
    return bool(word) and excluded.isdisjoint(map(ord, word))


def _allowed(number: int, excluded: frozenset[int]) -> int:
    """The character of a number, excluded ones left out."""
    for one in sorted(excluded):
        number += one <= number
    return number


def learn_spelling(
    words: Sequence[str], group: AnyArray, n_groups: int, excluded: frozenset[int] = BRACKETS
) -> Spelling:
    """The model of some words, each of a group."""
    fine = [i for i, word in enumerate(words) if _fine(word, excluded)]
    of = np.asarray(group, dtype=np.int64)[fine]
    size = np.bincount(of, minlength=n_groups) + 1.0
    character, before, first = _letters([words[i] for i in fine] or ["a"])
    place, levels = np.zeros(character.size, dtype=np.int64), []
    for k in range(CONTEXT + 1):
        key = (place << BITS) | before[:, k - 1] if k else place
        place, level = _level(key, character)
        levels.append(level)
    of = np.repeat(of, np.diff(first)) if fine else np.zeros(character.size, dtype=np.int64)
    return Spelling(size / size.sum(), tuple(levels), _level(place * n_groups + of, character)[1], excluded)


def _level(key: AnyArray, character: AnyArray) -> tuple[AnyArray, Level]:
    """The place of every letter's context among all of a level, and the level."""
    keys, place = np.unique(key, return_inverse=True)
    event, count = np.unique((place.astype(np.int64) << BITS) | character, return_counts=True)
    at = np.searchsorted(event, np.arange(keys.size + 1, dtype=np.int64) << BITS)
    number = count.astype(np.float64)
    return place.astype(np.int64), Level(keys, at, event, number, np.add.reduceat(number, at[:-1]))


def _letters(words: Sequence[str]) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Characters of all words from their ends, each with an END; (n, CONTEXT) those before; where words begin."""
    width = np.array([len(word) + 1 for word in words])
    first = np.concatenate(([0], np.cumsum(width)))
    text = "".join(word[::-1] + "\0" for word in words).encode("utf-32-le", "surrogatepass")
    character = np.frombuffer(text, dtype=np.uint32).astype(np.int64)
    within = np.arange(character.size) - np.repeat(first[:-1], width)
    before = np.full((character.size, CONTEXT), START, dtype=np.int64)
    for k in range(CONTEXT):
        has = np.flatnonzero(within > k)
        before[has, k] = character[has - k - 1]
    character[first[1:] - 1] = END
    return character, before, first
