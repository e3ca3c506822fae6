"""eigenparse reproduce matejovicova2018: the thesis' experiments on any treebank."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import reproduce, verb
from eigenparse.cli.options import Jobs, Report, Resume, Seed, Treebanks, corpora_of, numbers, publish


@verb(reproduce, epilog="Example:\n\n  eigenparse reproduce matejovicova2018 --data treebank --out report")
def matejovicova2018(
    data: Treebanks = None,
    out: Report = Path("matejovicova2018"),
    runs: Annotated[int, typer.Option(min=1, help="Number of runs of experiments 4.1 and 4.2.")] = 3,
    test_sentences: Annotated[int, typer.Option(min=2, help="Number of test sentences per sample.")] = 1000,
    states: Annotated[str, typer.Option(help="Numbers of states of experiment 4.2.")] = "1,2,4,8,16,24,32",
    experiments: Annotated[str, typer.Option(help="Any of the experiments 4.1, 4.2, 4.3.")] = "4.1,4.2,4.3",
    seed: Seed = 0,
    jobs: Jobs = 0,
    resume: Resume = False,
) -> None:
    """Repeat the experiments of Matejovičová (2018): corpus size, number of states, settings."""
    from itertools import islice

    from eigenparse.experiments.matejovicova import Plan, trials_of
    from eigenparse.experiments.matejovicova_report import thesis_report
    from eigenparse.experiments.trials import run_trials
    from eigenparse.report.files import report_paths
    from eigenparse.work.kept import fingerprint
    from eigenparse.work.work import Where, open_work

    parts = tuple(part.strip() for part in experiments.split(","))
    plan = Plan(runs=runs, n_test=test_sentences, states=numbers(states, "states"), parts=parts, seed=seed)
    corpora = corpora_of(data, seed)
    plans = [trials_of(corpus, plan) for corpus in corpora]
    page = report_paths(out)[0]
    page.parent.mkdir(parents=True, exist_ok=True)
    mark = fingerprint(plan, corpora)
    with open_work("learning and parsing", Where(jobs, resume=resume), out=page, mark=mark) as work:
        outcomes = iter(run_trials([trial for some in plans for trial in some], work))
    found = [(corpus, list(islice(outcomes, len(some)))) for corpus, some in zip(corpora, plans)]
    publish(thesis_report(found), out, curves=False)
