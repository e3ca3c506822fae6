"""Speed, accuracy, memory and file size of grammars, beside those of another source tree in the same run.

    python benchmarks/parsing_speed.py DATA --treebank wsj-sample --against ../before/src
    python benchmarks/parsing_speed.py DATA --treebank gum --ensemble 4 --first 500
    python benchmarks/parsing_speed.py DATA --treebank craft --no-judge --lengths 10 50 100 200 400
    python benchmarks/parsing_speed.py DATA --bundled --against ../before/src

--bundled measures each tree's own English model instead: the CPU time and memory of a whole ``eigenparse parse en
TEXT`` once kernels are compiled, and the CPU time of a service per answer, one sentence of the development part of GUM
a request, plain and with all details.

DATA holds a folder a treebank with train.ptb and dev.ptb.  Each source tree learns with its defaults, saves,
loads and parses in a process of its own; seconds are CPU, the best of three for parsing.  Sentences of the
lengths asked for are made of the development words one after the other.  A ratio above 1 is in our favour.
"""

import argparse
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from inspect import signature
from pathlib import Path
from typing import Any

from serve_load import server

HERE = Path(__file__).resolve().parent.parent / "src"
MAIN = "from eigenparse.cli.main import main; main()"
DETAILS = {"dependencies": True, "states": True, "chart": True}
REQUESTS = 150


def tools() -> Any:
    """The parser of a source tree, whose module moved once."""
    try:
        from eigenparse.decode.grammar import parser
    except ImportError:
        from eigenparse.decode import parser  # type: ignore[no-redef, attr-defined]
    return parser


def timed(task: Any, times: int = 3) -> tuple[float, Any]:
    """The least CPU seconds of a task, and what it gave."""
    best, result = float("inf"), None
    for _ in range(times):
        start = time.process_time()
        result = task()
        best = min(best, time.process_time() - start)
    return best, result


def measure(given: argparse.Namespace) -> dict[str, float]:
    """All figures of the source tree that this process imports."""
    from eigenparse import LatentPCFG, load
    from eigenparse.corpus.brackets import read_trees
    from eigenparse.corpus.normalise import normalise
    from eigenparse.corpus.transform import unbinarise
    from eigenparse.evaluate.brackets import score_brackets
    from eigenparse.synthetic import sample_treebank

    parser = tools()
    LatentPCFG(states=4).fit(sample_treebank(300, 0))  # compiles the kernels
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        start = time.process_time()
        treebank = normalise(read_trees(given.data / given.treebank / "train.ptb"))
        without = {"judge": False} if given.no_judge and "judge" in signature(LatentPCFG).parameters else {}
        grammar = LatentPCFG(ensemble=given.ensemble, seed=given.seed, **without).fit(treebank)
        found["training, s"] = time.process_time() - start
        found["training, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        grammar.save(path)
        del grammar, treebank
        found["model file, MB"] = path.stat().st_size / 1e6
        found["loading, s"], loaded = timed(lambda: load(path))
    ready = loaded.tables.parser
    gold = normalise(read_trees(given.data / given.treebank / "dev.ptb"))
    cuts = list(zip(gold.offsets[:-1], gold.offsets[1:]))
    every = [[gold.words[w] for w in gold.word[i:j] if w >= 0] for i, j in cuts]
    sentences = every[: given.first]
    for words in sentences[:5]:
        parser.decode(ready, words)
    seconds, best = timed(lambda: [parser.decode(ready, words) for words in sentences])
    found["parsing, ms a sentence"] = 1000 * seconds / len(sentences)
    found["no tree, sentences"] = sum(one.status == "fallback" for one in best)
    if len(sentences) == len(every):
        trees = parser.as_trees(ready, sentences, [one.derivations[0] for one in best])
        found["F1"] = score_brackets(gold, unbinarise(trees)).f1
    stream = [word for words in every for word in words if word not in (".", "?", "!")]
    for length in given.lengths:
        parts = [stream[k * length : (k + 1) * length] for k in range(max(1, min(5, len(stream) // length)))]
        seconds, _ = timed(lambda parts=parts: [parser.decode(ready, words) for words in parts])
        found[f"{length} words, ms a sentence"] = 1000 * seconds / len(parts)
    return found


def start_up() -> tuple[float, float]:
    """CPU seconds and megabytes of a process that parses one sentence."""
    command = [sys.executable, "-c", MAIN, "parse", "en", "The old man the boats."]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit("eigenparse parse en failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def measure_bundled(given: argparse.Namespace) -> dict[str, float]:
    """Start-up and service with the English model of the source tree that this process imports."""
    from eigenparse.corpus.brackets import read_trees
    from eigenparse.corpus.normalise import normalise

    start_up()
    runs = [start_up() for _ in range(5)]
    found = {"start-up, CPU s": min(r[0] for r in runs), "start-up, MB": min(r[1] for r in runs)}
    gold = normalise(read_trees(given.data / "gum" / "dev.ptb"))
    cuts = list(zip(gold.offsets[:-1], gold.offsets[1:]))[:REQUESTS]
    sentences = [[gold.words[w] for w in gold.word[i:j] if w >= 0] for i, j in cuts]
    with server("en", "--workers", 1) as running:
        line = http.client.HTTPConnection("127.0.0.1", running.port)

        def ask(**wishes: bool) -> None:
            for tokens in sentences:
                body = json.dumps({"sentence": tokens, **wishes})
                line.request("POST", "/parse", body, {"Content-Type": "application/json"})
                answer = line.getresponse()
                said = answer.read()
                if answer.status != 200:
                    raise SystemExit(said.decode())

        for name, wishes in (("plain", {}), ("all details", DETAILS)):
            ask(**wishes)
            used = []
            for _ in range(3):
                before = running.cpu_seconds()
                ask(**wishes)
                used.append(running.cpu_seconds() - before)
            found[f"service, CPU ms an answer, {name}"] = 1000 * min(used) / len(sentences)
    return found


def of_tree(source: Path, arguments: list[str]) -> dict[str, float]:
    """The figures of a source tree, from a process of its own."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, __file__, *arguments, "--child"]
    run = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return figures


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--treebank", default="wsj-sample")
    arguments.add_argument("--ensemble", type=int, default=1)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--first", type=int, help="parse only so many development sentences")
    arguments.add_argument(
        "--bundled", action="store_true", help="start-up and service with the English model"
    )
    arguments.add_argument(
        "--no-judge", action="store_true", help="learn without the judge, where there is one"
    )
    arguments.add_argument("--lengths", type=int, nargs="*", default=[])
    arguments.add_argument("--against", type=Path, help="the src folder of another source tree")
    arguments.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.child:
        print(json.dumps(measure_bundled(given) if given.bundled else measure(given)))
        return
    passed = sys.argv[1:]
    ours = of_tree(HERE, passed)
    theirs = {} if given.against is None else of_tree(given.against, passed)
    print("en" if given.bundled else f"{given.treebank} x{given.ensemble} seed {given.seed}")
    for name, value in ours.items():
        beside = (
            f"{theirs[name]:10.3f}  ratio {theirs[name] / max(value, 1e-9):6.2f}" if name in theirs else ""
        )
        print(f"  {name:40}{value:10.3f}{beside}", flush=True)


if __name__ == "__main__":
    main()
