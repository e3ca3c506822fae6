"""Arguments that may be a model, a file or a text: which of them is which."""

import sys
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

from eigenparse.errors import ModelFileError, OptionError

ENDS = (".", "!", "?", "…", '"', "”", "。", "！", "？", "」", "؟", "।")  # of sentences


def is_text(argument: str) -> bool:
    """Whether an argument that is no file is meant as text: it has blanks, or ends like a sentence."""
    return len(argument.split()) > 1 or argument.endswith(ENDS)


def arguments(model: Path, source: Path) -> tuple[Path, Path, str | None]:
    """Model, source and text, whichever of the two arguments holds the text."""
    if str(source) == "-" and not model.exists() and is_text(str(model)):
        return Path("en"), source, str(model)
    if str(source) != "-" and not source.exists() and is_text(str(source)):
        return model, source, str(source)
    return model, source, None


class OneText(TyperCommand):
    """A command of a model and one text: more words are most often a sentence without its quotation marks."""

    allow_extra_args = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments; OptionError for words that are too many."""
        given = list(args)
        rest: list[str] = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            words = [word for word in given if not word.startswith("-")]
            model = words[0] == "en" or Path(words[0]).exists()
            if any(Path(word).exists() for word in words[model:]):
                ctx.fail(f"Got unexpected extra argument(s) ({' '.join(rest)})")
            sentence = " ".join([*words[1 if model else 0 :]])
            raise OptionError(unquoted(words[0] if model else "en", sentence))
        return rest


def unquoted(model: str, sentence: str) -> str:
    """The complaint about words that are a sentence, to the shell several arguments."""
    return f'a sentence is one argument; put it in quotation marks, as in `eigenparse parse {model} "{sentence}"`'


def no_model(problem: ModelFileError, verb: str, model: Path, asked: Any) -> ModelFileError:
    """The complaint about a file that is no model, with what was probably meant.  asked: a record with source(s)."""
    from eigenparse.models.container import model_kind

    source = str((getattr(asked, "sources", None) or [getattr(asked, "source", "-")])[0])
    said = str(problem).partition(";")[0]
    if source == "-" and verb == "parse":
        return ModelFileError(
            f"{said}; name a model before it, as in `eigenparse parse en {model}`"
            if model.is_file()
            else f"{said}; give a sentence in quotation marks, a text as `eigenparse parse en FILE`, or a model file"
        )
    if verb == "parse" and not model.exists() and not Path(source).exists():
        return ModelFileError(f"{said}; {unquoted('en', f'{model} {source}')}")
    try:
        model_kind(source)
    except ModelFileError:
        return problem
    return ModelFileError(f"{said}; the model comes first: `eigenparse {verb} {source} {model}`")


def default_form(text: str | None, output: Path | None) -> str | None:
    """A picture for a sentence typed at a terminal, what the model writes by default for everything else."""
    return "text" if text is not None and output is None and sys.stdout.isatty() else None


def correct(model: Path, asked: Any, jobs: int, cluster: str | None) -> None:
    """Let the user correct trees one by one."""
    from eigenparse.models.registry import named

    if jobs != 1 or cluster is not None:
        raise OptionError(
            "--ask parses one sentence at a time on this machine; leave out --jobs and --cluster"
        )
    named("eigenparse.batch.ask:ask")(model, asked)


def reading_of(given: dict[str, bool], constrained: bool, source: Path, text: str | None) -> str:
    """How ``parse`` reads its input; OptionError if its options exclude each other.  given: those about reading."""
    from eigenparse.batch.requests import AUTO, RAW, RAW_LINES, TOKENS

    if constrained and (text is not None or str(source) != "-" or any(given.values())):
        raise OptionError(
            "--constraints FILE holds the sentences too; leave out --tagged, --drop, --tokens, --raw, --raw-lines "
            "and other input"
        )
    if text is not None and given["tagged"]:
        raise OptionError("--tagged needs a file with one sentence per line; put the tagged text into one")
    chosen = [name for name in (TOKENS, RAW, RAW_LINES) if given[name]]
    if len(chosen) > 1:
        raise OptionError(f"--{chosen[0]} and --{chosen[1]} exclude each other; leave one out")
    if given["tagged"] and chosen:
        raise OptionError(f"--tagged and --{chosen[0]} exclude each other; word_TAG tokens are split already")
    return chosen[0] if chosen else AUTO
