"""Shared fixtures: where real data lies, if it does."""

import os
import pathlib
import signal
from contextlib import suppress

import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).parent.parent
DATA = pathlib.Path(os.environ.get("EIGENPARSE_DATA", ROOT.parent / "shared" / "data"))


def data_dir(name: str) -> pathlib.Path:
    """The folder of a data set, or a visible skip."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"data set {name} is not here; set EIGENPARSE_DATA to the folder that holds it")
    return folder


# On Windows there is no fork, no SIGKILL and no named pipe.
if not hasattr(os, "fork"):
    collect_ignore = ["serve", "browser", "run", "cli/test_process.py", "hardening"]

# Files that take longest begin first, so that no process is left alone with one of them at the end.  Two processes
# start with the first two and go on with grammars and with the other families: each kernel is compiled once.
LONG = (
    "docs/test_commands.py",
    "serve/test_schema.py",
    "run/test_lost_scheduler.py",
    "browser/test_page.py",
    "english/test_packed.py",
    "english/test_english.py",
    "experiments/test_thesis.py",
    "corpus/test_tree_transform.py",
    "hardening/test_checkpoints.py",
    "cli/test_train_lpcfg.py",
    "lpcfg/test_decoding.py",
    "lpcfg/test_inference.py",
    "run/test_cluster.py",
    "hardening/test_fuzz.py",
    "hardening/test_pass_checkpoints.py",
    "sequence/test_audio.py",
)


THOROUGH = bool(os.environ.get("EIGENPARSE_THOROUGH"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, the others as they were; thorough tests only where they are asked for."""
    if not THOROUGH:
        skip = pytest.mark.skip(reason="takes long; set EIGENPARSE_THOROUGH=1 to run it")
        for item in items:
            if item.get_closest_marker("thorough"):
                item.add_marker(skip)
    places = {ROOT / "tests" / name: i for i, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


# How long one example takes depends on what else the machine does; and a suite that passed passes again.
settings.register_profile("eigenparse", deadline=None, derandomize=True)
settings.load_profile("eigenparse")


def pytest_configure() -> None:
    """Let children be interrupted even where this run was started in the background, with SIGINT ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, signal.default_int_handler)
