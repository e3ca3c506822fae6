"""Which verb serves which kind of model: a path in, the runner for its kind out."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eigenparse.data import located
from eigenparse.errors import ModelFileError, OptionError

TRAINERS = {
    "lpcfg": "train lpcfg",
    "dependency": "train dependency",
    "deptree": "train deptree",
    "rhmm": "train rhmm",
    "hmm": "train hmm",
    "phones": "train phones",
    "reranker": "train reranker",
    "vectors": "embed",
}
SAME = {"lpcfg-packed": "lpcfg"}  # kinds of files that hold the same kind of model


def kind_of(path: Path) -> str:
    """The kind of a model file, or a sentence saying what is there instead."""
    from eigenparse.models.store import model_kind

    path = located(path)
    if not path.is_file():
        reason = "is a directory" if path.is_dir() else "no such model file"
        raise ModelFileError(f"{path}: {reason}; name a file that `eigenparse train` wrote")
    return SAME.get(kind := model_kind(path), kind)


def runner_for(path: Path, runners: Mapping[str, str], verb: str) -> Any:
    """The function that does a verb for a model's kind; ``runners`` maps kinds to ``module:function``."""
    kind = kind_of(path)
    if kind not in runners:
        able = " or ".join(f"`eigenparse {TRAINERS.get(name, name)}`" for name in runners)
        raise OptionError(f"{path}: a model of kind {kind!r} cannot {verb}; use one that {able} wrote")
    module, _, name = runners[kind].partition(":")
    return getattr(importlib.import_module(module), name)
