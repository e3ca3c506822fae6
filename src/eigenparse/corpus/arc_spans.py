"""Spans of words that dependency arcs imply, and how often such spans are phrases of phrase-structure trees.

The subtree of a word, without punctuation and conjunctions at its edges, usually is a phrase, or at least no phrase
crosses it.  How often this is true depends on the *sort* of the span: the relation of the word and whether it has
conjuncts, such as ``nmod``, ``obl:agent``, ``obj +conj``.  It is counted in a treebank with both annotations.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from eigenparse.corpus.dependencies import Dependencies

EDGES = ("punct", "cc", "cc:preconj")  # relations that are cut off the edges of a subtree
CLOSING = {"(": ")", "[": "]", "{": "}", "-LRB-": "-RRB-", "“": "”", "``": "''", "‘": "’", "«": "»"}
OPENING = {right: left for left, right in CLOSING.items()} | {'"': '"', "'": "'"}
FEW = 30  # sorts with fewer spans are not used


class ArcSpan(NamedTuple):
    """Words [start, end) of a sentence, and what sort of span it is."""

    start: int
    end: int
    sort: str


SpanCounts = Mapping[str, tuple[int, int, int]]
Spans = set[tuple[int, int]]

# What `eigenparse guide --learn-from` counts in the 7,425 training trees of GUM's openly licensed documents and the
# same sentences of its dependency treebank (english-open-large/train.ptb, ud-gum/train.conllu).
GUM: SpanCounts = {
    "acl": (931, 856, 50), "acl +conj": (68, 59, 8), "acl:relcl": (1174, 1112, 57), "acl:relcl +conj": (83, 72, 11),
    "advcl": (1661, 1552, 68), "advcl +conj": (168, 145, 18), "advcl:relcl": (147, 135, 11),
    "advmod": (495, 404, 27), "advmod +conj": (44, 40, 3), "amod": (540, 452, 22), "amod +conj": (175, 145, 3),
    "appos": (656, 531, 25), "appos +conj": (89, 69, 7), "case": (163, 0, 89), "cc": (56, 38, 2),
    "ccomp": (724, 658, 44), "ccomp +conj": (105, 85, 16), "compound": (825, 179, 10),
    "compound +conj": (90, 15, 6), "conj": (2945, 2517, 184), "conj +conj": (163, 101, 15), "csubj": (139, 121, 11),
    "dep": (385, 311, 6), "dep +conj": (50, 47, 1), "flat": (58, 4, 4), "iobj": (61, 56, 0), "list": (56, 39, 8),
    "mark": (47, 1, 2), "nmod": (4878, 4457, 219), "nmod +conj": (472, 408, 51), "nmod:poss": (476, 445, 9),
    "nmod:unmarked": (124, 113, 3), "nsubj": (2575, 2359, 51), "nsubj +conj": (159, 139, 5),
    "nsubj:outer": (85, 77, 6), "nsubj:pass": (484, 447, 9), "nummod": (183, 149, 7), "obj": (3493, 3242, 106),
    "obj +conj": (310, 274, 15), "obl": (5182, 4863, 207), "obl +conj": (359, 323, 22), "obl:agent": (213, 199, 11),
    "obl:agent +conj": (35, 32, 1), "obl:unmarked": (368, 350, 2), "orphan": (42, 39, 1),
    "parataxis": (829, 586, 90), "parataxis +conj": (117, 66, 18), "reparandum": (221, 103, 76),
    "root": (5322, 217, 24), "root +conj": (953, 10, 11), "vocative": (36, 33, 0), "xcomp": (1288, 1141, 91),
    "xcomp +conj": (99, 80, 13),
}  # fmt: skip


class ArcSentence(NamedTuple):
    """One sentence: words, heads (0 is the root, i the i-th word), relations, fine tags."""

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    tags: tuple[str, ...]


def arc_sentences(trees: Dependencies) -> list[ArcSentence]:
    """The sentences of a treebank one by one; blanks inside of words become underscores."""
    columns = [trees.strings(name) for name in ("form", "relation", "xpos")]
    form, relation, tag = ([value.replace(" ", "_") for value in column] for column in columns)
    head, cuts = trees.head.tolist(), trees.offsets.tolist()
    return [
        ArcSentence(*(tuple(column[low:high]) for column in (form, head, relation, tag)))
        for low, high in pairwise(cuts)
    ]


def arc_spans(sentence: ArcSentence) -> list[ArcSpan]:
    """The subtrees without gaps that have at least two words, but not the whole sentence."""
    heads, relations, n = sentence.heads, sentence.relations, len(sentence.heads)
    below: list[list[int]] = [[] for _ in range(n + 1)]
    for i, head in enumerate(heads):
        below[head].append(i + 1)
    order = [0]
    for h in order:
        order.extend(below[h])
    first, last, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    for i in reversed(order[1:]):
        h = heads[i - 1]
        first[h], last[h], size[h] = min(first[h], first[i]), max(last[h], last[i]), size[h] + size[i]
    found = []
    for i in range(1, n + 1):
        if last[i] - first[i] + 1 != size[i]:
            continue
        start, end = _trimmed(sentence, i - 1, first[i] - 1, last[i])
        if 1 < end - start < n:
            joined = " +conj" if any(k > i and relations[k - 1] == "conj" for k in below[i]) else ""
            found.append(ArcSpan(start, end, relations[i - 1] + joined))
    return found


def _trimmed(sentence: ArcSentence, i: int, start: int, end: int) -> tuple[int, int]:
    """The subtree [start, end) of word i without edges that do not belong to it; brackets go with their partners."""
    words, relations = sentence.words, sentence.relations
    while start < i and relations[start] in EDGES and CLOSING.get(words[start]) not in words[start:end]:
        start += 1
    while (
        end - 1 > i
        and relations[end - 1] in EDGES
        and OPENING.get(words[end - 1]) not in words[start : end - 1]
    ):
        end -= 1
    return start, end


def crosses(span: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    """Whether a span overlaps one of the others without nesting."""
    i, j = span
    return any(a < i < b < j or i < a < j < b for a, b in others)


def count_spans(sentences: Iterable[tuple[ArcSentence, Spans]]) -> dict[str, tuple[int, int, int]]:
    """For each sort, how many spans are phrases and how many are crossed.  Trees are given as spans of phrases."""
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for sentence, phrases in sentences:
        for start, end, sort in arc_spans(sentence):
            row = total[sort]
            row[0] += 1
            row[1] += (start, end) in phrases
            row[2] += crosses((start, end), phrases)
    return {sort: (n, phrases, crossed) for sort, (n, phrases, crossed) in sorted(total.items()) if n >= FEW}


class Demand(NamedTuple):
    """A span that no phrase may cross.  required: it must be a phrase.  crossed: how often its sort is crossed."""

    start: int
    end: int
    required: bool
    crossed: float


def demands(
    sentence: ArcSentence, counts: SpanCounts, *, required: float, crossed: float
) -> dict[tuple[int, int], bool]:
    """The spans that no phrase may cross, and whether each must be a phrase; no two of them cross.

    Spans of a sort must be phrases if its share of phrases is at least ``required``; they must not be crossed if its
    share of crossed spans is at most ``crossed``; other sorts are ignored.  Of two spans that cross, the one whose
    sort is crossed less often is kept.
    """
    found = []
    for start, end, sort in arc_spans(sentence):
        plain, _, joined = sort.partition(" ")
        known = counts.get(sort) or counts.get(" ".join(filter(None, (plain.partition(":")[0], joined))))
        if known is None or not known[0]:
            continue
        share, risk = known[1] / known[0], known[2] / known[0]
        if share >= required or risk <= crossed:
            found.append(Demand(start, end, share >= required, risk))
    kept: dict[tuple[int, int], bool] = {}
    for one in sorted(found, key=lambda one: one.crossed):
        if not crosses((one.start, one.end), kept):
            kept[one.start, one.end] = kept.get((one.start, one.end), False) or one.required
    return kept
