"""Model files whose checksums are right and whose contents lie: each is refused with a sentence, before any kernel."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.dependency.toys import small, toy

from eigenparse.errors import ModelFileError
from eigenparse.inference.dependency.arcs import kbest
from eigenparse.inference.dependency.rerank import scored
from eigenparse.learn.dependency.rerank import RerankerOptions
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.learn.vectors.learner import VectorOptions, merge_vectors
from eigenparse.learn.vectors.reading import Text
from eigenparse.models.container import read_container, write_container
from eigenparse.models.registry import load_model, save_model

LAST = 2**63 - 1
Arrays = dict[str, Any]
Change = Callable[[dict[str, Any], Arrays], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """One small sound model of every kind."""
    folder = tmp_path_factory.mktemp("crafted")
    trees, _ = toy(40)
    parser = small(passes=1, tags="predicted").fit(trees)
    save_model(parser, folder / "dependency", "dependency")
    plain = DepTreeOptions(states=2, rounds=1).fit(trees)
    save_model(plain, folder / "deptree", "deptree")
    heads = DepTreeOptions(states=2, estimator="lpcfg").fit(trees)
    save_model(heads, folder / "split-heads", "deptree")
    lists = kbest(parser, trees, 3)
    table = scored(trees, lists.heads, lists.scores, lists.found, (plain, heads))
    ranker = RerankerOptions(passes=1, bits=10).fit_lists(table, trees.head, (plain, heads))
    save_model(ranker, folder / "reranker", "reranker")
    (folder / "text").write_text("the dog saw a man\na man saw the dog\nthe men slept\n" * 5)
    options = VectorOptions(dim=2, min_count=1, keep_statistics=True)
    save_model(options.fit(Text((folder / "text",))), folder / "vectors", "vectors")
    return folder


def put(place: str, value: object) -> Change:
    """Set one value of the header; "labeller.relations" is an entry of an entry."""

    def change(header: dict[str, Any], arrays: Arrays) -> None:
        *path, last = place.split(".")
        for step in path:
            header = header[int(step)] if isinstance(header, list) else header[step]
        header[last] = value

    return change


def fill(name: str, value: int | float, at: int | slice = -1) -> Change:
    """Set one value of an array, or several."""

    def change(header: dict[str, Any], arrays: Arrays) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name].reshape(-1)[at] = value

    return change


def turn(name: str, how: Callable[[Any], Any]) -> Change:
    """Replace an array by one made from it."""

    def change(header: dict[str, Any], arrays: Arrays) -> None:
        arrays[name] = how(arrays[name])

    return change


def no_symbols(header: dict[str, Any], arrays: Arrays) -> None:
    """The last channel has no symbols: rows of the table beyond its end would be read."""
    n = len(header["symbols"][-1])
    header["symbols"][-1] = []
    arrays["observation"] = arrays["observation"][:-n]


def many_relations(header: dict[str, Any], arrays: Arrays) -> None:
    """A small file that asks for a table of 68 GB."""
    header |= {"label_bits": 22, "relations": [f"r{k}" for k in range(4096)]}
    arrays |= {"label_rows": np.zeros(1, np.uint32), "label_weights": np.zeros((1, 4096), np.float32)}
    del arrays["label_used"], arrays["label_values"]


def wide_states(header: dict[str, Any], arrays: Arrays) -> None:
    """Sizes of rules whose product wraps around."""
    arrays["member0.states"] = np.full_like(arrays["member0.states"], 1 << 22)


CRAFTED: dict[str, tuple[str, Change]] = {
    "no relations": ("dependency", put("relations", [])),
    "68 GB": ("dependency", many_relations),
    "too many bits": ("dependency", put("bits", 10**9)),
    "bits as text": ("dependency", put("bits", "22")),
    "an order that does not exist": ("dependency", put("order", 3)),
    "crossing in order 2": ("dependency", lambda h, a: h.update(order=2, crossing=True)),
    "a table without weights": ("dependency", lambda h, a: a.pop("values")),
    "no table": ("dependency", lambda h, a: (a.pop("values"), a.pop("used"))),
    "fewer weights than bits": ("dependency", turn("values", lambda w: w[:-1])),
    "more bits than weights": ("dependency", fill("used", 255, 0)),
    "fewer bits than the table has": ("dependency", turn("label_used", lambda bits: bits[:-1])),
    "weights in single precision": ("dependency", turn("values", lambda w: w.astype(np.float32))),
    "a template with an unknown code": ("dependency", put("templates", ["z: h.p"])),
    "a tagger of lemmas": ("dependency", lambda h, a: h["taggers"].update(lemma=h["taggers"]["upos"])),
    "taggers as a list": ("dependency", put("taggers", [1, 2])),
    "a tagger without labels": ("dependency", put("taggers.upos.labels", [])),
    "a tagger's states": ("dependency", fill("upos.states", 65536, slice(None))),
    "a tagger's block": ("dependency", fill("upos.block", LAST)),
    "a tagger's rows": ("dependency", fill("upos.observation_row_at", LAST)),
    "about": ("dependency", put("about", [])),
    "no symbols": ("deptree", no_symbols),
    "fewer rows than symbols": ("deptree", turn("observation", lambda a: a[:-1])),
    "an unknown channel": ("deptree", put("channels", ["tag", "left", "right", "colour"])),
    "no states": ("deptree", turn("start", lambda a: a[:0])),
    "a flat product": ("deptree", turn("product", lambda a: np.zeros((1, 0, 0)))),
    "numbers that overflow": ("deptree", fill("transition", 1e300)),
    "states that wrap": ("split-heads", wide_states),
    "no members": ("split-heads", put("n_members", 0)),
    "offsets that wrap": ("split-heads", fill("skeleton.entry_start", -LAST, 1)),
    "a rule of an unknown label": ("split-heads", fill("skeleton.rules", 2**31 - 1)),
    "a floor of nothing": ("split-heads", fill("floor", 0.0)),
    "an empty labeller": ("split-heads", put("labeller.relations", [])),
    "a labeller that is a list": ("split-heads", put("labeller", [])),
    "a scale of zero": ("reranker", fill("scale", 0.0)),
    "too few dense weights": ("reranker", turn("dense_weights", lambda w: w[:-1])),
    "an unknown family": ("reranker", put("families", ["cousins"])),
    "a pattern that is none": ("reranker", put("patterns", [["m.w"]])),
    "a tree model without symbols": ("reranker", put("tree_models.0.symbols", [[]])),
    "a tree model that is a number": ("reranker", put("tree_models", [1, 2])),
    "a pair beyond the words": ("vectors", fill("pairs.codes0", LAST)),
    "a pair before the words": ("vectors", fill("pairs.codes0", -LAST, 0)),
    "pairs in half precision": ("vectors", turn("pairs.codes0", lambda codes: codes.astype(np.float16))),
    "pairs that repeat": ("vectors", turn("pairs.codes1", lambda codes: codes * 0)),
    "a count that wraps": ("vectors", fill("pairs.counts1", LAST)),
    "more distances than arrays": ("vectors", put("statistics.distances", 10**9)),
    "an option of another type": ("vectors", put("statistics.choices.dim", "50")),
    "more options than there are": ("vectors", put("statistics.choices.secret", 1)),
    "no words": ("vectors", put("words", [])),
    "vectors too long to square": ("vectors", fill("vectors", 3e38)),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_files_are_refused_with_a_sentence(name: str, folder: pathlib.Path) -> None:
    model, change = CRAFTED[name]
    kind, header, arrays = read_container(folder / model)
    change(header, arrays)
    write_container(folder / "crafted", kind=kind, header=header, arrays=arrays)
    with pytest.raises(
        ModelFileError, match=r"not a valid model of kind '\w+' \(.*\); train or copy it again"
    ):
        load_model(folder / "crafted")


@pytest.mark.parametrize("model", ["dependency", "deptree", "split-heads", "reranker", "vectors"])
def test_files_of_before_are_read(model: str, folder: pathlib.Path) -> None:
    """Entries that files did not have before may be missing, and what is read is written in the same bytes."""
    kind, header, arrays = read_container(folder / model)
    older = (
        {name: value for name, value in header.items() if name != "about"} if kind != "vectors" else header
    )
    write_container(folder / "bare", kind=kind, header=older, arrays=arrays)
    found = load_model(folder / "bare", kind)
    assert found.summary()
    save_model(load_model(folder / model, kind), folder / "again", kind)
    assert (folder / "again").read_bytes() == (folder / model).read_bytes()


def test_vectors_whose_counts_do_not_fit_their_options_do_not_merge(folder: pathlib.Path) -> None:
    kind, header, arrays = read_container(folder / "vectors")
    header["statistics"]["choices"]["window"] = 3
    write_container(folder / "crafted", kind=kind, header=header, arrays=arrays)
    found = load_model(folder / "crafted", "vectors")
    with pytest.raises(ModelFileError, match="do not fit the options"):
        merge_vectors([found, found], ["one", "other"])
