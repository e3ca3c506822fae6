"""``eigenparse evaluate`` for trees in brackets."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import typer

from eigenparse.cli.evaluate import Request
from eigenparse.errors import OptionError
from eigenparse.evaluate.brackets import BracketScores
from eigenparse.evaluate.compare import Comparison, compare_brackets
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams, load_params
from eigenparse.evaluate.pairing import pair_files
from eigenparse.evaluate.report import (
    as_dict,
    describe,
    evalb_report,
    label_table,
    notes,
    sentence_table,
    summary,
)


def run(request: Request) -> None:
    """Score, compare if asked, and print."""
    params = _params(request)
    scores, how = _scores(request, request.guess, params)
    other, found = None, None
    if request.compare is not None:
        other, _ = _scores(request, request.compare, params)
        found = compare_brackets(scores, other, n_resamples=request.resamples, seed=request.seed)
    if request.as_json:
        typer.echo(json.dumps(_as_json(request, scores, how, other, found), indent=2))
    elif request.strict and request.per_sentence:
        _print_evalb(request, scores, how, found)
    else:
        _print(request, scores, how, found)


def _params(request: Request) -> EvalbParams:
    """The conventions asked for."""
    params = COLLINS if request.params is None else load_params(request.params)
    if request.cutoff is None:
        return params
    if request.cutoff < 0:
        raise OptionError(f"cutoff must be 0 or more, got {request.cutoff} instead")
    return replace(params, cutoff=request.cutoff)


def _scores(request: Request, guess: Path, params: EvalbParams) -> tuple[BracketScores, str]:
    """The scores of one prediction, and how its sentences were paired."""
    pair = pair_files(request.gold, guess, strict=request.strict)
    if request.cluster is None and request.jobs == 1:
        return pair.score(params=params, strict=request.strict), pair.how
    from eigenparse.cli.cluster import score_pairs
    from eigenparse.run.ordered import open_run

    with open_run(request.cluster, request.jobs) as where:
        return score_pairs(where, pair, params, request.strict), pair.how


def _as_json(
    request: Request, scores: BracketScores, how: str, other: BracketScores | None, found: Comparison | None
) -> dict[str, object]:
    result = as_dict(scores, per_sentence=request.per_sentence, per_label=request.per_label)
    result["paired"] = how
    result["notes"] = notes(scores)
    if other is not None and found is not None:
        result["other"] = as_dict(other)
        result["comparison"] = asdict(found)
    return result


def _print_evalb(request: Request, scores: BracketScores, how: str, found: Comparison | None) -> None:
    """What EVALB prints, to the byte, on standard output; all else on standard error."""
    typer.echo(evalb_report(scores), nl=False)
    for line in [describe(scores), f"paired {how}", *notes(scores)]:
        typer.echo(line, err=True)
    if request.per_label:
        typer.echo(label_table(scores), err=True, nl=False)
    if found is not None:
        typer.echo(_comparison(request, found), err=True)


def _print(request: Request, scores: BracketScores, how: str, found: Comparison | None) -> None:
    """Summary, and on request sentences, labels and comparison, on standard output."""
    if request.per_sentence:
        typer.echo(sentence_table(scores))
    typer.echo(summary(scores), nl=False)
    if how != "line by line":
        typer.echo(f"paired {how}")
    if request.per_label:
        typer.echo("\n" + label_table(scores), nl=False)
    if found is not None:
        typer.echo("\n" + _comparison(request, found))


def _comparison(request: Request, found: Comparison) -> str:
    """The paired bootstrap in three lines."""
    interval = f"{found.confidence:.0%} interval {found.low:+.2f} to {found.high:+.2f}"
    return (
        f"labelled F1 {found.one:.2f} ({request.guess}) against {found.other:.2f} ({request.compare})\n"
        f"difference {found.difference:+.2f}, {interval}, p = {found.p_value:.4f}\n"
        f"paired bootstrap, {found.n_resamples} resamples of {found.n_sentences} sentences,"
        f" seed {request.seed}"
    )
