"""Classes of a word from fine to coarse: its shape with ever shorter endings, for any language."""

from functools import lru_cache

from eigenparse.corpus.words import word_class

LONGEST_ENDING = 4
SHORTEST_STEM = 2


@lru_cache(maxsize=1 << 17)  # learning asks about every word of the vocabulary several times
def class_levels(word: str, sentence_initial: bool) -> tuple[str, ...]:
    """Names of the classes a word belongs to, the finest first.

    >>> class_levels("Parse", False)
    ('<Initial>-rse', '<Initial>-se', '<Initial>-e', '<Initial>')
    """
    shape = word_class(word, sentence_initial, suffix_length=0)
    text = word.lower()
    longest = min(LONGEST_ENDING, len(text) - SHORTEST_STEM)
    endings = (text[-k:] for k in range(longest, 0, -1))
    return (*(f"{shape}-{ending}" for ending in endings if ending.isalpha()), shape)
