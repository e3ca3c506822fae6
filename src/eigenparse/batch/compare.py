"""Gold and guessed files of trees in, a page of their differences out."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eigenparse.errors import OptionError
from eigenparse.evaluate.errors import find_errors
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams
from eigenparse.evaluate.pairing import comparable, pair_files
from eigenparse.report.errors_page import Guess, errors_page


class Compared(NamedTuple):
    """summary: a line of scores for each parser.  page: a self-contained HTML document."""

    summary: list[str]
    page: str


def compared(gold: Path, guesses: Sequence[Path], params: EvalbParams = COLLINS) -> Compared:
    """Every difference between the gold trees and those of one or two parsers, the worst sentences first."""
    if len(guesses) > 2:
        raise OptionError(f"compare shows one or two parsers, got {len(guesses)} files; leave some out")
    shown, summary = [], []
    pairs = [comparable(pair_files(gold, path)) for path in guesses]
    for path, pair in zip(guesses, pairs):
        scores = pair.score(params=params).all
        shown.append(Guess(path.name, pair.guess.treebank, find_errors(pair, params)))
        summary.append(
            f"{path.name}: F1 {scores.f1:.2f}, precision {scores.precision:.2f}, recall {scores.recall:.2f}, "
            f"{scores.matched} of {scores.gold} gold brackets found, {scores.guess} guessed, "
            f"{scores.complete} of {scores.scored} sentences without an error"
        )
    title = f"{gold.name} and {' and '.join(one.name for one in shown)}"
    return Compared(summary, errors_page(title, pairs[0].gold.treebank, shown, summary))
