"""eigenparse train lpcfg: trees in, a latent-variable grammar out."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import train

EXAMPLES = """
Settings that are not given are the learner's own (see `docs/cli.md`).

Examples:

  eigenparse train lpcfg train.ptb --dev dev.ptb --out english.model

  eigenparse train lpcfg treebank/ --ensemble 4 --jobs 2 --out strong.model

  eigenparse train lpcfg train.ptb --method tensor --states 32 --out spectral.model
"""


class Preset(StrEnum):
    """Settings that belong together."""

    default = "default"
    thesis = "thesis"


class Method(StrEnum):
    """Learners."""

    cluster = "cluster"
    tensor = "tensor"
    em = "em"
    pcfg = "pcfg"


class Noise(StrEnum):
    """How members of an ensemble are disturbed."""

    none = "none"
    dropout = "dropout"
    additive = "additive"
    multiplicative = "multiplicative"


class Features(StrEnum):
    """Sets of features."""

    full = "full"
    thesis = "thesis"


class Factor(StrEnum):
    """Ways to cut wide nodes."""

    head = "head"
    right = "right"
    left = "left"


class RareWords(StrEnum):
    """What rare words are known by."""

    by_class = "class"
    tag = "tag"


@train.command(epilog=EXAMPLES)
def lpcfg(
    trees: Annotated[
        list[str],
        typer.Argument(metavar="TRAIN...", help="Trees: files, directories, globs; - is standard input."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="The model file to write.")],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Trees to score the grammar on.")] = None,
    preset: Annotated[
        Preset | None, typer.Option(help="Settings to start from; thesis: matejovicova-2018 as it was.")
    ] = None,
    method: Annotated[Method | None, typer.Option(help="How to learn.")] = None,
    states: Annotated[int | None, typer.Option(help="Most latent states of a label.")] = None,
    em_rounds: Annotated[int | None, typer.Option(help="Rounds of expectation maximisation.")] = None,
    ensemble: Annotated[int | None, typer.Option(metavar="N", help="Members of an ensemble.")] = None,
    noise: Annotated[Noise | None, typer.Option(help="How members differ besides their seeds.")] = None,
    features: Annotated[Features | None, typer.Option(help="All features, or the thesis' 4+4.")] = None,
    factor: Annotated[Factor | None, typer.Option(help="How wide nodes are made binary.")] = None,
    horizontal: Annotated[int | None, typer.Option(help="Siblings that intermediate nodes remember.")] = None,
    vertical: Annotated[int | None, typer.Option(help="2: phrases remember their parent.")] = None,
    rare: Annotated[
        int | None, typer.Option(metavar="N", help="Words seen at most N times are rare.")
    ] = None,
    rare_words: Annotated[RareWords | None, typer.Option(help="What rare words are known by.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 0,
    jobs: Annotated[
        int, typer.Option(min=0, metavar="N", help="Processes for ensembles; 0 for all cores.")
    ] = 1,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Skip broken trees and count them.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write what was learnt, and how, here.")
    ] = None,
    tune_states: Annotated[
        bool, typer.Option("--tune-states", help="Choose states by F1 on --dev (learns many grammars).")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an interrupted run of this command stopped.")
    ] = False,
    unpacked: Annotated[
        bool,
        typer.Option("--unpacked", help="Write all weights in full: a file ten to thirty times larger."),
    ] = False,
    out_of_core: Annotated[
        bool,
        typer.Option("--out-of-core", help="Read the trees in shards, again and again; any number fits."),
    ] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Learn on a Dask cluster, as tcp://host:8786.")
    ] = None,
) -> None:
    """Learn a latent-variable grammar from a treebank."""
    from eigenparse.api.learner import LatentPCFG
    from eigenparse.cli.train_lpcfg_run import Job, run

    def value(choice: StrEnum | None) -> str | None:
        return None if choice is None else choice.value

    learner = LatentPCFG(
        preset=value(preset),
        method=value(method),
        states=states,
        em_rounds=em_rounds,
        ensemble=ensemble,
        seed=seed,
        noise=value(noise),
        features=value(features),
        factor=value(factor),
        horizontal=horizontal,
        vertical=vertical,
        rare=rare,
        rare_words=value(rare_words),
        jobs=jobs,
    )
    run(
        Job(
            learner, tuple(trees), out, dev, skip_broken, report, tune_states, resume, out_of_core, cluster, unpacked
        )
    )  # fmt: skip
