"""The split-head grammar as a parser of its own: sentences in, dependency trees out."""

from dataclasses import dataclass

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.split_heads import word_tags
from eigenparse.decode.objective import Objective
from eigenparse.decode.parser import Parser, ParserOptions, decode, make_parser, word_choices
from eigenparse.inference.forest import Choices, choices
from eigenparse.inference.open_rules import with_open_rules
from eigenparse.kernels.split_heads import heads_of_rows
from eigenparse.models.split_heads import SplitHeads

OTHER_SHARE = 1e-3  # weight of a use that a known word was never seen in, beside those it was
ROOT, DEPENDENT = "root", "dep"


@dataclass(frozen=True, slots=True)
class TreeParser:
    """A grammar ready to parse.  tag_symbol: the symbol that stands for any word of a tag."""

    model: SplitHeads
    parser: Parser
    label_tags: AnyArray
    is_partial: BoolVector
    tag_symbol: dict[str, int]


def tree_parser(model: SplitHeads) -> TreeParser:
    """Prepare a model for parsing; trees maximise the product of rule posteriors."""
    skeleton = model.grammar.skeleton
    options = ParserOptions(objective=Objective(decoder="max-rule"))
    first = skeleton.n_words + skeleton.n_classes
    return TreeParser(
        model,
        make_parser(with_open_rules(model), options),
        np.array([label.chain[-1] for label in skeleton.labels]),
        np.array([label.partial for label in skeleton.labels]),
        {name: first + i for i, name in enumerate(skeleton.symbols[first:])},
    )


def parse_split_heads(parser: TreeParser, trees: Dependencies) -> Dependencies:
    """The same sentences with predicted heads; words without a tag may have any.

    Relations are not modelled: the root is called root, all other words dep.
    """
    forms = trees.strings("form")
    names, ids = word_tags(trees, parser.model.tags)
    tags = [names[i] for i in ids]
    head = np.zeros(trees.n_words, dtype=np.int32)
    for low, high in zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist()):
        if high > low:
            words = forms[low:high]
            found = decode(parser.parser, words, given=given_tags(parser, words, tags[low:high]))
            best = found.derivations[0]
            heads_of_rows(best.label, best.left, best.right, best.position, parser.is_partial, head[low:high])
    return trees.with_heads(head, (head > 0).astype(np.int32), (ROOT, DEPENDENT))


def given_tags(parser: TreeParser, words: list[str], tags: list[str]) -> Choices:
    """What each word may be under its tag: as it was seen, and at a small share as any word of the tag."""
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
    return Choices(at, entry, label, probability, emission)
