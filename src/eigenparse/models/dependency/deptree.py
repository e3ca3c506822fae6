"""The latent-variable dependency tree model as a frozen record [dhillon-etal-2012, equation 2].

Every word has a hidden state; a child's state depends on its head's state and on the side; each
state emits one symbol per channel.  Channels are what is observed of a word: its form or tag, how many
children it has on each side, how far away its head is.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.models.container import Header
from eigenparse.models.dependency.split_heads import ESTIMATORS as SPLIT_HEADS
from eigenparse.models.dependency.split_heads import SplitHeads

ARRAYS = ("start", "transition", "observation", "final", "product")
Names = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class DepTree:
    """Parameters in any basis; see the kernel for how they combine.

    start = c_1 (k,).  transition = T or E (2, k, k), sides left and right, child before parent.
    observation = A (W, k): the rows of all channels one after the other; ``symbols[c]`` names the
    rows of channel c, the first of them standing for symbols never seen.  final = c_inf (k,).
    product = D (k, k, k), or empty if states are visible and parameters are probabilities.
    about: facts about the training, JSON values only.
    """

    estimator: str
    channels: tuple[str, ...]
    symbols: Names
    start: FloatArray
    transition: FloatArray
    observation: FloatArray
    final: FloatArray
    product: FloatArray
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def n_states(self) -> int:
        """Number k of hidden states."""
        return int(self.start.size)

    @property
    def is_proper(self) -> bool:
        """Whether the parameters are probabilities of visible states."""
        return self.product.size == 0

    def to_parts(self) -> tuple[Header, dict[str, AnyArray]]:
        """Header and arrays of a model file."""
        header: Header = {
            "estimator": self.estimator,
            "channels": list(self.channels),
            "symbols": [list(names) for names in self.symbols],
            "about": self.about,
        }
        return header, {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_parts(cls, header: Header, arrays: dict[str, AnyArray]) -> "DepTree":
        """The inverse of ``to_parts``."""
        symbols = tuple(tuple(names) for names in header["symbols"])
        parameters = {name: arrays[name] for name in ARRAYS}
        about = header.get("about", {})
        return cls(header["estimator"], tuple(header["channels"]), symbols, **parameters, about=about)

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "estimator": self.estimator,
            "states": self.n_states,
            "channels": list(self.channels),
            "symbols": sum(map(len, self.symbols)),
            **self.about,
        }


TreeModel = DepTree | SplitHeads


class TreeFile:
    """A file of either kind of tree model: the estimator in its header says which."""

    @staticmethod
    def from_parts(header: Header, arrays: dict[str, AnyArray]) -> TreeModel:
        """The model in a file."""
        found = SplitHeads if header["estimator"] in SPLIT_HEADS else DepTree
        return found.from_parts(header, arrays)


def proper_model(
    estimator: str,
    channels: tuple[str, ...],
    symbols: Names,
    start: FloatArray,
    transition: FloatArray,
    observation: FloatArray,
) -> DepTree:
    """A model whose states are visible: entrywise products, final = 1."""
    return DepTree(
        estimator, channels, symbols, start, transition, observation, np.ones(start.size), np.zeros((0, 0, 0))
    )
