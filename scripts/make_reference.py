"""Write docs/reference/: the command line from the verbs, and the pages that mkdocstrings fills from docstrings.

Run by scripts/docs.  The pages are made anew for every build and are not committed.
"""

import importlib
import pathlib

import typer

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "eigenparse"
PAGES = ROOT / "docs" / "reference"
LAYERS = ("models", "learn", "features", "inference", "decode")
FAMILIES = {
    "grammar": "Grammars",
    "tagger": "Taggers",
    "hmm": "Hidden Markov models",
    "dependency": "Dependency trees",
    "vectors": "Word vectors",
    "speech": "Speech",
}
SHARED = {
    "contract": (
        "Models, learners and work",
        ("models", "learn", "work", "batch", "run", "errors", "arrays"),
    ),
    "corpora": ("Corpora and file formats", ("corpus", "synthetic")),
    "scoring": ("Scoring, reports and pictures", ("evaluate", "report", "plot", "draw", "experiments")),
    "numerics": ("Features and spectral estimation", ("features", "spectral")),
    "surfaces": ("Estimators, integrations and service", ("estimators", "integrations", "serve")),
}


def commands() -> str:
    """Every verb with its arguments and options."""
    importlib.import_module("eigenparse.cli.verbs")
    main = importlib.import_module("eigenparse.cli.main")
    lines = [
        "# Command-line reference",
        "",
        "Made from the verbs themselves; `eigenparse VERB --help` prints the same. Exit codes: 0 done, 1 a failure "
        "explained in one sentence, 2 wrong usage, 130 interrupted.",
    ]
    for path, command in leaves(typer.main.get_command(main.app), ("eigenparse",)):
        lines += ["", *section(" ".join(path), command)]
    return "\n".join(lines) + "\n"


def leaves(command, path):
    """Commands that are not groups, with their full names."""
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    context = command.make_context(" ".join(path), [], resilient_parsing=True)
    for name in sorted(
        command.list_commands(context)
    ):  # asks for commands that are made when they are needed
        yield from leaves(command.get_command(context, name), (*path, name))


def section(name, command) -> list[str]:
    """Heading, usage, help, examples, and a table of arguments and options."""
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {name.removeprefix('eigenparse ')}", "", "```text", f"{name} {usage}", "```", ""]
    lines += [(command.help or "").replace("\b", "").strip(), ""]
    records = [one.get_help_record(context) for one in command.params]
    rows = [record for record in records if record is not None and "--help" not in record[0]]
    if rows:
        lines += ["| argument or option | meaning |", "|---|---|"]
        lines += [f"| `{cell(names)}` | {cell(text)} |" for names, text in rows]
    examples = [line.strip() for line in (command.epilog or "").splitlines() if "eigenparse " in line]
    return [*lines, "", "```text", *examples, "```"] if examples else lines


def cell(text: str) -> str:
    """A text inside a table."""
    return " ".join(text.split()).replace("|", "\\|")


def modules(folder: pathlib.Path, *, deep: bool) -> list[str]:
    """Names of the modules of a folder, and of those below."""
    found = sorted(folder.rglob("*.py") if deep else folder.glob("*.py"))
    names = (path.relative_to(PACKAGE.parent).with_suffix("").parts for path in found if path.stat().st_size)
    return [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in names]


def python_page(title: str, names: list[str]) -> str:
    """A page that mkdocstrings fills."""
    blocks = (f"## `{name}`\n\n::: {name}\n" for name in names)
    return f"# {title}\n\nMade from the docstrings.\n\n" + "\n".join(blocks)


def write_pages() -> None:
    """All pages."""
    PAGES.mkdir(exist_ok=True)
    (PAGES / "commands.md").write_text(commands(), encoding="utf-8")
    public = ["eigenparse", *modules(PACKAGE / "api", deep=True)]
    (PAGES / "public.md").write_text(python_page("Python: public names", public), encoding="utf-8")
    for family, title in FAMILIES.items():
        names = [name for layer in LAYERS for name in modules(PACKAGE / layer / family, deep=True)]
        (PAGES / f"{family}.md").write_text(python_page(f"Python: {title}", names), encoding="utf-8")
    for page, (title, parts) in SHARED.items():
        names = []
        for part in parts:
            alone = PACKAGE / f"{part}.py"
            deep = not any((PACKAGE / part / family).is_dir() for family in FAMILIES)
            names += [f"eigenparse.{part}"] if alone.is_file() else modules(PACKAGE / part, deep=deep)
        (PAGES / f"{page}.md").write_text(python_page(f"Python: {title}", names), encoding="utf-8")


if __name__ == "__main__":
    write_pages()
