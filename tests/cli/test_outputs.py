"""No verb writes over what it reads, whatever the path is called; a verb without the check fails here."""

import inspect
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from tests.cli.calls import call

import eigenparse.cli.verbs  # noqa: F401  registers the verbs
from eigenparse.cli.app import FOLDER, READ, WRITTEN, app, file_uses
from eigenparse.errors import OptionError


def commands(group: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that call it."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


COMMANDS = dict(commands(typer.main.get_command(app)))
USES = {words: file_uses(inspect.unwrap(command.callback)) for words, command in COMMANDS.items()}
WRITERS = [words for words, uses in USES.items() if WRITTEN in uses.values() and READ in uses.values()]
FILLERS = [words for words, uses in USES.items() if FOLDER in uses.values() and READ in uses.values()]
SPELLINGS = ("same", "dotted", "symbolic", "hard")


def named(words: tuple[str, ...]) -> str:
    return " ".join(words)


@pytest.mark.parametrize("words", COMMANDS, ids=named)
def test_every_verb_says_which_files_it_reads_and_writes(words: tuple[str, ...]) -> None:
    callback = COMMANDS[words].callback
    assert getattr(callback, "checks_files", False), "register the command by `verb`"
    for name, one in inspect.signature(inspect.unwrap(callback), eval_str=True).parameters.items():
        if "Path" in str(one.annotation):
            assert name in USES[words], f"mark {name} as READ, WRITTEN or FOLDER"


@pytest.mark.parametrize("words", COMMANDS, ids=named)
def test_every_help_has_an_example(words: tuple[str, ...]) -> None:
    assert f"eigenparse {' '.join(words)}" in COMMANDS[words].epilog


def spelled(path: pathlib.Path, spelling: str) -> pathlib.Path:
    """Another name of a file."""
    other = path.with_name(f"{spelling}.eig")
    if spelling == "dotted":
        return pathlib.Path(f"{path.parent}/../{path.parent.name}/./{path.name}")
    if spelling == "symbolic":
        other.symlink_to(path)
    elif spelling == "hard":
        os.link(path, other)
    return path if spelling == "same" else other


def arguments(words: tuple[str, ...], use: str, victim: pathlib.Path, target: object) -> list[list[object]]:
    """For each parameter that is written: the call that has it replace what the verb reads."""
    parameters = {one.name: one for one in COMMANDS[words].params}
    uses = USES[words]
    needed = [one for one in parameters.values() if one.required and uses.get(one.name) == READ]
    needed = needed or [next(one for one in parameters.values() if uses.get(one.name) == READ)]
    calls = []
    for name in (name for name, one in uses.items() if one == use):
        given: list[object] = [*words]
        for one in needed:
            given += [victim] if one.param_type_name == "argument" else [one.opts[0], victim]
        others = [one for one in parameters.values() if one.required and uses.get(one.name) == WRITTEN]
        for one in {one.name: one for one in [*others, parameters[name]]}.values():
            given += [one.opts[0], target if one.name == name else victim.with_name("fresh.eig")]
        calls.append(given)
    return calls


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("words", WRITERS, ids=named)
def test_no_output_replaces_an_input(words: tuple[str, ...], spelling: str, tmp_path: pathlib.Path) -> None:
    victim = tmp_path / "precious.txt"
    victim.write_text("(TOP (NN rain))\n")
    target = spelled(victim, spelling)
    for given in arguments(words, WRITTEN, victim, target):
        done = call(*given)
        assert (done.code, done.out) == (1, ""), done.err
        assert "would replace" in done.err
        assert victim.read_text() == "(TOP (NN rain))\n"


@pytest.mark.parametrize("words", FILLERS, ids=named)
def test_no_folder_of_outputs_holds_an_input(words: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    victim = tmp_path / "index.html"
    victim.write_text("(TOP (NN rain))\n")
    for given in arguments(words, FOLDER, victim, tmp_path):
        done = call(*given)
        assert done.code == 1
        assert "in this folder" in done.err


def test_two_outputs_are_two_files(tmp_path: pathlib.Path) -> None:
    from eigenparse.batch.files import check_files

    with pytest.raises(OptionError, match="would replace"):
        check_files([], [tmp_path / "a", tmp_path / "." / "a"])
    check_files([None, "-", "en"], [tmp_path / "a", None, "/dev/null", "/dev/null"])


def test_a_file_that_the_shell_has_opened_is_an_input(tmp_path: pathlib.Path) -> None:
    victim = tmp_path / "a.ptb"
    victim.write_text("(TOP (NN rain))\n")
    command = [sys.executable, "-m", "eigenparse", "normalise", "-", "--out", str(victim)]
    with victim.open() as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "would replace" in done.stderr
    assert victim.read_text() == "(TOP (NN rain))\n"


def test_a_url_may_name_a_file_of_this_machine(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    victim = tmp_path / "a.ptb"
    victim.write_text("(TOP (NN rain))\n")
    assert "would replace" in call("normalise", f"file://{victim}", "--out", victim).err


def test_numbered_pictures_are_outputs(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    victim = tmp_path / "tree-2.svg"
    victim.write_text("who sleeps ?\nwho sleeps ?\n")
    done = call("parse", model, victim, "--format", "svg", "--out", tmp_path / "tree.svg")
    assert (done.code, "would replace" in done.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["tree-2.svg"]


def test_files_of_a_folder_are_inputs(tmp_path: pathlib.Path) -> None:
    from eigenparse.batch.files import check_files

    (tmp_path / "a.ptb").write_text("(TOP (NN rain))\n")
    with pytest.raises(OptionError, match="would replace"):
        check_files([tmp_path], [tmp_path / "a.ptb"])
    with pytest.raises(OptionError, match="would replace"):
        check_files([f"{tmp_path}/*.ptb"], [tmp_path / "a.ptb"])
    check_files([tmp_path], [tmp_path / "new.model"])
