"""How text for word vectors is read: paths in, the files to stream and the words to count out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from eigenparse.corpus.text_blocks import text_files
from eigenparse.learn.options import option
from eigenparse.models.vectors.word2vec import load_vectors


@dataclass(frozen=True, slots=True)
class Text:
    """Files that are streamed twice.  words: the vocabulary; None: the most frequent words of the files."""

    files: tuple[Path, ...]
    words: tuple[str, ...] | None = None


@dataclass(frozen=True)
class TextReading:
    """Which text is read, and whose words get vectors."""

    sources: ClassVar[tuple[str, str]] = (
        "TEXT...",
        "Text, one sentence per line; with --near: a file of vectors.",
    )
    words: Path | None = option(
        None, "Use the vocabulary of these vectors instead of the most frequent words."
    )

    def read(self, sources: Sequence[str | Path]) -> Text:
        """The files; their text is read while learning."""
        words = None if self.words is None else load_vectors(self.words).words
        return Text(tuple(text_files(sources)), words)
