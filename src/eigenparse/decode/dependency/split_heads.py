"""The split-head grammar as a parser of its own: sentences in, dependency trees out."""

from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, as_ids, frozen
from eigenparse.corpus.conllu import Conllu, write_lists
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.split_heads import word_tags
from eigenparse.decode.dependency.arcs import BLOCK
from eigenparse.decode.grammar.derivations import Derivation
from eigenparse.decode.grammar.objective import Objective
from eigenparse.decode.grammar.parser import (
    Parser,
    ParserOptions,
    decode,
    make_parser,
    word_choices,
)
from eigenparse.features.dependency.arc_columns import arc_columns
from eigenparse.inference.dependency.arcs import TreeLists, relations_of
from eigenparse.inference.grammar.forest import Choices, choices
from eigenparse.inference.grammar.open_rules import with_open_rules
from eigenparse.kernels.dependency.split_heads import heads_of_rows
from eigenparse.models.dependency.split_heads import SplitHeads

OTHER_SHARE = 1e-3  # weight of readings that a known word was not seen with
OPEN_FACTOR = 4  # derivations asked for each tree of a list where tags are open
ROOT, DEPENDENT, NO_TAG = "root", "dep", "_"


@dataclass(frozen=True, slots=True)
class TreeParser:
    """A grammar ready to parse.  tag_symbol: the symbol that stands for any word of a tag."""

    model: SplitHeads
    parser: Parser
    label_tags: AnyArray
    is_partial: BoolVector
    tag_symbol: dict[str, int]

    def parse_corpus(self, corpus: Conllu, out: TextIO, *, n_best: int = 1) -> int:
        """Parse a file that has been read and write CoNLL-U; return how many sentences were too long."""
        for start in range(0, len(corpus), BLOCK):
            part = corpus.part(start, start + BLOCK)
            lists, tags = search_split_heads(self, part.trees, n_best)
            found, names = _relations(self, part.trees, lists, tags)
            called = [[names[r] for r in row] for row in found.tolist()]
            write_lists(out, part, lists, called, ranked=n_best > 1)
        return sum(too_long(self, n) for n in corpus.trees.lengths().tolist())


def tree_parser(model: SplitHeads, options: ParserOptions | None = None) -> TreeParser:
    """Prepare a model for parsing; trees maximise the product of rule posteriors."""
    skeleton = model.grammar.skeleton
    options = replace(options or ParserOptions(), objective=Objective(decoder="max-rule"))
    first = skeleton.n_words + skeleton.n_classes
    return TreeParser(
        model,
        make_parser(with_open_rules(model), options),
        np.array([label.chain[-1] for label in skeleton.labels]),
        np.array([label.partial for label in skeleton.labels]),
        {name: first + i for i, name in enumerate(skeleton.symbols[first:])},
    )


def parse_split_heads(parser: TreeParser, trees: Dependencies) -> Dependencies:
    """The same sentences with predicted heads and relations; words without a tag may have any.

    Where the model has no labeller, the root is called root and all other words dep.
    """
    lists, tags = search_split_heads(parser, trees, 1)
    found, names = _relations(parser, trees, lists, tags)
    return trees.with_heads(lists.heads[0], found[0], names)


def search_split_heads(parser: TreeParser, trees: Dependencies, n_best: int) -> tuple[TreeLists, list[str]]:
    """Up to ``n_best`` different trees of every sentence, and the tag of every word: as given, or in the best tree.

    Scores are sums of log rule posteriors.  A sentence longer than the parser takes has one tree, in which each word
    is the head of the next.
    """
    forms = trees.strings("form")
    names, ids = word_tags(trees, parser.model.tags)
    tags = [names[i] for i in ids]
    lists = TreeLists.empty(n_best, trees.n_words, len(trees))
    for s, (low, high) in enumerate(zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist())):
        if too_long(parser, high - low):
            lists.heads[0, low:high] = np.arange(high - low)
        elif high > low:
            found = _distinct_trees(parser, forms[low:high], tags[low:high], n_best)
            lists.found[s] = len(found)
            for rank, (heads, best) in enumerate(found):
                lists.heads[rank, low:high], lists.scores[s, rank] = heads, best.score
            if NO_TAG in tags[low:high]:
                tags[low:high] = _tags_in(parser, found[0][1], tags[low:high])
    return lists, tags


def _tags_in(parser: TreeParser, best: Derivation, given: list[str]) -> list[str]:
    """The tags that were given, and those of a tree where none were."""
    found = list(given)
    for label, i in zip(best.label.tolist(), best.position.tolist()):
        if i >= 0 and given[i] == NO_TAG:
            found[i] = str(parser.label_tags[label])
    return found


def _relations(
    parser: TreeParser, trees: Dependencies, lists: TreeLists, tags: list[str]
) -> tuple[AnyArray, tuple[str, ...]]:
    """(k, T) relations of the arcs of all ranks, and their names."""
    labeller = parser.model.labeller
    if labeller is None:
        return (lists.heads > 0).astype(np.int32), (ROOT, DEPENDENT)
    columns = arc_columns(_compact(_tagged(trees, parser.model.tags, tags)))
    found = [relations_of(labeller, columns, heads) for heads in lists.heads]
    return np.stack(found), labeller.relations


def _tagged(trees: Dependencies, kind: str, tags: list[str]) -> Dependencies:
    """The same words with these tags where they had none."""
    names, ids = word_tags(trees, kind)
    column = "upos" if kind == "upos" else "xpos"
    if [names[i] for i in ids.tolist()] == tags:
        return trees
    numbers = {name: i for i, name in enumerate(dict.fromkeys(tags))}
    made = {column: frozen(as_ids([numbers[tag] for tag in tags]))}
    return replace(trees, **made, symbols={**trees.symbols, column: tuple(numbers)})


def _compact(trees: Dependencies) -> Dependencies:
    """The same words with only the symbols that they use, which a part of a long file shares with all of it."""
    columns, symbols = {}, dict(trees.symbols)
    for name in ("form", "upos", "xpos", "feats"):
        used, ids = np.unique(getattr(trees, name), return_inverse=True)
        columns[name] = frozen(as_ids(ids.ravel()))
        symbols[name] = tuple(trees.symbols[name][i] for i in used.tolist())
    return replace(trees, **columns, symbols=symbols)


def too_long(parser: TreeParser, n_words: int) -> bool:
    """Whether a sentence is longer than the parser takes."""
    return n_words > parser.parser.options.max_length


def _distinct_trees(
    parser: TreeParser, words: list[str], tags: list[str], n_best: int
) -> list[tuple[AnyArray, Derivation]]:
    """Heads and derivations of the best trees; where tags are open several derivations have the same heads."""
    is_open = n_best > 1 and not all(tag in parser.tag_symbol for tag in tags)
    more = OPEN_FACTOR * n_best if is_open else n_best
    found: dict[bytes, tuple[AnyArray, Derivation]] = {}
    for best in decode(parser.parser, words, k=more, given=given_tags(parser, words, tags)).derivations:
        heads = np.zeros(len(words), dtype=np.int32)
        heads_of_rows(best.label, best.left, best.right, best.position, parser.is_partial, heads)
        found.setdefault(heads.tobytes(), (heads, best))
    return list(found.values())[:n_best]


def given_tags(parser: TreeParser, words: list[str], tags: list[str]) -> Choices:
    """The readings of each word under its tag: as it was seen, and with a small weight as any word of the tag."""
    skeleton = parser.model.grammar.skeleton
    seen = word_choices(parser.parser, words)
    parts = []
    for i, tag in enumerate(tags):
        own = np.arange(seen.at[i], seen.at[i + 1])
        if tag in parser.tag_symbol:
            own = own[parser.label_tags[seen.label[own]] == tag]
        columns = [c[own] for c in (seen.entry, seen.label, seen.probability, seen.emission)]
        if tag in parser.tag_symbol:
            any_word = choices(skeleton, np.array([parser.tag_symbol[tag]], dtype=np.int32))
            new = ~np.isin(any_word.label, columns[1])
            share = OTHER_SHARE if own.size else 1.0
            more = (
                any_word.entry,
                any_word.label,
                any_word.probability * share,
                any_word.emission * share,
            )
            columns = [np.concatenate([a, b[new]]) for a, b in zip(columns, more)]
        parts.append(columns)
    at = np.cumsum([0, *(part[0].size for part in parts)]).astype(np.int32)
    entry, label, probability, emission = (np.concatenate(column) for column in zip(*parts))
    return Choices(seen.symbol, at, entry, label, probability, emission)
