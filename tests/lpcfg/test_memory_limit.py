"""The memory that a sentence may take binds, for the last resort too."""

import ctypes
import pathlib
import random
import re
import subprocess
import sys

import pytest

import eigenparse
from eigenparse.decode.grammar.parser import glued, word_choices
from eigenparse.inference.grammar.forest import unconstrained

STATUS, CLEAR = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")
SLACK = 3.0  # megabytes that the interpreter takes for other things
CASES = ((10, 50), (10, 100), (10, 150), (10, 200), (40, 100), (40, 200), (150, 150))


def kilobytes(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+)", STATUS.read_text())
    assert found is not None
    return int(found[1])


COMMON = [
    "the",
    "a",
    "of",
    "in",
    "to",
    "that",
    "with",
    "he",
    "saw",
    "said",
    "was",
    "had",
    "will",
    "old",
    "men",
    "and",
]


def measured() -> None:
    """Print megabytes above idle for each case: rare words, common ones (many readings) and the last resort alone."""
    grammar = eigenparse.load("en")
    known = sorted(word for word in grammar.tables.parser.words.words if word.isalpha())
    for memory, n in ((100, 20), *CASES):  # the first loads the kernels
        limited = grammar.with_options(memory=memory * 1_000_000)
        parser = limited.tables.parser
        for source, alone in ((known, False), (COMMON, False), (known, True)):
            words = random.Random(n).choices(source, k=n)
            ctypes.CDLL(None).malloc_trim(0)
            CLEAR.write_text("5")
            idle = kilobytes("VmRSS")
            if alone:
                glued(parser, word_choices(parser, words), unconstrained(limited.latent.skeleton))
            else:
                limited.kbest(words, 5)[0].as_dict()
            print(memory, n, (kilobytes("VmHWM") - idle) / 1000)


@pytest.mark.skipif(not CLEAR.exists(), reason="peaks are read from /proc")
def test_the_limit_binds() -> None:
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [tuple(map(float, line.split())) for line in done.stdout.splitlines()][3:]
    assert len(rows) == 3 * len(CASES)
    for memory, n, peak in rows:
        assert peak <= 1.5 * memory + SLACK, (memory, n, peak)


def test_a_tight_limit_still_gives_a_parse() -> None:
    """The search gets narrower; the sentence is not glued together from pieces."""
    words = (
        "The old man saw the boats that his wife had bought and he said that they were small " * 12
    ).split()
    for memory in (10_000_000, 40_000_000):
        assert eigenparse.load("en").with_options(memory=memory).parse(words).status == "ok"


if __name__ == "__main__":
    measured()
