"""How labelled sequences are read for training: files in, labels apart from the columns that are read out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

import numpy as np

from eigenparse.corpus.label_sources import FORMATS, pick_label, read_labelled, reduce_columns
from eigenparse.corpus.sequences import Sequences, from_columns
from eigenparse.learn.options import option
from eigenparse.learn.tagger.base import Labelled, labelled


@dataclass(frozen=True)
class SequenceReading:
    """Files of tokens with labels: CoNLL columns, word_TAG lines, CoNLL-U or bracketed trees."""

    sources: ClassVar[tuple[str, str]] = ("TRAIN...", "Columns, word_TAG lines, CoNLL-U or trees.")
    columns: str | None = option(None, "Names of the columns, as word,pos,chunk.")
    label: str | None = option(
        None, "Column to learn. Default: upos in CoNLL-U files, otherwise the last column."
    )
    format: str = option("auto", "Format of the files; auto looks at the first lines.", choices=FORMATS)

    def read(self, sources: Sequence[str | Path]) -> Labelled:
        """The labelled sequences of all files."""
        names = self.columns.split(",") if self.columns else None
        whole = joined([read_labelled(source, form=self.format, columns=names) for source in sources])
        label = pick_label(whole, self.label)
        return labelled(whole if names else reduce_columns(whole, label), label)


def joined(parts: Sequence[Sequences]) -> Sequences:
    """The sequences of several files with the same columns, in order."""
    if len(parts) == 1:
        return parts[0]
    names = parts[0].names
    columns = [chain.from_iterable(part.column(name).strings() for part in parts) for name in names]
    lengths, line = (np.concatenate(values) for values in zip(*((np.diff(p.offsets), p.line) for p in parts)))
    return from_columns(names, columns, lengths.tolist(), line.tolist())
