"""Spoil inputs for as long as asked and report every reader that did not answer or refuse with a sentence.

    python benchmarks/fuzz.py --minutes 10 --seed 1 --findings DIRECTORY

Each input is written to the directory before it is read, so that even one that ends the process is kept.
"""

import argparse
import pathlib
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from tests.hardening.model_targets import model_targets
from tests.hardening.targets import (
    TEXTS,
    Target,
    random_edits,
    refused_or_read,
    spoil,
    spoil_model,
)

SLOW = 10.0  # seconds


def spoiled(target: Target, is_model: bool, draw: random.Random) -> bytes:
    """An input that once was good."""
    seed = draw.choice(target.seeds)
    if is_model and draw.random() < 0.8:
        return spoil_model(seed, random_edits(draw, 2, tamper=True))
    return spoil(seed, random_edits(draw))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("findings"))
    parser.add_argument("--only", help="names of targets, separated by commas")
    options = parser.parse_args()
    options.findings.mkdir(exist_ok=True)
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as name:
        targets = [(target, False) for target in TEXTS]
        targets += [(target, True) for target in model_targets(pathlib.Path(name))]
    if options.only:
        targets = [pair for pair in targets if pair[0].name in options.only.split(",")]
    draw, tried, read, found = random.Random(options.seed), Counter[str](), Counter[str](), Counter[str]()
    path, end = options.findings / "current", time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        target, is_model = draw.choice(targets)
        content = spoiled(target, is_model, draw)
        path.write_bytes(content)
        began = time.process_time()
        try:
            read[target.name] += refused_or_read(target.read, path)
            problem = "slow" if time.process_time() - began > SLOW else ""
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                break
            where = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__} {pathlib.Path(where.filename).name}:{where.lineno}"
        tried[target.name] += 1
        if problem:
            kind = f"{target.name}: {problem}"
            if not found[kind]:
                (options.findings / f"{target.name}-{len(found)}".replace(" ", "-")).write_bytes(content)
            found[kind] += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    for name, n in sorted(tried.items()):
        print(f"{name:<22}{n:>9} inputs, {read[name]:>8} of them readable")
    print(f"peak memory {peak} MB; {sum(found.values())} failures of {len(found)} kinds")
    for kind, n in found.most_common():
        print(f"{n:>7}  {kind}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
