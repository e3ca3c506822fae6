"""What an HMM over symbols can do: score, perplexity, samples and states of sequences."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.arrays import Sums, generator
from eigenparse.batch.facts import log_table, posteriors_above
from eigenparse.batch.perplexity import Rate
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import SampleRequest, ScoreRequest, TagRequest, refuse_given
from eigenparse.corpus.sequences import Sequences
from eigenparse.corpus.symbols import read_symbols
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.hmm.chain import filtered, mean_length, posterior_states, whole_logs
from eigenparse.inference.hmm.chain import sample as draw
from eigenparse.learn.hmm.reading import SymbolText
from eigenparse.models.hmm.chain import ChainModel
from eigenparse.work.work import Where, open_work

SEQUENCES = 1000  # in a block


@dataclass(frozen=True, slots=True)
class ChainBlock:
    """Sequences whose probabilities or states are wanted."""

    place: ModelPlace
    corpus: Sequences
    posteriors: bool = False


@dataclass(frozen=True, slots=True)
class Counted(Sums):
    """Log probability, length and repairs of sequences; perplexity is of all their symbols.

    logs: of symbols given those before, unknown ones as one.  whole: of whole sequences, with their lengths and
    the identity of unknown symbols.
    """

    logs: tuple[float, ...]
    whole: tuple[float, ...]
    lengths: tuple[int, ...]
    n_floored: int
    n_resets: int

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log probability per symbol."""
        n = sum(self.lengths)
        return float(np.exp(-sum(self.logs) / n)) if n else 1.0

    def sentence(self) -> str:
        """The perplexity and what was repaired."""
        repairs = [
            f"{self.n_floored} predictions were raised to a small positive value" if self.n_floored else "",
            f"the state was started anew {self.n_resets} times" if self.n_resets else "",
        ]
        counted = "; ".join([f"{sum(self.lengths)} symbols", *filter(None, repairs)])
        return f"perplexity {self.perplexity:.3f} per symbol ({counted})"


def score(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """A line per sequence with its number, log p and number of symbols, and a line of totals."""
    refuse_given(asked, "an HMM", "skip_broken", "project")
    found = _counted(path, asked, where)
    yield log_table(np.array(found.whole), np.array(found.lengths), "symbol")


def perplexity(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """The perplexity of all sequences: of their symbols given those before, and of sequences as wholes."""
    refuse_given(asked, "an HMM", "exact", "project")
    found = _counted(path, asked, where)
    yield f"{found.sentence()}\n".encode()
    whole = Rate.of(np.array(found.whole), np.array(found.lengths, dtype=np.float64))
    yield f"perplexity {whole} per symbol of whole sequences, with their lengths and spelt unknown symbols\n".encode()


def evaluate(model: ChainModel, gold: SymbolText) -> list[str]:
    """The perplexity of development text."""
    return [count_chain(model, gold.sequences).sentence()]


def count_chain(model: ChainModel, corpus: Sequences) -> Counted:
    """Log probabilities of sequences; every prediction is a distribution over symbols."""
    found = filtered(model, model.encode(corpus.columns[0]), corpus.offsets)
    spans = itertools.pairwise(corpus.offsets.tolist())
    logs = tuple(float(found.log_p[i:j].sum()) for i, j in spans)
    whole = tuple(whole_logs(model, corpus.columns[0], corpus.offsets).tolist())
    return Counted(logs, whole, tuple(np.diff(corpus.offsets).tolist()), found.n_floored, found.n_resets)


def tag(path: Path, asked: TagRequest, where: Where) -> Iterator[bytes]:
    """Symbols and the number of the most probable hidden state of each; posteriors: of all likely states."""
    _require_proper(path, "states")
    if asked.kbest != 1 or asked.form != "auto":
        raise OptionError("an HMM tags the symbols that it was trained on; leave out --kbest and --format")
    if loaded(ModelPlace.of(path)).unit != "column":
        refuse_given(asked, "an HMM of characters or words", "columns")
    column = asked.names[0] if asked.names else None
    place = ModelPlace.of(path)
    todo = _blocks(path, [str(asked.source)], column)
    with open_work("states", where) as work:
        yield from work.map(states_block, (ChainBlock(place, part, asked.posteriors) for part in todo))


def states_block(block: ChainBlock) -> bytes:
    """A line per symbol with its state; an empty line after each sequence."""
    model, corpus = loaded(block.place), block.corpus
    gamma = posterior_states(model, model.encode(corpus.columns[0]), corpus.offsets)
    best, symbols = gamma.argmax(axis=1).tolist(), corpus.columns[0].strings()
    lines: list[str] = []
    for i, j in itertools.pairwise(corpus.offsets.tolist()):
        for t in range(i, j):
            more = (
                f" {posteriors_above(range(gamma.shape[1]), gamma[t].tolist())}" if block.posteriors else ""
            )
            lines.append(f"{symbols[t]} {best[t]}{more}")
        lines.append("")
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def sample(path: Path, asked: SampleRequest, where: Where) -> Iterator[bytes]:
    """Sequences of symbols, one per line."""
    refuse_given(asked, "an HMM", "max_words", "words", "project")
    _require_proper(path, "samples")
    model: ChainModel = loaded(ModelPlace.of(path))
    lengths = np.full(asked.n, asked.length or 0, dtype=np.int64)
    if asked.length is None:
        lengths = generator(asked.seed, 18).geometric(1.0 / (1.0 + mean_length(model)), asked.n) - 1
    symbols, _ = draw(model, lengths, seed=asked.seed)
    between, ends = "" if model.unit == "char" else " ", np.concatenate([[0], np.cumsum(lengths)]).tolist()
    for i, j in itertools.pairwise(ends):
        yield (between.join(model.symbols[k] for k in symbols[i:j].tolist()) + "\n").encode("utf-8")


def _require_proper(path: Path, what: str) -> None:
    """OptionError for spectral models, whose states are no probabilities."""
    if not loaded(ModelPlace.of(path)).is_proper:
        raise OptionError(
            f"{path}: {what} need a model of probabilities, and this one is spectral; "
            "use a model that `eigenparse train hmm --method cluster` or `--method em` wrote"
        )


def _counted(path: Path, asked: ScoreRequest, where: Where) -> Counted:
    place = ModelPlace.of(path)
    if loaded(place).unit != "column":
        refuse_given(asked, "an HMM of characters or words", "column")
    todo = (ChainBlock(place, part) for part in _blocks(path, asked.sources, asked.column))
    with open_work("scoring", where) as work:
        found: Counted = work.add_up(count_block, todo)
    return found


def count_block(block: ChainBlock) -> Counted:
    return count_chain(loaded(block.place), block.corpus)


def _blocks(path: Path, sources: Iterable[str], column: str | None) -> Iterator[Sequences]:
    """The sequences of all sources in blocks; DataError if there is none."""
    model: ChainModel = loaded(ModelPlace.of(path))
    n_tokens = 0
    for source in sources:
        corpus = read_symbols(source, model.unit, column)
        n_tokens += corpus.n_tokens
        for start in range(0, len(corpus), SEQUENCES):
            yield corpus.take(start, min(start + SEQUENCES, len(corpus)))
    if not n_tokens:
        raise DataError("the input has no symbol; check the file, or what was piped in")
