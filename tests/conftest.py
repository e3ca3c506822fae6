"""Shared fixtures: where real data lies, if it does."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parent.parent
DATA = pathlib.Path(os.environ.get("EIGENPARSE_DATA", ROOT.parent / "shared" / "data"))


def data_dir(name: str) -> pathlib.Path:
    """The folder of a data set, or a visible skip."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"data set {name} is not here; set EIGENPARSE_DATA to the folder that holds it")
    return folder
