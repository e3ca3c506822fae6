"""A parser and sentences in, CoNLL-U with predicted trees or k-best lists out."""

from typing import TextIO

import numpy as np

from eigenparse.corpus.conllu import Conllu, write_conllu, write_lists
from eigenparse.inference.dependency.arcs import TreeLists, columns_for, kbest, parse, relations_of
from eigenparse.models.dependency.arcs import ArcModel

TAGS = ("lemma", "upos", "xpos", "feats")  # as columns follow each other
BLOCK = 256  # sentences whose lists are held at once


def parse_corpus(model: ArcModel, corpus: Conllu, out: TextIO, *, n_best: int = 1) -> int:
    """Parse sentences and write CoNLL-U; return their number.

    With ``n_best`` above 1 each sentence is written once per tree, with its rank and score in comments.
    """
    if n_best == 1:
        parsed = parse(model, corpus.trees)
        tags = list(zip(*(parsed.strings(name) for name in TAGS))) if model.taggers else None
        write_conllu(out, corpus, parsed.head, parsed.strings("relation"), tags)
        return len(corpus)
    for start in range(0, len(corpus), BLOCK):
        part = corpus.part(start, start + BLOCK)
        lists = kbest(model, part.trees, n_best)
        columns, names = columns_for(model, part.trees), model.labeller.relations
        found = [[names[r] for r in relations_of(model.labeller, columns, heads)] for heads in lists.heads]
        write_lists(out, part, lists, found)
    return len(corpus)


def write_chains(model: ArcModel, corpus: Conllu, out: TextIO, *, n_best: int = 1) -> int:
    """Write sentences that are too long to be parsed, each word as the head of the next; return their number."""
    lengths = corpus.trees.lengths()
    heads = np.concatenate([np.arange(n, dtype=np.int32) for n in lengths])
    relations = ["root" if head == 0 else "dep" for head in heads.tolist()]
    n = len(corpus)
    lists = TreeLists(heads[np.newaxis], np.zeros((n, 1)), np.ones(n, dtype=np.int64))
    write_lists(out, corpus, lists, [relations], ranked=n_best > 1)
    return len(corpus)
