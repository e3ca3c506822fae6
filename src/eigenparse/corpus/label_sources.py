"""Any file of labelled tokens in (CoNLL columns, word_TAG, CoNLL-U, brackets), one kind of columns out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eigenparse.arrays import as_offsets, frozen
from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.recognise import misplaced, recognise_lines
from eigenparse.corpus.sequences import Column, Sequences, from_columns
from eigenparse.corpus.tagged import parse_columns, parse_plain_lines, parse_tagged_lines, text_lines
from eigenparse.errors import OptionError

LOOK = 200  # lines that tell what a file holds
NO_COLUMNS = ("json", "markup", "phones", "code", "subtitles", "partial", "unclosed", "config", "log")
FORMATS = ("auto", "columns", "tagged", "conllu", "brackets", "plain")


def read_labelled(path: str | Path, *, form: str = "auto", columns: Sequence[str] | None = None) -> Sequences:
    """Columns of a file in any of FORMATS; ``auto`` looks at the name and the first line."""
    return parse_labelled(list(text_lines(path)), source=str(path), form=form, columns=columns)


def parse_labelled(
    lines: Sequence[str], *, source: str, form: str = "auto", columns: Sequence[str] | None = None
) -> Sequences:
    """The same from lines already read."""
    if form not in FORMATS:
        raise OptionError(f"format must be one of {', '.join(FORMATS)}, got {form!r} instead")
    found = guess_format(lines, source, columns) if form == "auto" else form
    if found == "tagged":
        return parse_tagged_lines(lines, source=source)
    if found == "plain":
        return parse_plain_lines(lines)
    if found == "conllu":
        return _from_conllu(lines, source)
    if found == "brackets":
        return preterminals(normalise(parse_trees("\n".join(lines), source)))
    if form == "auto" and columns is None and looks_like_prose(lines):
        raise misplaced(recognise_lines(lines[:LOOK]), source, "tokens with labels")
    return parse_columns(lines, columns, source=source)


def looks_like_prose(lines: Sequence[str]) -> bool:
    """Whether lines are no columns but sentences, JSON or markup: they have different numbers of fields."""
    head = [line for line in lines[:LOOK] if line.strip()]
    kind = recognise_lines(head)
    widths = {len(line.split()) for line in head}
    return kind in (*NO_COLUMNS, "tagged", "square", "numbers") or (
        kind in ("text", "tokens", "markdown", "mail") and (len(widths) > 1 or len(head) == 1 < max(widths))
    )


def guess_format(lines: Sequence[str], source: str, columns: Sequence[str] | None = None) -> str:
    """The format that the first lines look like; columns if nothing else fits."""
    if columns:
        return "columns"
    seen = [line for line in lines[:LOOK] if line.strip()]
    body = [line for line in seen if not line.startswith("#")]
    first = body[0] if body else ""
    if ".conllu" in source or (len(first.split("\t")) == 10 and first.split("\t")[0][:1].isdigit()):
        return "conllu"
    if first.lstrip().startswith("(") and first.count("(") > 1:
        return "brackets"
    if body and all("_" in token[1:-1] for line in body[:20] for token in line.split()):
        return "tagged"
    return "columns"


def _from_conllu(lines: Sequence[str], source: str) -> Sequences:
    """The columns word, lemma, upos, xpos of the words of a CoNLL-U file."""
    trees = read_lines(lines, source=source, heads=False).trees
    names = (("word", "form"), ("lemma", "lemma"), ("upos", "upos"), ("xpos", "xpos"))
    columns = tuple(Column(name, getattr(trees, of), trees.symbols[of]) for name, of in names)
    line = trees.line[trees.offsets[:-1]] if len(trees) else np.zeros(0, dtype=np.int64)
    return Sequences(columns, trees.offsets, frozen(as_offsets(line)))


def preterminals(treebank: Treebank) -> Sequences:
    """The columns word and label of the leaves of trees."""
    leaf = np.flatnonzero(treebank.word >= 0)
    offsets = as_offsets(np.searchsorted(leaf, treebank.offsets))
    words = [treebank.words[k] for k in treebank.word[leaf]]
    labels = [treebank.labels[k] for k in treebank.label[leaf]]
    return from_columns(("word", "label"), (words, labels), np.diff(offsets).tolist(), treebank.line.tolist())


def pick_label(corpus: Sequences, label: str | None) -> str:
    """The label column: as asked, else upos of CoNLL-U, else the last column."""
    if label:
        return corpus.column(label).name
    return "upos" if "upos" in corpus.names else corpus.names[-1]


def reduce_columns(corpus: Sequences, label: str) -> Sequences:
    """What a tagger reads by default: all columns, but of CoNLL-U only the word beside the label."""
    if "upos" not in corpus.names or "lemma" not in corpus.names:
        return corpus
    kept = tuple(corpus.column(name) for name in ("word", label))
    return Sequences(kept, corpus.offsets, corpus.line)
