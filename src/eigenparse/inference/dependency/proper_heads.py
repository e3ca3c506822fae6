"""A split-head grammar as one distribution over projective trees of tagged words.

Each latent state is normalised over the rules by which a head can take a child, its words, and an unknown word that is
spelt out; members have equal weight.  Tags and heads that were not seen in training come from a plain model with
a small weight: any tag, a geometric number of children on each side, every word spelt.  So every projective tree has
a finite log p, and their probabilities sum to at most 1.
"""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import FloatArray
from eigenparse.corpus.columns import Trees
from eigenparse.corpus.dependencies import Dependencies, projectivised
from eigenparse.corpus.split_heads import split_head_trees, word_tags
from eigenparse.errors import DataError
from eigenparse.inference.grammar.background import counts_of
from eigenparse.inference.grammar.chart import rules_of
from eigenparse.inference.grammar.open_rules import with_open_rules
from eigenparse.inference.grammar.proper import Lexicon, lexicon_of, projected, word_shares
from eigenparse.inference.grammar.tree import tree_rows
from eigenparse.inference.spelling import NO_WORD, Spelling, learn_spelling
from eigenparse.kernels.grammar.masses import rule_means
from eigenparse.models.dependency.split_heads import ESTIMATOR, FLOOR, SplitHeads
from eigenparse.models.grammar.pcfg import Skeleton, Weights

PLAIN = 1e-3  # share of the plain model
MORE = 0.3  # chance of each further child on a side in the plain model


@dataclass(frozen=True, slots=True)
class ProperMember:
    """One set of weights.  scale: (n,) that makes each state sum to one; unknown: (n,), groups: (n, G); root: (n,)."""

    weights: Weights
    scale: FloatArray
    unknown: FloatArray
    groups: FloatArray
    root: FloatArray


@dataclass(frozen=True, slots=True)
class ProperHeads:
    """What the members share, and each of them.  tags: known to the plain model, which spells all others."""

    kind: str
    skeleton: Skeleton
    lexicon: Lexicon
    members: tuple[ProperMember, ...]
    tags: tuple[str, ...]
    spelling: Spelling


def projected_heads(model: SplitHeads) -> SplitHeads:
    """The grammar with negative weights set to zero, which normalisation then makes a distribution."""
    return replace(model, grammar=projected(model.grammar), estimator=ESTIMATOR)


def proper_heads(model: SplitHeads) -> ProperHeads:
    """The distribution of a grammar, derived from what is in its file; DataError for signed weights."""
    if not model.is_proper:
        raise DataError(
            "the weights are signed, which is no distribution over trees; add --project for the nearest one, "
            "or train with --estimator lpcfg"
        )
    opened = with_open_rules(model)
    skeleton = opened.skeleton
    seen = {"label_counts": (FLOOR / model.floor[:-1]).tolist()}
    lexicon = lexicon_of(skeleton, counts_of(replace(model.grammar, report=seen)), NO_WORD)
    members = tuple(_member(skeleton, weights, lexicon) for weights in opened.members)
    words = skeleton.symbols[: skeleton.n_words] or ("a",)
    spelling = learn_spelling(words, np.zeros(len(words)), 1, NO_WORD)
    tags = tuple(sorted({label.chain[-1] for label in skeleton.labels}))
    return ProperHeads(model.tags, skeleton, lexicon, members, tags, spelling)


def _member(skeleton: Skeleton, weights: Weights, lexicon: Lexicon) -> ProperMember:
    rules = np.zeros(int(weights.state_at[-1]))
    m = weights.states[skeleton.rules].astype(np.int64)
    rule_means(rules_of(skeleton, weights), np.empty(int(np.sum(m[:, 0] * (m[:, 1] + m[:, 2])))), rules)
    known, unknown, groups = word_shares(skeleton, weights, lexicon)
    total = rules + known + unknown
    scale = np.where(total > 0.0, 1.0 / np.maximum(total, 1e-300), 0.0)
    whole = np.repeat([not label.partial for label in skeleton.labels], weights.states)
    root = np.maximum(weights.root_weight, 0.0) * whole
    mass = float(root.sum())
    return ProperMember(weights, scale, unknown * scale, groups, root / mass if mass > 0.0 else root)


def tree_logs(heads: ProperHeads, trees: Dependencies) -> FloatArray:
    """(S,) log p of every tree; crossing trees count as the projective ones closest to them."""
    logs = np.zeros(len(trees))
    rows = np.flatnonzero(trees.lengths() > 0)
    if not rows.size:
        return logs
    lifted, _ = projectivised(trees.select(rows))
    binary = split_head_trees(lifted, tags=heads.kind)
    found = [_inside(heads, member, binary) for member in heads.members]
    mean = np.logaddexp.reduce(found, axis=0) - np.log(len(found))
    logs[rows] = np.logaddexp(mean + np.log1p(-PLAIN), _plain_logs(heads, lifted) + np.log(PLAIN))
    return logs


def _inside(heads: ProperHeads, member: ProperMember, trees: Trees) -> FloatArray:
    """(S,) log p by one set of weights, -inf where a label or rule is missing."""
    skeleton, w = heads.skeleton, member.weights
    rule = tree_rows(skeleton, trees).rule.tolist()
    ids = {label: a for a, label in enumerate(skeleton.labels)}
    label = [ids.get(trees.labels[k], -1) for k in trees.label.tolist()]
    place = {word: i for i, word in enumerate(skeleton.symbols[: skeleton.n_words])}
    symbol = [place.get(word, -1) for word in trees.words]
    entries = {
        pair: e for e, pair in enumerate(zip(skeleton.entry_symbol.tolist(), skeleton.entry_label.tolist()))
    }
    spelt = heads.lexicon.spelling.logs(trees.words)
    logs = np.full(len(trees), -np.inf)
    for s, (low, high) in enumerate(zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist())):
        cells: list[FloatArray] = []
        scale = 0.0
        for i in range(low, high):
            a = label[i]
            first, last = (int(w.state_at[a]), int(w.state_at[a + 1])) if a >= 0 else (0, 0)
            if trees.left[i] < 0:
                known = symbol[trees.word[i]]
                entry = entries.get((known, a), -1)
                value, log = _leaf(heads, member, (first, last), (known, entry), spelt[trees.word[i]])
            else:
                below = cells[trees.left[i] - low], cells[trees.right[i] - low]
                value, log = _taken(member, (first, last), rule[i], below), 0.0
            top = float(value.max(initial=0.0))
            if top <= 0.0:
                break
            cells.append(value / top)
            scale += float(np.log(top)) + log
        else:
            p = float(member.root[first:last] @ cells[-1])
            logs[s] = scale + np.log(p) if p > 0.0 else -np.inf
    return logs


def _leaf(
    heads: ProperHeads,
    member: ProperMember,
    states: tuple[int, int],
    known: tuple[int, int],
    spelt: FloatArray,
) -> tuple[FloatArray, float]:
    """p(word | state) of the states of a label, and the log that was taken out.

    known: the word's number and its lexicon entry under the label, -1 for none.
    """
    (first, last), (symbol, entry) = states, known
    shift = float(spelt.max()) if entry < 0 and np.isfinite(spelt.max()) else 0.0
    value: FloatArray = member.unknown[first:last] * (member.groups[first:last] @ np.exp(spelt - shift))
    if entry >= 0:
        at = int(member.weights.entry_at[entry])
        own = member.weights.entry_weight[at : at + last - first]
        value = value + own * heads.lexicon.kept[symbol] * member.scale[first:last]
    return value, shift


def _taken(
    member: ProperMember, states: tuple[int, int], rule: int, below: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """The inside values of a head that takes a child."""
    first, last = states
    if rule < 0:
        return np.zeros(last - first)
    (x, y), at = below, int(member.weights.rule_at[rule])
    size = (last - first) * x.size * y.size
    tensor = member.weights.rule_weight[at : at + size].reshape(last - first, x.size, y.size)
    return ((tensor @ y) @ x) * member.scale[first:last]


def _plain_logs(heads: ProperHeads, trees: Dependencies) -> FloatArray:
    """(S,) log p under the plain model: uniform tags, geometric numbers of children, words and unknown tags spelt."""
    names, ids = word_tags(trees, heads.kind)
    known = set(heads.tags)
    new = heads.spelling.logs(names)[:, 0]
    of_tag = np.array([0.0 if name in known else log for name, log in zip(names, new.tolist())])
    of_tag -= np.log(len(known) + 1)
    word = heads.spelling.logs(trees.symbols["form"])[:, 0][trees.form]
    each = word + of_tag[ids] + 2.0 * np.log1p(-MORE)
    sums = np.add.reduceat(each, trees.offsets[:-1])
    return sums + (trees.lengths() - 1) * np.log(MORE)
