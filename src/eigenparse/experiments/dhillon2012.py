"""Table 1 of [dhillon-etal-2012] on one treebank: parsers, re-rankers and what log p adds to them."""

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongMatrix, LongVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.pick import folds
from eigenparse.decode.dependency.latent_trees import parse_trees
from eigenparse.errors import DataError, OptionError
from eigenparse.evaluate.compare import Comparison, paired_bootstrap, percent_of_sums
from eigenparse.inference.dependency.arcs import kbest
from eigenparse.inference.dependency.rerank import Candidates, choose, chosen_heads, oracle, scored
from eigenparse.inference.dependency.tags import with_predicted_tags
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.rerank import RerankerOptions, joined
from eigenparse.learn.dependency.tags import jackknifed_tags
from eigenparse.learn.dependency.trees import ESTIMATORS, DepTreeOptions
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.split_heads import ESTIMATORS as SPLIT_HEADS
from eigenparse.models.vectors.vectors import WordVectors
from eigenparse.work.kept import Kept, Part, fingerprint
from eigenparse.work.work import Work

WORDS = "-words"
ALONE_STATES, ALONE_ROUNDS = 20, 20  # of latent trees as a parser
ALONE_CHANNELS = "upos,form,left,right,distance"
TAG_FOLDS = 10  # section 4.1
PARSER, RERANKED, BEST = "parser", "re-ranked, base features", "best tree of the list"
Tell = Callable[[str], None]
Lists = tuple[IntMatrix, FloatArray, LongVector]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run.  estimators: of log p; each has a row of its own.  states: by estimator.

    ``NAME@K`` is estimator NAME with K states; ``NAME-words`` observes words by their ``vectors`` instead of tags.
    keep: a folder for trained parsers, lists and log p, which later runs find again.
    """

    orders: tuple[int, ...] = (1, 2)
    estimators: tuple[str, ...] = ("lpcfg", "printed")
    states: tuple[tuple[str, int], ...] = (("lpcfg", 16), ("lpcfg-tensor", 16), ("em", 32), ("printed", 10))
    members: int = 1
    n_best: int = 50
    n_folds: int = 3
    passes: int = 10
    seed: int = 0
    keep: Path | None = None
    vectors: WordVectors | None = None

    def __post_init__(self) -> None:
        if not self.orders or any(order not in (1, 2) for order in self.orders):
            raise OptionError(f"orders must be 1, 2 or both, got {self.orders} instead")
        unknown = [name for name in self.estimators if self.parts(name)[0] not in ESTIMATORS]
        if self.vectors is None and any(name.partition("@")[0].endswith(WORDS) for name in self.estimators):
            raise OptionError("estimators of words need word vectors; give --vectors FILE, made by embed")
        if unknown:
            raise OptionError(
                f"estimators must be among {', '.join(ESTIMATORS)}, got {', '.join(unknown)} instead"
            )

    def parts(self, name: str) -> tuple[str, int, bool]:
        """Estimator, states, and whether it observes words."""
        base, _, states = name.partition("@")
        estimator = base.removesuffix(WORDS)
        default = dict(self.states).get(estimator, 10)
        return estimator, int(states) if states.isdigit() else default, base != estimator

    def learner(self, name: str) -> DepTreeOptions:
        """The tree learner of an estimator."""
        estimator, states, words = self.parts(name)
        members = self.members if estimator == "lpcfg" else 1
        return DepTreeOptions(
            estimator=estimator,
            states=states,
            channels="form" if words else "",
            members=members,
            relations=False,
            seed=self.seed,
        )

    def fit(self, name: str, trees: Dependencies) -> TreeModel:
        """The tree model of an estimator."""
        return self.learner(name).fit(TreeData(trees, self.vectors if self.parts(name)[2] else None))


@dataclass(frozen=True, slots=True)
class Row:
    """One method on one part: (S, 2) words and right heads of every sentence."""

    method: str
    counts: LongMatrix

    @property
    def accuracy(self) -> float:
        """Share of right heads, in percent."""
        return float(100.0 * self.counts[:, 1].sum() / max(self.counts[:, 0].sum(), 1))

    @property
    def complete(self) -> float:
        """Share of sentences all of whose heads are right, in percent."""
        return float(100.0 * (self.counts[:, 0] == self.counts[:, 1]).mean())


@dataclass(frozen=True, slots=True)
class Outcome:
    """All methods of one order.  rows: by part.  weights: of base score, log p and the flag, by method.

    not_positive: share of the development lists' trees whose total is no probability, by estimator.
    """

    order: int
    rows: dict[str, tuple[Row, ...]]
    weights: dict[str, tuple[float, ...]]
    not_positive: dict[str, float]
    seconds: float

    def compare(self, part: str, one: str, other: str) -> Comparison:
        """Paired bootstrap of accuracy between two methods."""
        found = {row.method: row.counts for row in self.rows[part]}
        return paired_bootstrap(found[one], found[other], percent_of_sums)


def sizes_of(text: str) -> tuple[tuple[str, int], ...]:
    """Numbers of states by estimator, written as lpcfg=16,em=32."""
    try:
        return tuple((name.strip(), int(n)) for name, n in (part.split("=") for part in text.split(",")))
    except ValueError:
        raise OptionError(f"states must look like lpcfg=16,em=32, got {text!r} instead") from None


def with_log_p(estimator: str) -> str:
    """Name of the method that adds an estimator's log p."""
    return f"{RERANKED} + log p ({estimator})"


def _check_sizes(train: Dependencies, parts: dict[str, Dependencies], n_folds: int) -> None:
    if len(train) < n_folds or not all(map(len, parts.values())):
        raise DataError("too few sentences; give every part at least as many as there are folds")


def with_tags_of_taggers(
    train: Dependencies, parts: dict[str, Dependencies], seed: int, tell: Tell
) -> tuple[Dependencies, dict[str, Dependencies]]:
    """Section 4.1: 10-fold jack-knifed tags of the training trees, tags of a tagger of all of them for the rest."""
    _check_sizes(train, parts, TAG_FOLDS)
    tell("jack-knifed tags")
    tagged = jackknifed_tags(train, seed=seed, n_folds=TAG_FOLDS)
    return tagged.trees, {name: with_predicted_tags(tagged.taggers, part) for name, part in parts.items()}


def run_order(
    order: int, train: Dependencies, parts: dict[str, Dependencies], plan: Plan, tell: Tell
) -> Outcome:
    """Train and apply everything of one order."""
    _check_sizes(train, parts, plan.n_folds)
    start = time.process_time()
    learner = ArcOptions(order=order, passes=plan.passes, label_passes=1, seed=plan.seed, judge=False)
    tell(f"order {order}: parser of all sentences")
    applied = {part: _scored(learner, train, gold, plan) for part, gold in parts.items()}
    lists = _jackknifed(train, learner, plan, tell)
    tell(f"order {order}: re-rankers")
    choices: dict[str, tuple[int, ...]] = {RERANKED: ()}
    choices |= {with_log_p(name): (i,) for i, name in enumerate(plan.estimators)}
    ranked = {
        method: RerankerOptions(seed=plan.seed).fit_lists(_only(lists, chosen), train.head, ())
        for method, chosen in choices.items()
    }
    rows: dict[str, tuple[Row, ...]] = {}
    not_positive: dict[str, float] = {}
    for part, gold in parts.items():
        found = applied[part]
        heads = {PARSER: found.heads[0]}
        for method, chosen in choices.items():
            own = _only(found, chosen)
            heads[method] = chosen_heads(own, choose(ranked[method], own)[0])
        heads[BEST] = chosen_heads(found, oracle(found, gold.head))
        rows[part] = tuple(Row(method, per_sentence(guess, gold)) for method, guess in heads.items())
        if not not_positive:
            not_positive = _flags(found, plan.estimators)
    weights = {method: tuple(model.dense_weights.tolist()) for method, model in ranked.items()}
    return Outcome(order, rows, weights, not_positive, time.process_time() - start)


def parsers_alone(
    train: Dependencies, parts: dict[str, Dependencies], plan: Plan, tell: Tell
) -> dict[str, tuple[Row, ...]]:
    """Section 5: inside-outside over the paper's own model, and over split heads, as parsers by themselves; by part."""
    tell("latent models as parsers")
    latent = DepTreeOptions(states=ALONE_STATES, channels=ALONE_CHANNELS, rounds=ALONE_ROUNDS, seed=plan.seed)
    learners = {f"latent trees (em), {ALONE_STATES} states": latent}
    for name in SPLIT_HEADS:
        learners[f"split heads ({name}), {plan.parts(name)[1]} states"] = plan.learner(name)
    models = {name: learner.fit(train) for name, learner in learners.items()}
    return {
        part: tuple(
            Row(name, per_sentence(parse_trees(model, gold).head, gold)) for name, model in models.items()
        )
        for part, gold in parts.items()
    }


def per_sentence(heads: AnyArray, gold: Dependencies) -> LongMatrix:
    """(S, 2) words and right heads of every sentence."""
    sentence = np.repeat(np.arange(len(gold)), gold.lengths())
    right = np.bincount(sentence, heads == gold.head, minlength=len(gold)).astype(np.int64)
    return np.stack([gold.lengths(), right], axis=1)


def _jackknifed(train: Dependencies, learner: ArcOptions, plan: Plan, tell: Tell) -> Candidates:
    """Lists of every sentence from a parser and tree models that did not see it."""
    found = []
    for number, (seen, rest) in enumerate(folds(len(train), plan.n_folds), start=1):
        tell(f"order {learner.order}: fold {number} of {plan.n_folds}")
        found.append(_scored(learner, train.select(seen), train.select(rest), plan))
    return joined(train, found)


def _scored(learner: ArcOptions, seen: Dependencies, sentences: Dependencies, plan: Plan) -> Candidates:
    """Lists with log p of every estimator; parser and tree models have seen ``seen`` only."""
    lists = base_lists(learner, seen, sentences, plan)
    parts = [_log_p(learner, name, seen, sentences, lists, plan) for name in plan.estimators]
    if not parts:
        return scored(sentences, *lists, ())
    log_p, positive = (np.stack(column) for column in zip(*parts))
    return Candidates(sentences, *lists, log_p, positive)


def _log_p(
    learner: ArcOptions, name: str, seen: Dependencies, sentences: Dependencies, lists: Lists, plan: Plan
) -> tuple[AnyArray, AnyArray]:
    """(S, k) log p of one estimator and whether it is one."""
    trees = plan.learner(name)

    def compute() -> Part:
        found = scored(sentences, *lists, (plan.fit(name, seen),))
        return {}, {"log_p": found.log_p[0], "positive": found.positive[0]}

    arrays = _kept(plan, name, compute, learner, trees, seen, sentences)[1]
    return arrays["log_p"], arrays["positive"]


def base_lists(learner: ArcOptions, seen: Dependencies, sentences: Dependencies, plan: Plan) -> Lists:
    """N-best lists of a parser of some trees for other sentences."""

    def compute() -> Part:
        parser = ArcModel.from_parts(
            *_kept(plan, "parser", lambda: learner.fit(seen).to_parts(), learner, seen)
        )
        lists = kbest(parser, sentences, plan.n_best)
        return {}, {"heads": lists.heads, "scores": lists.scores, "found": lists.found}

    arrays = _kept(plan, "lists", compute, learner, seen, sentences)[1]
    return arrays["heads"], arrays["scores"], arrays["found"]


def _kept(plan: Plan, name: str, compute: Callable[[], Part], *depends: object) -> Part:
    """What was kept in the plan's folder for the same learners and trees, or computed now."""
    if plan.keep is None:
        return compute()
    plan.keep.mkdir(parents=True, exist_ok=True)
    work = Work(kept=Kept(plan.keep))
    return work.part(f"{name}-{fingerprint(plan.n_best, *depends)[:16]}", compute, always=True)


def _only(lists: Candidates, chosen: tuple[int, ...]) -> Candidates:
    """Lists with the log-probabilities of the chosen tree models."""
    return dataclasses.replace(lists, log_p=lists.log_p[list(chosen)], positive=lists.positive[list(chosen)])


def _flags(lists: Candidates, estimators: tuple[str, ...]) -> dict[str, float]:
    filled = np.arange(lists.scores.shape[1])[None, :] < lists.found[:, None]
    return {name: float((~lists.positive[i][filled]).mean()) for i, name in enumerate(estimators)}
