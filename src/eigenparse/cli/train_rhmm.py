"""``eigenparse train rhmm``: a file of labelled sequences in, a tagger out."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import train

if TYPE_CHECKING:
    from eigenparse.corpus.sequences import Sequences
    from eigenparse.learn.tagger.kept import TaggerReport
    from eigenparse.learn.tagger.learner import TaggerChoices
    from eigenparse.models.tagger.rhmm import Product, RefinementHMM


@train.command("rhmm")
def train_rhmm(
    corpus: Annotated[Path, typer.Argument(metavar="TRAIN", help="Columns, word_TAG, CoNLL-U or trees.")],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    dev: Annotated[Path | None, typer.Option(help="Score the model on this file too.")] = None,
    columns: Annotated[str | None, typer.Option(help="Names of the columns, as word,pos,chunk.")] = None,
    label: Annotated[str | None, typer.Option(help="Column to learn; the last one if not said.")] = None,
    method: Annotated[str, typer.Option(help="spectral, cluster, em, hmm or unigram.")] = "spectral",
    states: Annotated[int, typer.Option(help="Hidden states of a label, at most.")] = 8,
    emission: Annotated[str, typer.Option(help="loglinear (windows), class or backoff.")] = "loglinear",
    templates: Annotated[Path | None, typer.Option(help="Templates of phi, psi, xi, upsilon.")] = None,
    start: Annotated[str, typer.Option(help="Where em starts: clusters or random.")] = "clusters",
    em_rounds: Annotated[int | None, typer.Option(help="Rounds of EM.")] = None,
    ensemble: Annotated[int, typer.Option(help="Train so many seeds and multiply them.")] = 1,
    form: Annotated[
        str, typer.Option("--format", help="auto, columns, tagged, conllu or brackets.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="Seed.")] = 0,
    jobs: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Processes; emission and states, or seeds, are learnt apart."),
    ] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Learn on a Dask cluster, as tcp://host:8786.")
    ] = None,
    keep_statistics: Annotated[
        bool, typer.Option("--keep-statistics", help="Keep the sums, so that `merge` can add models.")
    ] = False,
    dictionary: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Keep sums under the labels and settings of this model."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
) -> None:
    """Learn a tagger or chunker: refinement HMM, HMM or unigram."""
    from eigenparse.cli.kept import refuse_resume
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import stages
    from eigenparse.corpus.label_sources import pick_label, read_labelled, reduce_columns
    from eigenparse.corpus.tagged import text_lines
    from eigenparse.errors import OptionError
    from eigenparse.features.tagger.sequence import read_features
    from eigenparse.learn.tagger.learner import TaggerChoices

    check_target(out)
    names = columns.split(",") if columns else None
    with stages("reading"):
        whole = read_labelled(corpus, form=form, columns=names)
    name = pick_label(whole, label)
    data = whole if names else reduce_columns(whole, name)
    features = read_features(text_lines(templates), label=name, source=str(templates)) if templates else None
    choices = TaggerChoices(
        method=method, states=states, emission=emission, features=features,
        start=start, rounds=em_rounds, seed=seed,
    )  # fmt: skip
    model: RefinementHMM | Product
    if keep_statistics or dictionary is not None:
        if ensemble > 1 or cluster is not None:
            raise OptionError(
                "statistics are kept of one model on this machine; leave out --ensemble, --cluster"
            )
        refuse_resume(resume)
        model = _added_up(data, name, choices, dictionary, out)
        most, seconds = int(model.operators.states.max()), {}
    else:
        model, report = _learnt(data, name, choices, ensemble, _How(out, resume, jobs, cluster))
        most, seconds = max(report.states.values()), report.seconds
        if most == 1 < states and report.trials:
            typer.echo(_why_no_states(report), err=True)
    typer.echo(
        f"{len(data)} sequences, {data.n_tokens} tokens, {len(model.labels)} labels, method {method}",
        err=True,
    )
    typer.echo(f"states a label: at most {most}; seconds: {_seconds(seconds)}; wrote {out}", err=True)
    if dev is not None:
        _score(model, read_labelled(dev, form=form, columns=names), name)


def _score(model: "RefinementHMM | Product", gold: "Sequences", label: str) -> None:
    """Print how well the model labels other sequences."""
    from eigenparse.cli.tag import score_lines, tag_sequences

    for line in score_lines(model, gold, tag_sequences(model, gold, label), label):
        typer.echo(line, err=True)


@dataclass(frozen=True, slots=True)
class _How:
    """Where the model goes, whether kept work is taken up, and who learns."""

    out: Path
    resume: bool
    jobs: int
    cluster: str | None


def _learnt(
    data: "Sequences", label: str, choices: "TaggerChoices", members: int, how: _How
) -> "tuple[RefinementHMM | Product, TaggerReport]":
    """Learn and save; what is finished of a long learning is kept until then."""
    from eigenparse import __version__
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.progress import stages
    from eigenparse.learn.checkpoint import sequences_mark
    from eigenparse.learn.rounds import silent
    from eigenparse.learn.tagger.learner import fit_product
    from eigenparse.models.tagger.rhmm import save_tagger
    from eigenparse.run.ordered import open_run

    mark = sequences_mark(data, f"{__version__} {label} {members} {choices!r}")
    with kept_work(how.out, mark, resume=how.resume) as checkpoint:
        with stages("learning") as tell, open_run(how.cluster, how.jobs) as run:
            product, report = fit_product(
                data, label, choices, members, run=run, checkpoint=checkpoint, tell=tell or silent
            )
        model = product if members > 1 else product.members[0]
        save_tagger(how.out, model)
    return model, report


def _added_up(
    data: "Sequences", label: str, choices: "TaggerChoices", dictionary: Path | None, out: Path
) -> "RefinementHMM":
    """Learn by sums under a fixed dictionary and keep the sums in the file."""
    from eigenparse.learn.tagger.statistics import (
        load_tagger_statistics,
        save_tagger_statistics,
        tagger_statistics,
    )

    known = None if dictionary is None else load_tagger_statistics(dictionary)
    kept = tagger_statistics(data, label, choices, known=known)
    save_tagger_statistics(out, kept)
    return kept.model()


def _why_no_states(report: "TaggerReport") -> str:
    """What held-out text says of the states that were tried."""
    from eigenparse.learn.tagger.trust import DEMAND

    best = max(report.trials, key=lambda trial: trial.gain)
    return (
        f"held-out text gains {best.gain:.1f} right labels from states ({best.errors:.1f} standard errors; "
        f"{DEMAND:.0f} are asked for): the model is the bigram HMM"
    )


def _seconds(seconds: dict[str, float]) -> str:
    return ", ".join(f"{stage} {value:.1f}" for stage, value in seconds.items())
