"""Outcomes of the dependency experiments in, a report like table 1 of [dhillon-etal-2012] out."""

from pathlib import Path

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import without_punctuation
from eigenparse.errors import OptionError
from eigenparse.experiments.dhillon2012 import (
    PARSER,
    RERANKED,
    Outcome,
    Plan,
    Row,
    Tell,
    parsers_alone,
    run_order,
    with_log_p,
    with_tags_of_taggers,
)
from eigenparse.experiments.dhillon_theory import theorem_section
from eigenparse.report import Cell, Report, Section, Table

ORDERS = {1: "first order", 2: "second order"}
PUBLISHED: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((90.8, 37.2), (91.3, 37.5), (91.7, 37.8)),
    2: ((91.8, 40.6), (92.4, 41.0), (92.7, 41.3)),
}
"""[dhillon-etal-2012, table 1]: accuracy and complete trees on the Penn Treebank, section 23."""


def reproduced(
    files: dict[str, Path], plan: Plan, tags: str, tell: Tell, *, strip_punctuation: bool
) -> Report:
    """The report of a whole run.  files: CoNLL-U of train, dev and test.  tags: predicted or gold."""
    if tags not in ("predicted", "gold"):
        raise OptionError(f"tags must be predicted or gold, got {tags!r} instead")
    parts = {name: read_conllu(path).trees for name, path in files.items()}
    if strip_punctuation:
        parts = {name: without_punctuation(trees) for name, trees in parts.items()}
    facts: dict[str, Cell] = {f"{name} sentences": len(trees) for name, trees in parts.items()}
    learn = parts.pop("train")
    if tags == "predicted":
        learn, parts = with_tags_of_taggers(learn, parts, plan.seed, tell)
    outcomes = [run_order(order, learn, parts, plan, tell) for order in plan.orders]
    alone = parsers_alone(learn, parts, plan, tell)
    facts |= {
        "tags": tags,
        "punctuation": "removed" if strip_punctuation else "kept and scored",
        "trees per list": plan.n_best,
        "folds": plan.n_folds,
        "passes": plan.passes,
        "lpcfg members": plan.members,
        "seed": plan.seed,
    }
    facts |= {f"CPU seconds, order {found.order}": round(found.seconds) for found in outcomes}
    return table_report(outcomes, alone, plan, facts)


def table_report(
    outcomes: list[Outcome], alone: dict[str, tuple[Row, ...]], plan: Plan, facts: dict[str, Cell]
) -> Report:
    """Table 1 for every part, the comparisons behind it, what the estimators did, and how they parse alone."""
    parts = list(outcomes[0].rows)
    tables = tuple(_accuracy(outcomes, part) for part in reversed(parts))
    intro = (
        "Parsers, re-rankers over their n-best lists, and re-rankers that also see log p of a latent model of "
        "trees. The training lists are jack-knifed: neither the parser nor the tree model behind a list has "
        "seen its sentence."
    )
    setting = Table("Setting", ("what", "value"), tuple(facts.items()))
    return Report(
        "Dhillon et al. 2012, table 1 and theorem 3.1",
        intro,
        (
            Section("Accuracy", items=tables),
            Section("What each step adds", items=tuple(_steps(outcomes, plan, p) for p in reversed(parts))),
            Section("Latent models", items=(_latent(outcomes, plan), _alone(alone))),
            theorem_section(seed=plan.seed),
            Section("Setting", items=(setting,)),
        ),
    )


def _accuracy(outcomes: list[Outcome], part: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    main = (PARSER, RERANKED, with_log_p("printed"))  # the estimator that the paper prints
    for outcome in outcomes:
        printed = dict(zip(main, PUBLISHED[outcome.order]))
        for row in outcome.rows[part]:
            paper: tuple[Cell, Cell] = printed.get(row.method, (None, None))
            name = f"{ORDERS[outcome.order]}: {row.method}"
            rows.append((name, row.accuracy, row.complete, *paper))
    header = ("method", "accuracy", "complete", "paper: accuracy", "paper: complete")
    note = (
        "Percent of words with the right head and of sentences with all heads right; "
        "the paper's figures are of the Penn Treebank and stand beside the paper's own estimator, 'printed'."
    )
    return Table(f"Table 1, {part}", header, tuple(rows), note)


def _steps(outcomes: list[Outcome], plan: Plan, part: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for outcome in outcomes:
        pairs = [(PARSER, RERANKED), *((RERANKED, with_log_p(name)) for name in plan.estimators)]
        for one, other in pairs:
            found = outcome.compare(part, one, other)
            interval = f"{found.low:+.2f} to {found.high:+.2f}"
            name = f"{ORDERS[outcome.order]}: {other} over {one}"
            rows.append((name, f"{found.difference:+.2f}", interval, f"{found.p_value:.4f}"))
    note = "Paired bootstrap over sentences, 10,000 resamples, two-sided."
    return Table(
        f"Differences of accuracy, {part}", ("step", "difference", "95% interval", "p"), tuple(rows), note
    )


def _alone(alone: dict[str, tuple[Row, ...]]) -> Table:
    rows = tuple(
        (f"{part}: {row.method}", row.accuracy, row.complete)
        for part in reversed(list(alone))
        for row in alone[part]
    )
    note = (
        "What the paper names as future work, its own model as a parser by inside-outside over all projective trees, "
        "and split heads, an L-PCFG by clusters and EM or by the method of moments."
    )
    return Table("Latent models as parsers", ("model", "accuracy", "complete"), rows, note)


def _latent(outcomes: list[Outcome], plan: Plan) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for outcome in outcomes:
        for name in plan.estimators:
            base, log_p, flag = outcome.weights[with_log_p(name)]
            share = 100 * outcome.not_positive[name]
            title = f"{ORDERS[outcome.order]}: {name}"
            rows.append((title, plan.parts(name)[1], base, log_p, flag, share))
    header = ("estimator", "states", "weight: parser", "weight: log p", "weight: no p", "% without p")
    note = (
        "Weights of standardised scores; the last column is the share of candidate trees whose total is "
        "not positive."
    )
    return Table("Weights of dense features", header, tuple(rows), note)
