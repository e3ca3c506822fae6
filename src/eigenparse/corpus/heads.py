"""Head rules: which child of a phrase is its head.  Trees and rules in, dependency trees out; trees in, rules out.

A rule line is ``LABEL left|right CHILD CHILD ...``: the children are searched from that side for the
first symbol of the list, then for the second, and so on; if none is there, the first child from that
side that is not punctuation is the head.  Symbols joined by ``/`` have the same rank.  The label
``*`` stands for all labels without a rule; lines that start with ``#`` are comments.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import word_line
from eigenparse.corpus.dependencies import ATTRIBUTES, Dependencies, columns_of
from eigenparse.corpus.files import read_text
from eigenparse.errors import DataError, FormatError

PUNCTUATION = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", '"'})
ANY = "*"
ENOUGH = 0.5  # share of phrases that a table of head rules must cover to be used
# After [collins-1999] and [yamada-matsumoto-2003], with the labels of newer treebanks.
ENGLISH = """
S left TO IN VP S SBAR ADJP UCP NP
SBAR left WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ left SQ S SINV SBARQ FRAG
SINV left VBZ/VBD/VBP/VB/MD VP S SINV ADJP NP
SQ left VBZ/VBD/VBP/VB/MD VP SQ
VP left TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
NP right NN/NNP/NNPS/NNS/NX/NML/POS/JJR NP $/ADJP/PRN CD JJ/JJS/RB/QP PRP DT
NML right NN/NNP/NNPS/NNS/NX/NML/JJR NP $/ADJP/PRN CD JJ/JJS/RB/QP
NX right NN/NNP/NNPS/NNS/NX/NML NP CD JJ
NAC right NN/NNS NNP/NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
PP left IN TO VBG VBN RP FW PP
ADJP right NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP left RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP right CC RB IN
FRAG right
INTJ left UH INTJ
LST right LS :
PRN left
PRT right RP
QP right $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC left VP NP ADVP ADJP PP
UCP right
WHADJP left WRB JJ ADJP
WHADVP right CC WRB
WHNP left WDT WP WP$ WRB WHADJP WHPP WHNP NN NNS
WHPP right IN TO FW
X right
* left
"""
RIGHT_HEADED = ("N", "ADJ", "Q", "W")  # how other labels begin whose heads stand on the right
TAGS = {
    "NOUN": "NN NNS", "PROPN": "NNP NNPS", "VERB": "VB VBD VBG VBN VBP VBZ", "AUX": "MD",
    "ADJ": "JJ JJR JJS AFX",
    "ADV": "RB RBR RBS WRB", "DET": "DT PDT WDT", "PRON": "PRP PRP$ WP WP$ EX", "ADP": "IN RP",
    "PART": "TO POS",
    "CCONJ": "CC", "NUM": "CD", "INTJ": "UH", "SYM": "SYM $ #", "X": "FW LS ADD GW XX",
    "PUNCT": ". , : `` '' -LRB- -RRB- HYPH NFP",
}  # fmt: skip
UNIVERSAL = {tag: name for name, tags in TAGS.items() for tag in tags.split()}


@dataclass(frozen=True, slots=True)
class HeadRules:
    """rules: label → (whether the search starts at the right, groups of symbols, best first).

    punctuation: symbols that head a phrase only if nothing else is there.
    """

    rules: dict[str, tuple[bool, tuple[frozenset[str], ...]]]
    punctuation: frozenset[str] = PUNCTUATION


def parse_rules(text: str, *, source: str = "rules") -> HeadRules:
    """Head rules from their text."""
    rules: dict[str, tuple[bool, tuple[frozenset[str], ...]]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        cells = line.split()
        if not cells or cells[0].startswith("#"):
            continue
        if len(cells) < 2 or cells[1] not in ("left", "right"):
            raise FormatError(
                "the second word is neither left nor right",
                source=source,
                line=number,
                remedy="write NP right NN NNS",
            )
        if cells[0] in rules:
            raise FormatError(
                f"{cells[0]} has two rules", source=source, line=number, remedy="keep one of them"
            )
        groups = tuple(frozenset(c for c in cell.split("/") if c) or frozenset({cell}) for cell in cells[2:])
        rules[cells[0]] = (cells[1] == "right", groups)
    return HeadRules(rules)


def load_rules(path: str | Path) -> HeadRules:
    """Head rules of a file."""
    return parse_rules(read_text(path), source=str(path))


@functools.cache
def english_rules() -> HeadRules:
    """The built-in table for Penn-style English trees."""
    return parse_rules(ENGLISH, source="built-in English rules")


def known_share(trees: Treebank, rules: HeadRules) -> float:
    """Share of phrases with several children in which the rules find a listed child; 1 if there are no such phrases."""
    rank, _ = rank_table(trees.labels, rules)
    worst = 1 + max((len(groups) for _, groups in rules.rules.values()), default=0)
    rows = np.flatnonzero(trees.parent >= 0)
    up = trees.parent[rows]
    best = np.full(trees.label.size, worst, dtype=np.int16)
    np.minimum.at(best, up, rank[trees.label[up], trees.label[rows]])
    wide = np.bincount(up, minlength=trees.label.size) > 1
    return float(np.mean(best[wide] < worst)) if wide.any() else 1.0


def learnt_rules(trees: Treebank) -> HeadRules:
    """Head rules read off trees: the head of a phrase is the child that tells most about it.

    A child c of a phrase a is worth p(a | c) p(c | a)^(1/3): it occurs below few other labels, and phrases of this
    label mostly have one.  The search begins at the side where the best child mostly stands.  Tags of words without
    letters and digits are punctuation.
    """
    names, n = trees.labels, len(trees.labels)
    leaf = np.flatnonzero(trees.word >= 0)
    lettered = np.array([any(map(str.isalnum, word)) for word in trees.words], dtype=bool)[trees.word[leaf]]
    marks = set(trees.label[leaf].tolist()) - set(trees.label[leaf[lettered]].tolist())
    rows = np.flatnonzero(trees.parent >= 0)
    up = trees.parent[rows].astype(np.int64)
    pair = np.unique(up * n + trees.label[rows])
    has = np.bincount(trees.label[pair // n] * np.int64(n) + pair % n, minlength=n * n).reshape(n, n)
    phrases = np.bincount(trees.label[np.unique(up)], minlength=n)
    worth = has / np.maximum(has.sum(axis=0), 1) * np.cbrt(has / np.maximum(phrases, 1)[:, None])
    first, last = np.arange(trees.label.size), np.arange(trees.label.size)
    first[up[::-1]], last[up] = rows[::-1], rows
    rules = {}
    for a in np.flatnonzero(phrases):
        order = [c for c in np.argsort(-worth[a], kind="stable").tolist() if has[a, c] and c not in marks]
        if not order:
            continue
        own = (trees.label[up] == a) & (trees.label[rows] == order[0])
        from_right = np.sum(rows[own] == last[up[own]]) > np.sum(rows[own] == first[up[own]])
        rules[names[a]] = (bool(from_right), tuple(frozenset({names[c]}) for c in order))
    return HeadRules(rules, frozenset(names[c] for c in marks))


def rules_for(trees: Treebank) -> tuple[HeadRules, float]:
    """The English rules if they cover at least half of the phrases, else learnt ones; and the share that is covered."""
    english = english_rules()
    share = known_share(trees, english)
    return (english if share >= ENOUGH else learnt_rules(trees)), share


def kept_rules(rules: HeadRules) -> dict[str, Any]:
    """Rules as JSON values of a model's report; nothing for the English ones."""
    if rules == english_rules():
        return {}
    rows = [
        [label, from_right, [sorted(group) for group in groups]]
        for label, (from_right, groups) in rules.rules.items()
    ]
    return {"head_rules": rows, "head_punctuation": sorted(rules.punctuation)}


def rules_of(report: Mapping[str, Any]) -> HeadRules:
    """The inverse of ``kept_rules``."""
    if "head_rules" not in report:
        return english_rules()
    rules = {
        label: (from_right, tuple(map(frozenset, groups)))
        for label, from_right, groups in report["head_rules"]
    }
    return HeadRules(rules, frozenset(report.get("head_punctuation", ())))


def feature_rules(symbols: Sequence[str]) -> HeadRules:
    """The English rules for head features; labels that they lack prefer children with the same first letter."""
    english = english_rules()
    by_letter = {
        symbol: (symbol.startswith(RIGHT_HEADED), (frozenset(c for c in symbols if c[:1] == symbol[:1]),))
        for symbol in symbols
    }
    return HeadRules(by_letter | english.rules, english.punctuation)


def rank_table(labels: Sequence[str], rules: HeadRules) -> tuple[AnyArray, AnyArray]:
    """rank[label, child label] (lower is better), and (labels,) whether the search starts at the right."""
    n = len(labels)
    worst = 1 + max((len(groups) for _, groups in rules.rules.values()), default=0)
    rank = np.full((n, n), worst, dtype=np.int16)
    fallback = rules.rules.get(ANY, (False, ()))
    from_right = np.zeros(n, dtype=bool)
    place = {label: i for i, label in enumerate(labels)}
    marks = [i for i, label in enumerate(labels) if label in rules.punctuation]
    rank[:, marks] = worst + 1
    for a, label in enumerate(labels):
        from_right[a], groups = rules.rules.get(label, fallback)
        for g in range(len(groups) - 1, -1, -1):
            rank[a, [place[symbol] for symbol in groups[g] if symbol in place]] = g
    return rank, from_right


def head_children(trees: Treebank, rules: HeadRules) -> AnyArray:
    """(N,) row of every phrase's head child; a preterminal is its own head."""
    rank, from_right = rank_table(trees.labels, rules)
    head = np.arange(trees.label.size)
    rows = np.flatnonzero(trees.parent >= 0)
    up = trees.parent[rows]
    place = np.where(from_right[trees.label[up]], -rows, rows)
    order = np.lexsort((place, rank[trees.label[up], trees.label[rows]], up))
    up, rows = up[order], rows[order]
    first = np.flatnonzero(np.diff(up, prepend=-1))
    head[up[first]] = rows[first]
    return head


def to_dependencies(trees: Treebank, rules: HeadRules | None = None) -> Dependencies:
    """Dependency trees of constituency trees: a phrase depends on the head word of the phrase above it.

    A relation is ``phrase:above``: the label of the largest phrase that the word heads, and the label of
    the phrase that contains it.
    """
    if trees.label.size and np.any((trees.word < 0) & ~np.isin(np.arange(trees.label.size), trees.parent)):
        raise DataError("a phrase has no words; normalise the trees first")
    down = head_children(trees, english_rules() if rules is None else rules)
    lexical = down.copy()
    while np.any(trees.word[lexical] < 0):
        lexical = down[lexical]
    rows = np.arange(trees.label.size)
    tops = rows[(trees.parent < 0) | (down[trees.parent] != rows)]
    leaves = np.flatnonzero(trees.word >= 0)
    top = np.empty(trees.label.size, dtype=np.int64)
    top[lexical[tops]] = tops
    top = top[leaves]
    position = np.empty(trees.label.size, dtype=np.int64)
    tree = np.searchsorted(trees.offsets, leaves, side="right") - 1
    first = np.searchsorted(leaves, trees.offsets)
    position[leaves] = np.arange(leaves.size) - first[tree] + 1
    above = trees.parent[top]
    head = np.where(above < 0, 0, position[lexical[above]])
    return _columns(trees, leaves, head, top, above, np.diff(first))


def _columns(
    trees: Treebank, leaves: AnyArray, head: AnyArray, top: AnyArray, above: AnyArray, sizes: AnyArray
) -> Dependencies:
    """Dependency columns of the leaves."""
    labels = trees.labels
    tags = [labels[i] for i in trees.label[leaves].tolist()]
    names = zip(trees.label[top].tolist(), trees.label[above].tolist(), above.tolist())
    relations = ["root" if up < 0 else f"{labels[a]}:{labels[b]}" for a, b, up in names]
    rows = dict.fromkeys(ATTRIBUTES, ["_"] * len(tags)) | {
        "form": [trees.words[w] for w in trees.word[leaves].tolist()],
        "upos": [UNIVERSAL.get(tag, "_") for tag in tags],
        "xpos": tags,
        "relation": relations,
    }
    lines = np.repeat(trees.line, sizes).tolist()
    return columns_of(rows, head.tolist(), sizes.tolist(), lines)


def conllu_lines(trees: Dependencies) -> list[str]:
    """Dependency trees as the lines of a CoNLL-U file."""
    form, upos, xpos, relation = (trees.strings(name) for name in ("form", "upos", "xpos", "relation"))
    heads, offsets = trees.head.tolist(), trees.offsets.tolist()
    lines: list[str] = []
    for s in range(len(trees)):
        low = offsets[s]
        lines.append(f"# sent_id = {s + 1}")
        for i in range(low, offsets[s + 1]):
            lines.append(word_line(i - low + 1, form[i], upos[i], xpos[i], heads[i], relation[i]))
        lines.append("")
    return lines
