"""The curves of a grammar or of a report in one picture."""

from pathlib import Path
from typing import Any

from eigenparse.api.calibration import calibrations
from eigenparse.api.grammar import Grammar
from eigenparse.corpus.files import read_text, write_whole
from eigenparse.errors import DataError, OptionError
from eigenparse.models.container import strict_json
from eigenparse.models.grammar.kind import sound_report
from eigenparse.models.registry import load_model, verb_of
from eigenparse.models.schema import NAMES, check_value
from eigenparse.plot import calibration_curves, learning_curves, render, singular_curves
from eigenparse.report import Curves, Series, read_report

# What is read of a report on training; kinds other than grammars have no numbers of states by label.
TRAINING = {"report": dict, "seconds": dict, "labels": NAMES, "states": [int]}


def plot(source: Path, out: Path, gold: Path | None, *, most: int, n_labels: int) -> list[str]:
    """Write a picture; the titles of its curves."""
    title = source.name
    if source.suffix != ".json":
        curves: list[Curves] = verb_of(source, "plot")(source, gold, most, n_labels)
    elif gold is not None:
        raise OptionError("--gold calibrates a grammar, not a report; name a grammar")
    elif (content := _training(source)) is not None:
        curves = training_curves(content, n_labels)
    else:
        report = read_report(source)
        title, items = report.title, [item for section in report.sections for item in section.items]
        curves = [item for item in items if isinstance(item, Curves)]
    write_whole(out, render(curves, out.suffix.lower().removeprefix("."), title=title))
    return [one.title for one in curves]


def _training(path: Path) -> dict[str, Any] | None:
    """What ``train --report`` wrote; None for other files."""
    try:
        found = strict_json(read_text(path))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"options", "report", "seconds"} <= set(found):
        return None
    found |= {name: [] for name in ("labels", "states") if not isinstance(found.get(name), list)}
    try:
        check_value(found, TRAINING, "the file")
        check_value(list(found["seconds"].values()), [float], "seconds")
        if not sound_report(found["report"], len(found["labels"])):
            raise DataError("labels and report do not fit")
    except DataError as problem:
        raise DataError(f"{path}: not what `train --report` writes ({problem}); write it again") from None
    return found


def training_curves(content: dict[str, Any], n_labels: int) -> list[Curves]:
    """Singular values, learning, states by label and time by stage, as far as the report has them."""
    report, labels = content["report"], content["labels"]
    found = [singular_curves(report, labels, most=n_labels) if labels else None, learning_curves(report)]
    states = sorted(content["states"], reverse=True)
    seconds = list(content["seconds"].values())
    for title, y, values in (
        ("States by label", "states", states),
        ("Time by stage", "CPU seconds", seconds),
    ):
        if values:
            x = tuple(float(k) for k in range(1, len(values) + 1))
            found.append(
                Curves(
                    title, "rank" if y == "states" else "stage", y, (Series(y, x, tuple(map(float, values))),)
                )
            )
    return [one for one in found if one is not None]


def grammar_curves(path: Path, gold: Path | None, most: int, n_labels: int) -> list[Curves]:
    """Curves of the training of a grammar and, with gold trees, of its calibration."""
    latent = load_model(path)
    names = [str(label) for label in latent.skeleton.labels]
    found = [singular_curves(latent.report, names, most=n_labels), learning_curves(latent.report)]
    if gold is not None:
        found.append(calibration_curves(calibrations(Grammar.of(latent), gold, most=most)))
    return [one for one in found if one is not None]
