"""Score label columns: accuracy, labels, known and unknown words, chunk F1."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eigenparse.batch.pairs import tagging_pairs
from eigenparse.batch.requests import EvaluateRequest
from eigenparse.corpus.label_sources import pick_label, read_labelled
from eigenparse.errors import DataError
from eigenparse.evaluate.tagging import Score, TaggingCounts
from eigenparse.work.work import Work


def run(request: EvaluateRequest, work: Work) -> Iterator[str]:
    """Score the last column of two files; words that ``--train`` lacks are scored apart."""
    counts = _counts(work, request.gold, request.guess, request.train)
    text = json.dumps(_figures(counts), indent=1) if request.as_json else "\n".join(_report(counts, request))
    yield text + "\n"


def _counts(work: Work, gold: Path, guess: Path, train: Path | None) -> TaggingCounts:
    right, ours = read_labelled(gold), read_labelled(guess)
    if (
        right.columns[0].strings() != ours.columns[0].strings()
        or right.offsets.tolist() != ours.offsets.tolist()
    ):
        raise DataError(
            f"{guess}: its tokens are not those of {gold}; score the same sequences in the same order"
        )
    labels = [corpus.column(pick_label(corpus, None)).strings() for corpus in (right, ours)]
    ends = right.offsets.tolist()
    spans = list(itertools.pairwise(ends))
    unknown = None
    if train is not None:
        known = set(read_labelled(train).columns[0].symbols)
        words = right.columns[0].strings()
        unknown = [[word not in known for word in words[i:j]] for i, j in spans]
    gold_labels, guessed = ([values[i:j] for i, j in spans] for values in labels)
    return tagging_pairs(work, gold_labels, guessed, unknown)


def _figures(counts: TaggingCounts) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "accuracy": counts.accuracy,
        "tokens": counts.tokens,
        "right": counts.right,
        "sequences": counts.sequences,
        "sequences_right": counts.sequences_right,
        "unknown_tokens": counts.unknown,
        "known_accuracy": counts.known_accuracy,
        "unknown_accuracy": counts.unknown_accuracy,
        "labels": {name: _ratios(score) for name, score in counts.labels.items()},
    }
    if counts.chunks:
        figures["chunks"] = {name: _ratios(score) for name, score in counts.chunks.items()}
        figures["chunk"] = _ratios(counts.chunk)
    return figures


def _ratios(score: Score) -> dict[str, float]:
    return {
        "precision": score.precision,
        "recall": score.recall,
        "f1": score.f1,
        "gold": score.gold,
        "guessed": score.guessed,
        "right": score.right,
    }


def _report(counts: TaggingCounts, request: EvaluateRequest) -> list[str]:
    lines = [
        f"tokens {counts.tokens}   accuracy {100 * counts.accuracy:.2f}   "
        f"sequences {counts.sequences}   all right {counts.sequences_right}"
    ]
    if request.train is not None:
        lines.append(
            f"known words {100 * counts.known_accuracy:.2f}   "
            f"unknown words {100 * counts.unknown_accuracy:.2f} ({counts.unknown} tokens)"
        )
    if counts.chunks:
        lines.append(_row("chunks", counts.chunk))
        lines += [_row(f"  {name}", score) for name, score in counts.chunks.items()]
    if request.per_label or not counts.chunks:
        lines += [_row(name, score) for name, score in counts.labels.items()]
    return lines


def _row(name: str, score: Score) -> str:
    return (
        f"{name:<12} precision {100 * score.precision:6.2f}   recall {100 * score.recall:6.2f}   "
        f"F1 {100 * score.f1:6.2f}   gold {score.gold}"
    )
