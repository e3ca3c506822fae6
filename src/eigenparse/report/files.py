"""Reports on disk: a page for people and the same content as JSON, each whole or absent."""

import json
import math
from pathlib import Path
from typing import Any

from eigenparse.corpus.files import read_text, write_whole
from eigenparse.errors import DataError
from eigenparse.report.content import Curves, Report, Section, Series, Table
from eigenparse.report.page import page

FORMAT = "eigenparse-report-1"
NAME = "report"


def write_report(report: Report, folder_or_path: str | Path) -> tuple[Path, Path]:
    """Write the page and its JSON; their paths.

    A path that ends in .html or .json names both files by its stem; any other is a folder, made if need
    be, that gets report.html and report.json.
    """
    page_path, data_path = report_paths(folder_or_path)
    try:
        page_path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise DataError(f"{page_path.parent}: cannot be made ({problem.strerror}); name another") from None
    content = {"format": FORMAT, "report": _plain_report(report)}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    write_whole(data_path, text.encode("utf-8"))
    write_whole(page_path, page(report).encode("utf-8"))
    return page_path, data_path


def report_paths(folder_or_path: str | Path) -> tuple[Path, Path]:
    """Where the page and the JSON of a report go."""
    target = Path(folder_or_path)
    if target.suffix.lower() not in (".html", ".json") or target.is_dir():
        target = target / NAME
    return target.with_suffix(".html"), target.with_suffix(".json")


def read_report(path: str | Path) -> Report:
    """A report from its JSON; DataError if the file is something else."""
    source = Path(path)
    _, data_path = report_paths(source)
    try:
        content = json.loads(read_text(data_path))
        if content["format"] != FORMAT:
            raise ValueError("another format")
        return _report(content["report"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as problem:
        raise DataError(
            f"{data_path}: not a report of eigenparse ({problem}); name one written by it"
        ) from None


def _plain_report(report: Report) -> dict[str, Any]:
    sections = [
        {"title": section.title, "text": section.text, "items": [_plain_item(item) for item in section.items]}
        for section in report.sections
    ]
    return {"title": report.title, "intro": report.intro, "sections": sections}


def _plain_item(item: Table | Curves) -> dict[str, Any]:
    """A table or plot in JSON's terms."""
    if isinstance(item, Table):
        rows = [[_plain(cell) for cell in row] for row in item.rows]
        fields = {"title": item.title, "header": list(item.header), "rows": rows, "note": item.note}
        return {"kind": "table", **fields}
    names = {"title": item.title, "x_label": item.x_label, "y_label": item.y_label, "note": item.note}
    lines = [
        {"name": line.name, **{part: _numbers(getattr(line, part)) for part in ("x", "y", "low", "high")}}
        for line in item.series
    ]
    return {"kind": "curves", **names, "x_log": item.x_log, "y_log": item.y_log, "series": lines}


def _numbers(values: tuple[float, ...]) -> list[Any]:
    return [_plain(value) for value in values]


def _plain(cell: Any) -> Any:
    """JSON has no infinities; they and NaN are written as tagged text."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return {"number": str(cell)}
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    return cell.item()  # a numpy scalar


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return float(value["number"])
    if value is None or isinstance(value, int | float | str):
        return value
    raise ValueError(f"{value!r} is no cell")


def _report(content: dict[str, Any]) -> Report:
    sections = tuple(
        Section(_text(part["title"]), _text(part["text"]), tuple(_item(item) for item in part["items"]))
        for part in content["sections"]
    )
    return Report(_text(content["title"]), _text(content["intro"]), sections)


def _item(content: dict[str, Any]) -> Table | Curves:
    if content["kind"] == "table":
        header = tuple(_text(name) for name in content["header"])
        rows = tuple(tuple(_cell(cell) for cell in row) for row in content["rows"])
        return Table(_text(content["title"]), header, rows, _text(content["note"]))
    if content["kind"] != "curves":
        raise ValueError(f"no item is called {content['kind']!r}")
    series = tuple(
        Series(_text(line["name"]), *(_values(line[part]) for part in ("x", "y", "low", "high")))
        for line in content["series"]
    )
    return Curves(
        _text(content["title"]),
        _text(content["x_label"]),
        _text(content["y_label"]),
        series,
        _text(content["note"]),
        x_log=bool(content["x_log"]),
        y_log=bool(content["y_log"]),
    )


def _values(values: list[Any]) -> tuple[float, ...]:
    cells = [_cell(value) for value in values]
    if any(not isinstance(cell, int | float) for cell in cells):
        raise ValueError("a line holds something that is not a number")
    return tuple(cells)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not text")
    return value
