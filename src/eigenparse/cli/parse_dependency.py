"""``eigenparse parse`` with a dependency parser or a split-head grammar: CoNLL-U or tokens in, CoNLL-U out."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from eigenparse.cli.output import result_stream
from eigenparse.cli.parse import ParseRequest
from eigenparse.errors import OptionError

if TYPE_CHECKING:
    from eigenparse.corpus.conllu import Conllu
    from eigenparse.corpus.dependencies import Dependencies
    from eigenparse.decode.dependency.split_heads import TreeParser

NO_TAGS = "the sentences have no tags, on which this model relies; tag them or train --tags predicted"


def run(request: ParseRequest) -> None:
    """Parse one file with a graph-based parser."""
    from eigenparse.decode.dependency.arcs import parse_corpus
    from eigenparse.models.registry import load_model

    check_form(request)
    model = load_model(request.model, "dependency")
    corpus = read_sentences(request, tags_matter=not model.taggers)
    with text_stream(request) as out:
        parse_corpus(model, corpus, out, n_best=request.kbest)


def run_split_heads(request: ParseRequest) -> None:
    """Parse one file with a latent tree model that is a parser too."""
    from eigenparse.decode.dependency.split_heads import parse_corpus

    if request.jobs != 1:
        from eigenparse.cli.cluster import parse_split_heads

        parse_split_heads(request)
        return
    check_form(request)
    parser = load_tree_parser(request.model, request.max_length, request.memory)
    corpus = read_sentences(request, tags_matter=False)  # words without a tag may have any
    with text_stream(request) as out:
        n_long = parse_corpus(parser, corpus, out, n_best=request.kbest)
    tell_long(n_long, len(corpus))


def load_tree_parser(path: Path, max_length: int | None, memory: int | None) -> "TreeParser":
    """A model of split heads ready to parse; OptionError if it scores trees only."""
    from eigenparse.decode.dependency.split_heads import tree_parser
    from eigenparse.decode.grammar.parser import ParserOptions
    from eigenparse.models.dependency.split_heads import SplitHeads
    from eigenparse.models.registry import load_model

    model = load_model(path, "deptree")
    if not isinstance(model, SplitHeads):
        raise OptionError(
            f"{path}: the estimator {model.estimator} scores trees but finds none; "
            "train with --estimator lpcfg"
        )
    usual = ParserOptions()
    limits = replace(usual, max_length=max_length or usual.max_length, memory=memory or usual.memory)
    return tree_parser(model, limits)


def tell_long(n_long: int, n_sentences: int) -> None:
    """Say how many sentences were not parsed."""
    from eigenparse.cli.progress import tell

    if n_long:
        tell(
            f"{n_long} of {n_sentences} sentences are too long to be parsed; each of their words heads the next"
        )


def refuse_nothing(n_words: int) -> None:
    """DataError if there was no word."""
    from eigenparse.errors import DataError

    if not n_words:
        raise DataError("the input has no word: nothing to parse; check the file, or what was piped in")


def read_sentences(request: ParseRequest, *, tags_matter: bool) -> "Conllu":
    """The sentences of a file; says so if they lack tags that the model was trained on."""
    from eigenparse.cli.progress import tell
    from eigenparse.corpus.conllu import read_input
    from eigenparse.corpus.files import read_text

    corpus = read_input(read_text(request.source).split("\n"), source=str(request.source))
    refuse_nothing(corpus.trees.n_words)
    if tags_matter and not has_tags(corpus.trees):
        tell(NO_TAGS)
    return corpus


def has_tags(trees: "Dependencies") -> bool:
    """Whether any word has a tag."""
    return set(trees.symbols["upos"]) | set(trees.symbols["xpos"]) != {"_"}


def check_form(request: ParseRequest) -> None:
    """Refuse options that have no meaning for dependencies."""
    if request.form != "brackets" or request.tagged or request.raw:
        raise OptionError(
            "a dependency parser reads CoNLL-U or tokens and writes CoNLL-U; leave out other formats"
        )


@contextmanager
def text_stream(request: ParseRequest) -> Iterator[TextIO]:
    """Where the trees go, as text."""
    with result_stream(request.output) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
        try:
            yield text
        finally:
            text.detach()
