"""Development trees in; scores of a grammar, or the numbers of states that do best on them, out."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.corpus.brackets import escape, parse_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import PLAIN
from eigenparse.errors import DataError
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint

Tell = Callable[[str], None]
LADDER = (4, 8, 16, 24, 32)
N_LABELS = 6  # the most frequent labels are tried one by one


@dataclass(frozen=True, slots=True)
class F1:
    """EVALB figures (COLLINS conventions, labelled, all lengths) in percent, and sentences a second."""

    f1: float
    precision: float
    recall: float
    exact: float
    tagging: float
    per_second: float
    statuses: dict[str, int]


def sentences_of(treebank: Treebank) -> list[tuple[str, ...]]:
    """The words of every tree, and nothing else of it."""
    words = treebank.words
    bounds = zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist())
    return [tuple(words[w] for w in treebank.word[i:j].tolist() if w >= 0) for i, j in bounds]


def dev_scores(grammar: Grammar, gold: Treebank, jobs: int = 1) -> F1:
    """Parse the words of gold trees and compare; sentences too long to parse count as failed."""
    requests = [Request(words) for words in sentences_of(gold)]
    start = time.perf_counter()
    found = [best[0] for best in grammar.stream(requests, jobs=jobs, detail=PLAIN)]
    elapsed = time.perf_counter() - start
    lines = [one.tree or _flat(one.tokens) for one in found]
    guess = parse_trees("\n".join(lines))
    if len(guess) != len(gold):
        raise DataError("the parser gave another number of trees than there are sentences")
    counts = score_brackets(gold, guess).all
    statuses = {
        name: sum(one.status == name for one in found) for name in sorted({one.status for one in found})
    }
    tagging = 100 * counts.tags / max(counts.words, 1)
    rate = len(found) / max(elapsed, 1e-9)
    return F1(counts.f1, counts.precision, counts.recall, counts.exact, tagging, rate, statuses)


def _flat(tokens: tuple[str, ...]) -> str:
    """A tree without constituents, for a sentence that was skipped."""
    return "(TOP " + " ".join(f"(X {escape(token)})" for token in tokens) + ")"


def tuned(
    learner: LatentPCFG,
    treebank: Treebank,
    dev: Treebank,
    *,
    tell: Tell,
    checkpoint: Checkpoint = NOTHING_KEPT,
) -> LatentPCFG:
    """The same learner with the numbers of states that do best on development trees.

    First the most states a label may have, then half and twice as many for each of the most frequent
    labels in turn; single grammars are compared, and a change must gain F1.
    """
    single = replace(learner, ensemble=1, jobs=1)

    def score(candidate: LatentPCFG) -> float:
        return dev_scores(candidate.fit_normalised(treebank, candidate.options()), dev).f1

    def trial(candidate: LatentPCFG, what: str) -> float:
        f1 = checkpoint.figure(what.replace("/", "_").replace(" ", "-"), lambda: score(candidate))
        tell(f"{what}: F1 {f1:.2f}")
        return f1

    results = {m: trial(replace(single, states=m), f"{m} states") for m in LADDER}
    most = max(results, key=lambda m: (results[m], -m))
    best, chosen = results[most], replace(single, states=most)
    for name, count in _frequent(chosen, treebank):
        now = dict(chosen.states_by_label)
        usual = min(most, max(count // (chosen.options().states.nodes_per_state or 1), 1))
        for m in (max(usual // 2, 1), 2 * usual):
            candidate = replace(chosen, states_by_label=tuple((now | {name: m}).items()))
            f1 = trial(candidate, f"{m} states for {name}")
            if f1 > best and not math.isclose(f1, best):
                best, chosen = f1, candidate
    return replace(learner, states=chosen.states, states_by_label=chosen.states_by_label)


def _frequent(learner: LatentPCFG, treebank: Treebank) -> list[tuple[str, int]]:
    """Names and node counts of the most frequent labels of the binary trees."""
    from eigenparse.corpus.transform import binarise

    trees = binarise(treebank, learner.options().binarisation)
    count = np.bincount(trees.label, minlength=len(trees.labels))
    order = np.argsort(-count, kind="stable")[:N_LABELS]
    return [(str(trees.labels[a]), int(count[a])) for a in order]
