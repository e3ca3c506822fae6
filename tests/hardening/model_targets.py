"""Small models of every kind, and the verbs that are tried with a model that could be loaded."""

import json
import pathlib
from collections.abc import Collection
from contextlib import ExitStack
from functools import partial
from typing import Any
from unittest import mock

from tests.cli.calls import call
from tests.hardening.targets import COLUMNS, CONLLU, NBEST, Target, spoil_model, tone

TREES = """(TOP (S (NP (NNS dogs)) (VP (VBD saw) (NP (NNS men)))))
(TOP (S (NP (DT the) (NN man)) (VP (VBD slept))))
(TOP (NP (NP (NNS dogs)) (PP (IN with) (NP (NNS men)))))
"""
# How each kind is trained, and what is then done with MODEL.  Names of files stand for files in one folder.
SERVED = "served"  # not a verb: what the service does
SERVICE_JOBS: tuple[dict[str, Any], ...] = (
    {"task": "parse", "item": {"sentence": "dogs saw the men", "tags": ["NNS", None, None, None],
                               "require": [], "forbid": []}, "wishes": {
         "k": 3, "probabilities": True, "dependencies": True, "states": True, "chart": True}},
    {"task": "tag", "item": "unheard dogs slept"},
    {"task": "score", "item": "(TOP (S (NP (NNS dogs)) (VP (VBD slept))))"},
    {"task": "profiles"},
)  # fmt: skip
GRAMMAR_VERBS = (
    "info MODEL --labels 20",
    "parse MODEL few.txt --kbest 2 --memory 50 --max-length 50",
    "parse MODEL few.txt --format json --memory 50",
    "score MODEL few.ptb",
    "perplexity MODEL few.ptb",
    "sample MODEL -n 2",
)
OTHER_GRAMMAR_VERBS = (
    "parse MODEL few.txt --format conllu --decoder max-rule",
    "parse MODEL few.txt --decoder labelled-recall",
    "parse MODEL few.txt --threshold 0.1",
    "parse MODEL --constraints few.known",
    "guide MODEL few.conllu --out written.ptb",
    "plot MODEL --out written.svg",
    SERVED,
)
CHAIN_VERBS = ("info MODEL", "score MODEL few.abc", "perplexity MODEL few.abc", "sample MODEL -n 2")
TAG_VERBS = ("info MODEL", "tag MODEL few.columns --posteriors", "tag MODEL few.columns --kbest 2")
TAGGER_VERBS = (*TAG_VERBS, "score MODEL few.columns", "perplexity MODEL few.columns", "sample MODEL -n 2")
ARC_VERBS = ("info MODEL", "parse MODEL few.conllu", "parse MODEL few.conllu --kbest 2")
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "lpcfg": ("train lpcfg t.ptb --states 2 --rare 0 --unpacked", GRAMMAR_VERBS + OTHER_GRAMMAR_VERBS),
    "tensor": ("train lpcfg t.ptb --method tensor --states 2 --unpacked", GRAMMAR_VERBS[:4]),
    "ensemble": ("train lpcfg t.ptb --states 2 --ensemble 2 --unpacked", GRAMMAR_VERBS),
    "judged": ("train lpcfg t.ptb --states 2 --judge --span-loss 0.01 --unpacked", GRAMMAR_VERBS),
    "coarse": (
        "train lpcfg t.ptb --states 3 --coarse-states 2 --ensemble 2 --guided few.ptb --unpacked",
        (*GRAMMAR_VERBS[:3], *OTHER_GRAMMAR_VERBS[:2], SERVED),
    ),
    "packed": (
        "train lpcfg t.ptb --states 3 --coarse-states 2 --judge --span-loss 0.01",
        (*GRAMMAR_VERBS, SERVED),
    ),
    "rhmm": ("train rhmm t.txt --method cluster --states 2 --ensemble 2", TAG_VERBS),
    "backoff tagger": (
        "train rhmm t.txt --columns word,pos --emission backoff --method cluster --states 2",
        TAGGER_VERBS,
    ),
    "hmm": ("train hmm t.abc --unit char --states 2", CHAIN_VERBS[:3]),
    "hmm foster": ("train hmm t.abc --unit char --states 2 --form foster", CHAIN_VERBS[:3]),
    "hmm em": ("train hmm t.abc --unit char --states 2 --method em", (*CHAIN_VERBS, "tag MODEL few.abc")),
    "hmm sums": (
        "train hmm t.abc --unit char --states 2 --keep-statistics",
        ("info MODEL", "score MODEL few.abc", "merge MODEL MODEL --out written"),
    ),
    "rhmm sums": (
        "train rhmm t.txt --emission class --states 2 --keep-statistics",
        (*TAG_VERBS, "merge MODEL MODEL --out written"),
    ),
    "vectors": (
        "embed t.words --dim 2 --min-count 1 --keep-statistics",
        ("info MODEL", "embed MODEL --near the", "merge MODEL MODEL --out written"),
    ),
    "plain vectors": (
        "embed t.words --dim 2 --min-count 1 --method lrmvl",
        ("info MODEL", "embed MODEL --near the"),
    ),
    "dependency": ("train dependency t.conllu --bits 10 --passes 2", ARC_VERBS),
    "tagged arcs": (
        "train dependency t.conllu --bits 10 --passes 2 --order 2 --tags predicted --no-judge",
        ARC_VERBS[:2],
    ),
    "classed arcs": (
        "train dependency t.conllu --bits 10 --passes 2 --crossing --vectors vectors.model",
        ARC_VERBS,
    ),
    "judged arcs": (
        "train dependency many.conllu --bits 10 --passes 2 --order 2 --tags predicted --vectors vectors.model",
        ARC_VERBS[:2],
    ),
    "deptree": (
        "train deptree t.conllu --states 2 --estimator cluster",
        ("info MODEL", "score MODEL few.conllu"),
    ),
    "em trees": (
        "train deptree t.conllu --states 2 --estimator em --rounds 2",
        ("info MODEL", "score MODEL few.conllu", "perplexity MODEL few.conllu", "parse MODEL few.conllu"),
    ),
    "split heads": (
        "train deptree t.conllu --states 2 --estimator lpcfg",
        ("info MODEL", "score MODEL few.conllu", "parse MODEL few.conllu"),
    ),
    "reranker": (
        "train reranker t.conllu --parser dependency.model --deptree deptree.model "
        "--deptree split-heads.model --best 3 --folds 2 --passes 2 --feature m.w",
        ("info MODEL", "rerank MODEL few.nbest"),
    ),
    "phones": ("train phones speech --codes 4 --states 2", ("info MODEL", "transcribe MODEL few.wav")),
    "three segments": (
        "train phones speech --codes 4 --method three-segment --em-rounds 2",
        ("info MODEL", "transcribe MODEL few.wav --frames"),
    ),
}
# What a small corpus would not give, and what would make files large.
SMALL: dict[str, Any] = {
    "eigenparse.learn.grammar.span_filter.ENOUGH": 10,
    "eigenparse.learn.grammar.span_filter.BITS": 8,
    "eigenparse.learn.dependency.arc_judge.BITS": 8,
    "eigenparse.learn.hmm.spectral._held_out_share": lambda *_: 0.5,
}


def use(path: pathlib.Path, *, folder: pathlib.Path, verbs: tuple[str, ...]) -> None:
    """Load a model and try its verbs: each must answer, or refuse with one line."""
    from eigenparse.models.registry import load_model

    load_model(path)
    for line in verbs:
        if line == SERVED:
            serve(path)
            continue
        done = call(*(path if word == "MODEL" else located(folder, word) for word in line.split()))
        assert done.code in (0, 1), f"{line}: exit code {done.code}: {done.err[-300:]}"
        assert done.code == 0 or done.err.strip(), f"{line}: refused without a word"
        told = done.err + (done.out if line.startswith("info") else "")
        assert all(map(str.isprintable, told.split("\n"))), f"{line}: upsets a terminal: {told[-300:]!r}"


def serve(path: pathlib.Path) -> None:
    """Do what a worker of the service does with a grammar; only what is refused with a sentence may fail."""
    from eigenparse.api.grammar import load
    from eigenparse.serve import frames
    from eigenparse.serve.jobs import Bench, answered
    from eigenparse.serve.limits import Limits

    bench = Bench.of(load(path), Limits(memory=50))
    for job in SERVICE_JOBS:
        said = answered(bench, json.dumps(job).encode())
        assert said.kind != frames.FAILED, said.content.decode()[-2000:]


def located(folder: pathlib.Path, word: str) -> str:
    """A file of the folder if there is one of this name (or one to be written), else the word itself."""
    return str(folder / word) if word.startswith("written") or (folder / word).exists() else word


def write_inputs(folder: pathlib.Path) -> None:
    """What models are trained on, and what they are used on."""
    texts = {
        "t.ptb": TREES * 100, "few.ptb": TREES, "few.txt": "dogs saw the men\nunheard\n", "few.abc": "abba\nbz\n",
        "t.abc": "abba\nbaab\nabab\n" * 5, "few.nbest": NBEST, "few.known": "(NP dogs) saw men\n(NP the man) slept\n",
        "t.words": "the dog saw a man\na man saw the dog\nthe men slept\n" * 5,
        "t.conllu": CONLLU.decode() * 10, "few.conllu": CONLLU.decode(), "many.conllu": CONLLU.decode() * 60,
        "t.txt": COLUMNS.decode() * 8,
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
    with ExitStack() as patches:
        for place, value in SMALL.items():
            patches.enter_context(mock.patch(place, value))
        for name in only:
            line, verbs = KINDS[name]
            path = folder / f"{name.replace(' ', '-')}.model"
            done = call(*(located(folder, word) for word in line.split()), "--out", path)
            assert done.code == 0, f"{line}: {done.err}"
            targets.append(_target(name, path, verbs))
    return targets


def _target(name: str, path: pathlib.Path, verbs: tuple[str, ...]) -> Target:
    """A model that does all its verbs as long as it is sound."""
    for verb in verbs:
        if verb != SERVED:
            done = call(*(path if word == "MODEL" else located(path.parent, word) for word in verb.split()))
            assert done.code == 0, f"{verb} ({name}): {done.err}"
    return Target(name, (path.read_bytes(),), partial(use, folder=path.parent, verbs=verbs), spoil_model)
