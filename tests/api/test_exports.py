"""What ``import eigenparse`` offers, and what it costs."""

import subprocess
import sys

import pytest

import eigenparse


def test_the_list_is_sorted_and_complete() -> None:
    assert eigenparse.__all__ == sorted(eigenparse.__all__)
    assert set(eigenparse.__all__) == {*eigenparse._HOMES, "__version__"}
    assert list(eigenparse._HOMES) == sorted(eigenparse._HOMES)
    assert dir(eigenparse) == sorted(eigenparse.__all__)


@pytest.mark.parametrize("name", eigenparse.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(eigenparse, name) is not None


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = eigenparse.nonsense


def test_importing_is_light_and_parsing_needs_no_learner() -> None:
    code = (
        "import sys, eigenparse\n"
        "assert not {'numpy', 'numba', 'scipy', 'sklearn'} & set(sys.modules)\n"
        "eigenparse.load\n"
        "assert not {'sklearn', 'nltk', 'typer', 'rich'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
