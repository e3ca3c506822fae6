"""``eigenparse evaluate`` for dependency trees in CoNLL-U or CoNLL-X."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import typer

from eigenparse.arrays import FloatArray, LongMatrix
from eigenparse.cli.evaluate import Request
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.evaluate.attachment import Attachment, attachment, word_results
from eigenparse.evaluate.compare import Comparison, paired_bootstrap


def run(request: Request) -> None:
    """Score, compare if asked, and print."""
    gold = read_conllu(request.gold).trees
    guess = read_conllu(request.guess).trees
    counts = _counted(request, gold, guess)
    found = None if request.compare is None else _compare(request, gold, guess, request.compare)
    if request.as_json:
        typer.echo(json.dumps(_as_json(request, counts, gold, guess, found), indent=2))
        return
    for name, value in counts.figures().items():
        typer.echo(f"{name:28s}{value:8.2f}")
    typer.echo(f"{'words':28s}{counts.words:8d}\n{'sentences':28s}{counts.sentences:8d}")
    _print_tables(request, counts)
    if request.per_sentence:
        for s, (words, heads, arcs) in enumerate(_per_sentence(gold, guess), start=1):
            typer.echo(f"{s}\t{words}\t{heads}\t{arcs}")
    if found is not None:
        typer.echo(
            f"UAS {found.one:.2f} against {found.other:.2f}: difference {found.difference:+.2f} "
            f"[{found.low:+.2f}, {found.high:+.2f}], p = {found.p_value:.4f}"
        )


def _counted(request: Request, gold: Dependencies, guess: Dependencies) -> Attachment:
    """The counts, at once or block by block."""
    if request.cluster is None and request.jobs == 1:
        return attachment(gold, guess)
    from eigenparse.cli.cluster import attach_pairs
    from eigenparse.run.ordered import open_run

    with open_run(request.cluster, request.jobs) as where:
        return attach_pairs(where, gold, guess)


def _print_tables(request: Request, counts: Attachment) -> None:
    """Figures by sentence length and, if asked, by relation."""
    tables = [("length", counts.by_length)]
    if request.per_label:
        tables.append(("relation", counts.by_relation))
    for title, table in tables:
        typer.echo(f"\n{title:16s}{'words':>8s}{'UAS':>8s}{'LAS':>8s}")
        for name, (words, heads, arcs) in table.items():
            typer.echo(f"{name:16s}{words:8d}{100 * heads / words:8.2f}{100 * arcs / words:8.2f}")


def _per_sentence(gold: Dependencies, guess: Dependencies) -> LongMatrix:
    """(S, 3) words, right heads and right arcs of each sentence."""
    right, labelled = word_results(gold, guess)
    sentence = np.repeat(np.arange(len(gold)), gold.lengths())
    sums = [np.bincount(sentence, hit, minlength=len(gold)).astype(np.int64) for hit in (right, labelled)]
    return np.stack([gold.lengths(), *sums], axis=1)


def _share_of_heads(sums: FloatArray) -> FloatArray:
    """UAS of summed (words, heads, arcs)."""
    return 100.0 * sums[:, 1] / np.maximum(sums[:, 0], 1)


def _compare(request: Request, gold: Dependencies, guess: Dependencies, other: Path) -> Comparison:
    """Paired bootstrap of UAS between two predictions."""
    one, two = _per_sentence(gold, guess), _per_sentence(gold, read_conllu(other).trees)
    return paired_bootstrap(one, two, _share_of_heads, n_resamples=request.resamples, seed=request.seed)


def _as_json(
    request: Request, counts: Attachment, gold: Dependencies, guess: Dependencies, found: Comparison | None
) -> dict[str, object]:
    result: dict[str, object] = {**counts.figures(), "counts": asdict(counts)}
    if request.per_sentence:
        result["sentences"] = _per_sentence(gold, guess).tolist()
    if found is not None:
        result["comparison"] = asdict(found)
    return result
