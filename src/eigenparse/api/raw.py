"""Plain text and a grammar in, sentences of tokens as the grammar's treebank writes them out."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from eigenparse.corpus.tokenise import sentence_tokens, tokens_of

if TYPE_CHECKING:
    from eigenparse.api.grammar import Grammar


def conventions(grammar: "Grammar") -> dict[str, str]:
    """How the trees of a grammar write quotation marks and compounds: arguments of ``tokenise``."""
    words = grammar.tables.parser.words.words
    tags = {name.chain[-1] for name in grammar.latent.skeleton.labels}
    penn = "``" in words and '"' not in words
    return {"quotes": "penn" if penn else "keep", "hyphens": "split" if "HYPH" in tags else "keep"}


def tokens_in(grammar: "Grammar", sentence: str) -> list[str]:
    """The tokens of a string, split at blanks if it is clearly tokenised, else as in the grammar's treebank."""
    return tokens_of(sentence, **conventions(grammar))


def sentences_of(grammar: "Grammar", text: str | Iterable[str]) -> Iterator[list[str]]:
    """The sentences of a text, or of its lines; blank lines separate paragraphs."""
    lines = text.split("\n") if isinstance(text, str) else text
    return sentence_tokens(lines, **conventions(grammar))
