"""The re-ranker as a frozen record: weights of tag patterns and of dense scores, and its tree models."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eigenparse.arrays import FloatArray
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.features.dependency.templates import ATTRIBUTES
from eigenparse.models.dependency.deptree import TreeModel, tree_model_of, tree_model_parts
from eigenparse.models.store import Header, load_model, save_model

KIND = "reranker"
FAMILIES = ("sides", "grandparent", "siblings")
BASELINE = ("sides", "grandparent")
# Patterns of a user are atoms ``role.attribute``; attributes are those of the parser's templates.
ROLES = {
    "m": "the word",
    "h": "its head",
    "g": "the head of its head",
    "s": "the next child of the head towards the head",
    "l": "the leftmost child of the word, on its left",
    "r": "the rightmost child of the word, on its right",
}
ATOM = re.compile(r"([a-z])\.([a-z])")
MOST_PATTERNS = 100


@dataclass(frozen=True, slots=True)
class Reranker:
    """A trained re-ranker.

    families: which tag patterns count.  weights: (2^bits,).  dense_weights: (1 + 2 M,): base score,
    then for each of the M tree models its log-probability and whether that is no probability.  Dense
    scores are taken relative to the best of their list and divided by ``scale`` (1 + 2 M,).  patterns:
    what a user wrote, such as ``m.w h.w``; each is looked up once a word.
    """

    families: tuple[str, ...]
    weights: npt.NDArray[np.float32]
    dense_weights: FloatArray
    scale: FloatArray
    tree_models: tuple[TreeModel, ...]
    patterns: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        """Logarithm of the size of the weight table."""
        return int(self.weights.size).bit_length() - 1


def family_flags(families: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Which families are switched on, in kernel order."""
    unknown = [name for name in families if name not in FAMILIES]
    if unknown:
        raise OptionError(f"feature families are {', '.join(FAMILIES)}, got {', '.join(unknown)} instead")
    return np.array([name in families for name in FAMILIES])


def pattern_atoms(text: str) -> list[tuple[int, int]]:
    """Role and attribute of every atom of a pattern, as numbers."""
    roles, attributes = list(ROLES), list(ATTRIBUTES)
    found = []
    for atom in text.split():
        match = ATOM.fullmatch(atom)
        if not match or match[1] not in roles or match[2] not in attributes:
            raise OptionError(
                f"feature {text!r}: {atom!r} is not role and attribute; write it like m.w with roles "
                f"{', '.join(roles)} and attributes {', '.join(attributes)}"
            )
        found.append((roles.index(match[1]), attributes.index(match[2])))
    if not found:
        raise OptionError("a feature has no atoms; write it like 'm.w h.w'")
    return found


def check_patterns(patterns: tuple[str, ...]) -> None:
    """Refuse patterns that are not understood."""
    if len(patterns) > MOST_PATTERNS:
        raise OptionError(f"{len(patterns)} features are more than {MOST_PATTERNS}; keep the best of them")
    for text in patterns:
        pattern_atoms(text)


def save_reranker(path: str | Path, model: Reranker) -> None:
    """Write a re-ranker with its tree models; rows without weight are left out."""
    used = np.flatnonzero(model.weights).astype(np.uint32)
    parts = [tree_model_parts(m, relations=False) for m in model.tree_models]
    header: Header = {
        "families": list(model.families),
        "patterns": list(model.patterns),
        "bits": model.bits,
        "tree_models": [about for about, _ in parts],
    }
    arrays = {
        "rows": used,
        "weights": model.weights[used],
        "dense_weights": model.dense_weights,
        "scale": model.scale,
    }
    for i, (_, own) in enumerate(parts):
        arrays |= {f"tree{i}.{name}": array for name, array in own.items()}
    save_model(path, kind=KIND, header=header, arrays=arrays)


def load_reranker(path: str | Path) -> Reranker:
    """Read a re-ranker that ``save_reranker`` wrote."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not {KIND!r}; use the verb for that kind"
        )
    try:
        if not 8 <= header["bits"] <= 26:
            raise ValueError("table size out of range")
        weights = np.zeros(1 << header["bits"], dtype=np.float32)
        weights[arrays["rows"]] = arrays["weights"]
        trees = tuple(
            tree_model_of(
                entry, {n.partition(".")[2]: a for n, a in arrays.items() if n.startswith(f"tree{i}.")}
            )
            for i, entry in enumerate(header["tree_models"])
        )
        if not arrays["dense_weights"].shape == arrays["scale"].shape == (1 + 2 * len(trees),):
            raise ValueError("dense weights and tree models disagree")
        if not np.all(arrays["scale"] > 0.0):
            raise ValueError("a scale is not positive")
        families, patterns = tuple(header["families"]), tuple(header.get("patterns", ()))
        family_flags(families)
        check_patterns(patterns)
        return Reranker(families, weights, arrays["dense_weights"], arrays["scale"], trees, patterns)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, OptionError) as problem:
        raise ModelFileError(
            f"{path}: the re-ranker in it is incomplete ({problem}); train it again"
        ) from None
