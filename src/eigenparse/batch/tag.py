"""Label tokens by blocks of lines: a stream of lines in, labelled lines out, in order."""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from eigenparse.batch.facts import posteriors_above
from eigenparse.batch.inputs import sentences
from eigenparse.batch.lines import open_lines, sentence_lines, shifted
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import ParseRequest, TagRequest
from eigenparse.corpus.label_sources import guess_format, looks_like_prose, parse_labelled
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError, FormatError, OptionError
from eigenparse.evaluate.tagging import count_tagging
from eigenparse.inference.tagger.chain import label_marginals, tag_ids
from eigenparse.inference.tagger.kbest import kbest
from eigenparse.inference.tagger.proper import chains_of, is_joint, rescored
from eigenparse.learn.tagger.base import Labelled
from eigenparse.models.tagger.rhmm import Tagger
from eigenparse.run.ordered import blocks
from eigenparse.work.work import Where, Work, open_work

SEQUENCES = 500  # in a block
LOOK = 200  # lines that tell the format, as guess_format looks at


@dataclass(frozen=True, slots=True)
class TagBlock:
    """Lines of whole sequences, the first of them being line ``first``.

    form: of the lines.  width: columns of the first token of the file.
    """

    place: ModelPlace
    asked: TagRequest
    form: str
    width: int
    lines: tuple[str, ...]
    first: int


def tag(path: Path, asked: TagRequest, where: Where) -> Iterator[bytes]:
    """Tokens and their labels, in order; only some blocks are held."""
    if asked.posteriors and asked.kbest > 1:
        raise OptionError(
            "--posteriors is for the best labels, not for lists of --kbest; leave one of them out"
        )
    place = ModelPlace.of(path)
    loaded(place)  # a model that is not a tagger is refused before anything is read
    written = 0
    with open_work("tagging", where) as work:
        for text in tag_lines(place, asked, open_lines(asked.source), work):
            written += len(text)
            yield text
    if not written:
        raise DataError("the input has no sentence: nothing to tag; check the file, or what was piped in")


def tag_lines(place: ModelPlace, asked: TagRequest, lines: Iterable[str], work: Work) -> Iterator[bytes]:
    """Labelled text of all lines, block by block."""
    todo = iter(lines)
    head = list(itertools.islice(todo, LOOK))
    form = guess_format(head, str(asked.source), asked.names) if asked.form == "auto" else asked.form
    if asked.form == "auto" and form == "columns" and asked.names is None and looks_like_prose(head):
        form, style = "plain", {"quotes": "penn" if "``" in loaded(place).first.words else "keep"}
        found = sentences(ParseRequest(asked.source), style, lines=itertools.chain(head, todo))
        head, todo = [], (" ".join(words) for words in found if words)
    width = len(next((line.split() for line in head if line.strip()), []))
    parts = _parts(itertools.chain(head, todo), form)
    return work.map(tag_block, (TagBlock(place, asked, form, width, part, first) for first, part in parts))


def tag_block(block: TagBlock) -> bytes:
    """A block with its labels."""
    try:
        lines = list(_block_lines(loaded(block.place), block))
    except FormatError as problem:
        raise shifted(problem, block.first) from None
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _parts(lines: Iterable[str], form: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Blocks of lines: by blank lines, by lines where each is a sequence, whole where trees may spread."""
    if form in ("columns", "conllu"):
        yield from sentence_lines(lines, SEQUENCES)
    elif form == "brackets":
        yield 1, tuple(lines)
    else:
        for number, part in enumerate(blocks(lines, SEQUENCES)):
            yield 1 + number * SEQUENCES, part


def evaluate(model: Tagger, gold: Labelled) -> list[str]:
    """Scores of a tagger on labelled sequences: accuracy, known and unknown words, chunk F1 for IOB labels."""
    guess = [model.labels[k] for k in tag_ids(model, gold.sequences).tolist()]
    known, spans = set(model.first.words), list(itertools.pairwise(gold.sequences.offsets.tolist()))
    right = [gold.names[k] for k in gold.labels.tolist()]
    words = gold.sequences.column(model.columns[0]).strings()
    counts = count_tagging(
        [right[i:j] for i, j in spans],
        [guess[i:j] for i, j in spans],
        unknown=[[word not in known for word in words[i:j]] for i, j in spans],
    )
    lines = [
        f"accuracy {100 * counts.accuracy:.2f} ({counts.right} of {counts.tokens} tokens)",
        f"known words {100 * counts.known_accuracy:.2f}, "
        f"unknown words {100 * counts.unknown_accuracy:.2f} ({counts.unknown} tokens)",
    ]
    if right and not set(right) & set(model.labels):
        lines.append(
            f"none of these labels was learnt: they are {', '.join(sorted(set(right))[:3])} … here and "
            f"{', '.join(model.labels[:3])} … in training; name the same column with --label"
        )
    if counts.chunks:
        chunk = counts.chunk
        ratios = f"precision {100 * chunk.precision:.2f}, recall {100 * chunk.recall:.2f}"
        lines.append(f"chunk F1 {100 * chunk.f1:.2f} ({ratios})")
    return lines


def _block_lines(tagger: Tagger, block: TagBlock) -> Iterator[str]:
    """Labelled lines of one block."""
    tokens = _input(tagger, block)
    if block.asked.kbest > 1:
        return _kbest_lines(tagger, tokens, block.asked.kbest)
    return _labelled_lines(tagger, tokens, block.asked.posteriors)


def _input(model: Tagger, block: TagBlock) -> Sequences:
    """The columns the model reads, under the names it knows them by."""
    names, found, source = block.asked.names, block.form, str(block.asked.source)
    corpus = parse_labelled(block.lines, source=source, form=found, columns=names)
    if found == "columns" and names is None and len(corpus) and len(corpus.columns) != block.width:
        raise FormatError(
            f"{len(corpus.columns)} columns where the first token has {block.width}",
            source=source, line=int(corpus.line[0]), remedy="give every token the same columns",
        )  # fmt: skip
    return named_columns(model, corpus, source, given=found != "columns" or names is not None)


def named_columns(model: Tagger, corpus: Sequences, source: str, *, given: bool) -> Sequences:
    """The columns under the names that the model knows them by; given: they have names of their own."""
    if not given:
        usual = [*model.columns, model.label, *(f"c{k}" for k in range(len(corpus.columns)))]
        renamed = tuple(Column(name, c.ids, c.symbols) for name, c in zip(usual, corpus.columns))
        corpus = Sequences(renamed, corpus.offsets, corpus.line)
    missing = [name for name in model.columns if name not in corpus.names]
    if missing and len(corpus):
        raise DataError(
            f"{source}: there is no column {missing[0]!r}, which the model reads; give a file that has it, or "
            f"columns without names, in the order {', '.join([*model.columns, model.label])}"
        )
    return corpus


def _labelled_lines(model: Tagger, corpus: Sequences, posteriors: bool) -> Iterator[str]:
    mu = label_marginals(model, corpus.without(model.label))
    best = mu.argmax(axis=1).tolist()
    columns = [column.strings() for column in corpus.columns if column.name != model.label]
    ends = corpus.offsets.tolist()
    for start, stop in itertools.pairwise(ends):
        for t in range(start, stop):
            fields = [column[t] for column in columns] + [model.labels[best[t]]]
            if posteriors:
                fields.append(posteriors_above(model.labels, mu[t].tolist()))
            yield " ".join(fields)
        yield ""


def _kbest_lines(model: Tagger, corpus: Sequences, k: int) -> Iterator[str]:
    """The best labellings of every sequence, with p of words and labels where the tagger has one."""
    tokens, words = corpus.without(model.label), corpus.columns[0].strings()
    ends, found = corpus.offsets.tolist(), kbest(model.first, tokens, k)
    if is_joint(model):
        read = Sequences((tokens.column(model.columns[0]),), tokens.offsets, tokens.line)
        found = rescored(chains_of(model), [read.take(s, s + 1) for s in range(len(read))], found)
    for s, paths in enumerate(found):
        lists = [
            {"labels": [model.labels[a] for a in row], "log_joint": value, "share": share}
            for row, value, share in zip(
                paths.labels.tolist(), paths.log_joint.tolist(), paths.share.tolist()
            )
        ]
        yield json.dumps({"tokens": words[ends[s] : ends[s + 1]], "paths": lists}, ensure_ascii=False)
