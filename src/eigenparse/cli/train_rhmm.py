"""``eigenparse train rhmm``: a file of labelled sequences in, a tagger out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import train

if TYPE_CHECKING:
    from eigenparse.corpus.sequences import Sequences
    from eigenparse.learn.rhmm import TaggerChoices, TaggerReport
    from eigenparse.models.rhmm import Product, RefinementHMM


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
        int, typer.Option(min=0, metavar="N", help="Processes for --ensemble; 0: all cores.")
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
) -> None:
    """Learn a tagger or chunker: refinement HMM, HMM or unigram."""
    from eigenparse.cli.output import check_target
    from eigenparse.corpus.label_sources import pick_label, read_labelled, reduce_columns
    from eigenparse.corpus.tagged import text_lines
    from eigenparse.errors import OptionError
    from eigenparse.features.sequence import read_features
    from eigenparse.learn.rhmm import TaggerChoices, fit_product
    from eigenparse.models.rhmm import save_tagger
    from eigenparse.run.ordered import open_run

    check_target(out)
    names = columns.split(",") if columns else None
    whole = read_labelled(corpus, form=form, columns=names)
    name = pick_label(whole, label)
    data = whole if names else reduce_columns(whole, name)
    features = read_features(text_lines(templates), label=name, source=str(templates)) if templates else None
    choices = TaggerChoices(
        method=method,
        states=states,
        emission=emission,
        features=features,
        start=start,
        rounds=em_rounds,
        seed=seed,
    )
    model: RefinementHMM | Product
    if keep_statistics or dictionary is not None:
        if ensemble > 1 or cluster is not None:
            raise OptionError(
                "statistics are kept of one model on this machine; leave out --ensemble, --cluster"
            )
        model = _added_up(data, name, choices, dictionary, out)
        most, seconds = int(model.operators.states.max()), {}
    else:
        with open_run(cluster, jobs) as run:
            product, report = fit_product(data, name, choices, ensemble, run=run)
        model = product if ensemble > 1 else product.members[0]
        save_tagger(out, model)
        most, seconds = max(report.states.values()), report.seconds
        if most == 1 < states and report.trials:
            typer.echo(_why_no_states(report), err=True)
    typer.echo(
        f"{len(data)} sequences, {data.n_tokens} tokens, {len(model.labels)} labels, method {method}",
        err=True,
    )
    typer.echo(f"states a label: at most {most}; seconds: {_seconds(seconds)}; wrote {out}", err=True)
    if dev is not None:
        from eigenparse.cli.tag import score_lines, tag_sequences

        gold = read_labelled(dev, form=form, columns=names)
        for line in score_lines(model, gold, tag_sequences(model, gold, name), name):
            typer.echo(line, err=True)


def _added_up(
    data: "Sequences", label: str, choices: "TaggerChoices", dictionary: Path | None, out: Path
) -> "RefinementHMM":
    """Learn by sums under a fixed dictionary and keep the sums in the file."""
    from eigenparse.learn.rhmm_statistics import (
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
    from eigenparse.learn.rhmm_trust import DEMAND

    best = max(report.trials, key=lambda trial: trial.gain)
    return (
        f"held-out text gains {best.gain:.1f} right labels from states ({best.errors:.1f} standard errors; "
        f"{DEMAND:.0f} are asked for): the model is the bigram HMM"
    )


def _seconds(seconds: dict[str, float]) -> str:
    return ", ".join(f"{stage} {value:.1f}" for stage, value in seconds.items())
