"""Refinement HMM as frozen arrays: operators, emission, observation vectors; kept in one model file.

Notation [stratos-2013]: start = c_1, blocks = C^{b|a} as (m_b, pairs_a) matrices, stop = C^{*|a} as
vectors on pairs, an observation vector times an emission = c_x.  A model learnt by moments lives in
an arbitrary basis whose first coordinate is the constant 1, so that one state a label *is* the
bigram HMM; a diagonal model has probabilities and its observations act coordinate by coordinate.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets
from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import DataError, ModelFileError
from eigenparse.features.tagger.templates import KeyVector, parse_template, positions, template_keys
from eigenparse.models.store import load_model, save_model

KIND = "rhmm"


@dataclass(frozen=True, slots=True)
class Operators:
    """The latent chain.  A labels, states (A,) = m_a;  pairs_a = m_a if diagonal else m_a * m_a.

    start: (sum m_a,); stop: (sum pairs_a,); block: (A * A,) where C^{b|a} begins in ``values`` at
    index b * A + a, -1 where it is its bigram limit.  first, base, last: the bigram model itself,
    (A,), (A, A) as [b, a], (A,).
    """

    states: IntVector
    diagonal: bool
    start: AnyArray
    stop: AnyArray
    block: LongVector
    values: AnyArray
    first: AnyArray
    base: AnyArray
    last: AnyArray

    @property
    def pairs(self) -> IntVector:
        """Length of u for every label."""
        return self.states if self.diagonal else (self.states * self.states).astype(np.int32)

    @property
    def state_at(self) -> LongVector:
        """Where each label's states begin."""
        return as_offsets(np.concatenate([[0], np.cumsum(self.states)]))

    @property
    def pair_at(self) -> LongVector:
        """Where each label's pairs begin."""
        return as_offsets(np.concatenate([[0], np.cumsum(self.pairs)]))


@dataclass(frozen=True, slots=True)
class Emission:
    """Log emission of labels: rows (F, A) of template keys, added up or the finest taken, less a prior.

    Templates go from coarse to fine.  combine: ``sum`` (log-linear) or ``last`` (back-off chain).
    """

    templates: tuple[str, ...]
    keys: KeyVector
    rows: AnyArray
    combine: str
    offset: AnyArray


@dataclass(frozen=True, slots=True)
class Observations:
    """Observation vectors by template key and label, from coarse to fine; row 0 is the neutral one.

    row_at: (K + 1,); row_label: (R,); vectors: (R, m).
    """

    templates: tuple[str, ...]
    keys: KeyVector
    row_at: LongVector
    row_label: IntVector
    vectors: AnyArray

    def levels(self, sequences: Sequences) -> AnyArray:
        """Key positions of every token and template, (T, L)."""
        return positions(
            template_keys([parse_template(text) for text in self.templates], sequences), self.keys
        )


@dataclass(frozen=True, slots=True)
class RefinementHMM:
    """A tagger: which columns it reads, its labels, operators, emission and observation vectors."""

    columns: tuple[str, ...]
    label: str
    labels: tuple[str, ...]
    operators: Operators
    emission: Emission
    observations: Observations
    words: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    def to_arrays(self, prefix: str = "") -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """JSON header and named arrays."""
        o, e, v = self.operators, self.emission, self.observations
        header = {
            "columns": list(self.columns),
            "label": self.label,
            "labels": list(self.labels),
            "diagonal": o.diagonal,
            "emission_templates": list(e.templates),
            "emission_combine": e.combine,
            "observation_templates": list(v.templates),
            "words": list(self.words),
            "about": self.about,
        }
        named = {name: getattr(o, name) for name in OPERATOR_ARRAYS}
        named |= {"emission_keys": e.keys, "emission_rows": e.rows, "emission_offset": e.offset}
        named |= {f"observation_{name}": getattr(v, name) for name in OBSERVATION_ARRAYS}
        return header, {prefix + name: array for name, array in named.items()}

    @classmethod
    def from_arrays(
        cls, header: dict[str, Any], arrays: dict[str, AnyArray], prefix: str = ""
    ) -> "RefinementHMM":
        """The inverse of ``to_arrays``, checked."""
        at = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        operators = Operators(
            diagonal=bool(header["diagonal"]), **{name: at[name] for name in OPERATOR_ARRAYS}
        )
        emission = Emission(
            tuple(header["emission_templates"]),
            at["emission_keys"],
            at["emission_rows"],
            str(header["emission_combine"]),
            at["emission_offset"],
        )
        observations = Observations(
            tuple(header["observation_templates"]),
            **{name: at[f"observation_{name}"] for name in OBSERVATION_ARRAYS},
        )
        model = cls(
            tuple(header["columns"]),
            str(header["label"]),
            tuple(header["labels"]),
            check_operators(operators),
            emission,
            observations,
            tuple(header["words"]),
            dict(header["about"]),
        )
        return _check(model)


OPERATOR_ARRAYS = ("states", "start", "stop", "block", "values", "first", "base", "last")
OBSERVATION_ARRAYS = ("keys", "row_at", "row_label", "vectors")


def check_operators(o: Operators) -> Operators:
    """The same operators, or a sentence saying which array does not fit."""
    A, n_states, n_pairs = o.states.size, int(o.states.sum()), int(o.pairs.sum())
    shapes = {
        "start": (n_states,),
        "stop": (n_pairs,),
        "block": (A * A,),
        "first": (A,),
        "base": (A, A),
        "last": (A,),
    }
    for name, shape in shapes.items():
        if getattr(o, name).shape != shape:
            raise DataError(
                f"operators: {name} has shape {getattr(o, name).shape}, not {shape}; build them again"
            )
    size = np.outer(o.states, o.pairs).reshape(-1).astype(np.int64)
    present = o.block >= 0
    if A == 0 or o.states.min() < 1 or np.any(o.block[present] + size[present] > o.values.size):
        raise DataError(
            "operators: a block reaches beyond the values or a label has no state; build them again"
        )
    return o


def _check(model: RefinementHMM) -> RefinementHMM:
    """A loaded model whose parts agree with each other."""
    e, v, A = model.emission, model.observations, len(model.labels)
    agree = (
        model.operators.states.size == A
        and e.rows.shape == (e.keys.size, A)
        and e.offset.shape == (A,)
        and v.row_at.shape == (v.keys.size + 1,)
        and v.vectors.shape[0] == v.row_label.size == int(v.row_at[-1])
        and v.vectors.shape[1] >= int(model.operators.states.max())
        and int(v.row_at[0]) >= 0
        and bool(np.all(np.diff(v.row_at) >= 0))
    )
    if not agree:
        raise ModelFileError("the parts of the model do not fit each other; train or copy it again")
    return model


@dataclass(frozen=True, slots=True)
class Product:
    """Several taggers of the same labels, applied as one: log posteriors are added."""

    members: tuple[RefinementHMM, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels shared by all members."""
        return self.members[0].labels


def save_tagger(path: str | Path, model: RefinementHMM | Product) -> None:
    """Write a tagger, or a product of them, to one file."""
    members = model.members if isinstance(model, Product) else (model,)
    headers: list[dict[str, Any]] = []
    arrays: dict[str, AnyArray] = {}
    for k, member in enumerate(members):
        header, named = member.to_arrays(f"m{k}.")
        headers.append(header)
        arrays |= named
    save_model(path, kind=KIND, header={"members": headers}, arrays=arrays)


def load_tagger(path: str | Path) -> RefinementHMM | Product:
    """Read what ``save_tagger`` wrote; ModelFileError says why it cannot."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not a tagger; give a file of `train rhmm`"
        )
    try:
        members = tuple(
            RefinementHMM.from_arrays(part, arrays, f"m{k}.") for k, part in enumerate(header["members"])
        )
    except (KeyError, TypeError, IndexError, ValueError) as problem:
        raise ModelFileError(f"{path}: not a readable tagger ({problem}); train or copy it again") from None
    if not members:
        raise ModelFileError(f"{path}: holds no tagger; train it again")
    return members[0] if len(members) == 1 else Product(members)
