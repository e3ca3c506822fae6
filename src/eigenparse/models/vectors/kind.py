"""The kind of word vectors: what their files hold and what can be done with them."""

from collections.abc import Mapping

from eigenparse.arrays import AnyArray
from eigenparse.models.registry import Kind
from eigenparse.models.schema import NAMES, Array, Header, Law, Schema, Sizes
from eigenparse.models.vectors.word2vec import MOST

MOST_COUNT = 1 << 53  # upper bound of a plausible value
OPTIONS = {
    "dim": int, "method": str, "window": int, "vocabulary": int, "min_count": int, "lower": bool, "power": float,
    "rounds": int, "reach": int, "seed": int,
}  # fmt: skip


def _codes_fit(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
    """Whether the pairs of every distance, in rising order, are pairs of words."""
    every = (arrays[f"pairs.codes{d}"] for d in range(sizes["distances"]))
    return all(
        not codes.size or 0 <= int(codes[0]) <= int(codes[-1]) < sizes["words"] ** 2 for codes in every
    )


PLAIN = Schema(
    header={"words": NAMES, "about": dict},
    sizes={"words": "words"},
    rows=(
        Law("there are no words", lambda header, arrays, sizes: sizes["words"] > 0),
        Array("vectors", ("f4", "f8"), ("words", "dim"), low=-MOST, high=MOST),
        Array("counts", ("i8",), ("words",)),
    ),
)
WITH_STATISTICS = Schema(
    header={**PLAIN.header, "statistics": {"choices": OPTIONS, "dropped": int, "distances": int}},
    sizes={**PLAIN.sizes, "distances": "statistics.distances", "dropped": "statistics.dropped"},
    rows=(
        *PLAIN.rows,
        Law(
            "options and nothing else are kept",
            lambda h, a, s: set(h["statistics"]["choices"]) == set(OPTIONS),
        ),
        Law("there are no pairs", lambda header, arrays, sizes: sizes["distances"] > 0),
        Array("word_counts", ("i8",), ("words",), low=0, high=MOST_COUNT),
        Array("pairs.codes{}", ("i8",), ("pairs{}",), rising=True, each="distances"),
        Array("pairs.counts{}", ("i8",), ("pairs{}",), low=0, high=MOST_COUNT, each="distances"),
        Law("a pair is not one of words", _codes_fit),
    ),
)
VECTORS = Kind(
    name="vectors",
    title="word vectors",
    trainer="embed",
    schema=Schema(choose=lambda header: WITH_STATISTICS if "statistics" in header else PLAIN),
    model="eigenparse.models.vectors.vectors:WordVectors",
    options="eigenparse.learn.vectors.learner:VectorOptions",
    reading="eigenparse.learn.vectors.reading:TextReading",
    verbs={"merge": "eigenparse.learn.vectors.learner:merge_vectors"},
    kernels="eigenparse.kernels.vectors.cooccurrence",
)
