"""A parser and sentences in; trees, k-best lists and arc posteriors out, as columns or as CoNLL-U."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray, IntMatrix, LongVector
from eigenparse.corpus.conllu import Conllu, from_sentences, read_lines, sentence_lines, write_conllu
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.errors import OptionError
from eigenparse.features.dependency.arc_columns import (
    ArcColumns,
    arc_columns,
    compile_templates,
    label_templates,
    with_structure,
)
from eigenparse.inference.grammar.tags import with_predicted_tags
from eigenparse.kernels.dependency.arc_decoding import label_all, parse_all, parse_kbest, posteriors
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.labeller import Labeller

BLOCK = 256  # sentences whose lists are held at once


@dataclass(frozen=True, slots=True)
class TreeLists:
    """The best trees of every sentence, best first.

    heads: (k, T); rows of sentence s beyond found[s] are not filled.  scores: (S, k).
    """

    heads: IntMatrix
    scores: FloatArray
    found: LongVector


def columns_for(model: ArcModel, trees: Dependencies) -> ArcColumns:
    """What the parser reads: tags as given, or predicted if it was trained on predicted ones."""
    return arc_columns(with_predicted_tags(model.taggers, trees) if model.taggers else trees)


def parse(model: ArcModel, trees: Dependencies, *, crossing: bool | None = None) -> Dependencies:
    """The same sentences with predicted heads and relations; heads they came with are not looked at."""
    columns = columns_for(model, trees)
    head, _ = _best(model, columns, model.crossing if crossing is None else crossing)
    return trees.with_heads(head, relations_of(model, columns, head), model.relations)


def _best(model: ArcModel, columns: ArcColumns, crossing: bool) -> tuple[AnyArray, AnyArray]:
    if crossing and model.order != 1:
        raise OptionError("crossing arcs need a first-order parser; train one with --order 1")
    compiled = compile_templates(model.templates, model.pair_templates, bits=model.bits)
    head = np.zeros(columns.tags.size, dtype=np.int32)
    scores = np.zeros(columns.offsets.size - 1)
    parse_all(
        columns.keys, columns.tags, columns.classes, columns.offsets, compiled, model.weights,
        model.order == 2, crossing, head, scores,
    )  # fmt: skip
    return head, scores


def relations_of(model: ArcModel | Labeller, columns: ArcColumns, head: AnyArray) -> AnyArray:
    """(T,) best relation of every arc."""
    compiled = label_templates(model.label_templates, bits=model.label_bits)
    full = with_structure(columns, head)
    relation = np.zeros(head.size, dtype=np.int32)
    label_all(full.keys, full.tags, full.classes, full.offsets, head, compiled, model.label_weights, relation)
    return relation


def kbest(model: ArcModel, trees: Dependencies, n_best: int) -> TreeLists:
    """The ``n_best`` best projective trees of every sentence, all different."""
    if n_best < 1:
        raise OptionError(f"the number of trees must be 1 or more, got {n_best} instead")
    columns = columns_for(model, trees)
    compiled = compile_templates(model.templates, model.pair_templates, bits=model.bits)
    heads = np.zeros((n_best, columns.tags.size), dtype=np.int32)
    scores = np.zeros((len(trees), n_best))
    found = np.zeros(len(trees), dtype=np.int64)
    parse_kbest(
        columns.keys, columns.tags, columns.classes, columns.offsets, compiled, model.weights,
        model.order == 2, heads, scores, found,
    )  # fmt: skip
    return TreeLists(heads, scores, found)


def arc_marginals(model: ArcModel, trees: Dependencies, sentence: int, *, scale: float = 1.0) -> FloatArray:
    """(n + 1, n + 1) posterior of each arc h -> m under p(tree) ~ exp(scale * score)."""
    columns = columns_for(model, trees.select([sentence]))
    compiled = compile_templates(model.templates, model.pair_templates, bits=model.bits)
    marginal = np.zeros((columns.tags.size + 1, columns.tags.size + 1))
    posteriors(
        columns.keys,
        columns.tags,
        columns.classes,
        compiled,
        model.weights,
        model.order == 2,
        scale,
        marginal,
    )
    return marginal


def read_input(lines: Iterable[str], *, source: str) -> Conllu:
    """CoNLL-U if the first line that is not blank looks like it, else blank-separated tokens."""
    text = [line.rstrip("\r\n") for line in lines]
    first = next((line for line in text if line.strip()), "")
    if first.startswith("# ") or first.count("\t") >= 3:
        return read_lines(text, source=source, heads=False)
    return from_sentences([line.split() for line in text if line.strip()], source=source)


def parse_conllu(
    model: ArcModel,
    lines: Iterable[str],
    out: TextIO,
    *,
    source: str = "input",
    n_best: int = 1,
    crossing: bool | None = None,
) -> int:
    """Parse CoNLL-U or blank-separated tokens and write CoNLL-U; return the number of sentences.

    With ``n_best`` above 1 each sentence is written once a tree, with its rank and score in comments.
    """
    return parse_corpus(model, read_input(lines, source=source), out, n_best=n_best, crossing=crossing)


def parse_corpus(
    model: ArcModel, corpus: Conllu, out: TextIO, *, n_best: int = 1, crossing: bool | None = None
) -> int:
    """The same for a file that has been read."""
    if n_best == 1:
        parsed = parse(model, corpus.trees, crossing=crossing)
        write_conllu(out, corpus, parsed.head, parsed.strings("relation"))
    else:
        _write_lists(model, corpus, out, n_best)
    return len(corpus)


def _write_lists(model: ArcModel, corpus: Conllu, out: TextIO, n_best: int) -> None:
    for start in range(0, len(corpus), BLOCK):
        part = corpus.part(start, start + BLOCK)
        lists = kbest(model, part.trees, n_best)
        columns = columns_for(model, part.trees)
        names = [[model.relations[r] for r in relations_of(model, columns, heads)] for heads in lists.heads]
        write_lists(out, part, lists, names)


def write_lists(out: TextIO, corpus: Conllu, lists: TreeLists, relations: list[list[str]]) -> None:
    """Write each sentence once a tree, with rank and score in comments; relations: one row of names a rank."""
    offsets = corpus.trees.offsets.tolist()
    for s, text in enumerate(corpus.text):
        low, high = offsets[s], offsets[s + 1]
        for rank in range(int(lists.found[s])):
            notes = [f"# rank = {rank + 1}", f"# score = {lists.scores[s, rank]:.6f}"]
            heads = lists.heads[rank, low:high].tolist()
            out.write("\n".join(sentence_lines(text, heads, relations[rank][low:high], notes)) + "\n\n")
