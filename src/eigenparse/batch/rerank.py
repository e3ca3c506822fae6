"""Choose the best tree of every n-best list."""

import io
from collections.abc import Iterator
from pathlib import Path

from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import RerankRequest
from eigenparse.corpus.files import read_text
from eigenparse.decode.dependency.rerank import rerank_conllu
from eigenparse.work.work import Where


def rerank(path: Path, asked: RerankRequest, where: Where) -> Iterator[bytes]:
    """The tree with the highest score of every list, in CoNLL-U."""
    text, lines = io.StringIO(), read_text(asked.source).split("\n")
    rerank_conllu(loaded(ModelPlace.of(path)), lines, text, source=str(asked.source))
    yield text.getvalue().encode("utf-8")
