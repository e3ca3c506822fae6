"""The verb ``normalise`` end to end."""

import pathlib

import pytest
from typer.testing import CliRunner

import eigenparse.cli.normalise  # noqa: F401  registers the verb
from eigenparse.cli.main import app
from eigenparse.errors import FormatError

RAW = "( (S (NP-SBJ (NN dog) (NN dog) (NN dog)) (VP (VBZ barks) (NP (-NONE- *)))))\n( (CODE x))\n"
CLEAN = "(TOP (S (NP (NN dog) (NN dog) (NN dog)) (VP (VBZ barks))))\n"


def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["normalise", *arguments], input=text)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_prints_clean_trees() -> None:
    assert run("-", text=RAW) == (0, CLEAN, "eigenparse: left out 1 trees without words\n")


def test_prints_binary_trees() -> None:
    _, found, _ = run("-", "--binarise", "right", "--horizontal", "1", "--vertical", "2", text=CLEAN)
    assert found == "(S^TOP (NP^S (NN dog) (@NP^S<NN> (NN dog) (NN dog))) (VP|VBZ barks))\n"


def test_writes_a_file(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out.mrg"
    (tmp_path / "in.mrg").write_text(RAW)
    assert run(str(tmp_path), "-o", str(out))[:2] == (0, "")
    assert out.read_text() == CLEAN
    assert run(str(out), "--pretty")[1] == run("-", "--pretty", text=CLEAN)[1]


def test_broken_input() -> None:
    with pytest.raises(FormatError, match="-:2: a bracket holds neither"):
        run("-", text="(S (A b))\n(S (A))\n(S (A c))\n")
    code, found, told = run("-", "--skip-broken", text="(S (A b))\n(S (A))\n(S (A c))\n")
    assert (code, found) == (0, "(TOP (S (A b)))\n(TOP (S (A c)))\n")
    assert told.startswith("eigenparse: skipped 1 broken trees, the first at -:2: a bracket holds neither")
