"""Development trees in; scores of a grammar, or the numbers of states that do best on them, out."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from eigenparse.corpus.brackets import escape, parse_trees
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.heads import ENOUGH
from eigenparse.corpus.transform import binarise
from eigenparse.decode.grammar.parser import make_parser
from eigenparse.decode.grammar.request import Request
from eigenparse.decode.grammar.results import answer_or_none, make_tables, parses_of
from eigenparse.errors import DataError, OptionError
from eigenparse.evaluate.brackets import BracketScores
from eigenparse.evaluate.pairing import PairedFiles, comparable
from eigenparse.evaluate.tree_lines import TreeLines
from eigenparse.learn.grammar.learner import head_rules, with_factor
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.learn.grammar.reading import ReadTrees
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.work.progress import tell
from eigenparse.work.work import Work

LADDER = (4, 8, 16, 24, 32)
N_LABELS = 6  # the most frequent labels are tried one by one
BLOCK = 500  # sentences in memory at a time


@dataclass(frozen=True, slots=True)
class F1:
    """EVALB figures (COLLINS conventions, labelled, all lengths) in percent, and sentences per second."""

    f1: float
    precision: float
    recall: float
    exact: float
    tagging: float
    per_second: float
    statuses: dict[str, int]


def dev_scores(grammar: LatentGrammar, gold: Treebank) -> F1:
    """Parse the words of gold trees and compare; sentences too long to parse count as failed."""
    tables = make_tables(make_parser(grammar))
    requests = [Request(words) for words in sentences_of(gold)]
    start = time.perf_counter()
    found = []
    for at in range(0, len(requests), BLOCK):
        block = requests[at : at + BLOCK]
        answers = [answer_or_none(tables, request, k=1) for request in block]
        found += [best[0] for best in parses_of(tables, block, answers, posteriors=False)]
    elapsed = time.perf_counter() - start
    guess = parse_trees("\n".join(one.tree or _flat(one.tokens) for one in found))
    if len(guess) != len(gold):
        raise DataError("the parser gave another number of trees than there are sentences")
    counts = _scores(gold, guess).all
    statuses = {
        name: sum(one.status == name for one in found) for name in sorted({one.status for one in found})
    }
    tagging = 100 * counts.tags / max(counts.words, 1)
    rate = len(found) / max(elapsed, 1e-9)
    return F1(counts.f1, counts.precision, counts.recall, counts.exact, tagging, rate, statuses)


def _scores(gold: Treebank, guess: Treebank) -> BracketScores:
    """The scores that ``evaluate`` prints for the same trees, as they were before they were cleaned."""
    raw = gold.raw if isinstance(gold, ReadTrees) and gold.raw is not None else gold
    drop = gold.normalisation.dropped if isinstance(gold, ReadTrees) else ()
    return comparable(PairedFiles(TreeLines.of(raw), TreeLines.of(guess), "tree by tree"), drop=drop).score()


def _flat(tokens: tuple[str, ...]) -> str:
    """A tree without constituents, for a sentence that was skipped."""
    return "(TOP " + " ".join(f"(X {escape(token)})" for token in tokens) + ")"


def evaluate(grammar: LatentGrammar, gold: Treebank) -> list[dict[str, Any]]:
    """One row of figures: how well a grammar parses the words of gold trees."""
    method = grammar.report.get("method", "known")
    found = asdict(dev_scores(grammar, gold))
    return [
        {
            "grammar": "plain PCFG" if method == "pcfg" else f"latent ({method})",
            **{name: value for name, value in found.items() if isinstance(value, float)},
        }
    ]


def learnt(grammar: LatentGrammar) -> list[str]:
    """Facts about a trained grammar, as lines of text."""
    facts, report = grammar.summary(), grammar.report
    lines = [
        f"{report['method']}, seed {report['seed']}: {report['n_trees']} trees, {report['n_words']} words",
        f"{facts['n_labels']} labels, {facts['n_rules']} rules, {facts['n_known_words']} words; {facts['n_states']} "
        f"states, at most {facts['most_states']} per label; members: {facts['members']}; "
        f"{facts['parameters']} parameters",
    ]
    if report.get("head_rules_know", 1.0) < ENOUGH:
        lines.append(
            f"the English head rules know {100 * report['head_rules_know']:.0f} % of these phrases: wide ones are cut "
            f"by --factor {report['binarisation']['factor']}; heads of arcs follow rules learnt from the trees"
        )
    values = (report.get("members") or [{}])[0].get("singular", {})
    ratios = [v[-1] / v[0] for v in values.values() if len(v) > 1 and v[0] > 0]
    if ratios:
        lines.append(
            f"singular values of {len(values)} labels: the last kept is {np.median(ratios):.3f} of the first "
            f"(median; {min(ratios):.3f} to {max(ratios):.3f})"
        )
    if report.get("negative_share"):
        lines.append(f"{100 * report['negative_share']:.1f} % of the weights are negative")
    return lines


def tune_states(
    options: GrammarOptions, treebank: Treebank, dev: Treebank | None, work: Work = Work()
) -> GrammarOptions:
    """The same options with the numbers of states that do best on development trees.

    First the most states a label may have, then half and twice as many for each of the most frequent labels in
    turn; single grammars without judges are compared, and a change must gain F1.
    """
    if dev is None or not isinstance(treebank, Treebank):
        raise OptionError(
            "--tune-states chooses by F1 on development trees, in memory; add --dev FILE, without --out-of-core"
        )
    options = replace(options, tune_states=False)
    score = _trials(treebank, dev, work)
    single = replace(options, ensemble=1, judge=False)
    results = {m: score(replace(single, states=m), f"{m} states") for m in LADDER}
    most = max(results, key=lambda m: (results[m], -m))
    best, chosen = results[most], replace(single, states=most)
    for name, count in _frequent(chosen, treebank):
        now = dict(chosen.states_by_label)
        usual = min(most, max(count // (chosen.filled().nodes_per_state or 1), 1))
        for m in (max(usual // 2, 1), 2 * usual):
            candidate = replace(chosen, states_by_label=tuple((now | {name: m}).items()))
            f1 = score(candidate, f"{m} states for {name}")
            if f1 > best and not math.isclose(f1, best):
                best, chosen = f1, candidate
    return replace(options, states=chosen.states, states_by_label=chosen.states_by_label)


def _trials(treebank: Treebank, dev: Treebank, work: Work) -> Callable[[GrammarOptions, str], float]:
    """A function that learns by some options and returns F1; figures are kept, so that no trial is made twice."""

    def trial(candidate: GrammarOptions, what: str) -> float:
        name = what.replace("/", "_").replace(" ", "-")
        found = work.part(
            name, lambda: ({"f1": dev_scores(candidate.fit(treebank), dev).f1}, {}), always=True
        )
        f1 = float(found[0]["f1"])
        tell(f"{what}: F1 {f1:.2f}")
        return f1

    return trial


def _frequent(options: GrammarOptions, treebank: Treebank) -> list[tuple[str, int]]:
    """Names and node counts of the most frequent labels of the binary trees."""
    trees = binarise(treebank, with_factor(options, head_rules(treebank)[1]).filled().binarisation)
    count = np.bincount(trees.label, minlength=len(trees.labels))
    order = np.argsort(-count, kind="stable")[:N_LABELS]
    return [(str(trees.labels[a]), int(count[a])) for a in order]
