"""Parameter files of the scorer EVALB in, frozen scoring conventions out.

A parameter file holds one ``KEY value`` per line; a line that starts with ``#`` or has fewer than
three characters is ignored, as the C program does.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from eigenparse.corpus.files import read_bytes
from eigenparse.errors import DataError, FormatError

LARGEST = 100_000  # bytes; real files have about two thousand


@dataclass(frozen=True, slots=True)
class EvalbParams:
    """What counts as a word, as a bracket, and as the same.

    delete: words with such a tag, and brackets with such a label, are taken out.
    delete_for_length: words with such a tag do not count in the length of a sentence.
    quote: tags of quotation marks that are kept if removing them is the only reason that lengths differ.
    equal_labels, equal_words: pairs that count as the same, in either direction.
    labelled: False compares spans only.  cutoff: the length that "short" sentences do not exceed.
    max_error: the C program stops after one error more than this; here it is only reported.
    """

    name: str = "EVALB without parameters"
    delete: frozenset[str] = frozenset()
    delete_for_length: frozenset[str] = frozenset()
    quote: frozenset[str] = frozenset()
    equal_labels: frozenset[tuple[str, str]] = frozenset()
    equal_words: frozenset[tuple[str, str]] = frozenset()
    labelled: bool = True
    cutoff: int = 40
    max_error: int = 10

    def same_label(self, one: str, other: str) -> bool:
        """Whether two labels count as the same; not transitive, as pairs are not chained."""
        return one == other or (one, other) in self.equal_labels or (other, one) in self.equal_labels

    def deletes_bracket(self, label: str) -> bool:
        """Whether brackets with this label (function tags cut off) are taken out."""
        return any(self.same_label(label, deleted) for deleted in self.delete)


# The conventions of Collins (1997), which nearly every published figure uses: neither root nor
# traces nor this punctuation count, and a particle phrase may be called an adverb phrase.
COLLINS = EvalbParams(
    name="COLLINS",
    delete=frozenset(["TOP", "-NONE-", ",", ":", "``", "''", "."]),
    delete_for_length=frozenset(["-NONE-"]),
    equal_labels=frozenset([("ADVP", "PRT")]),
)


def load_params(name: str | Path) -> EvalbParams:
    """The parameters in a file; ``COLLINS`` (or ``COLLINS.prm`` where there is no such file) is built in."""
    path = Path(name)
    if not path.exists() and path.name.upper().removesuffix(".PRM") == COLLINS.name:
        return COLLINS
    return read_params(path)


def read_params(path: str | Path) -> EvalbParams:
    """The parameters in an EVALB ``.prm`` file; FormatError names the line that is wrong."""
    text = read_bytes(path, limit=LARGEST).decode("utf-8", "surrogateescape")
    if not text.strip():
        raise DataError(f"{path}: an empty file holds no parameters; check that it is the right file")
    return parse_params(text, source=str(path))


def parse_params(text: str, *, source: str = "<text>") -> EvalbParams:
    """The parameters in the text of a ``.prm`` file."""
    params = EvalbParams(name=Path(source).name.removesuffix(".prm"))
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip(" \t\r\f\v\x00")
        if line.startswith("#") or len(line) < 3:
            continue
        key, _, value = line.replace("\t", " ").partition(" ")
        try:
            params = _KEYS[key](params, value.strip(" "))
        except KeyError:
            known = ", ".join(sorted(_KEYS))
            raise FormatError(
                f"unknown parameter {key!r}", source=source, line=number, remedy=f"use one of {known}"
            ) from None
        except DataError as problem:
            raise FormatError(
                f"{key} {problem}", source=source, line=number, remedy="correct the value"
            ) from None
    return params


def _label(value: str) -> str:
    """A value that is one label."""
    if not value or " " in value:
        raise DataError(f"needs one label, got {value!r} instead")
    return value


def _pair(value: str) -> tuple[str, str]:
    """A value that is two labels or words."""
    parts = [part for part in value.split(" ") if part]
    if len(parts) != 2:
        raise DataError(f"needs two values, got {value!r} instead")
    return parts[0], parts[1]


def _number(value: str) -> int:
    """A value that is a whole number."""
    if not (value.isascii() and value.removeprefix("-").isdigit() and len(value) < 10):
        raise DataError(f"needs a whole number, got {value!r} instead")
    return int(value)


def _only_discontinuous(params: EvalbParams, value: str) -> EvalbParams:
    """Accept a key of other scorers if it is switched off."""
    if _number(value):
        raise DataError("asks for discontinuous brackets only, which trees in brackets do not have")
    return params


_KEYS: dict[str, Callable[[EvalbParams, str], EvalbParams]] = {
    "DEBUG": lambda p, v: (_number(v), p)[1],
    "MAX_ERROR": lambda p, v: replace(p, max_error=_number(v)),
    "CUTOFF_LEN": lambda p, v: replace(p, cutoff=_number(v)),
    "LABELED": lambda p, v: replace(p, labelled=_number(v) != 0),
    "DISC_ONLY": _only_discontinuous,
    "DELETE_LABEL": lambda p, v: replace(p, delete=p.delete | {_label(v)}),
    "DELETE_LABEL_FOR_LENGTH": lambda p, v: replace(p, delete_for_length=p.delete_for_length | {_label(v)}),
    "QUOTE_LABEL": lambda p, v: replace(p, quote=p.quote | {_label(v)}),
    "EQ_LABEL": lambda p, v: replace(p, equal_labels=p.equal_labels | {_pair(v)}),
    "EQ_WORD": lambda p, v: replace(p, equal_words=p.equal_words | {_pair(v)}),
}
