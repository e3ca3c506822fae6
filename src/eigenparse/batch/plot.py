"""The curves of a grammar or of a report in one picture."""

from pathlib import Path

from eigenparse.api.calibration import calibrations
from eigenparse.api.grammar import Grammar
from eigenparse.corpus.files import write_whole
from eigenparse.errors import OptionError
from eigenparse.models.registry import load_model, verb_of
from eigenparse.plot import calibration_curves, learning_curves, render, singular_curves
from eigenparse.report import Curves, read_report


def plot(source: Path, out: Path, gold: Path | None, *, most: int, n_labels: int) -> list[str]:
    """Write a picture; the titles of its curves."""
    title = source.name
    if source.suffix != ".json":
        curves: list[Curves] = verb_of(source, "plot")(source, gold, most, n_labels)
    elif gold is not None:
        raise OptionError("--gold calibrates a grammar, not a report; name a grammar")
    else:
        report = read_report(source)
        title, items = report.title, [item for section in report.sections for item in section.items]
        curves = [item for item in items if isinstance(item, Curves)]
    write_whole(out, render(curves, out.suffix.lower().removeprefix("."), title=title))
    return [one.title for one in curves]


def grammar_curves(path: Path, gold: Path | None, most: int, n_labels: int) -> list[Curves]:
    """What a grammar says about its learning and, with gold trees, about its honesty."""
    latent = load_model(path)
    names = [str(label) for label in latent.skeleton.labels]
    found = [singular_curves(latent.report, names, most=n_labels), learning_curves(latent.report)]
    if gold is not None:
        found.append(calibration_curves(calibrations(Grammar.of(latent), gold, most=most)))
    return [one for one in found if one is not None]
