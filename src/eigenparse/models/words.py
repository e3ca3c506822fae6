"""Words of a sentence in, symbols of a grammar out: known words, else the finest known class."""

from collections.abc import Sequence
from dataclasses import dataclass

from eigenparse.arrays import IntVector, as_ids
from eigenparse.corpus.word_classes import class_levels
from eigenparse.models.grammar.pcfg import Skeleton


@dataclass(frozen=True, slots=True)
class WordTable:
    """Symbol ids of words, classes and tags; the class "" is the last resort."""

    words: dict[str, int]
    classes: dict[str, int]
    tags: dict[str, int]


def word_table(skeleton: Skeleton) -> WordTable:
    """Look-up tables of a skeleton's symbols."""
    first, second = skeleton.n_words, skeleton.n_words + skeleton.n_classes
    return WordTable(
        {name: i for i, name in enumerate(skeleton.symbols[:first])},
        {name: first + i for i, name in enumerate(skeleton.symbols[first:second])},
        {name: second + i for i, name in enumerate(skeleton.symbols[second:])},
    )


def symbol_of(table: WordTable, word: str, sentence_initial: bool) -> int:
    """The symbol of a word; an unknown first word is also looked up in lower case."""
    found = table.words.get(word)
    if found is None and sentence_initial and word[:1].isupper():
        found = table.words.get(word[:1].lower() + word[1:])
    if found is None:
        levels = (*class_levels(word, sentence_initial), "")
        found = next((table.classes[name] for name in levels if name in table.classes), 0)
    return found


def symbols_of(table: WordTable, words: Sequence[str]) -> IntVector:
    """The symbols of a sentence."""
    return as_ids([symbol_of(table, word, i == 0) for i, word in enumerate(words)])
