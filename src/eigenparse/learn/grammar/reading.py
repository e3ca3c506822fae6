"""How the trees that a grammar is learnt from are read: files in, a normalised treebank or its shards out."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar

from eigenparse.corpus.brackets import notes, read_trees_report
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import Normalisation, normalise_report
from eigenparse.errors import DataError, OptionError
from eigenparse.learn.grammar.shards import Shards, cut_shards
from eigenparse.learn.options import option


@dataclass(frozen=True, slots=True)
class ReadTrees(Treebank):
    """Trees of files.  notes: sentences about what was left out."""

    notes: tuple[str, ...] = field(default=(), metadata={"fingerprint": False})


@dataclass(frozen=True)
class TreeReading:
    """How trees are read and cleaned."""

    sources: ClassVar[tuple[str, str]] = (
        "TRAIN...",
        "Trees: files, directories, globs; - is standard input.",
    )

    skip_broken: bool = option(False, "Skip broken trees and count them.")
    keep_tag_suffix: bool = option(False, "Leave tags as they are, as N-D; strip phrase labels only.")
    out_of_core: bool = option(
        False, "Stream the trees from disk in several passes, so that memory stays bounded."
    )

    def read(self, sources: Sequence[str | Path]) -> Treebank | Shards:
        """The trees of files; with ``out_of_core`` the places of their shards, unless there is but one."""
        normalisation = Normalisation(keep_tag_suffix=self.keep_tag_suffix)
        if self.out_of_core:
            if self.skip_broken:
                raise OptionError("--out-of-core has no --skip-broken; leave one of them out")
            shards = tuple(cut_shards(sources))
            if len(shards) > 1:
                return Shards(shards, normalisation)
        reading = read_trees_report(sources, skip_broken=self.skip_broken)
        cleaned = normalise_report(reading.treebank, options=normalisation)
        if len(cleaned.treebank) == 0:
            raise DataError(
                f"{sources[0]}: no tree is left after normalisation; check that the trees have words"
            )
        said = list(notes(reading))
        if cleaned.n_removed:
            said.append(f"left out {cleaned.n_removed} trees without words")
        columns = {f.name: getattr(cleaned.treebank, f.name) for f in fields(Treebank)}
        return ReadTrees(**columns, notes=tuple(said))
