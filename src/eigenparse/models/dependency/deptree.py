"""The latent-variable dependency tree model as a frozen record [dhillon-etal-2012, equation 2].

Every word has a hidden state; a child's state depends on its head's state and on the side; each
state emits one symbol a channel.  Channels are what is observed of a word: its form or tag, how many
children it has on each side, how far away its head is.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.errors import ModelFileError, OptionError
from eigenparse.models.dependency.split_heads import ESTIMATOR as SPLIT_HEADS
from eigenparse.models.dependency.split_heads import SplitHeads, split_heads_of, split_heads_parts
from eigenparse.models.store import Header, load_model, save_model

KIND = "deptree"
CHANNELS = {
    "form": "form in lower case; forms too rare in training are replaced by their tag",
    "tag": "language-specific tag, or the universal tag if there is none",
    "upos": "universal tag",
    "left": "number of left children, 0 to 3",
    "right": "number of right children, 0 to 3",
    "distance": "distance to the head: 1, 2, 3-5, 6-10, more, or the root",
}
UNKNOWN = "<unknown>"
ARRAYS = ("start", "transition", "observation", "final", "product")


@dataclass(frozen=True, slots=True)
class DepTree:
    """Parameters in any basis; see the kernel for how they combine.

    start = c_1 (k,).  transition = T or E (2, k, k), sides left and right, child before parent.
    observation = A (W, k): the rows of all channels one after the other; ``symbols[c]`` names the
    rows of channel c, the first of them standing for symbols never seen.  final = c_inf (k,).
    product = D (k, k, k), or empty if states are visible and parameters are probabilities.
    """

    estimator: str
    channels: tuple[str, ...]
    symbols: tuple[tuple[str, ...], ...]
    start: FloatArray
    transition: FloatArray
    observation: FloatArray
    final: FloatArray
    product: FloatArray

    @property
    def n_states(self) -> int:
        """Number k of hidden states."""
        return int(self.start.size)

    @property
    def is_proper(self) -> bool:
        """Whether the parameters are probabilities of visible states."""
        return self.product.size == 0


TreeModel = DepTree | SplitHeads


def check_channels(channels: tuple[str, ...]) -> None:
    """Refuse channels that do not exist or repeat."""
    unknown = [name for name in channels if name not in CHANNELS]
    if unknown or not channels or len(set(channels)) != len(channels):
        raise OptionError(
            f"channels must be different names of {', '.join(CHANNELS)}, got {', '.join(channels)} instead"
        )


def save_deptree(path: str | Path, model: TreeModel) -> None:
    """Write a model file."""
    header, arrays = tree_model_parts(model)
    save_model(path, kind=KIND, header=header, arrays=arrays)


def tree_model_parts(model: TreeModel, *, relations: bool = True) -> tuple[Header, dict[str, AnyArray]]:
    """Header and arrays of a model file; relations: with the labeller of arcs, which scores need not."""
    if isinstance(model, SplitHeads):
        return split_heads_parts(model if relations else replace(model, labeller=None))
    header: Header = {
        "estimator": model.estimator,
        "channels": list(model.channels),
        "symbols": [list(names) for names in model.symbols],
    }
    return header, {name: getattr(model, name) for name in ARRAYS}


def tree_model_of(header: Header, arrays: dict[str, AnyArray]) -> TreeModel:
    """The model of a header and arrays; ValueError, KeyError or OptionError if they do not fit."""
    if header["estimator"] == SPLIT_HEADS:
        return split_heads_of(header, arrays)
    symbols = tuple(tuple(names) for names in header["symbols"])
    parts = {name: arrays[name] for name in ARRAYS}
    model = DepTree(str(header["estimator"]), tuple(header["channels"]), symbols, **parts)
    check_channels(model.channels)
    k, rows = model.n_states, sum(map(len, symbols))
    shapes = (model.transition.shape, model.observation.shape, model.final.shape)
    if shapes != ((2, k, k), (rows, k), (k,)) or model.product.shape not in ((k, k, k), (0, 0, 0)):
        raise ValueError("shapes of the parameters disagree")
    return model


def load_deptree(path: str | Path) -> TreeModel:
    """Read a model that ``save_deptree`` wrote."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not {KIND!r}; use the verb for that kind"
        )
    try:
        return tree_model_of(header, arrays)
    except (KeyError, IndexError, ValueError, TypeError, OptionError) as problem:
        raise ModelFileError(
            f"{path}: the tree model in it is incomplete ({problem}); train it again"
        ) from None


def proper_model(
    estimator: str,
    channels: tuple[str, ...],
    symbols: tuple[tuple[str, ...], ...],
    start: FloatArray,
    transition: FloatArray,
    observation: FloatArray,
) -> DepTree:
    """A model whose states are visible: entrywise products, final = 1."""
    return DepTree(
        estimator, channels, symbols, start, transition, observation, np.ones(start.size), np.zeros((0, 0, 0))
    )
