"""The public class for dependency parsers: text or tokens in, words with tags, heads and relations out."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eigenparse.api.given import refuse_tree, tokens_given
from eigenparse.corpus.conllu import from_sentences
from eigenparse.corpus.dependencies import from_tokens
from eigenparse.corpus.tokenise import split_sentences, tokenise
from eigenparse.decode.dependency.arcs import parse_corpus
from eigenparse.errors import DataError
from eigenparse.inference.dependency.arcs import parse
from eigenparse.models.container import Header
from eigenparse.models.dependency.arcs import ArcModel


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a parsed sentence.

    id: its place, from 1.  head: that of its head, 0 for the root.  Tags, features and lemma are ``_`` if the parser
    predicts none.
    """

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str


@dataclass(frozen=True, slots=True)
class DependencyParser:
    """What ``eigenparse.load`` returns for a dependency parser."""

    model: ArcModel

    def parse(self, text: str | Sequence[Sequence[str]]) -> list[list[Word]]:
        """Sentences of a text, which is cut into sentences and tokens, or of lists of tokens, which are kept.

        >>> parser = load("en-ud")                                      # doctest: +SKIP
        >>> [(word.form, word.upos, word.head) for word in parser.parse("Dogs bark.")[0]]  # doctest: +SKIP
        [('Dogs', 'NOUN', 2), ('bark', 'VERB', 0), ('.', 'PUNCT', 2)]
        """
        trees = parse(self.model, from_tokens(self._tokens(text)))
        names = ("form", "lemma", "upos", "xpos", "feats", "relation")
        form, lemma, upos, xpos, feats, relation = (trees.strings(name) for name in names)
        rows = list(zip(form, lemma, upos, xpos, feats, trees.head.tolist(), relation))
        return [
            [Word(i, *row) for i, row in enumerate(rows[low:high], start=1)]
            for low, high in pairwise(trees.offsets.tolist())
        ]

    def conllu(self, text: str | Sequence[Sequence[str]]) -> str:
        """The same as CoNLL-U."""
        out = io.StringIO()
        parse_corpus(self.model, from_sentences(self._tokens(text)), out)
        return out.getvalue()

    def to_parts(self) -> tuple[Header, dict[str, Any]]:
        """Header and arrays of a model file."""
        return self.model.to_parts()

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, Any]) -> "DependencyParser":
        """The inverse of ``to_parts``."""
        return cls(ArcModel.from_parts(header, arrays))

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return self.model.summary()

    def _tokens(self, text: str | Sequence[Sequence[str]]) -> list[list[str]]:
        if not isinstance(text, str):
            if isinstance(text, bytes | Mapping) or not isinstance(text, Iterable):
                raise DataError(f"a text of type {type(text).__name__}; give a string, or lists of tokens")
            found = list(text)
            if any(isinstance(sentence, str) for sentence in found):
                raise DataError(
                    "a sentence of type str; give lists of tokens, or one string for the whole text"
                )
            return [list(tokens_given(sentence)) for sentence in found]
        refuse_tree(text)
        return [tokenise(sentence, **self.model.style) for sentence in split_sentences(text)]
