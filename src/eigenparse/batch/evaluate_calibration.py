"""A grammar and gold trees in, a table of how often its posteriors are right out."""

from collections.abc import Iterator
from dataclasses import fields

from eigenparse.api.calibration import chosen_calibrations
from eigenparse.api.grammar import load
from eigenparse.batch.facts import table
from eigenparse.batch.requests import EvaluateRequest, refuse_given
from eigenparse.errors import OptionError


def calibration_lines(request: EvaluateRequest, form: str | None = None) -> Iterator[str]:
    """Tables for the brackets, the tags and the best trees themselves, each with its expected calibration error.

    request: gold trees, and a grammar as the guess; nothing else.
    """
    refuse_given(request, "--calibration", *(one.name for one in fields(request)[2:]))
    if form is not None:
        raise OptionError("--format changes nothing for --calibration; leave it out")
    for name, found in chosen_calibrations(load(request.guess), request.gold).items():
        rows = [
            {
                name: f"about {claimed:.2f}",
                "number": int(n),
                "promised": f"{claimed:.3f}",
                "right": f"{true:.3f}",
            }
            for claimed, true, n in zip(found.claimed, found.true, found.count)
        ]
        yield "".join(f"{line}\n" for line in table(rows))
        promised, right = (found.count @ mean / found.count.sum() for mean in (found.claimed, found.true))
        yield f"expected calibration error of {name}: {found.error:.4f} "
        yield f"(promised {promised:.3f}, right {right:.3f})\n\n"
