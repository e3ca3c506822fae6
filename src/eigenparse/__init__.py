"""Spectral learning of latent-variable structured models.

Names are imported when they are first used, so that ``import eigenparse`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eigenparse.api.grammar import Grammar
    from eigenparse.api.learner import LatentPCFG
    from eigenparse.api.models import load
    from eigenparse.corpus.brackets import read_trees, write_trees
    from eigenparse.corpus.columns import Treebank
    from eigenparse.corpus.nltk_trees import from_nltk, to_nltk
    from eigenparse.corpus.normalise import normalise
    from eigenparse.corpus.tokenise import split_sentences, tokenise
    from eigenparse.decode.grammar.results import Bracket, Parse, WordTag
    from eigenparse.errors import (
        DataError,
        EigenparseError,
        FormatError,
        ModelFileError,
        OptionError,
        ResourceError,
    )
    from eigenparse.evaluate.brackets import score_brackets

__version__ = "0.1.0"

_HOMES = {
    "Bracket": "decode.grammar.results",
    "DataError": "errors",
    "EigenparseError": "errors",
    "FormatError": "errors",
    "Grammar": "api.grammar",
    "LatentPCFG": "api.learner",
    "ModelFileError": "errors",
    "OptionError": "errors",
    "Parse": "decode.grammar.results",
    "ResourceError": "errors",
    "Treebank": "corpus.columns",
    "WordTag": "decode.grammar.results",
    "from_nltk": "corpus.nltk_trees",
    "load": "api.models",
    "normalise": "corpus.normalise",
    "read_trees": "corpus.brackets",
    "score_brackets": "evaluate.brackets",
    "split_sentences": "corpus.tokenise",
    "to_nltk": "corpus.nltk_trees",
    "tokenise": "corpus.tokenise",
    "write_trees": "corpus.brackets",
}
__all__ = [
    "Bracket",
    "DataError",
    "EigenparseError",
    "FormatError",
    "Grammar",
    "LatentPCFG",
    "ModelFileError",
    "OptionError",
    "Parse",
    "ResourceError",
    "Treebank",
    "WordTag",
    "__version__",
    "from_nltk",
    "load",
    "normalise",
    "read_trees",
    "score_brackets",
    "split_sentences",
    "to_nltk",
    "tokenise",
    "write_trees",
]


def __getattr__(name: str) -> Any:
    """A public name, from the module that holds it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'eigenparse' has no attribute {name!r}")
    return getattr(importlib.import_module(f"eigenparse.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
