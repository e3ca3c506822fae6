"""Refinement HMM as frozen arrays: operators, emission, observation vectors; kept in one model file.

Notation [stratos-2013]: start = c_1, blocks = C^{b|a} as (m_b, pairs_a) matrices, stop = C^{*|a} as
vectors on pairs, an observation vector times an emission = c_x.  A model learnt by moments has
an arbitrary basis whose first coordinate is the constant 1, so that one state per label *is* the
bigram HMM; a diagonal model has probabilities and its observations act coordinate by coordinate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, LongVector, as_offsets
from eigenparse.corpus.sequences import Sequences
from eigenparse.features.tagger.templates import KeyVector, parse_template, positions, template_keys
from eigenparse.models.registry import Parts

OPERATOR_ARRAYS = ("states", "start", "stop", "block", "values", "first", "base", "last")
EMISSION_ARRAYS = ("keys", "rows", "offset")
OBSERVATION_ARRAYS = ("keys", "row_at", "row_label", "vectors")
STATISTICS = "statistics"


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
    """Log emission of labels: rows (F, A) by template key, and an offset (A,) added to every token.

    Templates go from coarse to fine.  combine: ``sum`` adds the rows of all templates (log-linear), ``last`` takes
    the finest row that is known (back-off chain).  bits: number of bits of a key that are used.
    """

    templates: tuple[str, ...]
    keys: KeyVector
    rows: AnyArray
    combine: str
    offset: AnyArray
    bits: int = 64


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
    """One tagger: the columns it reads, its labels, operators, emission and observation vectors."""

    columns: tuple[str, ...]
    label: str
    labels: tuple[str, ...]
    operators: Operators
    emission: Emission
    observations: Observations
    words: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    def to_parts(self) -> Parts:
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
        emission = {f"emission_{name}": getattr(e, name) for name in EMISSION_ARRAYS}
        return header, operator_arrays(o, v) | emission

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "RefinementHMM":
        """The inverse of ``to_parts``, of parts that fit the schema ``ONE_TAGGER``."""
        operators, observations = operators_of(arrays, header["diagonal"], header["observation_templates"])
        own: dict[str, Any] = {name: arrays[f"emission_{name}"] for name in EMISSION_ARRAYS}
        emission = Emission(tuple(header["emission_templates"]), combine=header["emission_combine"], **own)
        given = tuple(header["columns"]), header["label"], tuple(header["labels"])
        return cls(*given, operators, emission, observations, tuple(header["words"]), dict(header["about"]))


def operator_arrays(operators: Operators, observations: Observations) -> dict[str, AnyArray]:
    """Operators and observation vectors by the names of their arrays."""
    arrays = {name: getattr(operators, name) for name in OPERATOR_ARRAYS}
    return arrays | {f"observation_{name}": getattr(observations, name) for name in OBSERVATION_ARRAYS}


def operators_of(
    arrays: dict[str, AnyArray], diagonal: bool, templates: Sequence[str]
) -> tuple[Operators, Observations]:
    """The inverse of ``operator_arrays``."""
    operators = Operators(diagonal=diagonal, **{name: arrays[name] for name in OPERATOR_ARRAYS})
    vectors = {name: arrays[f"observation_{name}"] for name in OBSERVATION_ARRAYS}
    return operators, Observations(tuple(templates), **vectors)


def parts_below(arrays: Mapping[str, AnyArray], prefix: str) -> dict[str, AnyArray]:
    """The arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


@dataclass(frozen=True, slots=True)
class Tagger:
    """What a file of kind ``rhmm`` holds: one refinement HMM, or several whose log posteriors are added.

    All members read the same columns and give the same labels.  statistics: the sums behind the one member, if
    they were kept, as a header and arrays (``learn.tagger.statistics`` reads them).
    """

    members: tuple[RefinementHMM, ...]
    statistics: Parts | None = None

    @property
    def first(self) -> RefinementHMM:
        """The first member, for functions that use only one."""
        return self.members[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read; the first holds the words."""
        return self.first.columns

    @property
    def label(self) -> str:
        """The column that is predicted."""
        return self.first.label

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels."""
        return self.first.labels

    def to_parts(self) -> Parts:
        """JSON header and named arrays."""
        headers: list[dict[str, Any]] = []
        arrays: dict[str, AnyArray] = {}
        for k, member in enumerate(self.members):
            header, named = member.to_parts()
            headers.append(header)
            arrays |= {f"m{k}.{name}": array for name, array in named.items()}
        whole: dict[str, Any] = {"members": headers}
        if self.statistics is not None:
            whole[STATISTICS] = self.statistics[0]
            arrays |= {f"{STATISTICS}.{name}": array for name, array in self.statistics[1].items()}
        return whole, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "Tagger":
        """The inverse of ``to_parts``."""
        members = [
            RefinementHMM.from_parts(one, parts_below(arrays, f"m{k}."))
            for k, one in enumerate(header["members"])
        ]
        sums = (header[STATISTICS], parts_below(arrays, f"{STATISTICS}.")) if STATISTICS in header else None
        return cls(tuple(members), sums)

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        states = self.first.operators.states
        return {
            "members": len(self.members),
            "reads": list(self.columns),
            "label": self.label,
            "labels": list(self.labels),
            "states_in_all": int(states.sum()),
            "most_states": int(states.max()),
            "known_words": len(self.first.words),
            "parameters": sum(array.size for one in self.members for array in one.to_parts()[1].values()),
            "statistics": self.statistics is not None,
            **self.first.about,
        }
