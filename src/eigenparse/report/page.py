"""A report in, one self-contained HTML page out: no scripts, no outside resources, light and dark."""

from html import escape

from eigenparse.report.content import Cell, Curves, Report, Section, Table, curve_table, shown
from eigenparse.report.plot import COLOURS, draw_curves, legend

LIGHT = ("#1d5fc4", "#c2410c", "#157a3c", "#7e22ce", "#0e7490", "#be185d", "#854d0e", "#475569")
DARK = ("#6aa9ff", "#fb923c", "#4ade80", "#c994ff", "#22d3ee", "#f472b6", "#facc15", "#cbd5e1")
STYLE = """
:root { color-scheme: light dark; --paper: #fbfbf9; --ink: #1c2430; --soft: #5b6675; --rule: #dfe3e8;
  --head: #f0f2f4; LIGHT_COLOURS }
@media (prefers-color-scheme: dark) { :root { --paper: #11161d; --ink: #e7ecf2; --soft: #98a4b3; --rule: #2b3440;
  --head: #1a212b; DARK_COLOURS } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 "Source Sans 3", "Helvetica Neue", Helvetica, Arial, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1rem; } h2 { font-size: 1.35rem; margin: 2.75rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem; } p { max-width: 46rem; margin: .5rem 0; }
nav ol { padding-left: 1.3rem; margin: .75rem 0; } a { color: var(--c0); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { background: var(--head); font-weight: 600; white-space: normal; vertical-align: bottom; }
.text { text-align: left; } .note { color: var(--soft); font-size: .9rem; }
figure { margin: 0; } figure > svg { width: 100%; max-width: 46rem; height: auto; display: block; }
svg text { font: 12px "Source Sans 3", "Helvetica Neue", Helvetica, Arial, sans-serif; fill: var(--soft);
  text-anchor: middle; }
svg .end { text-anchor: end; } svg .name { font-size: 13px; fill: var(--ink); }
.grid { stroke: var(--rule); stroke-width: 1; fill: none; } .axis { stroke: var(--soft); fill: none; }
.line { stroke: var(--c); stroke-width: 2; fill: none; stroke-linejoin: round; }
.mark { fill: var(--c); stroke: var(--paper); stroke-width: 1.2; } .band { fill: var(--c); opacity: .16; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .92rem; margin: .25rem 0; }
.key { display: inline-flex; align-items: center; gap: .4rem; } .sample { width: 28px; height: 14px; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
"""


def page(report: Report) -> str:
    """The whole document."""
    body = [f"<h1>{escape(report.title)}</h1>", _paragraphs(report.intro), _contents(report)]
    body += [_section(section, k) for k, section in enumerate(report.sections)]
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<main>"
    )
    return "\n".join([head, *(part for part in body if part), "</main>\n</body>\n</html>\n"])


def _style() -> str:
    """The style with the lines' colours for light and dark."""
    light = " ".join(f"--c{k}: {colour};" for k, colour in enumerate(LIGHT))
    dark = " ".join(f"--c{k}: {colour};" for k, colour in enumerate(DARK))
    classes = " ".join(f".c{k} {{ --c: var(--c{k}); }}" for k in range(COLOURS))
    return STYLE.replace("LIGHT_COLOURS", light).replace("DARK_COLOURS", dark) + classes + "\n"


def _paragraphs(text: str) -> str:
    return "\n".join(f"<p>{escape(part.strip())}</p>" for part in text.split("\n\n") if part.strip())


def _contents(report: Report) -> str:
    """Links to the sections, when there are several."""
    if len(report.sections) < 2:
        return ""
    links = (f'<li><a href="#s{k}">{escape(part.title)}</a></li>' for k, part in enumerate(report.sections))
    return f"<nav><ol>{''.join(links)}</ol></nav>"


def _section(section: Section, k: int) -> str:
    items = (_table(item) if isinstance(item, Table) else _curves(item) for item in section.items)
    heading = f'<section>\n<h2 id="s{k}">{escape(section.title)}</h2>'
    return "\n".join([heading, _paragraphs(section.text), *items, "</section>"])


def _table(table: Table) -> str:
    return f"<h3>{escape(table.title)}</h3>\n{_grid(table)}\n{_note(table.note)}"


def _grid(table: Table) -> str:
    """The rows; columns of words to the left, of numbers to the right."""
    words = [_wordy([row[j] for row in table.rows]) for j in range(len(table.header))]
    kinds = [' class="text"' if wordy else "" for wordy in words]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(table.header, kinds))
    rows = (
        "<tr>" + "".join(f"<td{kind}>{escape(shown(cell))}</td>" for cell, kind in zip(row, kinds)) + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{"".join(rows)}</tbody></table></div>'


def _wordy(cells: list[Cell]) -> bool:
    """Whether a column holds words rather than numbers: some text without a digit at its start."""
    return any(isinstance(cell, str) and cell[:1].isalpha() for cell in cells)


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>' if note else ""


def _curves(curves: Curves) -> str:
    """Title, legend, picture, and its numbers for those who want them."""
    numbers = f"<details><summary>Numbers</summary>{_grid(curve_table(curves))}</details>"
    picture = f"<figure>{legend(curves)}{draw_curves(curves)}</figure>"
    return f"<h3>{escape(curves.title)}</h3>\n{picture}\n{_note(curves.note)}{numbers}"
