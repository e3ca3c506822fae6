"""Reports on disk: a page for people and the same content as JSON, each whole or absent."""

import json
import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from eigenparse.corpus.files import read_text, write_whole
from eigenparse.errors import DataError
from eigenparse.report.content import Curves, Report, Table
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
    content = {"format": FORMAT, "report": _plain(report)}
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
        if not isinstance(content, dict):
            raise ValueError("no JSON object")
        if content["format"] != FORMAT:
            raise ValueError("another format")
        report: Report = _made(Report, content["report"])
        return report
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as problem:
        raise DataError(
            f"{data_path}: not a report of eigenparse ({problem}); name one written by it"
        ) from None


def _plain(value: Any) -> Any:
    """A report or a part of it in JSON's terms: records by their fields, infinities and NaN as tagged text."""
    if is_dataclass(value):
        kind = {"kind": type(value).__name__.lower()} if isinstance(value, Table | Curves) else {}
        return kind | {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.item()  # a numpy scalar


def _made(hint: Any, value: Any) -> Any:
    """The inverse for a field of type ``hint``; an error for anything that does not fit it."""
    if hint == Table | Curves:
        return _made({"table": Table, "curves": Curves}[value["kind"]], value)
    if is_dataclass(hint):
        hints: Any = get_type_hints(hint)
        return hint(**{one.name: _made(hints[one.name], value[one.name]) for one in fields(hint)})  # type: ignore[operator]
    if get_origin(hint) is tuple:
        return tuple(_made(get_args(hint)[0], one) for one in value)
    number = float(value["number"]) if isinstance(value, dict) else value
    if not isinstance(number, int | float if hint is float else hint):
        raise ValueError(f"{value!r} is not of type {hint}")
    return number
