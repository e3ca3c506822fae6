"""Compile the kernels before they are needed; the machine code is kept in numba's cache.

Every bundled model parses a sentence in each form; then a model of each kind is learnt from a few synthetic trees
and used.  For container images and new machines.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

from eigenparse.batch.convert import conllu, leaf_lines
from eigenparse.batch.requests import ParseRequest, TagRequest
from eigenparse.batch.train import train
from eigenparse.corpus.brackets import write_trees
from eigenparse.data import MODELS, located
from eigenparse.errors import EigenparseError, OptionError
from eigenparse.models.registry import kind_named, named, verb_of
from eigenparse.synthetic import sample_treebank
from eigenparse.work.work import Where

TEXT = "The old man the boats. Dogs bark!"
FORMS = ("brackets", "json", "conllu")
N_TREES = 1200  # enough for all that the default grammar learns
LEARNT = {
    "lpcfg": "trees.ptb",
    "rhmm": "trees.ptb",
    "hmm": "words.txt",
    "vectors": "words.txt",
    "dependency": "trees.conllu",
    "deptree": "trees.conllu",
}


def warm_up(*, learning: bool) -> Iterator[str]:
    """Sentences about what is compiled and how long each part took.  learning: train models, too."""
    for name in (name for name in MODELS if located(name).exists()):
        began = time.process_time()
        _parse(Path(name), ParseRequest(text=TEXT))
        yield f"{name} parses: {time.process_time() - began:.1f} CPU s"
    with tempfile.TemporaryDirectory() as folder:
        if learning:
            _write_corpora(Path(folder))
        for kind, source in LEARNT.items() if learning else ():
            began = time.process_time()
            try:
                _learn(kind, Path(folder) / source)
            except EigenparseError as problem:
                yield f"{kind} is left out: {problem}"
            else:
                yield f"{kind} is learnt and used: {time.process_time() - began:.1f} CPU s"


def _parse(model: Path, asked: ParseRequest) -> None:
    """Parse in every form that the kind of model has, and lists of the best."""
    for form, kbest in product(FORMS, (1, 3)):
        with suppress(OptionError):
            list(verb_of(model, "parse")(model, replace(asked, form=form, kbest=kbest), Where()))


def _write_corpora(folder: Path) -> None:
    """Synthetic trees as brackets, as dependencies and as words."""
    trees = sample_treebank(N_TREES, 0)
    write_trees(trees, folder / "trees.ptb")
    for name, lines in (("trees.conllu", conllu(trees, None)), ("words.txt", leaf_lines(trees, tags=False))):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _learn(name: str, source: Path) -> None:
    """Learn a model of a kind with its defaults, and parse or tag with it."""
    kind, model = kind_named(name), source.parent / f"{name}.model"
    if kind is None or kind.options is None or kind.reading is None:
        return
    train(kind, named(kind.options)(), named(kind.reading)(), [source], model)
    if "parse" in kind.verbs:
        _parse(model, ParseRequest(source=source.parent / "words.txt"))
    if "tag" in kind.verbs:
        for asked in (TagRequest(source), TagRequest(source, posteriors=True), TagRequest(source, kbest=3)):
            with suppress(OptionError):
                list(verb_of(model, "tag")(model, asked, Where()))
