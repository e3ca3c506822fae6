"""Reports: what is written reads back; pages are whole, well formed, safe and self-contained."""

import html.parser
import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenparse.errors import DataError
from eigenparse.report import Curves, Report, Section, Series, Table, print_report, read_report, write_report
from eigenparse.report.content import curve_table, shown
from eigenparse.report.page import page
from eigenparse.report.plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, draw_curves
from eigenparse.report.scale import axis_of

VOID = {"meta", "path", "rect", "br"}
EVIL = '<script>alert("&")</script>'


def example(name: str = "F1") -> Report:
    table = Table("Scores", ("grammar", name, "n"), (("plain", 70.19, 3396), (EVIL, None, 2)), EVIL)
    lines = (
        Series("thesis", (1.0, 2.0, 4.0), (70.0, math.nan, 75.5), (69.0, 70.0, 74.0), (71.0, 75.0, 76.0)),
        Series(EVIL, (1.0, 8.0), (0.0, math.inf)),
    )
    curves = Curves("States", "states", "F1", lines, note="three runs", x_log=True)
    return Report("Title", "First.\n\nSecond.", (Section("One", "text", (table, curves)), Section("Two")))


class Balance(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag not in VOID or (tag == "path" and not self.get_starttag_text().endswith("/>")):  # type: ignore[union-attr]
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag


def test_a_report_reads_back_as_written(tmp_path: Path) -> None:
    report = example()
    written = write_report(report, tmp_path / "new" / "folder")
    assert [path.name for path in written] == ["report.html", "report.json"]
    for source in (*written, tmp_path / "new" / "folder"):
        assert repr(read_report(source)) == repr(report)  # repr: not a number equals itself
    named = write_report(report, tmp_path / "mine.html")
    assert [path.name for path in named] == ["mine.html", "mine.json"]


def test_numpy_numbers_are_written_as_numbers(tmp_path: Path) -> None:
    cells = (np.float64(1.5), np.int64(3), np.float32(0.5), np.float64("nan"))
    _, path = write_report(
        Report("t", "", (Section("s", "", (Table("u", tuple("abcd"), (cells,)),)),)), tmp_path
    )
    row = json.loads(path.read_text())["report"]["sections"][0]["items"][0]["rows"][0]
    assert row == [1.5, 3, 0.5, {"number": "nan"}]


def test_the_page_is_balanced_escaped_and_alone() -> None:
    text = page(example(EVIL))
    balance = Balance()
    balance.feed(text)
    assert balance.open == []
    assert "script" not in balance.tags
    assert {"table", "svg", "path", "details"} <= balance.tags
    assert not re.search(r"(https?:|url\(|@import|src=)", text)
    assert "prefers-color-scheme: dark" in text
    assert "nan" not in re.sub(r"<title>.*?</title>", "", text).lower().replace("finance", "")


def test_a_mark_for_each_value_that_has_a_place() -> None:
    assert page(example()).count('transform="translate(') - 1 == 3  # 70, 75.5 and 0; the axis' name apart


def test_marks_stand_where_their_values_belong() -> None:
    """The least value lies on the axis, the largest tick at the top, x from edge to edge."""
    line = Series("a", (0.0, 5.0, 10.0), (0.0, 50.0, 100.0))
    text = draw_curves(Curves("c", "x", "y", (line,)))
    found = [
        tuple(map(float, place))
        for place in re.findall(r'class="mark".*?translate\(([\d.]+) ([\d.]+)\)', text)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    assert found == [(LEFT, HEIGHT - BOTTOM), pytest.approx(middle), (WIDTH - RIGHT, TOP)]


def test_logarithms_skip_what_they_cannot_show() -> None:
    line = Series("error", (10.0, 100.0, 1000.0), (0.1, 0.0, 0.001))
    text = page(
        Report("t", "", (Section("s", "", (Curves("c", "N", "e", (line,), x_log=True, y_log=True),)),))
    )
    assert text.count('class="mark"') - 1 == 2


@given(
    st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1, max_size=8),
    st.booleans(),
    st.booleans(),
)
def test_axes_hold_their_values(values: list[float], log: bool, tight: bool) -> None:
    placed = [value for value in values if not log or value > 1e-12]
    axis = axis_of(placed, log=log, tight=tight)
    assert axis.low < axis.high
    assert len(axis.ticks) <= 45
    for value in placed:
        assert -1e-6 <= axis.share(value) <= 1 + 1e-6
    for tick in axis.ticks:
        assert -1e-6 <= axis.share(tick) <= 1 + 1e-6


def test_the_terminal_shows_tables_and_curves() -> None:
    out = io.StringIO()
    print_report(example(), file=out)
    text = out.getvalue()
    for part in ("Title", "Scores", "70.19", "3,396", "—", "75.50", EVIL[:8]):
        assert part in text


def test_curves_as_a_table() -> None:
    a, b = Series("a", (1.0, 2.0), (5.0, 6.0)), Series("b", (2.0, 2.5), (7.0, 8.0))
    table = curve_table(Curves("c", "x", "y", (a, b)))
    assert table.header == ("x", "a", "b")
    assert table.rows == ((1, 5.0, None), (2, 6.0, 7.0), (2.5, None, 8.0))


def test_numbers_as_shown() -> None:
    given_ = [0, 12345, 70.194, 0.5, 0.0123, 1e-7, 1234.5, 1e9, math.nan, None, "x", -math.inf, 123.456]
    wanted = ["0", "12,345", "70.19", "0.500", "0.0123", "1.00e-07", "1,234", "1.00e+09", "—", "—", "x", "−∞"]
    assert [shown(cell) for cell in given_] == [*wanted, "123.5"]


def test_shapes_are_checked() -> None:
    with pytest.raises(DataError, match="row of 1 cells"):
        Table("t", ("a", "b"), (("x",),))
    with pytest.raises(DataError, match="differ in length"):
        Series("s", (1.0,), ())
    with pytest.raises(DataError, match="only one of"):
        Series("s", (1.0,), (1.0,), low=(0.0,))


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"format": "other"}', '{"format": "eigenparse-report-1"}', "[" * 9]
)
def test_foreign_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(content)
    with pytest.raises(DataError, match="not a report"):
        read_report(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_report(tmp_path / "absent.json")
