"""How CPU time grows with the length of sentences, the number of labels and the width of trees, on made-up data.

python benchmarks/cost_growth.py
"""

import pathlib
import random
import sys
import tempfile
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from tests.cli.calls import call

TEXT = "the woman opened box with a key men saw dog that girl liked in park old picture on wall was sold"


def text(n: int) -> str:
    """Three sentences of n words in no order."""
    return "".join(" ".join(random.Random(k).choices(TEXT.split(), k=n)) + "\n" for k in range(3))


def trees(n_labels: int) -> str:
    """3,000 small trees over so many labels of phrases."""
    draw = random.Random(1)
    numbers = [[draw.randrange(n_labels // 3) for _ in range(3)] for _ in range(3000)]
    return "".join(f"(TOP (A{a} (B{b} (N x{b % 50}) (V y)) (C{c} z)))\n" for a, b, c in numbers)


def wide(n: int) -> str:
    """Three trees whose root has n children, and small ones."""
    rows = (" ".join(f"(T{i % 40} w{i * k % 97})" for i in range(n)) for k in range(1, 4))
    return "".join(f"(TOP (S {row}))\n" for row in rows) + trees(60)


def arcs(n: int, sentences: int = 2) -> str:
    """Sentences of n words, each the child of the one before."""
    draw = random.Random(n)
    relation = ["root"] + ["dep"] * (n - 1)
    return "".join(
        f"{i + 1}\tw{draw.randrange(99)}\t_\tX{draw.randrange(9)}\tY\t_\t{i}\t{relation[i]}\t_\t_\n"
        + "\n" * (i == n - 1)
        for _ in range(sentences)
        for i in range(n)
    )


def spent(folder: pathlib.Path, content: str, *words: str) -> float:
    """CPU seconds of a command on a file IN with this content."""
    (folder / "IN").write_text(content)
    begun = time.process_time()
    done = call(*(folder / word if word.isupper() else word for word in words))
    assert done.code == 0, done.err
    return time.process_time() - begun


def rows(folder: pathlib.Path) -> Iterator[tuple[str, list[str]]]:
    """What was done, and the seconds for each size."""
    train = ("train", "lpcfg", "IN", "--no-judge", "--states", "2", "--out", "GRAMMAR")
    parse = ("parse", "en", "IN", "--tokens", "--out", "OUT")
    spent(folder, arcs(20, 50), "train", "dependency", "IN", "--bits", "14", "--passes", "1", "--out", "ARCS")
    for title, made, sizes, command, share in (
        ("parse en, a sentence of N words", text, (25, 50, 100, 200), parse, 3),
        ("parse with arcs, a sentence of N words", arcs, (100, 200, 400, 800), ("parse", "ARCS", "IN"), 2),
        ("train lpcfg, 3,000 trees with N labels", trees, (90, 300, 900, 3000), train, 1),
        ("train lpcfg, three trees N children wide", wide, (100, 300, 1000, 3000), train, 1),
    ):
        spent(folder, made(sizes[0]), *command)  # compiles, where that was not done before
        yield title, [f"{n}: {spent(folder, made(n), *command) / share:.3f}" for n in sizes]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        for title, seconds in rows(pathlib.Path(name)):
            print(f"{title}: {', '.join(seconds)} CPU s")


if __name__ == "__main__":
    main()
