"""Arguments that may be a model, a file or a text: which of them is which."""

import sys
from pathlib import Path

from eigenparse.errors import OptionError


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


def reading_of(given: dict[str, bool], constrained: bool, source: Path, text: str | None) -> str:
    """How ``parse`` reads its input; OptionError if its options exclude each other.  given: those about reading."""
    from eigenparse.batch.requests import AUTO

    if constrained and (text is not None or str(source) != "-" or given["tagged"]):
        raise OptionError("--constraints FILE holds the sentences too; leave out --tagged and other input")
    if text is not None and given["tagged"]:
        raise OptionError("--tagged needs a file with one sentence per line; put the tagged text into one")
    chosen = [name for name, wanted in given.items() if wanted and name != "tagged"]
    if len(chosen) > 1:
        raise OptionError(f"--{chosen[0]} and --{chosen[1]} exclude each other; leave one out")
    if given["tagged"] and chosen:
        raise OptionError(f"--tagged and --{chosen[0]} exclude each other; word_TAG tokens are split already")
    return chosen[0] if chosen else AUTO
