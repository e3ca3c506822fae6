"""``eigenparse train hmm``: unlabelled text in, an HMM over its characters, words or a column out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from eigenparse.cli.main import train

if TYPE_CHECKING:
    from eigenparse.corpus.sequences import Sequences
    from eigenparse.learn.hmm.learner import HmmChoices
    from eigenparse.models.hmm.chain import ChainModel


@train.command("hmm")
def train_hmm(
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="One sequence a line, or columns.")],
    out: Annotated[Path, typer.Option(help="Where the model goes.")],
    method: Annotated[
        str, typer.Option(help="spectral, cluster (then EM) or em (random start).")
    ] = "spectral",
    states: Annotated[int, typer.Option(help="Number of hidden states.")] = 20,
    unit: Annotated[str, typer.Option(help="What a symbol is: char, word or column.")] = "char",
    column: Annotated[str | None, typer.Option(help="With --unit column: its name; else the last.")] = None,
    window: Annotated[int, typer.Option(help="Symbols of past and future looked at.")] = 2,
    form: Annotated[str, typer.Option(help="spectral: hsu (an operator a symbol) or foster.")] = "hsu",
    em_rounds: Annotated[int | None, typer.Option(help="Rounds of EM.")] = None,
    min_count: Annotated[int, typer.Option(help="Rarer symbols count as unknown.")] = 1,
    dev: Annotated[Path | None, typer.Option(help="Print the perplexity of this text too.")] = None,
    seed: Annotated[int, typer.Option(help="Seed.")] = 0,
    keep_statistics: Annotated[
        bool, typer.Option("--keep-statistics", help="Keep the sums, so that `merge` can add models.")
    ] = False,
    dictionary: Annotated[
        Path | None,
        typer.Option(metavar="MODEL", help="Symbols, projections and settings of a model with statistics."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
) -> None:
    """Learn an HMM from unlabelled sequences."""
    from eigenparse.cli.kept import refuse_resume
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import stages
    from eigenparse.corpus.symbols import read_symbols
    from eigenparse.learn.hmm.learner import HmmChoices

    check_target(out)
    with stages("reading"):
        corpus = read_symbols(text, unit, column)
    choices = HmmChoices(method, states, window, form, em_rounds, seed)
    trace: list[float] = []
    if keep_statistics or dictionary is not None:
        refuse_resume(resume)
        model = _added_up(corpus, unit, choices, min_count, dictionary, out)
    else:
        model, trace = _learnt(corpus, unit, choices, min_count, out, resume)
    typer.echo(
        f"{len(corpus)} sequences, {corpus.n_tokens} symbols of {len(model.symbols)} kinds; wrote {out}",
        err=True,
    )
    if trace:
        typer.echo(f"EM: {len(trace)} rounds, log-likelihood {trace[0]:.1f} to {trace[-1]:.1f}", err=True)
    if dev is not None:
        typer.echo(_perplexity(model, dev, unit, column), err=True)


def _learnt(
    corpus: "Sequences", unit: str, choices: "HmmChoices", min_count: int, out: Path, resume: bool
) -> "tuple[ChainModel, list[float]]":
    """Learn and save; rounds of EM are kept until then."""
    from eigenparse import __version__
    from eigenparse.cli.kept import kept_work
    from eigenparse.cli.progress import stages
    from eigenparse.learn.checkpoint import sequences_mark
    from eigenparse.learn.hmm.learner import fit_hmm, symbol_table
    from eigenparse.learn.rounds import silent
    from eigenparse.models.hmm.chain import save_chain

    mark = sequences_mark(corpus, f"{__version__} {unit} {min_count} {choices!r}")
    with kept_work(out, mark, resume=resume) as checkpoint, stages("learning") as tell:
        data = symbol_table(corpus, min_count)
        model, trace = fit_hmm(data, unit, choices, checkpoint=checkpoint, tell=tell or silent)
        save_chain(out, model)
    return model, trace


def _added_up(
    corpus: "Sequences", unit: str, choices: "HmmChoices", min_count: int, dictionary: Path | None, out: Path
) -> "ChainModel":
    """Learn by sums under a fixed dictionary and keep the sums in the file."""
    from eigenparse.errors import OptionError
    from eigenparse.learn.hmm.spectral import ChainChoices
    from eigenparse.learn.hmm.statistics import (
        chain_statistics,
        load_chain_statistics,
        save_chain_statistics,
    )

    if choices.method != "spectral":
        raise OptionError(
            f"models of the method {choices.method!r} do not add up; use --method spectral, or leave out "
            "--keep-statistics and --dictionary"
        )
    spectral = ChainChoices(
        states=choices.states, window=choices.window, form=choices.form, seed=choices.seed
    )
    known = None if dictionary is None else load_chain_statistics(dictionary)
    kept = chain_statistics(corpus, unit, spectral, min_count=min_count, known=known)
    save_chain_statistics(out, kept)
    return kept.model()


def _perplexity(model: "ChainModel", text: Path, unit: str, column: str | None) -> str:
    from eigenparse.corpus.symbols import read_symbols
    from eigenparse.inference.hmm.chain import filtered

    corpus = read_symbols(text, unit, column)
    found = filtered(model, model.encode(corpus.columns[0]), corpus.offsets)
    return (
        f"perplexity {found.perplexity:.3f} a symbol ({corpus.n_tokens} symbols, "
        f"{found.n_floored} floored, {found.n_resets} resets)"
    )
