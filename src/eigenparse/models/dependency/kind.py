"""The kinds of dependency models: what their files hold and what can be done with them."""

from collections.abc import Mapping
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.errors import OptionError
from eigenparse.features.dependency.channels import CHANNELS
from eigenparse.features.dependency.templates import JUDGE_CODES
from eigenparse.models.dependency.hashed import hashed_rows, known_codes
from eigenparse.models.dependency.labeller import LABELLER
from eigenparse.models.dependency.morphology import MORPHOLOGY
from eigenparse.models.dependency.packed_tagger import PACKED
from eigenparse.models.dependency.rerank import FAMILIES, check_patterns
from eigenparse.models.dependency.split_heads import ESTIMATORS
from eigenparse.models.grammar.kind import CONTEXT, LABELS, SKELETON, WEIGHTS
from eigenparse.models.registry import Kind
from eigenparse.models.schema import NAMES, Array, Header, Law, Part, Schema

Arrays = Mapping[str, AnyArray]
LEAST = 5e-324  # the smallest number above 0
MOST = 1e60  # no sound parameter is near it; larger ones would overflow in products
ABOUT = Law("about is not an object", lambda header, arrays, sizes: isinstance(header.get("about", {}), dict))


def _sound_taggers(taggers: Any) -> bool:
    return isinstance(taggers, dict) and set(taggers) <= {"upos", "xpos"}


CLASSES = Schema(
    rows=(
        Array("keys", ("u4",), ("class_words",), rising=True),
        Law("no word has a class", lambda header, arrays, sizes: sizes["class_words"] > 0),
        Array("coarse", ("u2",), ("classes",), below="classes"),
        Array("fine", ("u2",), ("class_words",), below="classes"),
    )
)

PRUNER = Schema(
    header={"templates": NAMES, "bits": int},
    sizes={"prune_bits": "bits"},
    rows=(
        Law("a template of the pruner has an unknown code", lambda h, a, s: known_codes(h["templates"])),
        *hashed_rows("", "prune_bits", 8, 24),
    ),
)

JUDGE = Schema(
    header={"templates": NAMES, "bits": int, "scale": float, "trust": float},
    sizes={"judge_bits": "bits"},
    rows=(
        Law(
            "a template of the judge has an unknown code",
            lambda h, a, s: known_codes(h["templates"], JUDGE_CODES),
        ),
        Law("scale or trust of the judge is not a valid number", lambda h, a, s: _sound_judge(h)),
        *hashed_rows("", "judge_bits", 8, 24),
    ),
)


def _sound_judge(header: Header) -> bool:
    return bool(0.0 < header["scale"] < 1e6 and abs(header["trust"]) < 1e6)


ARC_SCHEMA = Schema(
    header={
        "order": int, "crossing": bool, "bits": int, "templates": NAMES, "pair_templates": NAMES, **LABELLER.header,
    },
    sizes={"bits": "bits", **LABELLER.sizes},
    rows=(
        ABOUT,
        Law("order is neither 1 nor 2", lambda header, arrays, sizes: header["order"] in (1, 2)),
        Law("a judge needs order 2", lambda h, a, s: h["order"] == 2 or "judge" not in h),
        Law("crossing arcs need order 1", lambda h, a, s: not (h["crossing"] and h["order"] != 1)),
        Law("a template has an unknown code", lambda header, arrays, sizes: known_codes(header["templates"])),
        Law("a tagger is of neither upos nor xpos", lambda h, a, s: _sound_taggers(h.get("taggers", {}))),
        *hashed_rows("", "bits", 8, 26),
        *LABELLER.rows,
    ),
    parts=(
        Part("pruner.", PRUNER, "pruner", optional=True), Part("judge.", JUDGE, "judge", optional=True),
        Part("classes.", CLASSES, optional=True),
        Part("morphology.", MORPHOLOGY, "morphology", optional=True),
        Part("{}.", PACKED, "taggers", optional=True),
    ),
)  # fmt: skip

PLAIN_TREES = Schema(
    header={"estimator": str, "channels": NAMES, "symbols": [NAMES]},
    sizes={"channels": "channels"},
    rows=(
        ABOUT,
        Law("a channel is unknown, repeated or without symbols", lambda h, a, s: _sound_channels(h)),
        Array("start", ("f8",), ("states",), low=-MOST, high=MOST),
        Law("there are no states", lambda header, arrays, sizes: sizes["states"] > 0),
        Array("transition", ("f8",), (2, "states", "states"), low=-MOST, high=MOST),
        Array("observation", ("f8",), ("rows", "states"), low=-MOST, high=MOST),
        Law("symbols and rows differ in number", lambda h, a, s: sum(map(len, h["symbols"])) == s["rows"]),
        Array("final", ("f8",), ("states",), low=-MOST, high=MOST),
        Array("product", ("f8",), ("width", "width", "width"), low=-MOST, high=MOST),
        Law("the product does not fit the states", lambda h, a, s: s["width"] in (0, s["states"])),
        Law(
            "a probability is negative, or no state starts a tree",
            lambda h, a, s: s["width"] > 0 or _visible(a),
        ),
    ),
)


def _visible(arrays: Arrays) -> bool:
    """Whether the parameters of a model without a product can be probabilities of visible states."""
    parts = (arrays[name] for name in ("start", "transition", "observation"))
    return bool(arrays["start"].sum() > 0 and all((part >= 0).all() for part in parts))


def _sound_channels(header: Header) -> bool:
    channels, symbols = header["channels"], header["symbols"]
    known = bool(channels) and len(set(channels)) == len(channels) and set(channels) <= set(CHANNELS)
    return known and len(symbols) == len(channels) and all(symbols)


SPLIT_HEADS = Schema(
    header={
        "estimator": str, "channels": (str,), "symbols": (NAMES,), "labels": LABELS, "n_words": int,
        "n_classes": int, "n_states": int, "n_members": int,
    },
    sizes={"labels": "labels", "names": "symbols.0"},
    rows=(
        ABOUT,
        Law("the channel is neither upos nor tag", lambda h, a, s: h["channels"][0] in ("upos", "tag")),
        *SKELETON,
        Law("names and symbols differ in number", lambda header, arrays, sizes: sizes["names"] == sizes["symbols"]),
        Array("floor", ("f8",), ("labels + 1",), low=LEAST, high=1.0),
    ),
    parts=(
        Part("member{}.", WEIGHTS, "n_members"),
        Part("context.", CONTEXT, optional=True),
        Part("", LABELLER, "labeller", optional=True),
    ),
)  # fmt: skip
TREE_SCHEMA = Schema(
    choose=lambda header: SPLIT_HEADS if header.get("estimator") in ESTIMATORS else PLAIN_TREES
)

RERANKER_SCHEMA = Schema(
    header={"families": NAMES, "bits": int, "tree_models": [dict]},
    sizes={"bits": "bits", "models": "tree_models"},
    rows=(
        ABOUT,
        Law("a family of features is unknown", lambda h, a, s: set(h["families"]) <= set(FAMILIES)),
        Law(
            "a pattern is not understood",
            lambda header, arrays, sizes: _sound_patterns(header.get("patterns", [])),
        ),
        *hashed_rows("", "bits", 8, 26),
        Array("dense_weights", ("f4", "f8"), ("1 + 2 * models",), low=-MOST, high=MOST),
        Array("scale", ("f4", "f8"), ("1 + 2 * models",), low=LEAST),
    ),
    parts=(Part("tree{}.", TREE_SCHEMA, "tree_models"),),
)


def _sound_patterns(patterns: Any) -> bool:
    try:
        check_patterns(tuple(patterns))
    except (OptionError, TypeError, AttributeError):
        return False
    return isinstance(patterns, list)


_LEARN, _BATCH = "eigenparse.learn.dependency", "eigenparse.batch"
ARCS = Kind(
    name="dependency", title="a dependency parser", trainer="train dependency", schema=ARC_SCHEMA,
    model="eigenparse.models.dependency.arcs:ArcModel",
    options=f"{_LEARN}.arcs:ArcOptions", reading=f"{_LEARN}.reading:TreeReading",
    verbs={
        "parse": f"{_BATCH}.parse_dependency:parse_arcs", "evaluate": f"{_BATCH}.attachment:evaluate_arcs",
        "learnt": f"{_BATCH}.attachment:arcs_learnt",
    },
    kernels="eigenparse.kernels.dependency.arc_decoding",
    learning="eigenparse.kernels.dependency.arc_training",
    face="eigenparse.api.dependency_parser:DependencyParser",
)  # fmt: skip
TREES = Kind(
    name="deptree", title="a latent tree model", trainer="train deptree", schema=TREE_SCHEMA,
    model="eigenparse.models.dependency.deptree:TreeFile",
    options=f"{_LEARN}.trees:DepTreeOptions", reading=f"{_LEARN}.reading:TreeReading",
    verbs={
        "parse": f"{_BATCH}.parse_dependency:parse_trees", "score": f"{_BATCH}.score:score_dependencies",
        "perplexity": f"{_BATCH}.score:perplexity_dependencies", "sample": f"{_BATCH}.score:sample_dependencies",
        "evaluate": f"{_BATCH}.attachment:evaluate_trees", "learnt": f"{_BATCH}.attachment:trees_learnt",
    },
    kernels="eigenparse.kernels.dependency.deptree",
)  # fmt: skip
RERANKER = Kind(
    name="reranker", title="a re-ranker of dependency trees", trainer="train reranker", schema=RERANKER_SCHEMA,
    model="eigenparse.models.dependency.rerank:Reranker",
    options=f"{_LEARN}.rerank:RerankerOptions", reading=f"{_LEARN}.reading:RerankerReading",
    verbs={"rerank": f"{_BATCH}.rerank:rerank", "learnt": f"{_BATCH}.attachment:reranker_learnt"},
    kernels="eigenparse.kernels.dependency.rerank",
)  # fmt: skip
