"""Score phone alignments: .phn files and TextGrids, or folders of them."""

import json
from collections.abc import Iterator
from pathlib import Path

from eigenparse.batch.requests import EvaluateRequest
from eigenparse.corpus.phones import ALIGNMENTS, read_alignment
from eigenparse.errors import DataError
from eigenparse.evaluate.phones import PhoneCounts, count_phones
from eigenparse.work.work import Work


def run(request: EvaluateRequest, work: Work) -> Iterator[str]:
    """Figures of all recordings together and, if asked, of each."""
    total, rows = PhoneCounts(), []
    for gold, guess in _pairs(request.gold, request.guess):
        counts = count_phones(
            read_alignment(gold, request.rate), read_alignment(guess, request.rate), request.rate
        )
        total += counts
        rows.append((gold.stem, counts))
    if request.as_json:
        yield (
            json.dumps({**total.figures(), "recordings": len(rows), "phones": total.phones}, indent=2) + "\n"
        )
        return
    for name, value in total.figures().items():
        yield f"{name:36s}{value:8.2f}\n"
    yield f"{'recordings':36s}{len(rows):8d}\n{'phones':36s}{total.phones:8d}\n"
    if request.per_sentence:
        for name, counts in rows:
            figures = counts.figures()
            yield f"{name}\t{figures['frame accuracy']:.2f}\t{figures['phone error rate']:.2f}\n"


def _pairs(gold: Path, guess: Path) -> Iterator[tuple[Path, Path]]:
    """The files to compare: two, or those of two folders with the same names, whatever their endings."""
    if gold.is_dir() != guess.is_dir():
        raise DataError(f"{gold} and {guess}: one is a folder and one a file; give two of a kind")
    if not gold.is_dir():
        yield gold, guess
        return
    ours = {path.stem: path for path in _alignments(guess)}
    for path in _alignments(gold):
        if path.stem not in ours:
            raise DataError(f"{guess}: has no alignment of {path.stem}; transcribe it too or remove {path}")
        yield path, ours[path.stem]


def _alignments(folder: Path) -> list[Path]:
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in ALIGNMENTS]
    if not found:
        raise DataError(f"{folder}: no file ends in {', '.join(ALIGNMENTS)}; name a folder of alignments")
    return found
