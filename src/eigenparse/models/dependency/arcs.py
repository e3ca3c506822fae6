"""The graph-based dependency parser as a frozen record: feature templates, weights, relation names."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import AnyArray
from eigenparse.errors import DataError, ModelFileError, OptionError
from eigenparse.features.dependency.templates import CODES
from eigenparse.models.schema import check_model
from eigenparse.models.store import Header, load_model, save_model
from eigenparse.models.tagger.kind import ONE_TAGGER
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below

KIND = "dependency"


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
        about, parts = tagger.to_parts()
        header["taggers"] = {**header.get("taggers", {}), name: about}
        arrays |= {f"{name}.{key}": array for key, array in parts.items()}
    save_model(path, kind=KIND, header=header, arrays=arrays)


def _taggers(headers: Header, arrays: dict[str, AnyArray]) -> dict[str, RefinementHMM]:
    """The taggers in a parser's file."""
    found = {}
    for name, header in headers.items():
        if name not in ("upos", "xpos"):
            raise ValueError("a tagger is of neither upos nor xpos")
        own = parts_below(arrays, f"{name}.")
        check_model(ONE_TAGGER, header, own)
        found[name] = RefinementHMM.from_parts(header, own)
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
