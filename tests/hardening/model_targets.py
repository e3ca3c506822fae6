"""Small models of every kind, and the verbs that are tried with a model that could be loaded."""

import pathlib
from collections.abc import Collection
from functools import partial

from tests.cli.calls import call
from tests.hardening.targets import COLUMNS, CONLLU, NBEST, Target, spoil_model, tone

TREES = """(TOP (S (NP (NNS dogs)) (VP (VBD saw) (NP (NNS men)))))
(TOP (S (NP (DT the) (NN man)) (VP (VBD slept))))
(TOP (NP (NP (NNS dogs)) (PP (IN with) (NP (NNS men)))))
"""
# How each kind is trained, and what is then done with MODEL.  Names of files stand for files in one folder.
GRAMMAR_VERBS = (
    "info MODEL",
    "parse MODEL few.txt --kbest 2 --memory 50 --max-length 50",
    "parse MODEL few.txt --format json --memory 50",
    "score MODEL few.ptb",
    "perplexity MODEL few.ptb",
    "sample MODEL -n 2",
)
CHAIN_VERBS = ("info MODEL", "score MODEL few.abc", "perplexity MODEL few.abc", "sample MODEL -n 2")
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "lpcfg": ("train lpcfg t.ptb --states 2 --rare 0 --unpacked", GRAMMAR_VERBS),
    "tensor": ("train lpcfg t.ptb --method tensor --states 2 --unpacked", GRAMMAR_VERBS[:4]),
    "ensemble": ("train lpcfg t.ptb --states 2 --ensemble 2 --unpacked", GRAMMAR_VERBS),
    "judged": ("train lpcfg t.ptb --states 2 --judge --span-loss 0.01 --unpacked", GRAMMAR_VERBS),
    "packed": ("train lpcfg t.ptb --states 2 --judge --span-loss 0.01", GRAMMAR_VERBS),
    "rhmm": (
        "train rhmm t.txt --method cluster --states 2",
        ("info MODEL", "tag MODEL few.columns", "tag MODEL few.columns --kbest 2"),
    ),
    "hmm": ("train hmm t.abc --unit char --states 2", CHAIN_VERBS[:3]),
    "hmm em": ("train hmm t.abc --unit char --states 2 --method em", (*CHAIN_VERBS, "tag MODEL few.abc")),
    "hmm sums": (
        "train hmm t.abc --unit char --states 2 --keep-statistics",
        ("info MODEL", "merge MODEL MODEL --out merged"),
    ),
    "rhmm sums": (
        "train rhmm t.txt --emission class --states 2 --keep-statistics",
        ("info MODEL", "merge MODEL MODEL --out merged"),
    ),
    "vectors": (
        "embed t.words --dim 2 --min-count 1 --keep-statistics",
        ("info MODEL", "embed MODEL --near the", "merge MODEL MODEL --out merged"),
    ),
    "dependency": (
        "train dependency t.conllu --bits 10 --passes 2",
        ("info MODEL", "parse MODEL few.conllu", "parse MODEL few.conllu --kbest 2"),
    ),
    "tagged arcs": (
        "train dependency t.conllu --bits 10 --passes 2 --order 2 --tags predicted",
        ("info MODEL", "parse MODEL few.conllu"),
    ),
    "classed arcs": (
        "train dependency t.conllu --bits 10 --passes 2 --crossing --vectors vectors.model",
        ("info MODEL", "parse MODEL few.conllu --kbest 2"),
    ),
    "deptree": ("train deptree t.conllu --states 2", ("info MODEL", "score MODEL few.conllu")),
    "split heads": (
        "train deptree t.conllu --states 2 --estimator lpcfg",
        ("info MODEL", "score MODEL few.conllu", "parse MODEL few.conllu"),
    ),
    "reranker": (
        "train reranker t.conllu --parser dependency.model --deptree deptree.model "
        "--deptree split-heads.model --best 3 --folds 2 --passes 2",
        ("info MODEL", "rerank MODEL few.nbest"),
    ),
    "phones": ("train phones speech --codes 4 --states 2", ("info MODEL", "transcribe MODEL few.wav")),
}


def use(path: pathlib.Path, *, folder: pathlib.Path, verbs: tuple[str, ...]) -> None:
    """Load a model and try its verbs: each must answer, or refuse with one line."""
    from eigenparse.models.registry import load_model

    load_model(path)
    for line in verbs:
        done = call(*(path if word == "MODEL" else located(folder, word) for word in line.split()))
        assert done.code in (0, 1), f"{line}: exit code {done.code}: {done.err[-300:]}"
        assert done.code == 0 or done.err.strip(), f"{line}: refused without a word"
        told = done.err + (done.out if line.startswith("info") else "")
        assert all(map(str.isprintable, told.split("\n"))), f"{line}: upsets a terminal: {told[-300:]!r}"


def located(folder: pathlib.Path, word: str) -> str:
    """A file of the folder if there is one of this name (or one to be written), else the word itself."""
    return str(folder / word) if word == "merged" or (folder / word).exists() else word


def write_inputs(folder: pathlib.Path) -> None:
    """What models are trained on, and what they are used on."""
    texts = {
        "t.ptb": TREES * 100, "few.ptb": TREES, "few.txt": "dogs saw the men\nunheard\n", "few.abc": "abba\nbz\n",
        "t.abc": "abba\nbaab\nabab\n" * 5, "few.nbest": NBEST,
        "t.words": "the dog saw a man\na man saw the dog\nthe men slept\n" * 5,
        "t.conllu": CONLLU.decode() * 10, "few.conllu": CONLLU.decode(), "t.txt": COLUMNS.decode() * 8,
        "few.columns": COLUMNS.decode(),
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "few.wav").write_bytes(tone(b"RIFF"))
    (folder / "speech").mkdir()
    for name in ("one", "two"):
        (folder / "speech" / f"{name}.wav").write_bytes(tone(b"RIFF"))
        (folder / "speech" / f"{name}.phn").write_text("0 400 pau\n400 1600 a\n1600 2400 n\n")


def model_targets(folder: pathlib.Path, only: Collection[str] = tuple(KINDS)) -> list[Target]:
    """Train one small model of each kind in a folder."""
    write_inputs(folder)
    targets = []
    for name in only:
        line, verbs = KINDS[name]
        path = folder / f"{name.replace(' ', '-')}.model"
        done = call(*(located(folder, word) for word in line.split()), "--out", path)
        assert done.code == 0, f"{line}: {done.err}"
        read = partial(use, folder=folder, verbs=verbs)
        for verb in verbs:
            done = call(*(path if word == "MODEL" else located(folder, word) for word in verb.split()))
            assert done.code == 0, f"{verb} ({name}): {done.err}"
        targets.append(Target(name, (path.read_bytes(),), read, spoil_model))
    return targets
