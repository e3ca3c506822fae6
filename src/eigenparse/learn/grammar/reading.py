"""How the trees that a grammar is learnt from are read: files in, a normalised treebank or its shards out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from eigenparse.arrays import FloatArray
from eigenparse.corpus.brackets import join_treebanks, notes, read_trees_report
from eigenparse.corpus.cleaning import HELP, Normalisation, normalisation_by
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise, normalise_report
from eigenparse.corpus.pick import pick_trees
from eigenparse.errors import DataError, OptionError
from eigenparse.learn.grammar.shards import Shards, cut_shards
from eigenparse.learn.options import option


@dataclass(frozen=True, slots=True)
class ReadTrees(Treebank):
    """Trees of files.

    notes: sentences about what was left out.  normalisation: how they were cleaned.  raw: the same trees before that,
    where they are scored by.
    """

    notes: tuple[str, ...] = field(default=(), metadata={"fingerprint": False})
    normalisation: Normalisation = Normalisation()
    raw: Treebank | None = field(default=None, metadata={"fingerprint": False})


@dataclass(frozen=True)
class TreeReading:
    """How trees are read and cleaned."""

    sources: ClassVar[tuple[str, str]] = (
        "TRAIN...",
        "Trees: files, directories, globs; - is standard input.",
    )

    skip_broken: bool = option(False, "Skip broken trees and count them.")
    keep_tag_suffix: bool = option(False, HELP["keep_tag_suffix"])
    drop: tuple[str, ...] = option((), HELP["drop"])
    out_of_core: bool = option(
        False, "Stream the trees from disk in several passes, so that memory stays bounded."
    )
    guided: tuple[Path, ...] = option(
        (), "Additional trees written by `guide`; each is weighted by its confidence."
    )
    guided_weight: float = option(
        0.5, "Weight of --guided trees; other trees have weight 1.", low=0.0, idle={"guided": ((),)}
    )

    def gold(self, path: str | Path) -> ReadTrees:
        """Trees to score on, in memory."""
        reading = read_trees_report([path], skip_broken=self.skip_broken)
        normalisation = normalisation_by(self.keep_tag_suffix, self.drop)
        return cleaned_trees(reading.treebank, normalisation, notes(reading), f"{path}: ", keep_raw=True)

    def read(self, sources: Sequence[str | Path]) -> Treebank | Shards:
        """The trees of files; with ``out_of_core`` the positions of their shards, unless there is only one."""
        normalisation = normalisation_by(self.keep_tag_suffix, self.drop)
        if self.out_of_core:
            if self.guided:
                raise OptionError("--out-of-core and --guided exclude each other; leave one of them out")
            if self.skip_broken:
                raise OptionError("--out-of-core and --skip-broken exclude each other; leave one of them out")
            shards = tuple(cut_shards(sources))
            if len(shards) > 1:
                return Shards(shards, normalisation)
        reading = read_trees_report(sources, skip_broken=self.skip_broken)
        told = list(notes(reading))
        if not self.guided:
            return cleaned_trees(reading.treebank, normalisation, told, f"{sources[0]}: ")
        more = read_guided(self.guided, self.guided_weight)
        told.append(f"{len(more)} guided trees count as {float(np.sum(np.asarray(more.weight))):.0f}")
        return cleaned_trees(join_treebanks([reading.treebank, more]), normalisation, told, f"{sources[0]}: ")


def cleaned_trees(
    treebank: Treebank,
    normalisation: Normalisation,
    told: Sequence[str] = (),
    name: str = "",
    *,
    keep_raw: bool = False,
) -> ReadTrees:
    """Trees as they are learnt from; DataError if none is left.  told: notes so far.  name: of the file."""
    cleaned = normalise_report(treebank, options=normalisation)
    if len(cleaned.treebank) == 0:
        raise DataError(f"{name}no tree is left after normalisation; check that the trees have words")
    said = [f"left out {cleaned.n_removed} trees without words"] if cleaned.n_removed else []
    columns = {f.name: getattr(cleaned.treebank, f.name) for f in fields(Treebank)}
    raw = pick_trees(treebank, cleaned.kept) if keep_raw else None
    return ReadTrees(**columns, notes=(*told, *said), normalisation=normalisation, raw=raw)


def read_guided(paths: Sequence[Path], weight: float = 1.0) -> Treebank:
    """Trees that ``guide`` wrote, each with its confidence times ``weight`` as its weight."""
    raw = read_trees_report(paths).treebank
    found = [re.search(r"=([0-9.]+)$", name) for name in raw.labels]
    sure: FloatArray = np.array([1.0 if one is None else float(one[1]) for one in found])
    return normalise(replace(raw, weight=weight * sure[raw.label[raw.offsets[1:] - 1]]))
