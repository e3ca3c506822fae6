"""A split-head grammar in, the same grammar with a small weight on every rule of its kind out.

Real sentences need rules that do not occur in a small treebank: any word may be a child of any other.
"""

from dataclasses import replace

import numpy as np

from eigenparse.arrays import AnyArray, as_ids
from eigenparse.corpus.split_heads import KINDS
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout


def possible_rules(skeleton: Skeleton) -> AnyArray:
    """(R, 3) every rule a -> b c by which a head could take a child, sorted."""
    place: dict[tuple[str, str], int] = {}
    for a, label in enumerate(skeleton.labels):
        place[label.chain[-1], label.siblings[0] if label.partial else ""] = a
    whole, bare, rightward, leftward = KINDS
    children = [a for (_, kind), a in place.items() if kind == whole]
    rules = []
    for tag in sorted({name for name, _ in place}):
        for above, below, from_right in (
            ((whole, rightward), (bare, rightward), True),
            ((whole, leftward), (bare, rightward, leftward), False),
        ):
            for a in (place[tag, kind] for kind in above if (tag, kind) in place):
                for head in (place[tag, kind] for kind in below if (tag, kind) in place):
                    rules += [(a, head, c) if from_right else (a, c, head) for c in children]
    return np.unique(np.array(rules, dtype=np.int64).reshape(-1, 3), axis=0)


def with_open_rules(model: SplitHeads) -> LatentGrammar:
    """The grammar with the floor of its parent on each rule never seen."""
    grammar, skeleton = model.grammar, model.grammar.skeleton
    n = skeleton.n_labels

    def codes(rules: AnyArray) -> AnyArray:
        return (rules[:, 0].astype(np.int64) * n + rules[:, 1]) * n + rules[:, 2]

    possible = possible_rules(skeleton)
    unseen = possible[~np.isin(codes(possible), codes(skeleton.rules))]
    rules = as_ids(np.concatenate([skeleton.rules, unseen]).reshape(-1, 3))
    order = np.argsort(codes(rules), kind="stable")
    probability = np.concatenate([skeleton.rule_probability, model.floor[unseen[:, 0]]])
    opened = replace(skeleton, rules=as_ids(rules[order]), rule_probability=probability[order])
    members = tuple(_opened(opened, order, member, model.floor) for member in grammar.members)
    return replace(grammar, skeleton=opened, members=members, coarse=None)


def _opened(skeleton: Skeleton, order: AnyArray, weights: Weights, floor: AnyArray) -> Weights:
    """Weights over more rules: ``order`` says where each came from, beyond the old ones if it is new."""
    n_old = weights.rule_at.size - 1
    rule_at, entry_at, state_at = layout(skeleton, weights.states)
    a, b, c = skeleton.rules.T
    small = floor[a] / (weights.states[b].astype(np.int64) * weights.states[c])
    sizes = np.diff(rule_at)
    rule_weight = np.repeat(small.astype(weights.rule_weight.dtype), sizes)
    old = np.repeat(order < n_old, sizes)
    first = np.where(order < n_old, weights.rule_at[np.minimum(order, n_old - 1)] if n_old else 0, 0)
    source = np.repeat(first - rule_at[:-1], sizes) + np.arange(rule_weight.size)
    rule_weight[old] = weights.rule_weight[source[old]]
    return replace(weights, rule_at=rule_at, entry_at=entry_at, state_at=state_at, rule_weight=rule_weight)
