"""``eigenparse tag``: tokens in, the same tokens with a column of labels out."""

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import app

if TYPE_CHECKING:
    from eigenparse.cli.cluster_tag import TagChoices
    from eigenparse.corpus.sequences import Sequences
    from eigenparse.models.tagger.rhmm import RefinementHMM, Tagger


@app.command()
def tag(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file of `train rhmm`.")],
    file: Annotated[Path, typer.Argument(metavar="[FILE|-]", help="Tokens to label.")] = Path("-"),
    posteriors: Annotated[bool, typer.Option("--posteriors", help="Add each label's posterior.")] = False,
    kbest: Annotated[int, typer.Option(help="So many label sequences, as JSON lines.")] = 1,
    columns: Annotated[str | None, typer.Option(help="Names of the columns of the file.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="auto, columns, tagged, conllu, brackets or plain.")
    ] = "auto",
    jobs: Annotated[int, typer.Option(min=0, metavar="N", help="Processes; 0 for all cores.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Tag on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Label tokens: one a line in columns (or a sentence a line with --format plain)."""
    from eigenparse.cli.cluster_tag import tag_lines
    from eigenparse.cli.output import result_stream
    from eigenparse.cli.sentences import open_lines
    from eigenparse.errors import DataError
    from eigenparse.models.registry import load_model
    from eigenparse.run.ordered import open_run

    load_model(model, "rhmm")  # refuse what is no tagger before anything is read
    names = tuple(columns.split(",")) if columns else None
    written = 0
    with open_run(cluster, jobs) as run, result_stream(None) as stream:
        for text in tag_lines(
            run,
            model,
            open_lines(file),
            str(file),
            form=form,
            columns=names,
            posteriors=posteriors,
            kbest=kbest,
        ):
            written += stream.write(text)
    if not written:
        raise DataError("the input has no sentence: nothing to tag; check the file, or what was piped in")


def block_lines(tagger: "Tagger", lines: Sequence[str], choices: "TagChoices") -> Iterator[str]:
    """Labelled lines of one block."""

    first = tagger.first
    tokens = _input(first, lines, choices)
    if choices.kbest > 1:
        return _kbest_lines(first, tokens, choices.kbest)
    return _labelled_lines(tagger, tokens, choices.posteriors)


def _input(model: "RefinementHMM", lines: Sequence[str], choices: "TagChoices") -> "Sequences":
    """The columns the model reads, under the names it knows them by."""
    from eigenparse.corpus.label_sources import parse_labelled
    from eigenparse.corpus.sequences import Column, Sequences
    from eigenparse.errors import DataError, FormatError

    names, found, source = choices.columns, choices.form, choices.source
    corpus = parse_labelled(lines, source=source, form=found, columns=names)
    if found == "columns" and names is None:
        if len(corpus) and len(corpus.columns) != choices.width:
            raise FormatError(
                f"{len(corpus.columns)} columns where the first token has {choices.width}",
                source=source, line=int(corpus.line[0]), remedy="give every token the same columns",
            )  # fmt: skip
        usual = [*model.columns, model.label, *(f"c{k}" for k in range(len(corpus.columns)))]
        renamed = tuple(Column(name, c.ids, c.symbols) for name, c in zip(usual, corpus.columns))
        corpus = Sequences(renamed, corpus.offsets, corpus.line)
    missing = [name for name in model.columns if name not in corpus.names]
    if missing and len(corpus):
        raise DataError(
            f"{source}: the model reads the column {missing[0]!r}; name the columns with --columns"
        )
    return corpus


def tag_sequences(model: "Tagger", corpus: "Sequences", label: str) -> list[str]:
    """Labels of all tokens; gold labels are taken away first."""
    from eigenparse.inference.tagger.chain import tag_ids

    return [model.labels[k] for k in tag_ids(model, corpus.without(label)).tolist()]


def _labelled_lines(model: "Tagger", corpus: "Sequences", posteriors: bool) -> Iterator[str]:
    from eigenparse.inference.tagger.chain import label_marginals

    label = model.label
    mu = label_marginals(model, corpus.without(label))
    best = mu.argmax(axis=1).tolist()
    columns = [column.strings() for column in corpus.columns if column.name != label]
    ends = corpus.offsets.tolist()
    for start, stop in itertools.pairwise(ends):
        for t in range(start, stop):
            fields = [column[t] for column in columns] + [model.labels[best[t]]]
            if posteriors:
                fields.append(" ".join(_shown(model.labels, mu[t].tolist())))
            yield " ".join(fields)
        yield ""


def _shown(labels: tuple[str, ...], values: list[float], least: float = 1e-3) -> list[str]:
    """``label:posterior`` of the labels above ``least``, best first."""
    order = sorted(range(len(labels)), key=lambda a: -values[a])
    return [f"{labels[a]}:{values[a]:.4f}" for a in order if values[a] >= least]


def _kbest_lines(model: "RefinementHMM", corpus: "Sequences", k: int) -> Iterator[str]:
    from eigenparse.inference.tagger.kbest import kbest

    words = corpus.columns[0].strings()
    ends = corpus.offsets.tolist()
    for s, paths in enumerate(kbest(model, corpus.without(model.label), k)):
        lists = [
            {"labels": [model.labels[a] for a in row], "log_joint": value, "share": share}
            for row, value, share in zip(
                paths.labels.tolist(), paths.log_joint.tolist(), paths.share.tolist()
            )
        ]
        yield json.dumps({"tokens": words[ends[s] : ends[s + 1]], "paths": lists}, ensure_ascii=False)


def score_lines(model: "Tagger", gold: "Sequences", guess: list[str], label: str) -> Iterator[str]:
    """A short report: accuracy, known and unknown words, chunk F1 if the labels are IOB."""
    from eigenparse.evaluate.tagging import count_tagging

    first = model.first
    known = set(first.words)
    ends = gold.offsets.tolist()
    spans = list(itertools.pairwise(ends))
    right, words = gold.column(label).strings(), gold.column(first.columns[0]).strings()
    counts = count_tagging(
        [right[i:j] for i, j in spans],
        [guess[i:j] for i, j in spans],
        unknown=[[word not in known for word in words[i:j]] for i, j in spans],
    )
    yield f"accuracy {100 * counts.accuracy:.2f} ({counts.right} of {counts.tokens} tokens)"
    yield (
        f"known words {100 * counts.known_accuracy:.2f}, "
        f"unknown words {100 * counts.unknown_accuracy:.2f} ({counts.unknown} tokens)"
    )
    if counts.chunks:
        chunk = counts.chunk
        ratios = f"precision {100 * chunk.precision:.2f}, recall {100 * chunk.recall:.2f}"
        yield f"chunk F1 {100 * chunk.f1:.2f} ({ratios})"
