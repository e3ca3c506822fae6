"""Re-run the quick figures of the documentation and say whether they still hold.

    python scripts/figures.py

A figure is read from its page and from the output of its command, each by a pattern with one group, and the two may
differ by a tolerance.  Long runs name their command in the docs (tests/docs/test_figures.py) and are not repeated here.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = "-c"


@dataclass(frozen=True)
class Figure:
    """page, said: where the docs say it.  command: arguments of python.  printed: where the output says it."""

    page: str
    said: str
    command: tuple[str, ...]
    printed: str
    tolerance: float = 0.0


def size_of(name: str) -> tuple[str, ...]:
    """A command that prints the size of a bundled model in megabytes."""
    folder = "import eigenparse.data as d, pathlib as p; "
    return PYTHON, folder + f"print(p.Path(d.__file__).with_name({name!r}).stat().st_size / 1e6)"


THEOREM = PYTHON, "from eigenparse.experiments.dhillon_theory import theorem_section as s; print(s().text)"
CONSISTENCY = (
    PYTHON,
    "from eigenparse.experiments.cohen import CohenPlan, points_of, run_point; "
    "p = [x for x in points_of(CohenPlan()) if x.n_trees == 10_000][0]; print('error', run_point(p).error)",
)
QUICK = (
    Figure("docs/reproduce.md", r"falls from 0\.337[\s\S]*?to the power −(0\.\d+)", THEOREM, r"power -(0\.\d+)", 0.02),
    Figure("docs/reproduce.md", r"off\s+by (0\.031)", THEOREM, r"error of (0\.\d+)", 0.001),
    Figure("docs/reproduce.md", r"\| 10,000 \| (0\.\d+)", CONSISTENCY, r"error (0\.\d+)", 0.001),
    Figure("docs/model-card.md", r"\| size \| ([\d.]+) MB", size_of("en.eig"), r"([\d.]+)", 0.05),
    Figure("docs/model-card.md", r"raw text, ([\d.]+) MB", size_of("en-ud.eig"), r"([\d.]+)", 0.1),
)  # fmt: skip


def main() -> int:
    """Run each command once; 1 if a figure does not hold."""
    outputs: dict[tuple[str, ...], str] = {}
    failed = 0
    for figure in QUICK:
        if figure.command not in outputs:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, *figure.command], capture_output=True, text=True, check=False, cwd=folder
                )
            outputs[figure.command] = done.stdout + done.stderr
        said = re.search(figure.said, (ROOT / figure.page).read_text("utf-8"))
        printed = re.search(figure.printed, outputs[figure.command].replace("−", "-"))
        values = [float(found[1]) if found else float("nan") for found in (said, printed)]
        holds = abs(values[0] - values[1]) <= figure.tolerance
        failed += not holds
        print(f"{'holds' if holds else 'FAILS'}  {figure.page}: says {values[0]}, printed {values[1]}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
