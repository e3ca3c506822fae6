"""The latent-variable grammar: frozen arrays, independent of the learner.

A grammar is a skeleton (labels, rules, lexicon entries and the plain PCFG over them) and one or
more sets of weights over the same skeleton.  Several sets are an ensemble.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, IntMatrix, IntVector, LongVector
from eigenparse.corpus.columns import Label
from eigenparse.models.grammar.few import FewValues
from eigenparse.models.grammar.judge import Judge, judge_from, judge_parts
from eigenparse.models.grammar.span_filter import PLACE, SpanFilter, filter_arrays, filter_of

SKELETON = (
    "rules",
    "entry_label",
    "entry_symbol",
    "entry_start",
    "rule_probability",
    "entry_probability",
    "root_probability",
)
WEIGHTS = ("states", "rule_weight", "entry_weight", "root_weight")
REPORTED = ("method", "seed", "binarisation", "em_rounds", "n_trees", "n_words", "negative_share")
Header = dict[str, Any]
Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The labels, rules and lexicon entries of a grammar, and the plain PCFG over them.

    labels: A.  rules: (R, 3) of (a, b, c), sorted.  symbols: V names, first n_words words, then
    n_classes word classes, then tags that stand for any word of theirs.
    entry_label, entry_symbol: (E,) lexicon entries a -> x, sorted by (symbol, label).
    entry_start: (V + 1,), where each symbol's entries begin.  rule_probability, entry_probability,
    root_probability: the plain PCFG.
    """

    labels: tuple[Label, ...]
    rules: IntMatrix
    symbols: tuple[str, ...]
    entry_label: IntVector
    entry_symbol: IntVector
    entry_start: LongVector
    rule_probability: FloatArray
    entry_probability: FloatArray
    root_probability: FloatArray
    n_words: int = 0
    n_classes: int = 0

    @property
    def n_labels(self) -> int:
        return len(self.labels)

    def is_tag(self) -> BoolVector:
        """Which labels stand over words: (A,)."""
        over = np.zeros(self.n_labels, dtype=bool)
        over[self.entry_label] = True
        return over


@dataclass(frozen=True, slots=True)
class Weights:
    """One set of latent parameters over a skeleton, possibly signed.

    states: (A,) number of latent states m_a.  rule_weight: flat, rule r owns
    [rule_at[r], rule_at[r + 1]) as a tensor (m_a, m_b, m_c).  entry_weight: flat, entry e owns
    m_a values from entry_at[e].  root_weight: flat, label a owns m_a values from state_at[a].

    Notation [cohen-etal-2014]:  rule_weight = C^{a -> b c},  entry_weight = c^inf_{a -> x},
    root_weight = c^1_a.
    """

    states: IntVector
    rule_at: LongVector
    entry_at: LongVector
    state_at: LongVector
    rule_weight: FloatArray
    entry_weight: FloatArray
    root_weight: FloatArray

    @property
    def rules(self) -> FloatArray | FewValues:
        """The tensors of rules as they are kept."""
        return self.rule_weight

    @property
    def n_parameters(self) -> int:
        return self.rules.size + self.entry_weight.size + self.root_weight.size

    @property
    def is_signed(self) -> bool:
        """Whether some weights are negative, so that they are no probabilities."""
        return any(part.size and part.min() < 0 for part in (self.rules, self.entry_weight, self.root_weight))


class LateWeights(Weights):
    """Weights whose rule tensors are expanded when they are first read."""

    __slots__ = ("_rules",)
    _rules: FloatArray | FewValues

    @property
    def rules(self) -> FloatArray | FewValues:
        """The rule tensors as stored: only non-zero values, until all are needed."""
        return self._rules

    @property
    def rule_weight(self) -> FloatArray:
        rules = self._rules
        if isinstance(rules, FewValues):
            rules = rules.whole()
            object.__setattr__(self, "_rules", rules)
        return rules

    @rule_weight.setter
    def rule_weight(self, rules: FloatArray | FewValues) -> None:  # as ``Weights`` sets it
        object.__setattr__(self, "_rules", rules)


def layout(skeleton: Skeleton, states: IntVector) -> tuple[LongVector, LongVector, LongVector]:
    """Where rules, entries and labels begin in the flat weights: rule_at, entry_at, state_at."""
    m = states.astype(np.int64)
    a, b, c = skeleton.rules.T
    return _ends(m[a] * m[b] * m[c]), _ends(m[skeleton.entry_label]), _ends(m)


def _ends(sizes: LongVector) -> LongVector:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def plain_weights(skeleton: Skeleton) -> Weights:
    """The plain PCFG as weights with one state per label."""
    states = np.ones(skeleton.n_labels, dtype=np.int32)
    return Weights(
        states,
        *layout(skeleton, states),
        rule_weight=skeleton.rule_probability,
        entry_weight=skeleton.entry_probability,
        root_weight=skeleton.root_probability,
    )


@dataclass(frozen=True, slots=True)
class TagContext:
    """Probabilities of neighbouring tags and labels, for pruning; row or column A is the sentence boundary.

    follow: (A + 1, A + 1), chance of the next tag given this one.  before: (A + 1, A), chance of a
    label given the tag before its span.  after: (A + 1, A), chance of the tag after its span given
    a label.
    """

    follow: FloatArray
    before: FloatArray
    after: FloatArray


@dataclass(frozen=True, slots=True)
class LatentGrammar:
    """A skeleton with one set of weights or several (an ensemble), and what is known about them.

    context: neighbours of tags and labels, for pruning; None prunes by posteriors alone.
    coarse: small weights for pruning between the plain PCFG and the members; may be None.
    report: facts about the training, JSON values only.  others: grammars of the same treebank over other
    binarisations, whose bracket posteriors are averaged with its own.  span_filter: excludes spans from the
    search; None searches all.  judge: re-scores uncertain tags and brackets, or None.
    """

    skeleton: Skeleton
    members: tuple[Weights, ...]
    context: TagContext | None = None
    coarse: Weights | None = None
    report: dict[str, Any] = field(default_factory=dict)
    others: tuple["LatentGrammar", ...] = ()
    span_filter: SpanFilter | None = None
    judge: Judge | None = None

    def to_parts(self) -> tuple[Header, Arrays]:
        """Header and arrays of a model file."""
        header, arrays = _parts(self, "")
        for i, other in enumerate(self.others):
            other_header, other_arrays = _parts(other, f"other{i}.")
            header["others"].append(other_header)
            arrays.update(other_arrays)
        if self.judge is not None:
            header["judge"], judge_arrays = judge_parts(self.judge)
            arrays.update(judge_arrays)
        return header, arrays

    @classmethod
    def from_parts(cls, header: Header, arrays: Arrays) -> "LatentGrammar":
        """The inverse of ``to_parts``."""
        others = tuple(_grammar(part, arrays, f"other{i}.") for i, part in enumerate(header["others"]))
        judge = judge_from(header["judge"], arrays) if "judge" in header else None
        return replace(_grammar(header, arrays, ""), others=others, judge=judge)

    def summary(self) -> dict[str, Any]:
        """Sizes, and how the grammar was learnt."""
        every = (self, *self.others)
        return {
            "members": sum(len(one.members) for one in every),
            "n_labels": self.skeleton.n_labels,
            "n_rules": int(self.skeleton.rules.shape[0]),
            "n_known_words": self.skeleton.n_words,
            "n_word_classes": self.skeleton.n_classes,
            "n_states": int(self.members[0].states.sum()),
            "most_states": int(self.members[0].states.max()),
            "parameters": sum(member.n_parameters for one in every for member in one.members),
            **({} if self.span_filter is None else self.span_filter.summary()),
            "heads": "learnt from its trees" if "head_rules" in self.report else "English",
            "judge_weights": 0 if self.judge is None else self.judge.n_weights,
        } | {name: self.report[name] for name in REPORTED if name in self.report}


def every_label(grammar: LatentGrammar) -> tuple[Label, ...]:
    """The labels of a grammar, then those that only others of its ensemble have."""
    every = (label for one in (grammar, *grammar.others) for label in one.skeleton.labels)
    return tuple(dict.fromkeys(every))


def weight_arrays(weights: Weights, place: str) -> Arrays:
    """The arrays that make a set of weights, under a prefix of names."""
    return {f"{place}{name}": getattr(weights, name) for name in WEIGHTS}


def weights_of(skeleton: Skeleton, arrays: Arrays, place: str) -> Weights:
    """The inverse of ``weight_arrays``."""
    states, rules, *values = (arrays[f"{place}{name}"] for name in WEIGHTS)
    made = LateWeights if isinstance(rules, FewValues) else Weights
    return made(states, *layout(skeleton, states), rules, *values)


def skeleton_header(skeleton: Skeleton) -> Header:
    """What a header says about a skeleton, without the names of its symbols."""
    labels = [[list(x.chain), x.partial, list(x.siblings), list(x.above)] for x in skeleton.labels]
    return {"labels": labels, "n_words": skeleton.n_words, "n_classes": skeleton.n_classes}


def skeleton_of(header: Header, symbols: Sequence[str], arrays: Arrays, place: str = "") -> Skeleton:
    """The skeleton of a header and the arrays under a prefix of names."""
    return Skeleton(
        labels=tuple(Label(tuple(c), p, tuple(s), tuple(a)) for c, p, s, a in header["labels"]),
        symbols=tuple(symbols),
        n_words=header["n_words"],
        n_classes=header["n_classes"],
        **{name: arrays[f"{place}skeleton.{name}"] for name in SKELETON},
    )


def context_arrays(context: TagContext | None, place: str = "") -> Arrays:
    """The tables of neighbours under a prefix of names; none if there are none."""
    if context is None:
        return {}
    return {f"{place}context.{f.name}": getattr(context, f.name) for f in fields(TagContext)}


def context_of(arrays: Arrays, place: str = "") -> TagContext | None:
    """The inverse of ``context_arrays``."""
    if f"{place}context.follow" not in arrays:
        return None
    return TagContext(*(arrays[f"{place}context.{f.name}"] for f in fields(TagContext)))


def _parts(grammar: LatentGrammar, prefix: str) -> tuple[Header, Arrays]:
    """Header and named arrays of one grammar, without its others."""
    skeleton = grammar.skeleton
    arrays: Arrays = {f"{prefix}skeleton.{name}": getattr(skeleton, name) for name in SKELETON}
    for i, member in enumerate(grammar.members):
        arrays |= weight_arrays(member, f"{prefix}member{i}.")
    if grammar.coarse is not None:
        arrays |= weight_arrays(grammar.coarse, f"{prefix}coarse.")
    arrays |= context_arrays(grammar.context, prefix)
    header = skeleton_header(skeleton) | {
        "symbols": list(skeleton.symbols),
        "n_members": len(grammar.members),
        "report": grammar.report,
        "others": [],
    }
    if grammar.span_filter is not None:
        header[PLACE] = grammar.span_filter.facts()
        arrays |= filter_arrays(grammar.span_filter, prefix)
    return header, arrays


def _grammar(header: Header, arrays: Arrays, prefix: str) -> LatentGrammar:
    """One grammar from its header and its arrays."""
    skeleton = skeleton_of(header, header["symbols"], arrays, prefix)
    return LatentGrammar(
        skeleton,
        tuple(weights_of(skeleton, arrays, f"{prefix}member{i}.") for i in range(header["n_members"])),
        context_of(arrays, prefix),
        weights_of(skeleton, arrays, f"{prefix}coarse.") if f"{prefix}coarse.states" in arrays else None,
        header["report"],
        span_filter=filter_of(header, arrays, prefix),
    )
