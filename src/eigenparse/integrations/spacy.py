"""spaCy components: documents in, the same documents with constituents, or with dependencies, out.

``nlp.add_pipe("eigenparse")`` gives ``Span`` and ``Token`` the extensions that users of benepar know:
``._.parse_string``, ``._.constituents``, ``._.labels``, ``._.children``, ``._.parent``, and
``._.posterior``.  What is stored with a document are lists and numbers, so that documents can be
saved, sent to other processes and read again.  ``nlp.add_pipe("eigenparse_ud")`` sets what spaCy's own parsers set.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from eigenparse.api.dependency_parser import DependencyParser, Word
from eigenparse.api.grammar import Grammar, load
from eigenparse.arrays import AnyArray
from eigenparse.corpus.brackets import escape
from eigenparse.corpus.tokenise import split_sentences
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError, missing_extra
from eigenparse.models.registry import load_model

try:
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
except ImportError as problem:
    raise missing_extra("spacy") from problem

STORE = "eigenparse_data"
Row = tuple[int, int, list[str], float]  # first token, end, labels from top to bottom, posterior


class Component(ABC):
    """Parses the sentences of documents in batches; finds them first if no component before it has."""

    def __call__(self, doc: Doc) -> Doc:
        """The same document, parsed."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Documents parsed in batches, in order."""
        batch: list[Doc] = []
        for doc in stream:
            batch.append(doc)
            if len(batch) >= batch_size:
                yield from self._parsed(batch)
                batch = []
        yield from self._parsed(batch)

    @abstractmethod
    def _parsed(self, docs: list[Doc]) -> Iterator[Doc]:
        """The same documents, parsed."""


class EigenparseComponent(Component):
    """Gives documents constituents."""

    def __init__(self, name: str, model: str, jobs: int, set_tags: bool) -> None:
        self.name = name
        self.jobs = jobs
        self.set_tags = set_tags
        self.grammar: Grammar = load(model)
        register_extensions()

    def _parsed(self, docs: list[Doc]) -> Iterator[Doc]:
        places = [sentence for doc in docs for sentence in _sentences(doc)]
        requests = (self.grammar.request([doc[i].text for i in words]) for doc, words in places)
        found = [best[0] for best in self.grammar.stream(requests, jobs=self.jobs)]
        data: dict[int, dict[str, list[Any]]] = {id(doc): {"constituents": [], "tags": []} for doc in docs}
        for (doc, words), parse in zip(places, found):
            _add(data[id(doc)], words, parse)
            if self.set_tags:
                for i, tag in zip(words, parse.tags):
                    doc[i].tag_ = doc[i].tag_ or tag.tag
        for doc in docs:
            doc._.set(STORE, data[id(doc)])
            yield doc


class DependencyComponent(Component):
    """Gives tokens heads, relations, tags, features and lemmas."""

    def __init__(self, name: str, model: str) -> None:
        self.name = name
        self.parser = DependencyParser(load_model(model, "dependency"))

    def _parsed(self, docs: list[Doc]) -> Iterator[Doc]:
        places = [sentence for doc in docs for sentence in _sentences(doc)]
        found = self.parser.parse([[doc[i].text for i in words] for doc, words in places])
        arcs = {id(doc): np.zeros((len(doc), 2), dtype=np.int64) for doc in docs}
        for (doc, words), parsed in zip(places, found):
            _attach(doc, words, parsed, arcs[id(doc)])
        for doc in docs:
            table: Any = arcs[id(doc)].astype(np.uint64)
            yield doc.from_array([HEAD, DEP], table) if len(doc) else doc


def _attach(doc: Doc, words: list[int], parsed: list[Word], arcs: AnyArray) -> None:
    """Describe the tokens of a sentence; arcs: (tokens, 2) distance to the head, and relation.

    White space around words belongs to the word before it, or after it where the sentence begins with it.
    """
    sent = doc[words[0]].sent
    for i in set(range(sent.start, sent.end)) - set(words):
        before = [k for k in words if k < i]
        arcs[i] = (before[-1] if before else words[0]) - i, 0
    for i, word in zip(words, parsed):
        head = words[word.head - 1] if word.head else i
        relation = "ROOT" if word.deprel == "root" else word.deprel
        arcs[i] = head - i, np.uint64(doc.vocab.strings.add(relation)).astype(np.int64)
        token: Any = doc[i]
        for name, value in {"lemma_": word.lemma, "pos_": word.upos, "tag_": word.xpos}.items():
            if value != "_":
                setattr(token, name, value)
        token.set_morph("" if word.feats == "_" else word.feats)


@Language.factory(
    "eigenparse_ud",
    default_config={"model": "en-ud"},
    assigns=["token.head", "token.dep", "token.pos", "token.tag", "token.morph", "token.lemma", "doc.sents"],
)
def make_dependency_component(nlp: Language, name: str, model: str) -> DependencyComponent:
    """What spaCy calls for ``add_pipe("eigenparse_ud", config={"model": "en-ud"})``."""
    return DependencyComponent(name, model)


@Language.factory(
    "eigenparse",
    default_config={"model": "en", "jobs": 1, "set_tags": True},
    assigns=["span._.parse_string", "span._.constituents", "span._.labels", "span._.children"],
)
def make_component(nlp: Language, name: str, model: str, jobs: int, set_tags: bool) -> EigenparseComponent:
    """What spaCy calls for ``add_pipe("eigenparse", config={"model": "en"})``."""
    return EigenparseComponent(name, model, jobs, set_tags)


def _sentences(doc: Doc) -> list[tuple[Doc, list[int]]]:
    """The places of each sentence's tokens, white space left out."""
    if len(doc) and not doc.has_annotation("SENT_START"):
        _mark_sentences(doc)
    words = ([token.i for token in sent if not token.is_space] for sent in doc.sents) if len(doc) else ()
    return [(doc, places) for places in words if places]


def _mark_sentences(doc: Doc) -> None:
    """Set the starts of sentences by the rules for plain text."""
    starts, done = {0}, 0
    for sentence in split_sentences(doc.text):
        done += len("".join(sentence.split()))
        starts.add(done)
    seen = 0
    for token in doc:
        token.is_sent_start = token.i == 0 or (seen in starts and not token.is_space)
        seen += len("".join(token.text.split()))


def _add(data: dict[str, list[Any]], words: list[int], parse: Parse) -> None:
    """Put a parse's constituents, outer before inner, and its tags into a document's store."""
    rows: list[Row] = []
    whole = (words[0], words[-1] + 1)
    for b in parse.brackets:
        start, end = words[b.start], words[b.end - 1] + 1
        if rows and rows[-1][:2] == (start, end):
            labels, least = rows[-1][2], rows[-1][3]
            rows[-1] = (start, end, [*labels, b.label], min(least, b.posterior))
        else:
            rows.append((start, end, [b.label], b.posterior))
    if not rows or rows[0][:2] != whole:  # the root alone spans the sentence
        rows.insert(0, (*whole, [], 1.0))
    covered = {row[0] for row in rows if row[1] == row[0] + 1}
    rows += [(i, i + 1, [], tag.posterior) for i, tag in zip(words, parse.tags) if i not in covered]
    rows.sort(key=lambda row: (row[0], -row[1]))
    data["constituents"] += [list(row) for row in rows]
    data["tags"] += [[i, tag.tag] for i, tag in zip(words, parse.tags)]


def _rows(span: Span) -> list[list[Any]]:
    """The constituents inside a span, outer before inner."""
    store = span.doc._.get(STORE)
    if store is None:
        raise DataError('the document is not parsed; call nlp.add_pipe("eigenparse") before nlp(text)')
    return [row for row in store["constituents"] if span.start <= row[0] and row[1] <= span.end]


def _own(span: Span) -> list[Any]:
    """The row of a span that is a constituent."""
    for row in _rows(span):
        if row[0] == span.start and row[1] == span.end:
            return row
    raise DataError(f"{span.text!r} is not a constituent; use sent._.constituents to get those that are")


def _labels(span: Span) -> tuple[str, ...]:
    return tuple(_own(span)[2])


def _posterior(span: Span) -> float:
    return float(_own(span)[3])


def _constituents(span: Span) -> Iterator[Span]:
    _own(span)
    return (span.doc[row[0] : row[1]] for row in _rows(span))


def _children(span: Span) -> Iterator[Span]:
    _own(span)
    end = span.start
    for row in _rows(span):
        if row[0] >= end and (row[0], row[1]) != (span.start, span.end):
            end = row[1]
            yield span.doc[row[0] : row[1]]


def _parent(span: Span) -> Span | None:
    """The smallest constituent around a constituent; None for a sentence."""
    _own(span)
    around = [
        row
        for row in span.doc._.get(STORE)["constituents"]
        if row[0] <= span.start and span.end <= row[1] and row[1] - row[0] > span.end - span.start
    ]
    if not around:
        return None
    row = min(around, key=lambda row: row[1] - row[0])
    return span.doc[row[0] : row[1]]


def _parse_string(span: Span) -> str:
    """The subtree over a constituent in brackets."""
    _own(span)
    tags = dict(span.doc._.get(STORE)["tags"])
    parts: list[str] = []
    closing: list[tuple[int, int]] = []  # where open constituents end, and how many brackets that closes
    for start, end, labels, _ in _rows(span):
        while closing and closing[-1][0] <= start:
            parts.append(")" * closing.pop()[1])
        parts += [f" ({escape(label)}" for label in labels]
        closing.append((end, len(labels)))
        if end == start + 1:
            parts.append(f" ({escape(tags[start])} {escape(span.doc[start].text)})")
    parts += [")" * n for _, n in reversed(closing)]
    return "".join(parts).strip()


def register_extensions() -> None:
    """Give documents, spans and tokens their extensions; calling it again changes nothing."""
    Doc.set_extension(STORE, default=None, force=True)
    getters: dict[str, Callable[[Span], Any]] = {
        "labels": _labels,
        "posterior": _posterior,
        "constituents": _constituents,
        "children": _children,
        "parent": _parent,
        "parse_string": _parse_string,
    }
    for name, getter in getters.items():
        Span.set_extension(name, getter=partial(_of_span, getter), force=True)
        if name in ("labels", "parent", "parse_string"):
            Token.set_extension(name, getter=partial(_of_token, getter), force=True)


def _of_span(getter: Callable[[Span], Any], span: Span) -> Any:
    return getter(_trimmed(span))


def _of_token(getter: Callable[[Span], Any], token: Token) -> Any:
    return getter(token.doc[token.i : token.i + 1])


def _trimmed(span: Span) -> Span:
    """A span without white space at its ends, which belongs to no constituent."""
    start, end = span.start, span.end
    while end - start > 1 and span.doc[end - 1].is_space:
        end -= 1
    while end - start > 1 and span.doc[start].is_space:
        start += 1
    return span.doc[start:end]


register_extensions()
