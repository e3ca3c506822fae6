"""Parses as they are written: brackets, JSON lines, lists of the best, CoNLL-U, text and pictures."""

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from eigenparse.api.dependencies import conllu
from eigenparse.api.pictures import doubts, svg, text
from eigenparse.batch.files import check_files
from eigenparse.batch.requests import ParseRequest
from eigenparse.corpus.files import write_whole
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import OptionError
from eigenparse.work.progress import tell

MADE_HERE = ("conllu", "svg", "text")  # forms that a cluster does not make
Lists = tuple[tuple[Parse, ...], ...]


def written(found: tuple[Parse, ...], asked: ParseRequest) -> bytes:
    """What a line of input gives: one tree per line, or one JSON object."""
    if asked.form == "json":
        return (json.dumps(_json(found, asked.kbest), ensure_ascii=False) + "\n").encode("utf-8")
    if asked.form == "text":
        return drawn(found).encode("utf-8")
    if asked.kbest == 1 or not found:
        return ((found[0].tree if found else "") + "\n").encode("utf-8")
    rows = [f"{one.score:.6f}\t{one.probability:.6g}\t{one.tree}" for one in found]
    return ("\n".join(rows) + "\n\n").encode("utf-8")


def drawn(found: tuple[Parse, ...]) -> str:
    """Trees as pictures of lines, each with its probability and what is least sure about it."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
    parts = [f"{text(one, width=width)}\n\n{doubts(one)}\n" for one in found if one.tree]
    return "\n".join(parts) + "\n" if parts else "\n"


def _json(found: tuple[Parse, ...], k: int) -> dict[str, object]:
    """The best tree; with k above 1 the others follow under "kbest"."""
    if not found:
        return {"tokens": [], "tree": None, "status": "empty"}
    best = found[0].as_dict()
    if k > 1:
        best["kbest"] = [
            {
                name: value
                for name, value in one.as_dict().items()
                if name not in ("tokens", "status", "log_total")
            }
            for one in found
        ]
    return best


def trees_of(blocks: Iterable[Lists]) -> Iterator[tuple[Parse, ...]]:
    """The lists of sentences that have a tree."""
    for block in blocks:
        yield from (found for found in block if found and found[0].status != "skipped")


def numbered(out: Path, number: int, total: int) -> Path:
    """``tree.svg`` for one tree; ``tree-01.svg``, ``tree-02.svg`` … for several."""
    return out if total == 1 else out.with_name(f"{out.stem}-{number:0{len(str(total))}d}{out.suffix}")


def tell_written(names: Sequence[Path]) -> None:
    """Say which pictures there are now."""
    if len(names) == 1:
        tell(f"wrote {names[0]}")
    elif names:
        tell(f"wrote {len(names)} pictures, {names[0]} to {names[-1].name}")


def drawn_files(blocks: Iterable[Lists], output: Path | None, read: Sequence[Path | None]) -> Iterator[bytes]:
    """SVG pictures: one to a stream, several to numbered files, which are written here; none replaces what is read."""
    trees = [one for found in trees_of(blocks) for one in found]
    if len(trees) == 1:
        yield svg(trees[0]).encode("utf-8")
    elif output is None:
        raise OptionError(f"{len(trees)} pictures do not fit into one stream; add --out FILE")
    else:
        names = [numbered(output, number, len(trees)) for number in range(1, len(trees) + 1)]
        check_files(read, names)
        for name, tree in zip(names, trees):
            write_whole(name, svg(tree).encode("utf-8"))
        tell_written(names)


def numbered_conllu(blocks: Iterable[Lists]) -> Iterator[bytes]:
    """CoNLL-U by head rules, a block of sentences at a time; of a list of the best the first."""
    first = 1
    for block in blocks:
        trees = [found[0] for found in trees_of([block])]
        yield conllu(trees, first=first).encode("utf-8")
        first += len(trees)
