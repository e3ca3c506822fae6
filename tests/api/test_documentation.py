"""The Python page runs from top to bottom, and lists what there is."""

import pathlib
import re

import pytest

import eigenparse

PAGE = pathlib.Path(__file__).parent.parent.parent / "docs" / "api.md"


def test_the_code_of_the_page_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("(TOP ")
    assert (tmp_path / "english.model").is_file()


def test_every_public_name_is_listed() -> None:
    page = PAGE.read_text("utf-8")
    listed = page[page.index("## The list") :]
    assert [n for n in eigenparse.__all__ if f"`{n}`" not in listed and not n.startswith("__")] == []
