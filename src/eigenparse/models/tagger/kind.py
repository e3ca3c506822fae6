"""The record of taggers: what is checked of their files, and who learns and uses them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.errors import OptionError
from eigenparse.features.tagger.templates import parse_template
from eigenparse.models.registry import Kind
from eigenparse.models.schema import (
    NAMES,
    Array,
    Derived,
    Header,
    Law,
    Part,
    Schema,
    Sizes,
    check_model,
    check_value,
    exact_sum,
)
from eigenparse.models.tagger.rhmm import parts_below

FLOAT, KEY, LONG, INT = ("f8",), ("u8",), ("i8",), ("i4",)
MOST_STATES = 4096  # of one label: the products of three such numbers are far from wrapping around
MOST_COUNT = 1 << 31  # tokens of one kind that are counted
Arrays = Mapping[str, AnyArray]


def _pairs(header: Header, arrays: Arrays) -> AnyArray:
    """Length of u for every label, (A,)."""
    states = arrays["states"].astype(np.int64)
    return states if header["diagonal"] else states * states


def _stops_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    return sizes["tagger_pairs"] == exact_sum(_pairs(header, arrays))


def _blocks_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Compared without adding to ``block``, which could wrap around."""
    size = np.outer(arrays["states"].astype(np.int64), _pairs(header, arrays)).reshape(-1)
    block = arrays["block"]
    return bool(np.all((block < 0) | (block <= sizes["tagger_values"] - size)))


def _rows_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Rows of keys follow each other and end at the last row; row 0 is unused."""
    at = arrays["observation_row_at"]
    return int(at[-1]) == sizes["observation_rows"] >= 1 and not bool((at[1:] < at[:-1]).any())


def _readable(texts: list[str]) -> bool:
    try:
        return all(parse_template(text) is not None for text in texts)
    except OptionError:
        return False


def _templates_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Emissions need a template; keys without one would never be looked up."""
    return _readable([*header["emission_templates"], *header["observation_templates"]])


# One refinement HMM, wherever it is kept: in a tagger, in a dependency parser, in a phone recogniser.
ONE_TAGGER = Schema(
    header={
        "columns": NAMES, "label": str, "labels": NAMES, "diagonal": bool, "emission_templates": NAMES,
        "emission_combine": str, "observation_templates": NAMES, "words": NAMES, "about": dict,
    },
    sizes={"tagger_labels": "labels", "tagger_columns": "columns"},
    rows=(
        Law("a tagger needs a label and a column to read", lambda header, arrays, sizes: bool(
            sizes["tagger_labels"] and sizes["tagger_columns"]
        )),
        Law("emission_combine is neither sum nor last", lambda header, arrays, sizes: (
            header["emission_combine"] in ("sum", "last")
        )),
        Law("a template cannot be read", _templates_fit),
        Array("states", INT, ("tagger_labels",), low=1, high=MOST_STATES),
        Derived("tagger_states", lambda arrays, sizes: exact_sum(arrays["states"])),
        Array("start", FLOAT, ("tagger_states",)),
        Array("stop", FLOAT, ("tagger_pairs",)),
        Law("stop does not fit the states", _stops_fit),
        Array("values", FLOAT, ("tagger_values",)),
        Array("block", LONG, ("tagger_labels * tagger_labels",), below="tagger_values + 1", lowest=-1),
        Law("a block reaches beyond the values", _blocks_fit),
        Array("first", FLOAT, ("tagger_labels",)),
        Array("base", FLOAT, ("tagger_labels", "tagger_labels")),
        Array("last", FLOAT, ("tagger_labels",)),
        Array("emission_keys", KEY, ("emission_keys",)),
        Array("emission_rows", ("f4",), ("emission_keys", "tagger_labels")),
        Array("emission_offset", FLOAT, ("tagger_labels",)),
        Array("observation_keys", KEY, ("observation_keys",)),
        Array("observation_vectors", FLOAT, ("observation_rows", "observation_width")),
        Array("observation_row_label", INT, ("observation_rows",), below="tagger_labels"),
        Array("observation_row_at", LONG, ("observation_keys + 1",), below="observation_rows + 1"),
        Law("observation_row_at does not end at the last row", _rows_fit),
        Law("observation vectors are shorter than the states", lambda header, arrays, sizes: bool(
            sizes["observation_width"] >= arrays["states"].max()
        )),
    ),
)  # fmt: skip

# The sums behind a tagger: projections of every label that the first batch had, and moments of all batches.
_ROLES = range(4)
ONE_VIEW = Schema(
    rows=(
        *(Array(f"keys{i}", KEY, (f"keys{i}",)) for i in _ROLES),
        *(Array(f"scales{i}", FLOAT, (f"keys{i}",)) for i in _ROLES),
        *(
            Array(f"{pair}.{name}", FLOAT, shape)
            for pair, left, right in (("along", "keys0", "keys1"), ("across", "keys2", "keys3"))
            for name, shape in (
                ("singular", (pair,)), ("left", (left, pair)), ("right", (right, pair)),
                ("left_mean", (pair,)), ("right_mean", (pair,)),
            )
        ),
    ),
)  # fmt: skip


def _views_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    for a, viewed in enumerate(header["viewed"]):
        if viewed:
            check_model(ONE_VIEW, {}, parts_below(arrays, f"view{a}."))
    return True


def view_states(header: Header, arrays: Arrays) -> list[int]:
    """States of every label under the projections."""
    widths = ("along.singular", "across.singular")
    return [
        1 + max(arrays[f"view{a}.{name}"].size for name in widths) if viewed else 1
        for a, viewed in enumerate(header["viewed"])
    ]


def _pairs_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Tensors are named by the number of their pair of labels."""
    states, A = view_states(header, arrays), sizes["sum_labels"]
    for name, array in arrays.items():
        code = name.removeprefix("pair")
        if code == name:
            continue
        if not (code.isascii() and code.isdigit() and str(int(code)) == code and int(code) < A * A):
            return False
        b, a = states[int(code) // A], states[int(code) % A]
        if array.dtype.str[1:] not in FLOAT or array.shape != (b, a, a):
            return False
    return True


def _counts_fit(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Emitted words, and how often each label occurs, starts and stops: the first entries of its moments."""
    labels = arrays["along"][:, 0, 0]
    counts = (arrays["emitted.sums"], labels, arrays["starts"][:, 0], arrays["stops"][:, 0, 0])
    in_range = all(array.size and 0 <= array.min() <= array.max() < MOST_COUNT for array in counts)
    return sizes["seen"] > 0 and in_range and bool(labels.sum() > 0)


CHOICES: dict[str, Any] = {
    "states": int, "strength": float, "weight": float, "kappa": float, "cutoff": float, "tokens_per_state": int,
    "fewest": int, "runs": bool,
}  # fmt: skip
STATISTICS = Schema(
    header={
        "features": dict.fromkeys(("phi", "psi", "xi", "upsilon"), NAMES),
        "emission": {"templates": NAMES, "rare": int, "strength": float},
        "symbols": NAMES,
        "choices": CHOICES,
        "viewed": [bool],
        "words": NAMES,
    },
    sizes={"sum_labels": "viewed", "sum_symbols": "symbols"},
    rows=(
        Law("a template of the statistics cannot be read", lambda header, arrays, sizes: _readable(
            [*header["symbols"], *header["emission"]["templates"]]
        )),
        Law("the projections do not fit", _views_fit),
        Array("starts", FLOAT, ("sum_labels", "sum_states")),
        Law("the sums do not fit the projections", lambda header, arrays, sizes: (
            max(view_states(header, arrays)) == sizes["sum_states"]
        )),
        *(Array(name, FLOAT, ("sum_labels", "sum_states", "sum_states")) for name in ("stops", "along", "across")),
        Law("a pair of labels does not fit", _pairs_fit),
        Array("seen.keys", KEY, ("seen", "sum_symbols")),
        Array("seen.labels", INT, ("seen",), below="sum_labels"),
        Array("seen.sums", FLOAT, ("seen", "sum_states")),
        Array("emitted.keys", KEY, ("emitted", "emission_templates")),
        Law("the emission does not fit its templates", lambda header, arrays, sizes: (
            sizes["emission_templates"] == len(header["emission"]["templates"])
        )),
        Array("emitted.labels", INT, ("emitted",), below="sum_labels"),
        Array("emitted.sums", FLOAT, ("emitted", 1)),
        Law("a count is out of range", _counts_fit),
    ),
)  # fmt: skip


def _members_agree(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    members = header["members"]
    first = {name: members[0][name] for name in ("labels", "label", "columns")} if members else {}
    return bool(members) and all(first.items() <= one.items() for one in members)


def sums_are_announced(schema: Schema) -> Law:
    """The header of the sums of a model, if there is one, is what their schema says."""

    def holds(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
        if "statistics" in header:
            check_value(header["statistics"], schema.header, "statistics")
        return True

    return Law("the header of the statistics does not fit", holds)


TAGGER = Kind(
    name="rhmm",
    title="a tagger",
    trainer="train rhmm",
    schema=Schema(
        header={"members": [ONE_TAGGER.header]},
        rows=(
            Law("there is no tagger, or the taggers have different labels", _members_agree),
            sums_are_announced(STATISTICS),
            Law(
                "the statistics are of other labels",
                lambda header, arrays, sizes: (
                    "statistics" not in header
                    or len(header["statistics"]["viewed"]) == len(header["members"][0]["labels"])
                ),
            ),
        ),
        parts=(
            Part("m{}.", ONE_TAGGER, "members"),
            Part("statistics.", STATISTICS, "statistics", optional=True),
        ),
    ),
    model="eigenparse.models.tagger.rhmm:Tagger",
    options="eigenparse.learn.tagger.learner:TaggerOptions",
    reading="eigenparse.learn.tagger.reading:SequenceReading",
    verbs={
        **{verb: f"eigenparse.batch.tagger_probability:{verb}" for verb in ("score", "perplexity", "sample")},
        "tag": "eigenparse.batch.tag:tag",
        "evaluate": "eigenparse.batch.tag:evaluate",
        "merge": "eigenparse.learn.tagger.statistics:merge_taggers",
    },
    kernels="eigenparse.kernels.tagger.chain",
)
