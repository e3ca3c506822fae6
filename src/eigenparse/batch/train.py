"""Train a model of any kind: a record of options, a record of how to read, and sources in; a model file out.

A kind's options record may have two more methods.  ``tuned(data, gold, work)`` returns the options to learn with,
chosen with the help of development data (None without ``--dev``).  ``baseline()`` returns the options of a simpler
model to compare with, or None.  A reading record may have ``held_out(data)``: the development part of the sources,
and ``gold(path)`` where development data is read otherwise than training data.
Data may have ``notes``: sentences about what was left out while reading.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eigenparse import __version__
from eigenparse.batch.facts import fact_lines, table
from eigenparse.batch.first_use import announce_first_use
from eigenparse.corpus.files import write_whole
from eigenparse.learn.options import Options
from eigenparse.models.registry import Kind, Model, named, save_model
from eigenparse.run.memory import keep_freed_memory
from eigenparse.work.kept import fingerprint
from eigenparse.work.progress import Stages, shown, tell
from eigenparse.work.work import Where, Work, open_work


@dataclass(frozen=True, slots=True)
class Data:
    """What to learn from, and what to score on afterwards (None: nothing)."""

    train: Any
    gold: Any = None


def train(
    kind: Kind,
    options: Options,
    reading: Any,
    sources: Sequence[str | Path],
    out: Path,
    where: Where = Where(),
    dev: str | Path | None = None,
    report: Path | None = None,
) -> Model:
    """Read, learn, write, score and report; an interrupted run leaves its finished parts beside ``out``."""
    began = time.perf_counter()
    keep_freed_memory()
    announce_first_use(kind, learning=True)
    data = read_data(reading, sources, dev)
    mark = fingerprint(__version__, options, reading, data.train)
    with open_work(f"train {kind.name}", where, out=out, mark=mark) as work:
        options = _tuned(options, data, work)
        model = options.fit(data.train, work)
        work.stages.stop()
        save_model(model, out, kind.name, packed=not getattr(options, "unpacked", False))
    elapsed = time.perf_counter() - began
    for line in (*_learnt_lines(kind, model), *stage_lines(work.stages)):
        tell(line)
    tell(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB) in {elapsed:.1f} s")
    figures = _scored(kind, model, options, data)
    if report is not None:
        _write_report(report, options, model, work.stages, {"elapsed_seconds": elapsed, "dev": figures})
    return model


def read_data(reading: Any, sources: Sequence[str | Path], dev: str | Path | None) -> Data:
    """The training data, and the development data if there is any; with a message about what was left out."""
    with shown("reading"):
        data = reading.read(sources)
        read_gold = getattr(reading, "gold", lambda path: reading.read([path]))
        gold = None if dev is None else read_gold(dev)
    if gold is None and hasattr(reading, "held_out"):
        gold = reading.held_out(data)
    for part in (data, gold):
        for note in getattr(part, "notes", ()):
            tell(note)
    return Data(data, gold)


def _tuned(options: Options, data: Data, work: Work) -> Options:
    """The options, tuned on development data if the kind does that."""
    if not hasattr(options, "tuned"):
        return options
    place = "tuning" if data.gold is None else f"tuning-{fingerprint(data.gold)[:12]}"
    chosen: Options = options.tuned(data.train, data.gold, work.at(place))
    return chosen


def _learnt_lines(kind: Kind, model: Model) -> list[str]:
    """Lines about the model: from the kind's verb "learnt", or its summary."""
    if "learnt" in kind.verbs:
        lines: list[str] = named(kind.verbs["learnt"])(model)
        return lines
    return fact_lines(model.summary())


def stage_lines(stages: Stages) -> list[str]:
    """CPU seconds and peak memory of every stage."""
    seconds, megabytes = stages.seconds, stages.megabytes
    return [f"{seconds[name]:8.2f} s {megabytes.get(name, 0):6d} MB  {name}" for name in seconds]


def _scored(kind: Kind, model: Model, options: Options, data: Data) -> list[Any]:
    """Print the scores of the model on the development data, beside a simpler one where the kind has one.

    The kind's verb "evaluate" returns rows of figures by name, of which a table is printed, or sentences.
    """
    if data.gold is None or "evaluate" not in kind.verbs:
        return []
    evaluate = named(kind.verbs["evaluate"])
    simpler = options.baseline() if hasattr(options, "baseline") else None
    models = [model] if simpler is None else [simpler.fit(data.train), model]
    found = [row for one in models for row in evaluate(one, data.gold)]
    for sentence in (one for one in found if isinstance(one, str)):
        tell(sentence)
    for line in table([one for one in found if isinstance(one, dict)]):
        print(line)
    return found


def _by_label(model: Model) -> dict[str, Any]:
    """The labels of a grammar and how many states each has, which the report's numbers refer to."""
    skeleton = getattr(model, "skeleton", None)
    members = getattr(model, "members", None)
    if skeleton is None or not members:
        return {}
    return {"labels": [str(label) for label in skeleton.labels], "states": members[0].states.tolist()}


def _write_report(path: Path, options: Options, model: Model, stages: Stages, more: dict[str, Any]) -> None:
    """Everything about the run as JSON; unlike the model file it includes times."""
    content = {
        "options": asdict(options),
        "report": getattr(model, "report", {}),
        **_by_label(model),
        **model.summary(),
        "seconds": stages.seconds,
        "megabytes": stages.megabytes,
        **more,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1, default=str)
    write_whole(path, (text + "\n").encode("utf-8"))
