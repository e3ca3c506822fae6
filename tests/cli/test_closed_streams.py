"""Commands whose standard streams are closed end with a sentence, or work if they need none of them."""

import pathlib
import shlex
import subprocess
import sys

import pytest

PROGRAM = f"{shlex.quote(sys.executable)} -c 'from eigenparse.cli.main import main; main()'"
TREE = "(TOP (S (NP (DT The) (NN man)) (VP (VBD slept)) (. .)))\n"


def shell(words: str, redirection: str, folder: pathlib.Path) -> "subprocess.CompletedProcess[str]":
    """What a shell says of a command with some of its streams closed."""
    return subprocess.run(
        ["sh", "-c", f"{PROGRAM} {words} {redirection}"],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("streams")
    (made / "s.txt").write_text("The man slept .\n")
    (made / "t.ptb").write_text(TREE)
    return made


@pytest.mark.parametrize(
    ("words", "redirection", "said"),
    [
        ("parse en -", "<&-", "standard input is closed; name a file"),
        ("score en -", "<&-", "standard input is closed; name a file"),
        ("train lpcfg - --out x.model", "<&-", "standard input is closed; name a file"),
        ("parse en s.txt", ">&-", "standard output is closed; write to a file"),
        ("info en", ">&-", "standard output is closed; write to a file"),
        ("score en t.ptb", ">&-", "standard output is closed; write to a file"),
        ("convert t.ptb --to conllu", ">&-", "standard output is closed; write to a file"),
    ],
)
def test_a_closed_stream_gives_a_sentence(
    folder: pathlib.Path, words: str, redirection: str, said: str
) -> None:
    done = shell(words, redirection, folder)
    assert done.returncode == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert not (folder / "x.model").exists()


def test_what_needs_no_stream_needs_no_stream(folder: pathlib.Path) -> None:
    expected = shell("parse en s.txt", "", folder).stdout
    for closed in ("<&- >&- 2>&-", ">&-", "2>&-", "<&-"):
        done = shell("parse en s.txt --output out.ptb", closed, folder)
        assert done.returncode == 0, done.stderr
        assert (folder / "out.ptb").read_text() == expected
        (folder / "out.ptb").unlink()
    assert shell("parse en s.txt", "2>&-", folder).stdout == expected


def test_errors_without_a_place_to_tell_them_still_have_their_code(folder: pathlib.Path) -> None:
    done = shell("parse en absent.txt", "<&- >&- 2>&-", folder)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
