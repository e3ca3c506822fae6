"""Classes of words from raw text: word vectors in, a small table of hashed words and their classes out.

Words with similar vectors share one of many fine classes, and fine classes with similar centres one of a few coarse
ones.  Taggers and parsers see both, which helps where a treebank has seen a word rarely or never.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, as_ids
from eigenparse.features.keys import key_of


@dataclass(frozen=True, slots=True)
class WordClasses:
    """Classes of words in lower case.

    keys: (V,) uint32 rising hashes of words.  fine: (V,) class of each.  coarse: (classes,) of each fine class.
    """

    keys: AnyArray
    fine: AnyArray
    coarse: AnyArray

    def of(self, words: Sequence[str]) -> tuple[IntVector, IntVector]:
        """Fine and coarse class of each word, counted from 1; 0 for words without."""
        wanted = np.array([class_hash(word) for word in words], dtype=np.uint32)
        at = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
        known, row = self.keys[at] == wanted, self.fine[at]
        return as_ids(np.where(known, row + 1, 0)), as_ids(np.where(known, self.coarse[row] + 1, 0))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of fine and of coarse classes, each with the one of words without."""
        return self.coarse.size + 1, int(self.coarse.max(initial=0)) + 2

    def to_arrays(self) -> dict[str, AnyArray]:
        """Named arrays of a model file."""
        return {"classes.keys": self.keys, "classes.fine": self.fine, "classes.coarse": self.coarse}

    @classmethod
    def from_arrays(cls, arrays: dict[str, AnyArray]) -> "WordClasses | None":
        """The inverse of ``to_arrays``; None if there are no such arrays."""
        if "classes.keys" not in arrays:
            return None
        return cls(arrays["classes.keys"], arrays["classes.fine"], arrays["classes.coarse"])


def class_hash(word: str) -> int:
    """The hash by which a word is looked up."""
    return key_of("class", word.lower()) & 0xFFFFFFFF
