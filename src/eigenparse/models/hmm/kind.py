"""The record of HMMs over symbols: what is checked of their files, and who learns and uses them."""

from collections.abc import Mapping

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.models.hmm.chain import OBSERVABLE, PROPER
from eigenparse.models.registry import Kind
from eigenparse.models.schema import NAMES, Array, Header, Law, Part, Schema, Sizes
from eigenparse.models.tagger.kind import sums_are_announced

FLOAT, KEY = ("f8",), ("u8",)
MOST_OPERATORS = 1 << 30  # numbers in the operators of a model: eight gigabytes
MOST_WINDOW = 100
SUM = 1e-6  # how far probabilities may be from summing to one
Arrays = Mapping[str, AnyArray]


def _complete(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Probabilities in one kind of model, observable operators in the other, pairs where they count."""
    needed = {*(PROPER if header["proper"] else OBSERVABLE)}
    return needed | ({"pairs"} if header.get("pair_share", 0.0) > 0.0 else set()) <= arrays.keys()


def _shares(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Python compares a NaN as false, so that it is refused too."""
    shares = header["floor"], header.get("pair_share", 0.0)
    return all(isinstance(share, int | float) and 0.0 <= share <= 1.0 for share in shares)


def _probabilities(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """The columns of a proper model sum to one; symbols of any model have a positive share."""
    if not header["proper"]:
        return bool(np.all(arrays["unigram"] > 0.0))
    return all(bool(np.all(np.abs(arrays[name].sum(axis=0) - 1.0) <= SUM)) for name in PROPER)


_SYMBOLS, _STATES = ("symbols",), ("symbols", "states")
_PAIRS = ("symbols", "symbols", "states")

# The sums behind a spectral HMM: keys, scales and projections of a first batch, and moments of all batches.
STATISTICS = Schema(
    header={
        "choices": {
            "states": int, "window": int, "form": str, "kappa": float, "kappa_past": float, "cutoff": float,
            "shrink": float, "floor": float, "seed": int,
        },
        "pair_share": float, "n_starts": float, "n_sequences": float,
    },
    rows=(
        Law("the window or the number of sequences is out of range", lambda header, arrays, sizes: (
            1 <= header["choices"]["window"] <= MOST_WINDOW and 0.0 <= header["n_starts"] <= header["n_sequences"]
            and header["choices"]["form"] == "hsu" and 0.0 <= header["pair_share"] <= 1.0
        )),
        Array("keys0", KEY, ("future",)),
        Array("keys1", KEY, ("past",)),
        Array("scales0", FLOAT, ("future",)),
        Array("scales1", FLOAT, ("past",)),
        Array("singular", FLOAT, ("states - 1",)),
        Array("left", FLOAT, ("future", "states - 1")),
        Array("right", FLOAT, ("past", "states - 1")),
        Array("left_mean", FLOAT, ("states - 1",)),
        Array("right_mean", FLOAT, ("states - 1",)),
        Array("cross", FLOAT, ("states", "states")),
        Array("moved", FLOAT, ("symbols", "states", "states")),
        Array("after", FLOAT, _STATES),
        Array("counts", FLOAT, _SYMBOLS, low=0.0),
        Array("uses", FLOAT, _SYMBOLS, low=0.0),
        Array("start", FLOAT, ("states",)),
        Law("no token was counted", lambda header, arrays, sizes: bool(arrays["uses"].sum() > 0.0)),
        Array("pairs", FLOAT, ("pair_rows", "pair_columns", "pair_states")),
        Law("pairs do not fit the symbols", lambda header, arrays, sizes: arrays["pairs"].shape in (
            (0, 0, 0), (sizes["symbols"], sizes["symbols"], sizes["states"]),
        )),
    ),
)  # fmt: skip

CHAIN = Kind(
    name="hmm",
    title="an HMM over symbols",
    trainer="train hmm",
    schema=Schema(
        header={"symbols": NAMES, "unit": str, "floor": float, "proper": bool, "about": dict},
        sizes={"symbols": "symbols"},
        rows=(
            sums_are_announced(STATISTICS),
            Law("an HMM needs a symbol", lambda header, arrays, sizes: sizes["symbols"] >= 1),
            Law("floor and pair_share must be numbers from 0 to 1", _shares),
            Law("an array is missing", _complete),
            Array("initial", FLOAT, ("states",), optional=True),
            Array("start", FLOAT, ("states",), low=0.0, optional=True),
            Law("the model has no state or too many", lambda header, arrays, sizes: (
                sizes["states"] >= 1 and sizes["symbols"] * sizes["states"] ** 2 <= MOST_OPERATORS
            )),
            Array("final", FLOAT, ("states",), optional=True),
            Array("operators", FLOAT, ("symbols", "states", "states"), optional=True),
            Array("predict", FLOAT, _STATES, optional=True),
            Array("reset", FLOAT, _STATES, optional=True),
            Array("unigram", FLOAT, _SYMBOLS, low=0.0, optional=True),
            Array("transition", FLOAT, ("states", "states"), low=0.0, optional=True),
            Array("emission", FLOAT, _STATES, low=0.0, optional=True),
            Array("pairs", FLOAT, _PAIRS, optional=True),
            Law("probabilities do not sum to one", _probabilities),
        ),
        parts=(Part("statistics.", STATISTICS, "statistics", optional=True),),
    ),
    model="eigenparse.models.hmm.chain:ChainModel",
    options="eigenparse.learn.hmm.learner:HmmOptions",
    reading="eigenparse.learn.hmm.reading:SymbolReading",
    verbs={
        **{verb: f"eigenparse.batch.chain:{verb}" for verb in ("score", "perplexity", "sample", "tag", "evaluate")},
        "merge": "eigenparse.learn.hmm.statistics:merge_chains",
    },
    kernels="eigenparse.kernels.hmm.chain",
)  # fmt: skip
