"""The public class for grammars: sentences in, parses out; trees in, probabilities out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenparse.api.given import (
    count_given,
    number_given,
    refuse_tree,
    sentences_given,
    spans_given,
    text_given,
    tokens_given,
)
from eigenparse.arrays import AnyArray
from eigenparse.decode.grammar.constraints import Span, Tag, span_limits
from eigenparse.decode.grammar.parser import ParserOptions, make_parser, with_options
from eigenparse.decode.grammar.posteriors import listed
from eigenparse.decode.grammar.request import Request, answer
from eigenparse.decode.grammar.results import Bracket, Parse, Tables, answer_or_none, make_tables, parses_of
from eigenparse.errors import DataError
from eigenparse.inference.grammar.probability import sentence_log_p, sentence_readings
from eigenparse.inference.grammar.proper import proper_parts
from eigenparse.models.grammar.kind import GRAMMAR, GRAMMARS
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import kind_of, load_model, save_model
from eigenparse.run.local import check_jobs, thread_map
from eigenparse.work.progress import Stages

if TYPE_CHECKING:
    from eigenparse.corpus.columns import Treebank
    from eigenparse.inference.grammar.tree import TreeScores

Sentence = str | Sequence[str]
BLOCK = 500  # sentences in memory at a time


@dataclass(frozen=True, slots=True)
class Grammar:
    """A latent-variable grammar that parses.  learning: time and memory of its stages; None if loaded."""

    tables: Tables = field(repr=False)
    learning: Stages | None = None

    def __repr__(self) -> str:
        """What the grammar holds, in one line."""
        facts = self.summary()
        learnt = f"{facts['n_trees']} trees" if "n_trees" in facts else "trees"
        return (
            f"<Grammar: {facts['members']} members, {facts['n_labels']} labels, {facts['n_states']} states, "
            f"{facts['n_rules']} rules, {facts['n_known_words']} words, from {learnt}>"
        )

    @classmethod
    def of(cls, latent: LatentGrammar, *, options: ParserOptions | None = None) -> "Grammar":
        """A grammar from its parameters."""
        return cls(make_tables(make_parser(latent, options)))

    @property
    def latent(self) -> LatentGrammar:
        """The parameters."""
        return self.tables.parser.grammar

    @property
    def options(self) -> ParserOptions:
        """The options of search and decoding."""
        return self.tables.parser.options

    def with_options(
        self,
        *,
        decoder: str | None = None,
        combination: str | None = None,
        threshold: float | None = None,
        max_length: int | None = None,
        memory: int | None = None,
    ) -> "Grammar":
        """A copy with other options of search and decoding; options that are not given keep their values."""
        named: dict[str, Any] = {"decoder": decoder, "combination": combination, "threshold": threshold}
        if threshold is not None:
            number_given(threshold, "threshold")
        objective = replace(self.options.objective, **{k: v for k, v in named.items() if v is not None})
        for name, value in (("max_length", max_length), ("memory", memory)):
            if value is not None:
                count_given(value, name)
        options = replace(
            self.options,
            objective=objective,
            max_length=max_length or self.options.max_length,
            memory=memory or self.options.memory,
        )
        return replace(self, tables=replace(self.tables, parser=with_options(self.tables.parser, options)))

    def parse(
        self,
        sentence: Sentence,
        *,
        tags: Sequence[Tag] | None = None,
        required: Iterable[Span] = (),
        forbidden: Iterable[Span] = (),
    ) -> Parse:
        """The best tree of a sentence: a list of tokens, taken as it is, or a string.

        A string is cut into tokens as the grammar's trees are, unless it is clearly tokenised already.

        tags: for each word a tag, weights by tag, or None.  required, forbidden: spans (start, end) or
        (start, end, label).  Raises DataError if nothing keeps the constraints.
        """
        return self.kbest(sentence, 1, tags=tags, required=required, forbidden=forbidden)[0]

    def kbest(
        self,
        sentence: Sentence,
        k: int,
        *,
        tags: Sequence[Tag] | None = None,
        required: Iterable[Span] = (),
        forbidden: Iterable[Span] = (),
    ) -> tuple[Parse, ...]:
        """The k best distinct trees, best first; fewer if there are no more."""
        k = count_given(k, "k", most=10_000)
        request = self.request(sentence, tags=tags, required=required, forbidden=forbidden)
        found = answer(self.tables.parser, self.tables.symbols, request, k=k)
        return parses_of(self.tables, [request], [found])[0]

    def parse_many(self, sentences: Iterable[Sentence], *, jobs: int = 1) -> list[Parse]:
        """The best tree of each sentence, in order; those above ``max_length`` have status "skipped"."""
        requests = (self.request(sentence) for sentence in sentences_given(sentences))
        return [found[0] for found in self.stream(requests, jobs=jobs)]

    def stream(
        self,
        requests: Iterable[Request],
        *,
        k: int = 1,
        jobs: int = 1,
        detail: bool = True,
        block: int = BLOCK,
    ) -> Iterator[tuple[Parse, ...]]:
        """The k best trees of each request, in order, holding one block of sentences at a time.

        detail: whether posteriors of brackets and tags are worked out.
        """
        workers = check_jobs(jobs)
        task = partial(answer_or_none, self.tables, k=k)
        todo = iter(requests)
        while part := list(islice(todo, block)):
            answers = thread_map(task, part, jobs=workers)
            yield from parses_of(self.tables, part, answers, posteriors=detail)

    def posteriors(self, sentence: Sentence, *, least: float = 0.01) -> tuple[Bracket, ...]:
        """All constituents whose posterior over all trees is at least ``least``."""
        least = number_given(least, "least")
        found = answer(self.tables.parser, self.tables.symbols, self.request(sentence)).posteriors
        if found is None:
            return ()
        names = self.tables.symbols.names
        return tuple(Bracket(names[a], i, j, p) for a, i, j, p in listed(found, self.tables.symbols, least))

    def request(
        self,
        sentence: Sentence,
        *,
        tags: Sequence[Tag] | None = None,
        required: Iterable[Span] = (),
        forbidden: Iterable[Span] = (),
    ) -> Request:
        """A sentence and its constraints; tokens that brackets cannot represent are refused."""
        tokens = tokens_given(self._tokens(sentence, tags) if isinstance(sentence, str) else sentence)
        if not tokens:
            raise DataError("an empty sentence has no tree; leave it out")
        given = None if tags is None else tuple(tags)
        return Request(tokens, given, span_limits(spans_given(required), spans_given(forbidden)))

    def _tokens(self, sentence: str, tags: Sequence[Tag] | None) -> list[str]:
        """The tokens of a string; one that comes with a tag for each of its pieces was tokenised."""
        from eigenparse.api.raw import tokens_in

        refuse_tree(sentence)
        pieces = sentence.split()
        return pieces if tags is not None and len(tags) == len(pieces) else tokens_in(self, sentence)

    def parse_text(self, text: str, *, jobs: int = 1) -> list[Parse]:
        """The best tree of each sentence of plain text, cut into sentences and tokens as the grammar's trees are."""
        from eigenparse.api.raw import sentences_of

        return self.parse_many(sentences_of(self, text_given(text)), jobs=jobs)

    def score(self, trees: Any, *, project: bool = False) -> "TreeScores":
        """log p of trees (paths, a Treebank, ``nltk.Tree`` objects or brackets), finite for every tree with words.

        Trees are normalised as those that the grammar was learnt from.  An ensemble's p is the mean of its members'.
        Negative weights are not a distribution: log |p| and the sign of p are given, of unseen rules -inf; project:
        log p by the nearest proper distribution instead.
        """
        from eigenparse.api.trees import score_treebank, treebank_of

        return score_treebank(self.latent, treebank_of(trees), project=project)

    def log_p(self, sentence: Sentence, *, exact: bool = False) -> float:
        """log p of a sentence, summed over its trees.

        exact: over all trees, however improbable, which takes seconds from twenty words on; else over those whose
        constituents the parser looks at, which is a lower bound.
        """
        request = self.request(sentence)
        if exact:
            parts = proper_parts(self.latent)
            return sentence_log_p(parts, sentence_readings(parts, request.tokens), [None] * len(parts))
        return self.kbest(request.tokens, 1)[0].log_total

    def sample(self, n: int, *, seed: int = 0, max_words: int = 400) -> "Treebank":
        """Trees drawn from the grammar; longer ones than ``max_words`` are drawn again."""
        from eigenparse.inference.grammar.sample import sample_trees

        return sample_trees(self.latent, count_given(n, "n", 0), seed=seed, max_words=max_words)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """JSON header and named arrays of the parameters."""
        return self.latent.to_parts()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "Grammar":
        """The inverse of ``to_parts``."""
        return cls.of(LatentGrammar.from_parts(header, arrays))

    def summary(self) -> dict[str, Any]:
        """Sizes, and how the grammar was learnt."""
        return self.latent.summary()

    def save(self, path: str | Path, *, packed: bool = True) -> None:
        """Write the grammar to one file; it appears whole or not at all.

        packed: round probabilities in steps of less than one percent, which hardly ever changes a tree, for a file ten
        to thirty times smaller.  Grammars with negative weights are written in full.
        """
        save_model(self.latent, path, GRAMMAR.name, packed=packed)


def load(path: str | Path) -> Grammar:
    """Read a grammar that ``eigenparse train lpcfg`` or ``Grammar.save`` wrote; "en" is the bundled one.

    Raises ModelFileError if there is none, or if it was cut, altered or made by something else.
    """
    kind_of(path)
    return Grammar.of(load_model(path, *GRAMMARS))
