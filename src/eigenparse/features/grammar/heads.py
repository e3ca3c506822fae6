"""Which child heads a phrase: label symbols in, a table of ranks out."""

from collections.abc import Sequence

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector

NOUNS = ("NN", "NNP", "NNPS", "NNS", "NML", "NX", "PRP", "WP", "EX")
VERBS = ("VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP")
# Groups of child symbols, best first, in the manner of [collins-1997].
ENGLISH: dict[str, tuple[tuple[str, ...], ...]] = {
    "NP": (NOUNS, ("NP",), ("$", "QP", "CD"), ("ADJP", "JJ", "JJS", "JJR", "VBG"), ("DT", "RB", "S", "SBAR")),
    "NML": (NOUNS, ("NP",), ("CD", "QP"), ("JJ", "ADJP")),
    "VP": (VERBS, ("TO",), ("VP",), ("ADJP", "NN", "NNS", "NP")),
    "PP": (("IN", "TO", "VBG", "VBN", "RP", "FW"), ("PP",)),
    "S": (("VP",), ("S",), ("SBAR", "ADJP", "UCP", "NP")),
    "SINV": (VERBS, ("VP",), ("S", "SINV")),
    "SQ": (VERBS, ("VP",), ("SQ",)),
    "SBARQ": (("SQ", "S", "SINV"), ("SBARQ", "FRAG")),
    "SBAR": (("WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT"), ("S", "SQ", "SINV"), ("SBAR", "FRAG")),
    "ADJP": (("JJ", "JJR", "JJS"), ("NN", "NNS", "VBN", "VBG", "QP", "$"), ("ADJP", "RB", "CD")),
    "ADVP": (("RB", "RBR", "RBS"), ("IN", "TO", "ADVP"), ("JJ", "NN")),
    "QP": (("$", "CD"), ("NN", "NNS", "JJ", "RB", "IN")),
    "WHNP": (("WDT", "WP", "WP$", "WRB"), ("WHNP", "NN", "NNS")),
}
RIGHT_HEADED = ("N", "ADJ", "Q", "W")


def head_ranks(symbols: Sequence[str]) -> tuple[AnyArray, BoolVector]:
    """rank[phrase, child] (smaller is better) and whether ties go to the rightmost child.

    Phrases outside the English table prefer children whose symbol begins with the same letter.
    """
    n = len(symbols)
    rank = np.full((n, n), 9, dtype=np.int16)
    for a, phrase in enumerate(symbols):
        groups = ENGLISH.get(phrase)
        for c, child in enumerate(symbols):
            if groups is None:
                rank[a, c] = 0 if child[:1] == phrase[:1] else 1
            else:
                rank[a, c] = next((g for g, group in enumerate(groups) if child in group), 9)
    return rank, np.array([symbol.startswith(RIGHT_HEADED) for symbol in symbols])
