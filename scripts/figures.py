"""Re-run the quick figures of the documentation and say whether they still hold.

    python scripts/figures.py [DATA]

A figure is read from its page and from the output of its command, each by a pattern with one group, and the two may
differ by a tolerance.  Each command takes less than half a minute of CPU time; those that need treebanks are run where
DATA, the folder of treebanks, is given.  Long runs name their command in the docs (tests/docs/test_figures.py) and are
not repeated here.
"""

import argparse
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


def verbs(*lines: str) -> tuple[str, ...]:
    """A command that runs verbs of eigenparse one after the other."""
    return PYTHON, (
        f"import subprocess, sys\nfor line in {lines!r}:\n"
        "    subprocess.run([sys.executable, '-m', 'eigenparse', *line.split()], check=True)"
    )


def consistency(n_trees: int) -> tuple[str, ...]:
    """A command that prints the error of a grammar learnt from so many trees of a known one."""
    return PYTHON, (
        "from eigenparse.experiments.cohen import CohenPlan, points_of, run_point; "
        f"p = [x for x in points_of(CohenPlan()) if x.n_trees == {n_trees}][0]; print('error', run_point(p).error)"
    )


THEOREM = PYTHON, "from eigenparse.experiments.dhillon_theory import theorem_section as s; print(s().text)"
REPRODUCE, SEQUENCES = "docs/reproduce.md", "docs/sequences.md"
PROBABILITIES, MEASURED = "docs/probabilities.md", "docs/measured-dependency.md"
QUICK = (
    Figure(REPRODUCE, r"falls from 0\.337[\s\S]*?to the power -(0\.\d+)", THEOREM, r"power -(0\.\d+)", 0.01),
    Figure(REPRODUCE, r"off\s+by (0\.031)", THEOREM, r"error of (0\.\d+)", 0.001),
    Figure(REPRODUCE, r"\| 1,000 \| (0\.\d+)", consistency(1_000), r"error (0\.\d+)", 0.001),
    Figure(REPRODUCE, r"\| 3,000 \| (0\.\d+)", consistency(3_000), r"error (0\.\d+)", 0.001),
    Figure(REPRODUCE, r"\| 10,000 \| (0\.\d+)", consistency(10_000), r"error (0\.\d+)", 0.001),
    Figure("docs/model-card.md", r"\| size \| ([\d.]+) MB", size_of("en.eig"), r"([\d.]+)", 0.05),
    Figure("docs/model-card.md", r"raw text, ([\d.]+) MB", size_of("en-ud.eig"), r"([\d.]+)", 0.1),
)  # fmt: skip


def with_data(data: Path) -> tuple[Figure, ...]:
    """Figures that need treebanks."""
    ewt = f"{data}/ud-ewt"
    chain = str(ROOT / "benchmarks" / "sequence_chain.py"), str(data)
    spaces = str(ROOT / "benchmarks" / "subspaces.py"), str(data)
    trees = str(ROOT / "benchmarks" / "dependency_trees.py"), ewt
    tagger = verbs(
        f"train rhmm {ewt}/train.conllu --method hmm --emission backoff --out m",
        f"perplexity m {ewt}/dev.conllu",
    )
    latent = (
        PYTHON,
        f"text = open({ewt!r} + '/dev.conllu').read().split('\\n\\n')[:600]\n"
        "open('dev', 'w').write('\\n\\n'.join(text) + '\\n\\n')\n"
        + verbs(f"train deptree {ewt}/train.conllu --states 10 --dev dev --out m", "perplexity m dev")[1],
    )
    heads = verbs(
        f"train deptree {ewt}/train.conllu --estimator lpcfg-tensor --states 16 --dev {ewt}/dev.conllu --out m"
    )
    return (
        Figure(SEQUENCES, r"\| spectral, 20 states \| ([\d.]+)", chain, r"spectral k=20 +perplexity +([\d.]+)", 0.01),
        Figure(SEQUENCES, r"\| spectral, 40 states \| ([\d.]+)", chain, r"spectral k=40 +perplexity +([\d.]+)", 0.01),
        Figure(SEQUENCES, r"EM, 20 states \| (13[\d.]+)", chain, r"30 EM, k=20 +perplexity +([\d.]+)", 0.01),
        Figure(SEQUENCES, r"trigram of characters \| ([\d.]+)", chain, r"Bell 3-gram +perplexity +([\d.]+)", 0.01),
        Figure(SEQUENCES, r"5-gram of characters \| ([\d.]+)", chain, r"Bell 5-gram +perplexity +([\d.]+)", 0.01),
        Figure(SEQUENCES, r"same run gives ([\d.]+)", chain, r"spectral k=5 +perplexity +([\d.]+)", 0.001),
        Figure(REPRODUCE, r"at most ([\d.]+) degrees", spaces, r"cross_svd \| ([\d.]+)", 0.001),
        Figure(MEASURED, r"`consistent` \|[^|]+\|[^|]+\| ([\d,]+)", trees, r"consistent .* (\d+) not positive"),
        Figure(MEASURED, r"`printed` \|[^|]+\|[^|]+\| ([\d,]+)", trees, r"printed .* (\d+) not positive"),
        Figure(MEASURED, r"`instruments` \|[^|]+\|[^|]+\| ([\d,]+)", trees, r"instruments .* (\d+) not positive"),
        Figure(PROBABILITIES, r"backoff`, dev \| words \| ([\d,.]+)", tagger, r"perplexity ([\d.]+)", 0.01),
        Figure(PROBABILITIES, r"universal tags \| ([\d,.]+)", tagger, r"their words ([\d.]+)", 0.01),
        Figure(PROBABILITIES, r"taggers have ([\d.]+)", tagger, r"([\d.]+) \+- [\d.]+ per word if all", 0.01),
        Figure(PROBABILITIES, r"\| tags and trees \| ([\d.]+)", latent, r"perplexity ([\d.]+)", 0.01),
        Figure("docs/dependency.md", r"\(usual\) \| 8 \| ([\d.]+)", latent, r"UAS ([\d.]+)", 0.01),
        Figure(MEASURED, r"lpcfg-tensor --states 16`\): ([\d.]+)", heads, r"UAS ([\d.]+)", 0.01),
    )  # fmt: skip


def number(pattern: str, text: str) -> float:
    """The number that a pattern finds in a text."""
    found = re.search(pattern, text)
    return float(found[1].replace(",", "")) if found else float("nan")


def main() -> int:
    """Run each command once; 1 if a figure does not hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", help="folder of treebanks")
    given = parser.parse_args().data
    outputs: dict[tuple[str, ...], str] = {}
    failed = 0
    for figure in (*QUICK, *(with_data(given.resolve()) if given else ())):
        if figure.command not in outputs:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    [sys.executable, *figure.command], capture_output=True, text=True, check=False, cwd=folder
                )
            outputs[figure.command] = done.stdout + done.stderr
        said = number(figure.said, (ROOT / figure.page).read_text("utf-8"))
        printed = number(figure.printed, outputs[figure.command].replace("−", "-"))
        holds = abs(said - printed) <= figure.tolerance
        failed += not holds
        print(f"{'holds' if holds else 'FAILS'}  {figure.page}: says {said}, printed {printed}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
