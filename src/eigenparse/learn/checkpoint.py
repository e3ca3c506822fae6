"""Finished parts of a long learning run in, files beside the model out; read back, they save the work.

A checkpoint is a folder.  ``run.json`` holds the fingerprint of what is being learnt; every other
file is one finished part and appears whole or not at all, so that a run may be killed at any moment.
A part that was read back is the same to the bit as one that was computed.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.files import sweep, write_whole
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, EigenparseError, ModelFileError, OptionError
from eigenparse.models import registry
from eigenparse.models.grammar.kind import GRAMMAR
from eigenparse.models.grammar.pcfg import LatentGrammar, Skeleton, Weights, layout
from eigenparse.models.store import Header, load_model, save_model

KIND = "lpcfg-rounds"
PART_KIND = "part-of-work"
Part = tuple[Header, dict[str, AnyArray]]
SECONDS = 20.0  # between checkpoints of the rounds of EM


@dataclass(frozen=True, slots=True)
class Rounds:
    """EM under way: the weights after so many rounds, and what is to be reported."""

    weights: Weights
    log_likelihoods: tuple[float, ...]
    singular: dict[int, FloatArray]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where finished parts are kept; without a folder nothing is.

    seconds: least time between two checkpoints of rounds.
    """

    folder: Path | None = None
    seconds: float = SECONDS
    name: str = ""

    def at(self, name: str) -> "Checkpoint":
        """The same folder, for a part of the work with a name of its own."""
        return replace(self, name=f"{self.name}{name}-")

    def grammar(self, name: str, compute: Callable[[], LatentGrammar]) -> LatentGrammar:
        """A grammar that was kept, or computed and kept now."""
        if self.folder is None:
            return compute()
        path = self._path(name)
        try:
            found: LatentGrammar = registry.load_model(path, GRAMMAR.name)
            return found
        except ModelFileError:
            grammar = compute()
        registry.save_model(grammar, path, GRAMMAR.name)
        return grammar

    def figure(self, name: str, compute: Callable[[], float]) -> float:
        """A number that was kept, or computed and kept now."""
        if self.folder is None:
            return compute()
        path = self._path(name, ".json")
        try:
            return float(json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            value = compute()
        write_whole(path, json.dumps(value).encode())
        return value

    def part(self, name: str, compute: Callable[[], Part]) -> Part:
        """A header and arrays that were kept, or computed and kept now."""
        found = self.found(name)
        if found is None:
            found = compute()
            self.keep(name, found)
        return found

    def found(self, name: str) -> Part | None:
        """What was kept under a name, if it is whole; arrays are the caller's own."""
        if self.folder is None:
            return None
        try:
            kind, header, arrays = load_model(self._path(name))
            types: dict[str, str] = header["types"]
            made = {key: array.copy().view(types[key]) for key, array in arrays.items()}
        except (EigenparseError, KeyError, TypeError, ValueError):
            return None
        return (header["header"], made) if kind == PART_KIND else None

    def keep(self, name: str, part: Part) -> None:
        """Keep a header and arrays, to the bit, infinities included; a worker without the folder keeps nothing."""
        if self.folder is None or not self.folder.is_dir():
            return
        header, arrays = part[0], {key: np.ascontiguousarray(a) for key, a in part[1].items()}
        bits = {
            key: a.view(f"u{a.dtype.itemsize}") if a.dtype.kind == "f" else a for key, a in arrays.items()
        }
        types = {key: a.dtype.str for key, a in arrays.items()}
        save_model(self._path(name), kind=PART_KIND, header={"header": header, "types": types}, arrays=bits)

    def rounds(self, skeleton: Skeleton) -> Rounds | None:
        """The last rounds of EM that were kept for this part, if any."""
        if self.folder is None:
            return None
        try:
            kind, header, arrays = load_model(self._path("rounds"))
            states = arrays["states"].astype(np.int32, copy=False)
            if kind != KIND or states.shape != (skeleton.n_labels,) or np.any(states < 1):
                return None
            values = (arrays[name].copy() for name in ("rule_weight", "entry_weight", "root_weight"))
            weights = Weights(states, *layout(skeleton, states), *values)
            singular = {int(a): arrays[f"singular{a}"] for a in header["singular"]}
            return Rounds(weights, tuple(header["log_likelihood"]), singular)
        except (EigenparseError, KeyError, TypeError, ValueError):
            return None

    def keep_rounds(self, rounds: Rounds, since: float) -> float:
        """Keep EM's weights if ``since`` (a monotonic time) is long enough ago; when that was done last."""
        now = time.monotonic()
        if self.folder is None or now - since < self.seconds:
            return since
        weights = rounds.weights
        arrays = {
            name: getattr(weights, name) for name in ("states", "rule_weight", "entry_weight", "root_weight")
        }
        arrays |= {f"singular{a}": value for a, value in rounds.singular.items()}
        header = {"log_likelihood": list(rounds.log_likelihoods), "singular": sorted(rounds.singular)}
        save_model(self._path("rounds"), kind=KIND, header=header, arrays=arrays)
        return time.monotonic()

    def _path(self, name: str, suffix: str = ".part-of-model") -> Path:
        return (self.folder or Path()) / f"{self.name}{name}{suffix}"


NOTHING_KEPT = Checkpoint()


def fingerprint(treebanks: tuple[Treebank | None, ...], settings: str) -> str:
    """SHA-256 of trees and settings: what a checkpoint must agree with."""
    parts: list[Any] = [settings]
    for treebank in treebanks:
        if treebank is None:
            parts.append("none")
            continue
        parts += [treebank.label, treebank.parent, treebank.word, treebank.offsets]
        parts += [treebank.labels, treebank.words]
    return mark_of(parts)


def dependencies_mark(trees: Dependencies, settings: str) -> str:
    """The same of dependency trees."""
    columns = [getattr(trees, f.name) for f in fields(trees) if f.name not in ("symbols", "line")]
    return mark_of([settings, *columns, {name: list(names) for name, names in trees.symbols.items()}])


def sequences_mark(corpus: Sequences, settings: str) -> str:
    """The same of sequences with their columns."""
    columns = [[c.name, list(c.symbols)] for c in corpus.columns]
    return mark_of([settings, columns, corpus.offsets, *(c.ids for c in corpus.columns)])


def mark_of(parts: Iterable[Any]) -> str:
    """SHA-256 of arrays and JSON values in order."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            total.update(f"{part.dtype.str}{part.shape}".encode())
            total.update(np.ascontiguousarray(part).data)
        else:
            total.update(json.dumps(part, sort_keys=True).encode())
    return total.hexdigest()


def open_checkpoint(folder: Path, mark: str, *, resume: bool, seconds: float = SECONDS) -> Checkpoint:
    """The folder's parts if they are of the same run and wanted, else an empty folder.

    Raises OptionError if ``resume`` is asked of another run's checkpoint.
    """
    note = folder / "run.json"
    if folder.exists() and not (folder.is_dir() and (note.is_file() or not any(folder.iterdir()))):
        raise DataError(f"{folder}: is in the way of the checkpoint; move it or choose another --out")
    if resume and note.is_file():
        if _mark(note) != mark:
            raise OptionError(
                f"{folder}: was made from other data or settings; give the same ones, or leave out --resume"
            )
        sweep(folder)
        return Checkpoint(folder, seconds)
    close_checkpoint(Checkpoint(folder))
    try:
        folder.mkdir()
    except OSError as problem:
        raise DataError(f"{folder}: cannot be made ({problem.strerror}); check the directory") from None
    write_whole(note, json.dumps({"fingerprint": mark}).encode())
    return Checkpoint(folder, seconds)


def _mark(note: Path) -> str | None:
    """The fingerprint in a checkpoint's note; None if it cannot be read."""
    try:
        content = json.loads(note.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return content.get("fingerprint") if isinstance(content, dict) else None


def close_checkpoint(checkpoint: Checkpoint) -> None:
    """Remove a checkpoint: the run is over, or begins anew."""
    if checkpoint.folder is not None:
        shutil.rmtree(checkpoint.folder, ignore_errors=True)
