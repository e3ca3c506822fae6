"""Score dependency trees in CoNLL-U or CoNLL-X."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from eigenparse.arrays import LongMatrix
from eigenparse.batch.pairs import attach_pairs
from eigenparse.batch.requests import EvaluateRequest
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.evaluate.attachment import Attachment, word_results
from eigenparse.evaluate.compare import Comparison, paired_bootstrap, percent_of_sums
from eigenparse.work.work import Work


def run(request: EvaluateRequest, work: Work) -> Iterator[str]:
    """Score, and compare if asked."""
    gold, guess = read_conllu(request.gold).trees, read_conllu(request.guess).trees
    counts = attach_pairs(work, gold, guess)
    found = None if request.compare is None else _compare(request, gold, guess, request.compare)
    if request.as_json:
        yield json.dumps(_as_json(request, counts, gold, guess, found), indent=2) + "\n"
        return
    for name, value in counts.figures().items():
        yield f"{name:28s}{value:8.2f}\n"
    yield f"{'words':28s}{counts.words:8d}\n{'sentences':28s}{counts.sentences:8d}\n"
    yield from _tables(request, counts)
    if request.per_sentence:
        for s, (words, heads, arcs) in enumerate(_per_sentence(gold, guess), start=1):
            yield f"{s}\t{words}\t{heads}\t{arcs}\n"
    if found is not None:
        yield (
            f"UAS {found.one:.2f} against {found.other:.2f}: difference {found.difference:+.2f} "
            f"[{found.low:+.2f}, {found.high:+.2f}], p = {found.p_value:.4f}\n"
        )


def _tables(request: EvaluateRequest, counts: Attachment) -> Iterator[str]:
    """Figures by sentence length and, if asked, by relation."""
    tables = [("length", counts.by_length)]
    if request.per_label:
        tables.append(("relation", counts.by_relation))
    for title, table in tables:
        yield f"\n{title:16s}{'words':>8s}{'UAS':>8s}{'LAS':>8s}\n"
        for name, (words, heads, arcs) in table.items():
            yield f"{name:16s}{words:8d}{100 * heads / words:8.2f}{100 * arcs / words:8.2f}\n"


def _per_sentence(gold: Dependencies, guess: Dependencies) -> LongMatrix:
    """(S, 3) words, right heads and right arcs of each sentence."""
    right, labelled = word_results(gold, guess)
    sentence = np.repeat(np.arange(len(gold)), gold.lengths())
    sums = [np.bincount(sentence, hit, minlength=len(gold)).astype(np.int64) for hit in (right, labelled)]
    return np.stack([gold.lengths(), *sums], axis=1)


def _compare(request: EvaluateRequest, gold: Dependencies, guess: Dependencies, other: Path) -> Comparison:
    """Paired bootstrap of UAS between two predictions."""
    one, two = _per_sentence(gold, guess), _per_sentence(gold, read_conllu(other).trees)
    return paired_bootstrap(one, two, percent_of_sums, n_resamples=request.resamples, seed=request.seed)


def _as_json(
    request: EvaluateRequest,
    counts: Attachment,
    gold: Dependencies,
    guess: Dependencies,
    found: Comparison | None,
) -> dict[str, object]:
    result: dict[str, object] = {**counts.figures(), "counts": asdict(counts)}
    if request.per_sentence:
        result["sentences"] = _per_sentence(gold, guess).tolist()
    if found is not None:
        result["comparison"] = asdict(found)
    return result
