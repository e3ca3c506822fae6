"""Options of tree normalisation, shared by training, parsing, scoring and ``normalise``."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eigenparse.errors import OptionError

ROOT = "TOP"
NAMED = ("dropped", "marginal", "roots")  # lists of labels among the options
ROOT_NAMES = ("", "ROOT", "TOP", "S1", "VROOT")


@dataclass(frozen=True, slots=True)
class Normalisation:
    """What is removed from trees and what is kept.

    keep_tag_suffix: leave tags as they are (``N-D``), strip phrase labels only.
    dropped: labels that are removed with everything below.  marginal: labels removed where nothing but roots
    is above them.  roots: names of the outermost node, all of which become TOP.
    """

    keep_tag_suffix: bool = False
    dropped: tuple[str, ...] = ("-NONE-", "CODE", "METADATA")
    marginal: tuple[str, ...] = ("ID",)
    roots: tuple[str, ...] = ROOT_NAMES


# Help of the options, the same for all commands.
HELP = {
    "keep_tag_suffix": "Keep suffixes of tags such as N-D; strip them from phrase labels only.",
    "drop": "Remove nodes with this label and everything below, in addition to -NONE-, CODE and METADATA.",
}


def normalisation_by(keep_tag_suffix: bool = False, drop: Sequence[str] = ()) -> Normalisation:
    """The normalisation that the options of a command ask for."""
    usual = Normalisation()
    more = tuple(label for label in drop if label not in usual.dropped)
    return replace(usual, keep_tag_suffix=keep_tag_suffix, dropped=(*usual.dropped, *more))


DEFAULT = Normalisation()


def refuse_absent(drop: Iterable[str], labels: Iterable[str]) -> None:
    """OptionError for a label to drop that no node of the trees has, as a misspelt one.  labels: of the nodes."""
    there = set(map(strip_label, labels))
    for label in drop:
        if label not in there and label not in DEFAULT.dropped:
            raise OptionError(
                f"--drop {label}: no node of the trees has this label; correct it or leave it out"
            )


def strip_label(label: str) -> str:
    """A label without function tags and indices: up to the first ``-``, ``=`` or ``|`` after its start.

    >>> [strip_label(label) for label in ("NP-SBJ-1", "NP=2", "ADVP|PRT", "-LRB-")]
    ['NP', 'NP', 'ADVP', '-LRB-']
    """
    if label.startswith("-"):
        return label
    cuts = [cut for cut in (label.find(mark, 1) for mark in "-=|") if cut > 0]
    return label[: min(cuts)] if cuts else label
