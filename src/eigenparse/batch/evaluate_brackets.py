"""Score trees in brackets, compare two predictions, and print as EVALB does if that is wanted."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from eigenparse.batch.pairs import score_pairs
from eigenparse.batch.requests import EvaluateRequest
from eigenparse.corpus.cleaning import refuse_absent
from eigenparse.errors import OptionError
from eigenparse.evaluate.brackets import BracketScores
from eigenparse.evaluate.compare import Comparison, compare_brackets
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams, load_params
from eigenparse.evaluate.pairing import comparable, pair_files, refuse_other_words
from eigenparse.evaluate.report import (
    as_dict,
    describe,
    evalb_report,
    label_table,
    notes,
    sentence_table,
    summary,
)
from eigenparse.work.progress import tell
from eigenparse.work.work import Work


def run(request: EvaluateRequest, work: Work) -> Iterator[str]:
    """Score, and compare if asked."""
    params = _params(request)
    scores, how = _scores(request, request.guess, params, work)
    other, found = None, None
    if request.compare is not None:
        other, _ = _scores(request, request.compare, params, work)
        found = compare_brackets(scores, other, n_resamples=request.resamples, seed=request.seed)
    if request.as_json:
        yield json.dumps(_as_json(request, scores, how, other, found), indent=2) + "\n"
    elif request.strict and request.per_sentence:
        yield from _evalb_text(request, scores, how, found)
    else:
        yield from _text(request, scores, how, found)


def _params(request: EvaluateRequest) -> EvalbParams:
    """The conventions asked for."""
    params = COLLINS if request.params is None else load_params(request.params)
    if request.strict and request.drop:
        raise OptionError("--drop is not known to the reference scorer; leave out --drop or --strict")
    if request.cutoff is None:
        return params
    if request.cutoff < 0:
        raise OptionError(f"cutoff must be 0 or more, got {request.cutoff} instead")
    return replace(params, cutoff=request.cutoff)


def _scores(
    request: EvaluateRequest, guess: Path, params: EvalbParams, work: Work
) -> tuple[BracketScores, str]:
    """The scores of one prediction, and how its sentences were paired."""
    pair = pair_files(request.gold, guess, strict=request.strict)
    if not request.strict:
        refuse_absent(request.drop, pair.gold.treebank.labels)
        pair = comparable(pair, keep_tag_suffix=request.keep_tag_suffix, drop=request.drop)
    scores = score_pairs(work, pair, params, request.strict)
    if not request.strict:
        refuse_other_words(scores)
    return scores, pair.how


def _as_json(
    request: EvaluateRequest,
    scores: BracketScores,
    how: str,
    other: BracketScores | None,
    found: Comparison | None,
) -> dict[str, object]:
    result = as_dict(scores, per_sentence=request.per_sentence, per_label=request.per_label)
    result["paired"] = how
    result["notes"] = notes(scores)
    if other is not None and found is not None:
        result["other"] = as_dict(other)
        result["comparison"] = asdict(found)
    return result


def _evalb_text(
    request: EvaluateRequest, scores: BracketScores, how: str, found: Comparison | None
) -> Iterator[str]:
    """The output of EVALB, byte for byte; messages go to standard error."""
    yield evalb_report(scores)
    for line in [describe(scores), f"paired {how}", *notes(scores)]:
        tell(line)
    if request.per_label:
        tell(f"by label\n{label_table(scores)}".rstrip())
    if found is not None:
        tell(_comparison(request, found))


def _text(
    request: EvaluateRequest, scores: BracketScores, how: str, found: Comparison | None
) -> Iterator[str]:
    """Summary, and on request sentences, labels and comparison."""
    if request.per_sentence:
        yield sentence_table(scores) + "\n"
    yield summary(scores)
    if how != "line by line":
        yield f"paired {how}\n"
    if request.per_label:
        yield "\n" + label_table(scores)
    if found is not None:
        yield "\n" + _comparison(request, found) + "\n"


def _comparison(request: EvaluateRequest, found: Comparison) -> str:
    """The paired bootstrap in three lines."""
    interval = f"{found.confidence:.0%} interval {found.low:+.2f} to {found.high:+.2f}"
    return (
        f"labelled F1 {found.one:.2f} ({request.guess}) against {found.other:.2f} ({request.compare})\n"
        f"difference {found.difference:+.2f}, {interval}, p = {found.p_value:.4f}\n"
        f"paired bootstrap, {found.n_resamples} resamples of {found.n_sentences} sentences,"
        f" seed {request.seed}"
    )
