"""Tokens and a model in; their share of unknown words, or their universal arcs, out; runs in worker processes."""

from collections.abc import Sequence
from typing import Any

from eigenparse.api.grammar import Grammar
from eigenparse.batch.parse_grammar import unknown_words
from eigenparse.corpus.conllu import from_sentences
from eigenparse.decode.grammar.request import lookup_form
from eigenparse.inference.dependency.arcs import parse
from eigenparse.models.dependency.arcs import ArcModel

Json = dict[str, Any]


def unknown(grammar: Grammar, letters: frozenset[str], tokens: Sequence[str]) -> Json:
    """Which share of the words, and of the letters in them, the grammar has never seen.

    Numbers and punctuation do not count: they are the same in many languages.
    """
    n_words, n_strange = unknown_words(grammar, tokens)
    lettered = [token for token in tokens if any(map(str.isalpha, token))]
    text = "".join(lookup_form(grammar.tables.parser, token).lower() for token in lettered)
    new = [c for c in set(text) - letters if c.isalpha()]
    n_letters = sum(map(str.isalpha, text))
    return {
        "words": round(n_strange / max(n_words, 1), 4),
        "letters": round(sum(map(text.count, new)) / max(n_letters, 1), 4),
    }


def universal_arcs(model: ArcModel, tokens: Sequence[str]) -> list[Json]:
    """Heads, relations and universal tags by a dependency model."""
    found = parse(model, from_sentences([tokens]).trees)
    columns = zip(found.head.tolist(), found.strings("relation"), found.strings("upos"))
    return [{"head": head, "relation": relation, "upos": upos} for head, relation, upos in columns]
