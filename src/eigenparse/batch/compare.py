"""Gold and guessed files of trees in, a page of their differences out."""

from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

from eigenparse.corpus.brackets import read_trees
from eigenparse.corpus.files import read_head
from eigenparse.corpus.recognise import recognise
from eigenparse.data import located
from eigenparse.errors import OptionError
from eigenparse.evaluate.errors import UNKNOWN, find_errors
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams
from eigenparse.evaluate.pairing import comparable, pair_files, refuse_other_words
from eigenparse.models.grammar.kind import GRAMMARS
from eigenparse.models.registry import load_model
from eigenparse.models.words import word_table
from eigenparse.report.errors_page import Guess, errors_page


def known_words(path: Path) -> Container[str]:
    """The words of training trees, or those that a grammar knows."""
    path = located(path)
    if path.is_file() and recognise(read_head(path)) == "model":
        return word_table(load_model(path, *GRAMMARS).skeleton).words
    return frozenset(read_trees(path).words)


class Compared(NamedTuple):
    """summary: a line of scores for each parser.  page: a self-contained HTML document."""

    summary: list[str]
    page: str


def compared(
    gold: Path,
    guesses: Sequence[Path],
    params: EvalbParams = COLLINS,
    known: Container[str] | None = None,
) -> Compared:
    """Every difference between the gold trees and those of one or two parsers, the worst sentences first.

    known: words that are not new to the parser; errors at others are a class of their own.
    """
    if len(guesses) > 2:
        raise OptionError(f"compare shows one or two parsers, got {len(guesses)} files; leave some out")
    shown, summary = [], []
    pairs = [comparable(pair_files(gold, path)) for path in guesses]
    for path, pair in zip(guesses, pairs):
        by_sentence = pair.score(params=params)
        refuse_other_words(by_sentence)
        scores = by_sentence.all
        errors = find_errors(pair, params, known)
        shown.append(Guess(path.name, pair.guess.treebank, errors))
        summary.append(
            f"{path.name}: F1 {scores.f1:.2f}, precision {scores.precision:.2f}, recall {scores.recall:.2f}, "
            f"{scores.matched} of {scores.gold} gold brackets found, {scores.guess} guessed, "
            f"{scores.complete} of {scores.scored} sentences without an error"
        )
        if known is not None:
            summary.append(
                f"{path.name}: {errors.unknown.total()} of {errors.n_unknown} unknown words have a wrong tag, "
                f"{errors.classes[UNKNOWN]} wrong or missing brackets begin or end at one of these"
            )
    title = f"{gold.name} and {' and '.join(one.name for one in shown)}"
    return Compared(summary, errors_page(title, pairs[0].gold.treebank, shown, summary))
