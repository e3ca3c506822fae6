"""``eigenparse reproduce stratos2013``: figures 5, 7 and 8 of the paper on TIMIT or any aligned speech."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, reproduce, verb
from eigenparse.cli.options import Jobs, Report, Seed, numbers, publish


@verb(reproduce, epilog="Example:\n\n  eigenparse reproduce stratos2013 --speech voices --out report")
def stratos2013(
    timit: Annotated[Path | None, typer.Option(help="TIMIT's folder."), READ] = None,
    speech: Annotated[
        list[Path] | None,
        typer.Option(help="Folder with train, dev and test of recordings and .phn files; may be repeated."),
        READ,
    ] = None,
    out: Report = Path("stratos2013"),
    codes: Annotated[int, typer.Option(min=2, help="Number of codes (the paper uses 10000).")] = 1000,
    states: Annotated[str, typer.Option(help="Hidden states of the spectral models by tensors.")] = (
        "1,2,4,8,16,24,40"
    ),
    cluster_states: Annotated[str, typer.Option(help="Hidden states of the spectral models by clusters.")] = (
        "8,24,64,128"
    ),
    em_states: Annotated[str, typer.Option(help="Hidden states of the EM models.")] = ("2,4,8,16,24,64,128"),
    em_rounds: Annotated[int, typer.Option(min=1, help="Rounds of EM (the paper uses 200).")] = 60,
    seed: Seed = 0,
    jobs: Jobs = 0,
) -> None:
    """Repeat Stratos et al. (2013): unigram, HMM, EM, spectral and three-segment phoneme recognition."""
    import time

    from eigenparse.corpus.phones import find_speech
    from eigenparse.errors import OptionError
    from eigenparse.experiments.stratos import StratosPlan, prepare, run_tasks
    from eigenparse.experiments.stratos_report import stratos_report, stratos_section
    from eigenparse.work.progress import tell
    from eigenparse.work.work import Where

    folders = [*([timit] if timit else []), *(speech or [])]
    if not folders:
        raise OptionError("there is no data to run on; give --timit DIR or --speech DIR")
    clock = time.perf_counter()
    plan = StratosPlan(
        n_codes=codes,
        states=numbers(states, "states"),
        cluster_states=numbers(cluster_states, "cluster-states"),
        em_states=numbers(em_states, "em-states"),
        rounds=em_rounds,
        seed=seed,
        jobs=Where(jobs).workers,
    )
    sections = []
    for folder in folders:
        data = prepare(find_speech(folder), folder.resolve().name, plan, tell)
        sections.append(stratos_section(data, run_tasks(data, plan), plan))
        tell(f"{data.name}: done after {time.perf_counter() - clock:.0f} s")
    publish(stratos_report(sections, plan, time.perf_counter() - clock), out)
