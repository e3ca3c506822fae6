"""eigenparse reproduce cohen2014: consistency, conditioning and time of the method of moments."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import reproduce, verb
from eigenparse.cli.options import Jobs, Report, Seed, Treebanks, corpora_of, publish


@verb(reproduce, epilog="Example:\n\n  eigenparse reproduce cohen2014 --out report")
def cohen2014(
    data: Treebanks = None,
    out: Report = Path("cohen2014"),
    runs: Annotated[int, typer.Option(min=1, help="Number of samples of each size.")] = 5,
    states: Annotated[int, typer.Option(min=1, help="States of the grammars whose times are compared.")] = 16,
    largest: Annotated[int, typer.Option(min=100, help="Number of trees in the largest sample.")] = 100_000,
    seed: Seed = 0,
    jobs: Jobs = 0,
) -> None:
    """Repeat what Cohen et al. (2014) prove and report: consistency, the effect of sigma, time against EM."""
    from eigenparse.experiments.cohen import CohenPlan, cohen_report, points_of, run_point, time_trials
    from eigenparse.experiments.trials import run_trial
    from eigenparse.work.progress import counted
    from eigenparse.work.work import Where, open_work

    sizes = tuple(n for n in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000) if n < largest)
    plan = CohenPlan(
        runs=runs, treebank_states=states, sizes=(*sizes, largest), size=min(30_000, largest), seed=seed
    )
    corpora, points = corpora_of(data, seed), points_of(plan)
    with open_work("measuring", Where(jobs), show=False) as work:
        measured = list(counted(work.map(run_point, points), "known grammar: samples", total=len(points)))
        times = []
        for corpus in corpora:
            trials = time_trials(corpus, plan)
            results = counted(work.map(run_trial, trials), f"{corpus.name}: training", total=len(trials))
            times.append((corpus, list(results)))
    publish(cohen_report(plan, measured, times), out, curves=False)
