"""Speed, accuracy, memory and file sizes, beside those of another source tree in the same run.

    python benchmarks/parsing_speed.py DATA --against ../before/src --models FOLDER --rows wsj-sample gum
    python benchmarks/parsing_speed.py DATA --against ../before/src --models FOLDER --rows growth --lengths 10 100

Rows:

    wsj-sample gum craft icepahc    a grammar with the defaults: training, file, loading, parsing, F1
    ensemble                        the same for four grammars of wsj-sample
    growth                          parsing sentences of craft's words of the lengths asked for
    packed                          files as ``save`` writes them beside unpacked ones: size, loading, F1 and UAS
    dependency                      second-order dependency training without the judge: time, memory, file, UAS
    start-up, service               one ``eigenparse parse en TEXT``, and a service of ``en`` per answer

DATA holds a folder a treebank.  Models are learnt by each source tree with its own defaults, in a process of its own,
and kept in --models, so that a row that is asked for again learns nothing; the figures of training are then left out.
Seconds are CPU, user and system, the best of three for loading and parsing.  A ratio above 1 is in our favour.
Sentences of the lengths asked for are made of development words one after the other.
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
from itertools import pairwise
from pathlib import Path
from typing import Any

from serve_load import server

HERE = Path(__file__).resolve().parent.parent / "src"
MAIN = "from eigenparse.cli.main import main; main()"
DETAILS = {"dependencies": True, "states": True, "chart": True}
REQUESTS = 150
TREEBANKS = ("wsj-sample", "gum", "craft", "icepahc")
ROWS = (*TREEBANKS, "ensemble", "growth", "packed", "dependency", "start-up", "service")
LENGTHS = [10, 25, 50, 100, 200, 400]

Figures = dict[str, float]


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


def run(*words: str, quiet: bool = True) -> tuple[float, float]:
    """CPU seconds and megabytes of an ``eigenparse`` command of the source tree that this process imports."""
    child = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if quiet else None,
    )
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"eigenparse {' '.join(words)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def knows(verb: str, kind: str, option: str) -> bool:
    """Whether a command of the source tree has an option."""
    told = subprocess.run([sys.executable, "-c", MAIN, verb, kind, "--help"], capture_output=True, text=True)
    return option in told.stdout


def learnt(given: argparse.Namespace, name: str, kind: str, *words: str) -> tuple[Path, Figures]:
    """A model that is kept, or learnt now; what learning took."""
    path = given.models / f"{name}.{given.child}"
    if path.exists():
        return path, {}
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small"
        sample(small, kind)
        run("train", kind, str(small), "--out", f"{small}.model", *words[1:])  # compiles the kernels
    seconds, megabytes = run("train", kind, *words, "--out", str(path), quiet=False)
    return path, {"training, s": seconds, "training, MB": megabytes}


def sample(path: Path, kind: str) -> None:
    """A few made-up sentences to learn from."""
    from eigenparse import write_trees
    from eigenparse.synthetic import sample_treebank

    if kind == "lpcfg":
        write_trees(sample_treebank(300, 0), path)
        return
    line = "{0}\t{1}\t{1}\t{2}\t_\t_\t{3}\t{4}\t_\t_"
    rows = [(1, "she", "PRON", 2, "nsubj"), (2, "slept", "VERB", 0, "root"), (3, "well", "ADV", 2, "advmod")]
    path.write_text(("\n".join(line.format(*row) for row in rows) + "\n\n") * 60, encoding="utf-8")


def development(given: argparse.Namespace, treebank: str) -> tuple[Any, list[list[str]]]:
    """The development trees of a treebank, and their words."""
    from eigenparse.corpus.brackets import read_trees
    from eigenparse.corpus.normalise import normalise

    gold = normalise(read_trees(given.data / treebank / "dev.ptb"))
    return gold, [[gold.words[w] for w in gold.word[i:j] if w >= 0] for i, j in pairwise(gold.offsets)]


def parsed(given: argparse.Namespace, treebank: str, path: Path) -> Figures:
    """Size, loading, parsing and F1 of a grammar."""
    from eigenparse import load
    from eigenparse.corpus.transform import unbinarise
    from eigenparse.evaluate.brackets import score_brackets

    found, parser = {"file, MB": path.stat().st_size / 1e6}, tools()
    found["loading, s"], loaded = timed(lambda: load(path))
    gold, every = development(given, treebank)
    ready, sentences = loaded.tables.parser, every[: given.first]
    for words in sentences[:5]:
        parser.decode(ready, words)
    seconds, best = timed(lambda: [parser.decode(ready, words) for words in sentences])
    found["parsing, ms a sentence"] = 1000 * seconds / len(sentences)
    found["parsing, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    found["no tree, sentences"] = sum(one.status == "fallback" for one in best)
    if len(sentences) == len(every):
        trees = parser.as_trees(ready, sentences, [one.derivations[0] for one in best])
        found["F1"] = score_brackets(gold, unbinarise(trees)).f1
    return found


def grammar_row(given: argparse.Namespace, treebank: str, ensemble: int = 1) -> Figures:
    """A grammar or an ensemble of a treebank."""
    name = treebank if ensemble == 1 else f"{treebank}-{ensemble}"
    train = str(given.data / treebank / "train.ptb")
    words = (train, "--seed", str(given.seed), *(() if ensemble == 1 else ("--ensemble", str(ensemble))))
    path, found = learnt(given, name, "lpcfg", *words)
    return found | parsed(given, treebank, path)


def growth_row(given: argparse.Namespace) -> Figures:
    """Sentences of given lengths."""
    from eigenparse import load

    parser, found = tools(), {}
    treebank = given.treebank
    path, _ = learnt(
        given, treebank, "lpcfg", str(given.data / treebank / "train.ptb"), "--seed", str(given.seed)
    )
    ready, (_, every) = load(path).tables.parser, development(given, treebank)
    stream = [word for words in every for word in words if word not in (".", "?", "!")]
    for length in given.lengths:
        parts = [stream[k * length : (k + 1) * length] for k in range(max(1, min(5, len(stream) // length)))]
        seconds, _ = timed(lambda parts=parts: [parser.decode(ready, words) for words in parts])
        found[f"{length} words, ms a sentence"] = 1000 * seconds / len(parts)
    return found


def packed_row(given: argparse.Namespace) -> Figures:
    """Files as they are written by default, and unpacked where there is such an option."""
    found: Figures = {}
    plain = ["--unpacked"] if knows("train", "lpcfg", "--unpacked") else []
    train = str(given.data / "wsj-sample" / "train.ptb")
    for name, words in (("packed", []), ("unpacked", plain)):
        kept = "wsj-sample" if name == "packed" or not plain else "wsj-sample-unpacked"
        path, _ = learnt(given, kept, "lpcfg", train, "--seed", str(given.seed), *words)
        figures = parsed(given, "wsj-sample", path)
        found |= {
            f"grammar {name}, {key}": figures[key]
            for key in ("file, MB", "loading, s", "F1")
            if key in figures
        }
        kept = "dependency" if name == "packed" or not plain else "dependency-unpacked"
        figures = dependency_row(given, kept, *words)
        found |= {f"dependency {name}, {key}": figures[key] for key in ("file, MB", "UAS")}
    return found


def dependency_row(given: argparse.Namespace, name: str = "dependency", *words: str) -> Figures:
    """A second-order parser of the first sentences of EWT."""
    judge = ["--no-judge"] if knows("train", "dependency", "--no-judge") else []
    treebank = given.data / "ud-ewt"
    with tempfile.TemporaryDirectory() as folder:
        text = (treebank / "train.conllu").read_text(encoding="utf-8").split("\n\n")
        train = Path(folder) / "train.conllu"
        train.write_text("\n\n".join(text[: given.sentences]) + "\n\n", encoding="utf-8")
        path, found = learnt(
            given, f"{name}-{given.sentences}", "dependency", str(train), "--order", "2", *judge, *words
        )
        found["file, MB"] = path.stat().st_size / 1e6
        guess = Path(folder) / "guess.conllu"
        found["parsing dev, s"], _ = run(
            "parse", str(path), str(treebank / "dev.conllu"), "--output", str(guess)
        )
        found["UAS"] = attachment(treebank / "dev.conllu", guess)
    return found


def attachment(gold: Path, guess: Path) -> float:
    """Percentage of words that have the right head."""
    heads = []
    for path in (gold, guess):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        heads.append([row[6] for row in rows if row[0].isdigit()])
    right = sum(a == b for a, b in zip(heads[0], heads[1], strict=True))
    return 100 * right / len(heads[0])


def start_row(_: argparse.Namespace) -> Figures:
    """A process that parses one sentence with the English model of the source tree."""
    words = ("parse", "en", "The old man the boats.")
    run(*words)
    runs = [run(*words) for _ in range(5)]
    return {"start-up, s": min(r[0] for r in runs), "start-up, MB": min(r[1] for r in runs)}


def asked_for() -> dict[str, dict[str, bool]]:
    """What is asked for beside trees; a source tree that tells probabilities unasked is asked for nothing more."""
    from eigenparse.serve import schema

    if "universal" not in schema.Wishes.model_fields:
        return {"plain": {}, "probabilities": {}, "details": DETAILS, "details and probabilities": DETAILS}
    likely = {"probabilities": True}
    return {
        "plain": {},
        "probabilities": likely,
        "details": DETAILS,
        "details and probabilities": DETAILS | likely,
        "universal, too": DETAILS | likely | {"universal": True},
    }


def service_row(given: argparse.Namespace) -> Figures:
    """A service of the English model of the source tree."""
    sentences, found = development(given, "gum")[1][: given.first or REQUESTS], {}
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

        for name, wishes in asked_for().items():
            ask(**wishes)
            used = []
            for _ in range(3):
                before = running.cpu_seconds()
                ask(**wishes)
                used.append(running.cpu_seconds() - before)
            found[f"CPU ms an answer, {name}"] = 1000 * min(used) / len(sentences)
            found[f"memory after it, {name}"] = running.megabytes()
    return found


def measure(given: argparse.Namespace, row: str) -> Figures:
    """The figures of a row by the source tree that this process imports."""
    if row in TREEBANKS:
        return grammar_row(given, row)
    others = {
        "ensemble": lambda given: grammar_row(given, "wsj-sample", 4), "growth": growth_row, "packed": packed_row,
        "dependency": dependency_row, "start-up": start_row, "service": service_row,
    }  # fmt: skip
    return others[row](given)


def of_tree(source: Path, name: str, row: str, given: argparse.Namespace) -> Figures:
    """The figures of a source tree, from a process of its own."""
    alone = {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [
        sys.executable, __file__, str(given.data), "--child", name, "--rows", row, "--models", str(given.models),
        "--seed", str(given.seed), "--sentences", str(given.sentences), "--treebank", given.treebank,
        *(() if given.first is None else ("--first", str(given.first))), "--lengths", *map(str, given.lengths),
    ]  # fmt: skip
    told = subprocess.run(command, env=os.environ | alone, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(told.stdout.splitlines()[-1])
    return figures


def shown(row: str, ours: Figures, theirs: Figures) -> None:
    """Print a row."""
    print(f"{row:28}{'now':>12}" + (f"{'before':>12}{'ratio':>9}" if theirs else ""))
    for name, value in ours.items():
        beside = f"{theirs[name]:12.3f}{theirs[name] / max(value, 1e-9):9.2f}" if name in theirs else ""
        print(f"  {name:26}{value:12.3f}{beside}", flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", type=Path)
    arguments.add_argument(
        "--rows", nargs="*", choices=ROWS, default=list(ROWS), help="all of them by default"
    )
    arguments.add_argument("--against", type=Path, help="the src folder of another source tree")
    arguments.add_argument(
        "--models", type=Path, help="a folder that keeps models; a temporary one by default"
    )
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--first", type=int, help="take only so many development sentences")
    arguments.add_argument("--treebank", default="craft", help="whose words the row growth takes")
    arguments.add_argument("--lengths", type=int, nargs="*", default=LENGTHS, help="for the row growth")
    arguments.add_argument("--sentences", type=int, default=1500, help="to learn dependencies from")
    arguments.add_argument("--child", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.child:
        print(json.dumps(measure(given, given.rows[0])))
        return
    with tempfile.TemporaryDirectory() as folder:
        given.models = (given.models or Path(folder)).resolve()
        given.models.mkdir(parents=True, exist_ok=True)
        given.data = given.data.resolve()
        for row in given.rows:
            ours = of_tree(HERE, "now", row, given)
            theirs = {} if given.against is None else of_tree(given.against.resolve(), "before", row, given)
            shown(row, ours, theirs)


if __name__ == "__main__":
    main()
