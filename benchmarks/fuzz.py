"""Spoil inputs for as long as asked and report every reader that did not answer or refuse with a sentence.

    python benchmarks/fuzz.py --minutes 10 --seed 1 --findings DIRECTORY
    NUMBA_BOUNDSCHECK=1 python benchmarks/fuzz.py --models 20000   # model files only, kernels that check every index

Each input is written to the directory before it is read, so that even one that ends the process is kept.
"""

import argparse
import faulthandler
import os
import pathlib
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from contextlib import ExitStack

if os.environ.get("NUMBA_BOUNDSCHECK") == "1":  # numba would take kernels without checks from the usual cache
    os.environ.setdefault(
        "NUMBA_CACHE_DIR", str(pathlib.Path(tempfile.gettempdir()) / "eigenparse-checked-kernels")
    )
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from tests.hardening.http_targets import http_targets
from tests.hardening.model_targets import KINDS, model_targets
from tests.hardening.targets import TEXTS, Target, random_edits, refused_or_read, spoil

SLOW = 10.0  # seconds
HANGS = 300.0  # seconds after which the process ends, saying where it was
TAMPERED = 0.7  # share of inputs whose contents are changed, not their bytes


def spoiled(target: Target, draw: random.Random) -> bytes:
    """An input that once was good."""
    seed = draw.choice(target.seeds)
    if target.tamper is not None and draw.random() < TAMPERED:
        return target.tamper(seed, random_edits(draw, 2, tamper=True))
    return spoil(seed, random_edits(draw))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument(
        "--models", type=int, help="spoil this many model files, instead of minutes of all inputs"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("findings"))
    parser.add_argument("--memory", type=int, default=6000, help="megabytes of address space")
    parser.add_argument("--only", help="names of targets, separated by commas")
    options = parser.parse_args()
    options.findings.mkdir(exist_ok=True)
    warnings.simplefilter("error")
    limit = options.memory << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        wanted = options.only.split(",") if options.only else KINDS
        targets = model_targets(pathlib.Path(name), [kind for kind in KINDS if kind in wanted])
        if options.models is None:
            targets += [*TEXTS, *stack.enter_context(http_targets(pathlib.Path(name)))]
        if options.only:
            targets = [target for target in targets if target.name in wanted]
        fuzz(targets, options)


def fuzz(targets: list[Target], options: argparse.Namespace) -> None:
    """Spoil, read and count until time is up; exit with 1 if anything was found."""
    draw, tried, read, found = random.Random(options.seed), Counter[str](), Counter[str](), Counter[str]()
    path, end = options.findings / "current", time.monotonic() + 60 * options.minutes
    while sum(tried.values()) < options.models if options.models else time.monotonic() < end:
        target = draw.choice(targets)
        content = spoiled(target, draw)
        path.write_bytes(content)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        began = time.process_time()
        try:
            read[target.name] += refused_or_read(target.read, path)
            problem = "slow" if time.process_time() - began > SLOW else ""
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                break
            where = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__} {pathlib.Path(where.filename).name}:{where.lineno} {str(error)[:80]!r}"
        tried[target.name] += 1
        if problem:
            kind = f"{target.name}: {problem}"
            if not found[kind]:
                (options.findings / f"{target.name}-{len(found)}".replace(" ", "-")).write_bytes(content)
            found[kind] += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    for name, n in sorted(tried.items()):
        print(f"{name:<22}{n:>9} inputs, {read[name]:>8} of them readable")
    spent = f"{sum(tried.values())} inputs in {time.process_time():.0f} CPU seconds"
    print(f"{spent}; peak memory {peak} MB; {sum(found.values())} failures of {len(found)} kinds")
    for kind, n in found.most_common():
        print(f"{n:>7}  {kind}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
