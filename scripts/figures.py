"""Re-run the quick figures of the documentation and say whether they still hold.

    python scripts/figures.py

A figure is a command and a pattern that its output must match.  Long runs name their command in the docs
(tests/docs/test_figures.py) and are not repeated here.
"""

import re
import subprocess
import sys

QUICK = (
    ("docs/reproduce.md: the rate of theorem 3.1 lies near -0.5",
     ["-c", "from eigenparse.experiments.dhillon_theory import theorem_section as s; print(s().text)"],
     r"falls as N to the power -0\.(4[5-9]|5[0-5])"),
    ("docs/synthetic.md: the demonstration runs to its end",
     ["-m", "eigenparse", "demo", "--trees", "600", "--out", "figures-demo"],
     r"F1"),
)  # fmt: skip


def main() -> int:
    """Run all; 1 if a figure does not hold."""
    failed = 0
    for title, command, pattern in QUICK:
        found = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
        holds = found.returncode == 0 and re.search(pattern, found.stdout + found.stderr.replace("−", "-"))
        failed += not holds
        print(f"{'holds' if holds else 'FAILS'}  {title}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
