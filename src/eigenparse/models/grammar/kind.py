"""The records of grammar files: what is checked of their headers and arrays, and what can be done with them.

``SKELETON``, ``WEIGHTS`` and ``CONTEXT`` are the pieces that other kinds with a grammar inside reuse.  They expect
the size "labels".
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.grammar.judge import N_DENSE, N_TEMPLATES
from eigenparse.models.grammar.span_filter import SCHEMA as SPAN_FILTER
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
    check_value,
    exact_sum,
)

MOST_LABELS = 1 << 20  # so that the number of a rule, made of three labels, fits into 64 bits
MOST_STATES = 4096  # of a label; kernels hold tables of the states of two labels
MOST_PROBABILITY = 1e6  # no probability of a sound grammar is near it; products of larger ones would overflow
MOST_WEIGHT = 1e12  # of signed tensors, whose basis is arbitrary
MOST_BITS, MOST_LOOKS, MOST_DENSE = 24, 5, 1e4  # of a judge
Arrays = Mapping[str, AnyArray]

LABELS = [(NAMES, bool, NAMES, NAMES)]
SKELETON_HEADER: dict[str, Any] = {"labels": LABELS, "symbols": NAMES, "n_words": int, "n_classes": int}
HEADER: dict[str, Any] = SKELETON_HEADER | {"n_members": int, "report": dict}
REPORT: dict[str, Any] = {
    "method": str, "seed": int, "n_trees": int, "n_words": int, "label_counts": [int], "em_rounds": int,
    "negative_share": float, "members": [dict],
    "binarisation": {"factor": str, "horizontal": int, "vertical": int},
    "examples": [(int, int, str)], "head_rules_know": float,
    "head_rules": [(str, bool, [NAMES])], "head_punctuation": NAMES,
}  # fmt: skip
MEMBER_REPORT: dict[str, Any] = {"singular": dict, "log_likelihood": [float]}


def _probabilities(name: str, size: str) -> Array:
    return Array(name, ("f8",), (size,), low=0.0, high=MOST_PROBABILITY)


def _sorted_entries(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Whether the offsets of symbols agree with the symbols of entries."""
    start, symbol = arrays["skeleton.entry_start"], arrays["skeleton.entry_symbol"]
    return np.array_equal(np.repeat(np.arange(sizes["symbols"]), np.diff(start)), symbol)


# "symbols" is known from the offsets, because some kinds keep their names of symbols elsewhere in the header.
SKELETON: tuple[Array | Derived | Law, ...] = (
    Law(
        f"there is no label, one without a name, or more than {MOST_LABELS}",
        lambda header, arrays, sizes: (
            0 < sizes["labels"] <= MOST_LABELS and all(label[0] for label in header["labels"])
        ),
    ),
    Array("skeleton.entry_start", ("i8",), ("symbols_and_end",)),
    Derived("symbols", lambda arrays, sizes: sizes["symbols_and_end"] - 1),
    Array("skeleton.rules", ("i4",), ("rules", 3), below="labels"),
    Array("skeleton.entry_label", ("i4",), ("entries",), below="labels"),
    Array("skeleton.entry_symbol", ("i4",), ("entries",), below="symbols"),
    Array("skeleton.entry_start", ("i8",), ("symbols + 1",), offsets="entries"),
    Law("the lexicon entries are not sorted by symbol", _sorted_entries),
    _probabilities("skeleton.rule_probability", "rules"),
    _probabilities("skeleton.entry_probability", "entries"),
    _probabilities("skeleton.root_probability", "labels"),
    Law(
        "the numbers of words and classes do not fit the symbols",
        lambda header, arrays, sizes: (
            0 <= header["n_words"] < sizes["symbols"]
            and header["n_classes"] >= 0
            and 0 < header["n_words"] + header["n_classes"] <= sizes["symbols"]
        ),
    ),
)


def _rule_values(arrays: Arrays, sizes: Sizes) -> int:
    return exact_sum(*(arrays["states"][labels] for labels in arrays["skeleton.rules"].T))


def _weights(name: str, size: str) -> Array:
    return Array(name, ("f4", "f8"), (size,), low=-MOST_WEIGHT, high=MOST_WEIGHT)


# Weights over the skeleton of the schema around them.
WEIGHTS = Schema(
    rows=(
        Array("states", ("i4",), ("labels",), low=1, high=MOST_STATES),
        Derived("rule_values", _rule_values),
        Derived(
            "entry_values",
            lambda arrays, sizes: exact_sum(arrays["states"][arrays["skeleton.entry_label"]]),
        ),
        Derived("state_values", lambda arrays, sizes: exact_sum(arrays["states"])),
        _weights("rule_weight", "rule_values"),
        _weights("entry_weight", "entry_values"),
        _weights("root_weight", "state_values"),
        Law(
            "the weights are of several types",
            lambda header, arrays, sizes: (
                len({arrays[f"{name}_weight"].dtype for name in ("rule", "entry", "root")}) == 1
            ),
        ),
    )
)
CONTEXT = Schema(
    rows=(
        Array("follow", ("f4",), ("labels + 1", "labels + 1"), low=0.0, high=MOST_PROBABILITY),
        Array("before", ("f4",), ("labels + 1", "labels"), low=0.0, high=MOST_PROBABILITY),
        Array("after", ("f4",), ("labels + 1", "labels"), low=0.0, high=MOST_PROBABILITY),
    )
)


def _sound_judge(header: Header, arrays: Arrays, sizes: Sizes) -> bool:
    """Whether a judge has a look at tags and some at brackets, each with its dense weights, within bounds."""
    wanted = [N_DENSE["tags"], *[N_DENSE["brackets"]] * (sizes["dense"] - 1)]
    voices = sizes["others"] + (2 if sizes["others"] else 1)  # none in files written before judges had them
    values = [value for look in header["dense"] for value in look]
    templates = header.get("templates", N_TEMPLATES[0])
    return (
        1 <= sizes["bits"] <= MOST_BITS
        and 2 <= sizes["dense"] <= MOST_LOOKS
        and {len(look) - least for look, least in zip(header["dense"], wanted)} in ({0}, {voices})
        and all(abs(value) < MOST_DENSE for value in values)
        and 0.0 < header["low"] < header["high"] < 1.0
        and type(templates) is int
        and templates in N_TEMPLATES
    )


JUDGE = Schema(
    header={"dense": [[float]], "bits": int, "low": float, "high": float},
    sizes={"dense": "dense", "bits": "bits"},
    rows=(
        Law("the judge's settings are out of bounds", _sound_judge),
        Array("words", ("u4",), ("known",), rising=True),
        Array("tags.feature", ("i4",), ("tag_features",), below="1 << bits", rising=True),
        Array("tags.weight", ("i2",), ("tag_features",)),
        Array("look{}.feature", ("i4",), ("features{}",), below="1 << bits", rising=True, each="dense - 1"),
        Array("look{}.weight", ("i2",), ("features{}",), each="dense - 1"),
    ),
)


def sound_report(report: Header, n_labels: int) -> bool:
    """Whether the entries of a report have the expected types; every entry is optional."""
    for name in REPORT.keys() & report.keys():
        check_value(report[name], REPORT[name], name)
    for member in report.get("members", []):
        for name in MEMBER_REPORT.keys() & member.keys():
            check_value(member[name], MEMBER_REPORT[name], name)
        for number, values in member.get("singular", {}).items():
            check_value(values, [float], "singular")
            if not (number.isdecimal() and len(number) < 10 and str(int(number)) == number):
                return False
            if int(number) >= n_labels:
                return False
    return len(report.get("label_counts", [])) in (0, n_labels)


_ONE = Schema(
    header=HEADER,
    sizes={"labels": "labels"},
    rows=(
        *SKELETON,
        Law(
            "there are not as many names as symbols",
            lambda header, arrays, sizes: len(header["symbols"]) == sizes["symbols"],
        ),
        Law(
            "the report does not fit the labels",
            lambda header, arrays, sizes: sound_report(header["report"], sizes["labels"]),
        ),
    ),
    parts=(
        Part("member{}.", WEIGHTS, entry="n_members"),
        Part("coarse.", WEIGHTS, optional=True),
        Part("context.", CONTEXT, optional=True),
        Part("span_filter.", SPAN_FILTER, optional=True),
    ),
)

GRAMMAR = Kind(
    name="lpcfg",
    title="a grammar",
    trainer="train lpcfg",
    schema=Schema(
        header=HEADER | {"others": [HEADER]},
        sizes={"others": "others"},
        parts=(
            Part("", _ONE),
            Part("other{}.", _ONE, entry="others"),
            Part("judge.", JUDGE, entry="judge", optional=True),
        ),
    ),
    model="eigenparse.models.grammar.pcfg:LatentGrammar",
    options="eigenparse.learn.grammar.options:GrammarOptions",
    reading="eigenparse.learn.grammar.reading:TreeReading",
    verbs={
        "parse": "eigenparse.batch.start:parse",
        "score": "eigenparse.batch.score:score_brackets",
        "perplexity": "eigenparse.batch.perplexity:perplexity_grammar",
        "sample": "eigenparse.batch.score:sample_trees",
        "info": "eigenparse.batch.info_grammar:info",
        "guide": "eigenparse.batch.guide:guide",
        "evaluate": "eigenparse.batch.tune_grammar:evaluate",
        "learnt": "eigenparse.batch.tune_grammar:learnt",
        "plot": "eigenparse.batch.plot:grammar_curves",
    },
    face="eigenparse.api.grammar:Grammar.of",
    packer="eigenparse.models.grammar.packed:packed",
    kernels="eigenparse.kernels.grammar.chart",
    learning="eigenparse.kernels.grammar.counts",
)
# What is unpacked is checked as a GRAMMAR (``PackedGrammar.from_parts``).
PACKED = Kind(
    name="lpcfg-packed",
    title="a packed grammar",
    trainer="train lpcfg",
    schema=Schema(
        header={"packing": int, "layout": [(str, str, [int], str, int)], "notes": dict},
        rows=(Array("packed", ("u1",), ("bytes",)),),
    ),
    model="eigenparse.models.grammar.packed:PackedGrammar",
    verbs=GRAMMAR.verbs,
    face=GRAMMAR.face,
    kernels=GRAMMAR.kernels,
    learning=GRAMMAR.learning,
)
GRAMMARS = (GRAMMAR.name, PACKED.name)  # the kinds that are read as a ``LatentGrammar``
