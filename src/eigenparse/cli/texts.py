"""Arguments that may be a model, a file or a text: which of them is which."""

import sys
from pathlib import Path


def is_text(argument: str) -> bool:
    """Whether an argument that is no file is meant as text: it has blanks, or ends like a sentence."""
    return len(argument.split()) > 1 or argument.endswith((".", "!", "?", "…", '"', "”"))


def arguments(model: Path, source: Path) -> tuple[Path, Path, str | None]:
    """Model, source and text, whichever of the two arguments holds the text."""
    if str(source) == "-" and not model.exists() and is_text(str(model)):
        return Path("en"), source, str(model)
    if str(source) != "-" and not source.exists() and is_text(str(source)):
        return model, source, str(source)
    return model, source, None


def default_form(text: str | None, output: Path | None) -> str:
    """A picture for a sentence typed at a terminal, brackets for everything else."""
    return "text" if text is not None and output is None and sys.stdout.isatty() else "brackets"
