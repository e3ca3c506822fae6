"""Tagging by blocks of lines, here or on a cluster: a stream of lines in, labelled lines out, in order."""

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eigenparse.cli.cluster import ModelPlace, sentence_lines, shifted
from eigenparse.errors import FormatError
from eigenparse.run.ordered import OrderedRun, blocks

if TYPE_CHECKING:
    from eigenparse.models.tagger.rhmm import Tagger

SEQUENCES = 500  # in a block
LOOK = 200  # lines that tell the format, as guess_format looks at


@dataclass(frozen=True, slots=True)
class TagChoices:
    """What the user asked for."""

    place: ModelPlace
    source: str
    form: str
    columns: tuple[str, ...] | None
    posteriors: bool
    kbest: int
    width: int = 0  # columns of the first token


@dataclass(frozen=True, slots=True)
class TagBlock:
    """Lines of whole sequences, the first of them being line ``first``."""

    choices: TagChoices
    lines: tuple[str, ...]
    first: int


@functools.lru_cache(maxsize=2)
def loaded_tagger(place: ModelPlace) -> "Tagger":
    """A tagger, read once by a worker."""
    from eigenparse.models.registry import load_model

    tagger: Tagger = load_model(place.path, "rhmm")
    return tagger


def tag_block(block: TagBlock) -> bytes:
    """A block with its labels."""
    from eigenparse.cli.tag import block_lines

    try:
        lines = list(block_lines(loaded_tagger(block.choices.place), block.lines, block.choices))
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def tag_lines(
    run: OrderedRun,
    model: Path,
    lines: Iterable[str],
    source: str,
    *,
    form: str = "auto",
    columns: tuple[str, ...] | None = None,
    posteriors: bool = False,
    kbest: int = 1,
) -> Iterator[bytes]:
    """Labelled text of all lines, block by block; only some blocks are held."""
    from eigenparse.corpus.label_sources import guess_format

    todo = iter(lines)
    head = list(itertools.islice(todo, LOOK))
    found = guess_format(head, source, columns) if form == "auto" else form
    first = next((line.split() for line in head if line.strip()), [])
    choices = TagChoices(ModelPlace.of(model), source, found, columns, posteriors, kbest, len(first))
    parts = _parts(itertools.chain(head, todo), found)
    return run.map_ordered(tag_block, (TagBlock(choices, part, first) for first, part in parts))


def _parts(lines: Iterable[str], form: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Blocks of lines: by blank lines, by lines where each is a sequence, whole where trees may spread."""
    if form in ("columns", "conllu"):
        yield from sentence_lines(lines, SEQUENCES)
    elif form == "brackets":
        yield 1, tuple(lines)
    else:
        for number, part in enumerate(blocks(lines, SEQUENCES)):
            yield 1 + number * SEQUENCES, part
