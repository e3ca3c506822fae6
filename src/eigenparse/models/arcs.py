"""The graph-based dependency parser as a frozen record: feature templates, weights, relation names.

A template is written ``codes: atom atom ...``.  An atom is ``role[+-offset].attribute`` with roles
h (head), m (modifier), s (sibling) and the attributes listed below.  The codes say what the template
is conjoined with: s the side, d side and distance, b side and a count of verbs, punctuation and
conjunctions between, t side and each tag between.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.models.contents import check_contents
from eigenparse.models.rhmm import RefinementHMM
from eigenparse.models.store import Header, load_model, save_model

KIND = "dependency"
ATTRIBUTES = {
    "w": "form in lower case",
    "p": "universal tag",
    "t": "language-specific tag, or the universal tag if there is none",
    "f": "morphological features",
    "x": "last three characters and the kind of first character",
}
ROLES = "hms"
CODES = "sdbt"

ARC_TEMPLATES = (
    "d: h.w", "sd: h.p", "d: h.t", "d: h.w h.t", "d: m.w", "sd: m.p", "d: m.t", "d: m.w m.t",
    "sdb: h.p m.p", "sdb: h.t m.t", "sd: h.w m.w", "sd: h.w m.t", "sd: h.t m.w", "s: h.w h.t m.w m.t",
    "s: h.w m.w m.t", "s: h.w h.t m.w", "sb: h.w m.p", "sb: h.p m.w", "d: h.x m.x", "d: h.p m.x",
    "d: h.x m.p",
    "d: h.t h.f m.t m.f", "d: h.f m.f", "s: h.t m.f",
    "sd: h.p h+1.p m-1.p m.p", "sd: h-1.p h.p m-1.p m.p", "sd: h.p h+1.p m.p m+1.p",
    "sd: h-1.p h.p m.p m+1.p",
    "sd: h.p h+1.p m.p", "sd: h-1.p h.p m.p", "sd: h.p m-1.p m.p", "sd: h.p m.p m+1.p",
    "s: h.t h+1.t m-1.t m.t", "s: h-1.t h.t m-1.t m.t", "s: h.t h+1.t m.t m+1.t", "s: h-1.t h.t m.t m+1.t",
    "sd: h.t m-1.t m.t", "sd: h.t m.t m+1.t", "sd: h-1.t h.t m.t", "sd: h.t h+1.t m.t",
    "s: h-1.p h.p h+1.p m-1.p m.p m+1.p", "d: h.p m-2.p m-1.p m.p", "d: h.p m.p m+1.p m+2.p",
    "s: h-2.p h-1.p h.p m.p", "s: h.p h+1.p h+2.p m.p",
    "d: h.p m-1.w m.p", "d: h.p m.p m+1.w", "d: h-1.w h.p m.p", "d: h.p h+1.w m.p",
    "s: h.w m-1.w m.p", "s: h.w m.p m+1.w", "s: h.w m-1.p m.p", "s: h.p m.w m+1.p", "s: h.p m-1.p m.w",
    "t: h.p m.p", "t: h.t m.t", "t: h.w m.p", "t: h.p m.w",
)  # fmt: skip
PAIR_TEMPLATES = (
    "h.p s.p m.p", "h.t s.t m.t", "s.p m.p", "s.t m.t", "s.w m.w", "s.w m.p", "s.p m.w", "h.w s.p m.p",
    "h.p s.w m.p", "h.p s.p m.w", "h.w s.w m.p", "h.w s.p m.w", "h.p s.w m.w", "h.w s.w m.w", "h.p s.w",
    "h.w s.p",
    "h.p s.p s+1.p m-1.p m.p", "h.p s.p m-1.p m.p", "h.p s.p s+1.p m.p", "h.p s-1.p s.p m.p",
    "h.p s.p m.p m+1.p",
    "h.t s.t", "h.w s.w", "h.t h+1.t s.t m.t", "h-1.t h.t s.t m.t", "h.w h.t s.t m.t", "h.f s.f m.f",
)  # fmt: skip
LABEL_TEMPLATES = (
    "s: h.p", "s: m.p", "s: m.t", "s: m.w", "s: h.w", "s: m.f", "s: m.x",
    "sd: h.p m.p", "sd: h.t m.t", "s: h.w m.w", "s: h.w m.p", "s: h.p m.w", "s: h.t m.w", "s: h.w m.t",
    "s: h.p m-1.p m.p", "s: h.p m.p m+1.p", "s: h.p m-1.w m.p", "s: h.p m.p m+1.w", "s: h-1.p h.p m.p",
    "s: h.p h+1.p m.p", "b: h.p m.p", "s: h.f m.f", "s: h.p m.f", "s: h.t m.t m.f",
    "s: h.p m.p m.c", "s: h.w m.p m.c", "s: m.w m.c", "s: h.p m.p m.e", "s: h.w m.e", "s: h.p h.c m.p",
    "s: h.p h.e m.p", "s: h.c m.w", "s: h.p m.w m.c", "s: m.p m.n", "s: h.p h.n m.p", "s: h.w h.n m.p",
)  # fmt: skip
LABEL_ATTRIBUTES = ATTRIBUTES | {
    "c": "form and tag of the leftmost child",
    "e": "form and tag of the rightmost child",
    "n": "relation class of the head's own head: its tag and side",
}


@dataclass(frozen=True, slots=True)
class ArcModel:
    """A trained parser.

    weights: (2^bits,) of arc and pair features.  label_weights: (2^label_bits, L) over the names in
    ``relations``.  order is 1 or 2; crossing says whether it was trained for crossing arcs.
    taggers: of ``upos`` and ``xpos``, applied before parsing, if it was trained on predicted tags.
    """

    order: int
    crossing: bool
    templates: tuple[str, ...]
    pair_templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    label_weights: npt.NDArray[np.float32]
    relations: tuple[str, ...]
    taggers: dict[str, RefinementHMM] = field(default_factory=dict)

    @property
    def bits(self) -> int:
        """Logarithm of the size of the weight table."""
        return int(self.weights.size).bit_length() - 1

    @property
    def label_bits(self) -> int:
        """Logarithm of the number of rows of the label weights."""
        return int(self.label_weights.shape[0]).bit_length() - 1


def check_order(order: int, crossing: bool) -> None:
    """Refuse orders that do not exist."""
    if order not in (1, 2):
        raise OptionError(f"order must be 1 or 2, got {order} instead")
    if crossing and order != 1:
        raise OptionError("crossing arcs need order 1; drop the option or use --order 1")


def save_arcs(path: str | Path, model: ArcModel) -> None:
    """Write a parser; rows without weight are left out."""
    used = np.flatnonzero(model.weights).astype(np.uint32)
    label_used = np.flatnonzero(model.label_weights.any(axis=1)).astype(np.uint32)
    header: Header = {
        "order": model.order,
        "crossing": model.crossing,
        "bits": model.bits,
        "label_bits": model.label_bits,
        "templates": list(model.templates),
        "pair_templates": list(model.pair_templates),
        "label_templates": list(model.label_templates),
        "relations": list(model.relations),
    }
    arrays: dict[str, AnyArray] = {
        "rows": used,
        "weights": model.weights[used],
        "label_rows": label_used,
        "label_weights": model.label_weights[label_used],
    }
    for name, tagger in model.taggers.items():
        about, parts = tagger.to_arrays(f"{name}.")
        header["taggers"] = {**header.get("taggers", {}), name: about}
        arrays |= parts
    save_model(path, kind=KIND, header=header, arrays=arrays)


def _taggers(headers: Header, arrays: dict[str, AnyArray]) -> dict[str, RefinementHMM]:
    """The taggers in a parser's file."""
    found = {}
    for name, header in headers.items():
        if name not in ("upos", "xpos"):
            raise ValueError("a tagger is of neither upos nor xpos")
        own = {f"m0.{key.partition('.')[2]}": a for key, a in arrays.items() if key.startswith(f"{name}.")}
        check_contents("rhmm", {"members": [header]}, own)
        found[name] = RefinementHMM.from_arrays(header, own, "m0.")
    return found


def load_arcs(path: str | Path) -> ArcModel:
    """Read a parser that ``save_arcs`` wrote."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not {KIND!r}; use the verb for that kind"
        )
    try:
        bits, label_bits, relations = header["bits"], header["label_bits"], tuple(header["relations"])
        if not (8 <= bits <= 26 and 4 <= label_bits <= 22 and len(relations) <= 4096):
            raise ValueError("table sizes out of range")
        templates = (*header["templates"], *header["label_templates"])
        if any(set(text.partition(":")[0]) - set(CODES) for text in templates):
            raise ValueError("a template has an unknown code")
        weights = np.zeros(1 << bits, dtype=np.float32)
        weights[arrays["rows"]] = arrays["weights"]
        label_weights = np.zeros((1 << label_bits, len(relations)), dtype=np.float32)
        label_weights[arrays["label_rows"]] = arrays["label_weights"]
        check_order(header["order"], header["crossing"])
        return ArcModel(
            order=header["order"],
            crossing=header["crossing"],
            templates=tuple(header["templates"]),
            pair_templates=tuple(header["pair_templates"]),
            label_templates=tuple(header["label_templates"]),
            weights=weights,
            label_weights=label_weights,
            relations=relations,
            taggers=_taggers(header.get("taggers", {}), arrays),
        )
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, DataError) as problem:
        raise ModelFileError(f"{path}: the parser in it is incomplete ({problem}); train it again") from None
