"""Every figure that the C program EVALB prints: on real outputs, and on changed ones if it is installed.

The second test needs the program: set EVALB to its path.
"""

import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest

from conftest import data_dir
from eigenparse.evaluate.evalb_params import parse_params
from eigenparse.evaluate.pairing import pair_files
from eigenparse.evaluate.report import evalb_report
from evaluate.evalb_oracle import random_tree, written

NAMES = ["gum-dev", "wsj-sample-dev"]


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_prints_what_the_program_printed(name: str) -> None:
    folder = data_dir("evalb")
    scores = pair_files(folder / f"{name}.gold", folder / f"{name}.guess", strict=True).score(strict=True)
    assert evalb_report(scores) == (folder / f"{name}.evalb").read_text(encoding="utf-8")


@pytest.mark.data
def test_default_scores_the_sentences_that_the_program_gives_up() -> None:
    folder = data_dir("evalb")
    pair = pair_files(folder / "gum-dev.gold", folder / "gum-dev.guess")
    ours, theirs = pair.score().all, pair.score(strict=True).all
    assert (ours.scored, theirs.scored) == (1575, 1560)
    assert (round(ours.f1, 2), round(theirs.f1, 2)) == (82.21, 82.36)
    both = pair.score().status == pair.score(strict=True).status
    assert both.sum() == 1560


PARAMETERS = """MAX_ERROR 100000
CUTOFF_LEN 6
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL ''
DELETE_LABEL_FOR_LENGTH -NONE-
QUOTE_LABEL ''
QUOTE_LABEL POS
EQ_LABEL ADVP PRT
EQ_LABEL A B
EQ_LABEL B C
EQ_WORD a A
"""


@pytest.mark.parametrize("seed", range(5))
def test_prints_what_the_program_prints_on_random_trees(seed: int, tmp_path: pathlib.Path) -> None:
    program = os.environ.get("EVALB") or shutil.which("evalb")
    if program is None:
        pytest.skip("the C program EVALB is not here; set the environment variable EVALB to its path")
    rng = random.Random(seed)
    labels = ["S", "NP", "NP-SBJ", "VP=1", "ADVP", "PRT", "A", "B", "C", "-X", "TOP", "ROOT", ","]
    tags = ["NN", "NN", "VB", "VB-1", "''", "POS", ",", "-NONE-", "ADVP", "PRT"]
    lines = [
        (written(random_tree(words, labels, tags, rng)), _spoilt(words, labels, tags, rng))
        for words in ([rng.choice("abAb'") for _ in range(rng.randint(1, 12))] for _ in range(500))
    ]
    paths = [tmp_path / name for name in ("gold", "guess", "prm")]
    for path, text in zip(paths, (*("\n".join(side) + "\n" for side in zip(*lines)), PARAMETERS)):
        path.write_text(text)
    done = subprocess.run([program, "-p", paths[2], *paths[:2]], capture_output=True, text=True, check=True)
    scores = pair_files(paths[0], paths[1], strict=True).score(params=parse_params(PARAMETERS), strict=True)
    assert evalb_report(scores) == done.stdout
    assert min((scores.status == k).sum() for k in range(3)) > 10


def _spoilt(words: list[str], labels: list[str], tags: list[str], rng: random.Random) -> str:
    """A guess: another tree, now and then with other words, or none."""
    if rng.random() < 0.1:
        return rng.choice(["", "(())", "(TOP )", "(S )", "(TOP (S))"])
    changed = words if rng.random() < 0.9 else [*words, "b"]
    line = written(random_tree(changed, labels, tags if rng.random() < 0.5 else ["NN", "VB"], rng))
    return re.sub(r"\)\)$", ")", line) if rng.random() < 0.02 and "'" not in line else line
