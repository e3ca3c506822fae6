"""NLTK's parser interface: tokens or text in, ``nltk.Tree`` objects with probabilities out."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from eigenparse.api.grammar import Grammar, load
from eigenparse.api.raw import sentences_of
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import missing_extra

try:
    from nltk.parse.api import ParserI
    from nltk.tree import ProbabilisticTree
except ImportError as problem:
    raise missing_extra("nltk") from problem


class EigenParser(ParserI):  # type: ignore[misc]  # nltk has no types
    """A grammar behind ``nltk.ParserI``.

    model: a bundled name, a path or a Grammar.  k: trees for each sentence, best first.
    """

    def __init__(self, model: str | Path | Grammar = "en", *, k: int = 1) -> None:
        self._grammar = model if isinstance(model, Grammar) else load(model)
        self._k = k

    def grammar(self) -> Grammar:
        """The grammar that parses; not one of NLTK's, which have no latent states."""
        return self._grammar

    def parse(self, sent: Sequence[str], *args: Any, **kwargs: Any) -> Iterator[ProbabilisticTree]:
        """The k best trees of a tokenised sentence."""
        return (_tree(found) for found in self._grammar.kbest(list(sent), self._k))

    def parse_sents(
        self, sents: Iterable[Sequence[str]], *args: Any, **kwargs: Any
    ) -> Iterator[Iterator[ProbabilisticTree]]:
        """The k best trees of each tokenised sentence."""
        requests = map(self._grammar.request, sents)
        return (iter([_tree(one) for one in found]) for found in self._grammar.stream(requests, k=self._k))

    def raw_parse(self, text: str) -> Iterator[ProbabilisticTree]:
        """The best tree of each sentence of plain text."""
        return (next(found) for found in self.parse_sents(sentences_of(self._grammar, text)))


def _tree(parse: Parse) -> ProbabilisticTree:
    """A tree that knows p(tree | tokens)."""
    tree = ProbabilisticTree.convert(parse.to_nltk())
    tree.set_prob(parse.probability)
    return tree
