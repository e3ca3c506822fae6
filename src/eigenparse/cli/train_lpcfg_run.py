"""What ``train lpcfg`` does: trees in; a model file, a table of scores and a report of the learning out."""

import json
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from eigenparse import __version__
from eigenparse.api.grammar import Grammar
from eigenparse.api.learner import LatentPCFG
from eigenparse.api.tuning import F1, dev_scores, tuned
from eigenparse.cli.kept import kept_work
from eigenparse.cli.output import check_target
from eigenparse.cli.progress import stages, tell
from eigenparse.corpus.columns import Treebank
from eigenparse.errors import DataError, OptionError
from eigenparse.run.ordered import open_run

if TYPE_CHECKING:
    from eigenparse.learn.checkpoint import Checkpoint
    from eigenparse.learn.grammar.learner import LpcfgOptions

LONG_EM = 10  # rounds that are worth a checkpoint


@dataclass(frozen=True, slots=True)
class Job:
    """What the user asked for."""

    learner: LatentPCFG
    trees: tuple[str, ...]
    out: Path
    dev: str | None
    skip_broken: bool
    report: Path | None
    tune_states: bool
    resume: bool = False
    out_of_core: bool = False
    cluster: str | None = None
    unpacked: bool = False


def run(job: Job) -> None:
    """Learn, write, score, report."""
    started = time.perf_counter()
    options = job.learner.options()
    if job.tune_states and job.dev is None:
        raise OptionError("--tune-states chooses by F1 on development trees; add --dev FILE")
    for path in (job.out, job.report):
        if path is not None:
            check_target(path)
    if job.out_of_core and run_shards(job, started):
        return
    treebank = read_normalised(job.trees, job.skip_broken)
    dev = None if job.dev is None else read_normalised((job.dev,), job.skip_broken)
    learner = job.learner
    with checkpoint_of(job, options, treebank, dev) as checkpoint:
        if job.tune_states and dev is not None:
            learner = tuned(learner, treebank, dev, tell=tell, checkpoint=checkpoint.at("tuning"))
            options = learner.options()
        with stages("learning") as progress, open_run(job.cluster) as where:
            grammar = learner.fit_normalised(
                treebank,
                options,
                progress=progress,
                checkpoint=checkpoint,
                run=None if job.cluster is None else where,
            )
        grammar.save(job.out, packed=not job.unpacked)
    elapsed = time.perf_counter() - started
    for line in learning_lines(grammar):
        tell(line)
    tell(f"wrote {job.out} ({job.out.stat().st_size / 1e6:.1f} MB) in {elapsed:.1f} s")
    table = [] if dev is None else score_table(learner, treebank, grammar, dev)
    if job.report is not None:
        _write_report(job.report, grammar, learner, table, elapsed)


def run_shards(job: Job, started: float) -> bool:
    """Learn from shards, here, in processes or on a cluster; False if the trees are one shard only."""
    from eigenparse.api.grammar import Learning
    from eigenparse.learn.checkpoint import mark_of
    from eigenparse.learn.grammar.shards import cut_shards
    from eigenparse.learn.grammar.streamed import train_shards

    if job.tune_states or job.skip_broken:
        raise OptionError("--out-of-core has no --tune-states or --skip-broken; leave them out")
    shards = list(cut_shards(job.trees))
    if len(shards) < 2:
        return False
    options = job.learner.options()
    mark = mark_of([f"{__version__} {options!r}", [[one.path, one.start, one.size] for one in shards]])
    with kept_work(job.out, mark, resume=job.resume) as checkpoint:
        with stages("learning") as progress, open_run(job.cluster, job.learner.jobs) as where:
            learned = train_shards(shards, options, run=where, progress=progress, checkpoint=checkpoint)
        grammar = replace(Grammar.of(learned.grammar), learning=Learning(learned.seconds, learned.megabytes))
        grammar.save(job.out, packed=not job.unpacked)
    elapsed = time.perf_counter() - started
    for line in [*learning_lines(grammar), f"{len(shards)} shards; wrote {job.out} in {elapsed:.1f} s"]:
        tell(line)
    if job.dev is not None:
        found = dev_scores(grammar, read_normalised((job.dev,), job.skip_broken), job.learner.jobs)
        typer.echo(f"F1 {found.f1:.2f}, precision {found.precision:.2f}, recall {found.recall:.2f}")
    if job.report is not None:
        _write_report(job.report, grammar, job.learner, [], elapsed)
    return True


def checkpoint_of(
    job: Job, options: "LpcfgOptions", treebank: Treebank, dev: Treebank | None
) -> AbstractContextManager["Checkpoint"]:
    """Where finished members, rounds and trials are kept, if the work is long."""
    from eigenparse.learn.checkpoint import NOTHING_KEPT, fingerprint

    if not (job.resume or job.tune_states or options.ensemble > 1 or options.rounds >= LONG_EM):
        return nullcontext(NOTHING_KEPT)
    mark = fingerprint((treebank, dev if job.tune_states else None), f"{__version__} {options!r}")
    return kept_work(job.out, mark, resume=job.resume)


def read_normalised(paths: tuple[str, ...], skip_broken: bool) -> Treebank:
    """The cleaned trees of files, with a note on what was left out."""
    from eigenparse.corpus.brackets import notes, read_trees_report
    from eigenparse.corpus.normalise import normalise_report

    reading = read_trees_report(paths, skip_broken=skip_broken)
    cleaned = normalise_report(reading.treebank)
    for note in notes(reading):
        tell(note)
    if cleaned.n_removed:
        tell(f"left out {cleaned.n_removed} trees without words")
    if len(cleaned.treebank) == 0:
        raise DataError(f"{paths[0]}: no tree is left after normalisation; check that the trees have words")
    return cleaned.treebank


def learning_lines(grammar: Grammar) -> list[str]:
    """The report of the learning, for people."""
    latent, skeleton = grammar.latent, grammar.latent.skeleton
    report, states = latent.report, latent.members[0].states
    every = (latent, *latent.others)
    n_members = sum(len(one.members) for one in every)
    lines = [
        f"{report['method']}, seed {report['seed']}: {report['n_trees']} trees, {report['n_words']} words",
        f"{skeleton.n_labels} labels, {skeleton.rules.shape[0]} rules, {skeleton.n_words} words; "
        f"{int(states.sum())} states, at most {int(states.max())} a label; {n_members} "
        f"{'member' if n_members == 1 else 'members'}, "
        f"{sum(w.n_parameters for one in every for w in one.members)} parameters",
    ]
    lines += _singular_line(report)
    if report.get("negative_share"):
        lines.append(f"{100 * report['negative_share']:.1f} % of the weights are negative")
    if grammar.learning is not None:
        seconds, megabytes = grammar.learning.seconds, grammar.learning.megabytes
        lines += [f"{seconds[name]:8.2f} s {megabytes.get(name, 0):6d} MB  {name}" for name in seconds]
    return lines


def _singular_line(report: dict[str, Any]) -> list[str]:
    """How fast singular values fall, over the labels that have them."""
    values = (report.get("members") or [{}])[0].get("singular", {})
    ratios = [v[-1] / v[0] for v in values.values() if len(v) > 1 and v[0] > 0]
    if not ratios:
        return []
    return [
        f"singular values of {len(values)} labels: the last kept is {np.median(ratios):.3f} of the first "
        f"(median; {min(ratios):.3f} to {max(ratios):.3f})"
    ]


def score_table(
    learner: LatentPCFG, treebank: Treebank, grammar: Grammar, dev: Treebank
) -> list[dict[str, Any]]:
    """F1 of the plain PCFG and of the learnt grammar, printed as one table."""
    rows: list[tuple[str, F1]] = []
    method = grammar.latent.report["method"]
    if method != "pcfg":
        plain = replace(learner, method="pcfg", ensemble=1, jobs=1, states_by_label=())
        rows.append(
            ("plain PCFG", dev_scores(plain.fit_normalised(treebank, plain.options()), dev, learner.jobs))
        )
    rows.append(
        ("plain PCFG" if method == "pcfg" else f"latent ({method})", dev_scores(grammar, dev, learner.jobs))
    )
    typer.echo(f"{'grammar':<20}{'F1':>8}{'precision':>11}{'recall':>8}{'exact':>8}{'tags':>8}{'trees/s':>9}")
    for name, found in rows:
        typer.echo(
            f"{name:<20}{found.f1:>8.2f}{found.precision:>11.2f}{found.recall:>8.2f}{found.exact:>8.2f}"
            f"{found.tagging:>8.2f}{found.per_second:>9.1f}"
        )
    return [{"grammar": name, **asdict(found)} for name, found in rows]


def _write_report(
    path: Path, grammar: Grammar, learner: LatentPCFG, table: list[dict[str, Any]], elapsed: float
) -> None:
    """Everything about the run as JSON; unlike the model it may tell the time."""
    from eigenparse.corpus.files import write_whole

    latent = grammar.latent
    content = {
        "learner": {f: v for f, v in asdict(learner).items() if v is not None},
        "report": latent.report,
        "others": [one.report for one in latent.others],
        "labels": [str(label) for label in latent.skeleton.labels],
        "states": latent.members[0].states.tolist(),
        "rules": int(latent.skeleton.rules.shape[0]),
        "parameters": sum(w.n_parameters for w in latent.members),
        "seconds": {} if grammar.learning is None else grammar.learning.seconds,
        "megabytes": {} if grammar.learning is None else grammar.learning.megabytes,
        "elapsed_seconds": elapsed,
        "dev": table,
    }
    write_whole(path, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))
