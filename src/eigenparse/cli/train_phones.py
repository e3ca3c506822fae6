"""``eigenparse train phones``: a folder of recordings with phone alignments in, a recogniser out."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import train


@train.command("phones")
def train_phones(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="AUDIO_DIR", help="TIMIT, or recordings (WAV, FLAC) with .phn files beside them."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    codes: Annotated[int, typer.Option(help="Codes that frames are mapped to.")] = 1000,
    states: Annotated[
        int | None,
        typer.Option(help="Hidden states of a phone, at most; by default 128 with clusters, otherwise 24."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="cluster (of spectral projections), spectral (their moments), em, hmm, unigram or three-segment."
        ),
    ] = "cluster",
    smoothing: Annotated[
        str, typer.Option(help="The spectral model backs off to pairs of phones, or to runs of them.")
    ] = "pairs",
    em_rounds: Annotated[int | None, typer.Option(help="Rounds of EM.")] = None,
    resample: Annotated[bool, typer.Option("--resample", help="Convert recordings at other rates.")] = False,
    seed: Annotated[int, typer.Option(help="Seed.")] = 0,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
) -> None:
    """Learn to recognise phones: cepstra, codes by k-means, refinement HMM over codes."""
    from eigenparse import __version__
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import stages
    from eigenparse.corpus.phones import find_speech
    from eigenparse.features.codes import CodeChoices
    from eigenparse.learn.rounds import silent
    from eigenparse.learn.speech.phones import PhoneChoices, fit_recogniser, frame_accuracy, speech_mark
    from eigenparse.models.speech.phones import save_recogniser

    check_target(out)
    corpus = find_speech(folder)
    choices = PhoneChoices(
        method=method,
        states=states,
        codes=CodeChoices(n_codes=codes),
        smoothing=smoothing,
        rounds=em_rounds,
        seed=seed,
    )
    mark = speech_mark(corpus.train, f"{__version__} {corpus.is_timit} {resample} {choices!r}")
    with kept_work(out, mark, resume=resume) as checkpoint:
        with stages("recordings") as tell:
            model, report = fit_recogniser(
                corpus.train,
                choices,
                fold=corpus.is_timit,
                resample=resample,
                checkpoint=checkpoint,
                tell=tell or silent,
            )
        save_recogniser(out, model)
    about = model.about
    seconds = ", ".join(f"{stage} {value:.1f}" for stage, value in report.seconds.items())
    typer.echo(
        f"{about['recordings']} recordings, {about['minutes']} minutes at {model.rate} Hz, {len(model.phones)} "
        f"phones, {about['codes']} codes, method {method}",
        err=True,
    )
    typer.echo(f"seconds: {seconds}; wrote {out}", err=True)
    if corpus.dev:
        accuracy = frame_accuracy(model, corpus.dev, fold=corpus.is_timit, resample=resample)
        typer.echo(f"dev: {len(corpus.dev)} recordings, frame accuracy {100 * accuracy:.2f}", err=True)
