"""Tutorials in, notebooks out: every command and block of Python is run, and what it prints is written beside it.

    python scripts/notebooks.py [PAGE ...]

runs docs/tutorial-*.md as notebooks in empty folders and writes docs/tutorial-*.ipynb, the outputs in the pages and the
pictures that the pages show.  `tests/docs/test_tutorials.py` runs them too and compares.
"""

import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.glob("tutorial-*.md"))
MOST = 14  # lines of an output that are shown
BLOCK = re.compile(
    r"^```console\n(?P<console>.*?)^```\n|^```python\n(?P<python>.*?)^```\n(?:\n```text\n(?P<said>.*?)^```\n)?",
    re.M | re.S,
)
HIDDEN = re.compile(
    r"eigenparse:\s+[\d.]+ s\s+\d+ MB|\(?(?:eigenparse: )?.*compil|\s*$"
)  # times; the first use
TIMES = re.compile(r"\d+(?:\.\d+)? (?=s\b|sentences/s\b)")


@dataclass(frozen=True, slots=True)
class Step:
    """Prose, a command or Python of a page.  lines: what it prints."""

    kind: str
    source: str
    lines: tuple[str, ...] = ()


def steps_of(page: str) -> list[Step]:
    """What a page consists of."""
    steps, last = [], 0
    for found in BLOCK.finditer(page):
        steps.append(Step("prose", page[last : found.start()]))
        last = found.end()
        if found["python"] is not None:
            steps.append(Step("python", found["python"], tuple((found["said"] or "").splitlines())))
            continue
        for line in found["console"].splitlines():
            if line.startswith("$ "):
                steps.append(Step("command", line[2:]))
            else:
                steps[-1] = replace(steps[-1], lines=(*steps[-1].lines, line))
    return [*steps, Step("prose", page[last:])]


def page_of(steps: list[Step]) -> str:
    """The page again."""
    parts, inside = [], False
    for step in steps:
        if inside and step.kind != "command":
            parts.append("```\n")
        if step.kind == "command":
            parts += [] if inside else ["```console\n"]
            parts += [f"$ {step.source}\n", *(f"{line}\n" for line in step.lines)]
        elif step.kind == "python":
            said = "".join(f"{line}\n" for line in step.lines)
            parts += [f"```python\n{step.source}```\n", *([f"\n```text\n{said}```\n"] if said else [])]
        else:
            parts.append(step.source)
        inside = step.kind == "command"
    return "".join(parts)


def notebook_of(steps: list[Step]) -> Any:
    """A notebook whose cells are the steps, not run yet."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    cells = []
    for number, step in enumerate(steps):
        if step.kind == "prose":
            text = re.sub(r"^.*\.ipynb.*\n|!\[.*?\]\(.*?\)", "", step.source, flags=re.M).strip()
            cells += [new_markdown_cell(text, id=f"step-{number}")] if text else []
        else:
            source = f"%%bash\n{step.source}" if step.kind == "command" else step.source.rstrip("\n")
            cells.append(new_code_cell(source, id=f"step-{number}"))
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return new_notebook(cells=cells, metadata=kernel)


def run(steps: list[Step], folder: Path) -> tuple[list[Step], Any]:
    """The steps with what they print, and the notebook; an exception if one of them fails."""
    from nbclient import NotebookClient
    from nbformat.v4 import new_output
    from traitlets.config import Config

    book = notebook_of(steps)
    with tempfile.TemporaryDirectory() as sockets:
        # A free port may be taken by another process before the kernel binds it; a file is not.
        NotebookClient(
            book,
            timeout=900,
            startup_timeout=600,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            config=Config(KernelManager={"transport": "ipc", "ip": str(Path(sockets) / "kernel")}),
        ).execute()
    cells, found = {cell["id"]: cell for cell in book.cells}, list(steps)
    for number, step in enumerate(steps):
        if step.kind != "prose":
            cell = cells[f"step-{number}"]
            found[number] = replace(step, lines=printed(cell["outputs"]))
            shown = [one for one in cell["outputs"] if one["output_type"] != "stream"]
            text = "".join(f"{line}\n" for line in found[number].lines)
            stream = [new_output("stream", name="stdout", text=text)] if text else []
            cell["outputs"], cell["metadata"] = [*stream, *shown], {}
    book.metadata = notebook_of([]).metadata
    return found, book


def printed(outputs: list[Any]) -> tuple[str, ...]:
    """The lines of a cell that are the same in every run, standard output first; long outputs are cut short."""
    streams = [one for one in outputs if one["output_type"] == "stream"]
    text = "".join(one["text"] for one in sorted(streams, key=lambda one: one["name"] != "stdout"))
    lines = [TIMES.sub("… ", line).rstrip() for line in text.splitlines() if not HIDDEN.match(line)]
    if any(line.endswith("per_second") for line in lines):
        lines = [re.sub(r" +(?:per_second|\d+\.\d+)$", "", line) for line in lines]
    return tuple(lines[:MOST] + (["…"] if len(lines) > MOST else []))


def main() -> None:
    """Run the pages that are named, or all, and write what they print."""
    import nbformat

    for page in map(Path, sys.argv[1:] or PAGES):
        with tempfile.TemporaryDirectory() as folder:
            steps, book = run(steps_of(page.read_text("utf-8")), Path(folder))
            page.write_text(page_of(steps), "utf-8")
            nbformat.write(book, page.with_suffix(".ipynb"))
            for picture in Path(folder).glob(f"{page.stem}*.svg"):
                shutil.copy(picture, page.parent / picture.name)
        print(f"{page.name}: {sum(step.kind != 'prose' for step in steps)} steps")


if __name__ == "__main__":
    main()
