"""Training commands in processes of their own, with checkpoints."""

import pathlib
import random
import subprocess
import sys

WORDS = {"DET": ["the", "a"], "NOUN": ["dog", "man", "saw"], "VERB": ["saw", "sleeps"], "ADP": ["with", "of"]}


def write_trees(path: pathlib.Path, n: int, seed: int) -> pathlib.Path:
    """Random trees of few words, with children on both sides of the root."""
    draw, lines = random.Random(seed), []
    for _ in range(n):
        size = draw.randint(2, 9)
        root = draw.randint(1, size)
        for i in range(1, size + 1):
            tag = draw.choice(sorted(WORDS))
            head = 0 if i == root else draw.randint(root, i - 1) if i > root else draw.randint(i + 1, root)
            word, relation = draw.choice(WORDS[tag]), draw.choice(["obj", "det"]) if head else "root"
            lines.append(f"{i}\t{word}\t{word}\t{tag}\t{tag[0]}\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    path.write_text("\n".join(lines) + "\n")
    return path


def start(folder: pathlib.Path, *words: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own, with a checkpoint after every pass."""
    program = (
        "from eigenparse.work import kept; kept.SECONDS = 0.0;from eigenparse.cli.main import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, "train", *words],
        cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def ended(process: subprocess.Popen[bytes]) -> None:
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()
