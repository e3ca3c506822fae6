"""Requests: the options of a verb, each written once, in its field; each kind of model uses those that apply to it."""

from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from eigenparse.corpus.cleaning import HELP
from eigenparse.errors import OptionError
from eigenparse.learn.options import option

STANDARD_INPUT = "-"
# How text is read: as it looks, as tokens separated by spaces, as plain text, as plain text with one sentence per line.
AUTO, TOKENS, RAW, RAW_LINES = "auto", "tokens", "raw", "raw-lines"


@dataclass(frozen=True, slots=True)
class ParseRequest:
    """Sentences to parse, and how.

    text: given instead of a source.  reading: AUTO, TOKENS, RAW or RAW_LINES.  form: how trees are written, None
    for the usual way of the model.  memory: bytes.  output: the file that is written, None for standard output.
    """

    source: Path = option(
        Path(STANDARD_INPUT),
        "Text, tokens, trees or CoNLL-U; the format is recognised.",
        argument="[FILE|-|TEXT]",
    )
    tagged: bool = option(False, "Tokens are word_TAG; the tags are kept.")
    kbest: int = option(1, "Number of trees per sentence.", low=1, high=10_000)
    decoder: str | None = option(
        None, "What the chosen tree maximises.", choices=("brackets", "labelled-recall", "max-rule")
    )
    combination: str | None = option(None, "How an ensemble is combined.", choices=("product", "sum"))
    threshold: float | None = option(
        None, "Minimum posterior for a bracket; higher favours precision.", low=0.0, high=1.0
    )
    max_length: int | None = option(None, "Skip sentences with more words.", low=1)
    constraints: Path | None = option(
        None, "File of sentences with known brackets, such as: (NP the old man) the boats."
    )
    keep_tag_suffix: bool | None = option(
        None, "Refuse a grammar that was trained otherwise. Default: as it was trained."
    )
    drop: tuple[str, ...] = option((), "For trees: leave out the words below nodes with this label.")
    text: str | None = None
    reading: str = AUTO
    form: str | None = None
    memory: int | None = None
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """Lists of the best trees to choose from."""

    source: Path = option(
        Path(STANDARD_INPUT),
        "N-best lists written by `parse --kbest`; - is standard input.",
        argument="[FILE|-]",
    )


@dataclass(frozen=True, slots=True)
class TagRequest:
    """Tokens to label."""

    source: Path = option(Path(STANDARD_INPUT), "Tokens to label.", argument="[FILE|-]")
    posteriors: bool = option(False, "Add each label's posterior.")
    kbest: int = option(1, "Number of label sequences per sentence, as JSON lines.", low=1, high=10_000)
    columns: str | None = option(None, "Names of the input columns, with commas.")
    form: str = option(
        "auto",
        "Input format: auto, columns, tagged, conllu, brackets or plain.",
        flags=("--format",),
    )

    @property
    def names(self) -> list[str] | None:
        """The names of the columns."""
        return self.columns.split(",") if self.columns else None


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """Trees or sequences whose probabilities are wanted."""

    sources: tuple[str, ...] = option(
        (STANDARD_INPUT,),
        "Trees, labelled tokens, or text for an HMM; - is standard input.",
        argument="FILE...",
    )
    skip_broken: bool = option(False, "Skip broken trees and count them.")
    column: str | None = option(None, "Column to read for an HMM of columns. Default: the last.")
    project: bool = option(
        False, "For a signed model, use the nearest distribution, and print the difference."
    )
    exact: bool = option(False, "Sum over all trees of a sentence; slow for more than 20 words.")


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Trees or sequences to draw."""

    n: int = option(1, "Number of trees or sequences.", low=1, flags=("-n", "--number"))
    seed: int = option(0, "Random seed; the same seed gives the same result.", low=0)
    max_words: int = option(400, "Redraw trees with more words than this.", low=1)
    length: int | None = option(
        None, "Length of the sequences of an HMM. Default: drawn from the lengths in training.", low=1
    )
    words: bool = option(False, "Print the words only.")
    project: bool = option(False, "For a signed model, draw from the nearest distribution.")


@dataclass(frozen=True, slots=True)
class TranscribeRequest:
    """Recordings to transcribe, and folders of them."""

    sources: tuple[Path, ...] = option((), "WAV, SPHERE, FLAC, folders.", argument="FILE...")
    frames: bool = option(False, "Print one line per frame.")
    form: str = option(
        "times",
        "Output format: times (seconds), phn (samples, as in TIMIT), textgrid (Praat) or json.",
        flags=("--format",),
    )
    resample: bool = option(False, "Resample recordings whose sampling rate differs.")
    folder: Path | None = option(None, "Write one file per recording here.", use="folder")


@dataclass(frozen=True, slots=True)
class InfoRequest:
    """What to show of a model.  labels: by name; otherwise the n_labels most frequent ones."""

    labels: tuple[str, ...] = option((), "Label to show states of.", flags=("--label",))
    n_labels: int = option(6, "Number of labels whose states are shown.", low=0, flags=("--labels",))
    top: int = option(5, "Number of words and phrases shown per state.", low=1)


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """The options of ``evaluate``; each format uses those that apply to it."""

    gold: Path = option(MISSING, "Gold data.", argument="GOLD")
    guess: Path = option(MISSING, "Predictions, in the same order.", argument="GUESS")
    params: str | None = option(None, "EVALB parameter file. Default: COLLINS.prm, built in.", use="read")
    strict: bool = option(False, "Score exactly as the reference scorer.")
    compare: Path | None = option(None, "Second prediction; test whether the difference is significant.")
    per_sentence: bool = option(False, "Print scores per sentence.")
    per_label: bool = option(False, "Print scores per label.")
    cutoff: int | None = option(None, "Also score sentences up to this length.")
    as_json: bool = option(False, "Print all scores as JSON.", flags=("--json",))
    seed: int = option(0, "Seed of the resampling for --compare.")
    resamples: int = option(10_000, "Number of resamples for --compare.")
    train: Path | None = option(None, "Training data, to find unknown words.")
    keep_tag_suffix: bool | None = option(
        None, "Treat tags such as N-D as different from N. Default: if the prediction has such tags."
    )
    drop: tuple[str, ...] = option((), HELP["drop"])
    rate: int = option(16_000, "Sampling rate of .phn files in Hz.", low=1)


@dataclass(frozen=True, slots=True)
class TreesRequest:
    """Trees to read."""

    sources: tuple[str, ...] = option(
        (), "Files, directories or globs; - is standard input.", argument="TREES..."
    )
    skip_broken: bool = option(False, "Skip broken trees and count them.")


@dataclass(frozen=True, slots=True)
class ConvertRequest(TreesRequest):
    """Trees to convert."""

    to: str = option(
        "conllu",
        "conllu: dependency trees; words: one sentence per line; columns: word and tag per line.",
        choices=("conllu", "words", "columns"),
    )
    rules: Path | None = option(None, "File of head rules. Default: built-in rules for English.")


@dataclass(frozen=True, slots=True)
class NormaliseRequest(TreesRequest):
    """Trees to clean."""

    keep_tag_suffix: bool = option(False, HELP["keep_tag_suffix"])
    drop: tuple[str, ...] = option((), HELP["drop"])
    binarise: str | None = option(None, "Print trees binarised to this side.", choices=("right", "left"))
    horizontal: int = option(0, "Siblings recorded in intermediate labels (horizontal Markov order).", low=0)
    vertical: int = option(1, "2: labels are annotated with their parent.", low=1)
    pretty: bool = option(False, "Print each tree over several indented lines.")


@dataclass(frozen=True, slots=True)
class DrawRequest:
    """Trees to draw, and how."""

    sources: tuple[str, ...] = option(
        (), "Files, directories or globs of trees, or CoNLL-U; - is standard input.", argument="TREES..."
    )
    form: str | None = option(
        None,
        "Output format. Default: by the name of the output file.",
        choices=("text", "svg", "png"),
        flags=("--format",),
    )
    arcs: bool = option(False, "Draw dependency arcs found by head rules instead of trees.")
    folder: Path | None = option(None, "Write one picture per tree here.", use="folder")
    number: int | None = option(None, "Draw only this tree, counted from 1.", low=1)
    width: int | None = option(None, "Width of text; wider trees are drawn sideways.", low=1)
    scale: float | None = option(None, "Scale of PNG pictures. Default: 2.", low=0.1, high=20)
    skip_broken: bool = option(False, "Skip broken trees and count them.")


@dataclass(frozen=True, slots=True)
class GuideOptions:
    """Which constraints the arcs give.  longest: maximum number of words of a sentence."""

    required: float = option(
        0.85, "Spans of a relation are required if at least this share of them are phrases.", low=0.0
    )
    crossed: float = option(
        0.12, "Crossing a relation's spans is forbidden if at most this share is crossed.", low=0.0, high=1.0
    )
    most: int | None = option(None, "Maximum number of sentences to use.", low=1)
    longest: int = 100


def refuse_given(asked: Any, what: str, *names: str) -> None:
    """OptionError if one of these fields of a request was given, which have no effect for this kind of model."""
    for one in fields(asked):
        if one.name in names and getattr(asked, one.name) != one.default:
            flag = one.metadata.get("flags", (f"--{one.name.replace('_', '-')}",))[-1]
            raise OptionError(f"{flag} changes nothing for {what}; leave it out")


def refuse_projection(asked: Any, *, signed: bool) -> None:
    """OptionError if --project was given for weights that are a distribution already."""
    if asked.project and not signed:
        raise OptionError("--project changes nothing for a model without signed weights; leave it out")
