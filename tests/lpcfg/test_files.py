"""Grammar files: round trips, and files made by hand with a right checksum that must be refused by a sentence."""

import pathlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from eigenparse.corpus.normalise import normalise
from eigenparse.errors import DataError, ModelFileError
from eigenparse.inference.grammar.sample import sample_trees
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.container import write_container
from eigenparse.models.grammar.packed import PackedGrammar
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model, save_model
from eigenparse.synthetic import sample_treebank

Arrays = dict[str, Any]
FAR = 2**63 - 1


@cache
def grammar() -> LatentGrammar:
    """Two factorings, a small grammar for pruning and tables of neighbours: every array there is."""
    return GrammarOptions(states=3, nodes_per_state=20, coarse_states=2, ensemble=2).fit(
        normalise(sample_treebank(60, 0))
    )


def test_parts_come_back() -> None:
    header, arrays = grammar().to_parts()
    again_header, again = LatentGrammar.from_parts(header, arrays).to_parts()
    assert again_header == header
    assert again.keys() == arrays.keys()
    assert all(np.array_equal(again[name], arrays[name]) for name in arrays)


def test_files_come_back(tmp_path: pathlib.Path) -> None:
    save_model(grammar(), tmp_path / "one", "lpcfg")
    found = load_model(tmp_path / "one")
    save_model(found, tmp_path / "two", "lpcfg")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert found.summary() == grammar().summary()


def huge_states(arrays: Arrays) -> None:
    """2^22 states cubed wrap around to 0 in 64 bits."""
    arrays["member0.states"] = np.full_like(arrays["member0.states"], 1 << 22)
    for name in ("rule_weight", "entry_weight", "root_weight"):
        arrays[f"member0.{name}"] = np.zeros(0, dtype=np.float32)


def changed(name: str, place: Any, value: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def replaced(name: str, make: Callable[[Any], Any]) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name] = make(arrays[name])

    return change


BAD = {
    "states wrap around": huge_states,
    "no states": changed("member0.states", 0, 0),
    "states of another size": replaced("coarse.states", lambda a: a[:-1]),
    "more states than weights": changed("other0.member0.states", 0, 4),
    "rules of unknown labels": changed("skeleton.rules", (0, 2), 10_000),
    "negative rules": changed("other0.skeleton.rules", (0, 0), -1),
    "rules of two labels": replaced("skeleton.rules", lambda a: a[:, :2].copy()),
    "rules as long numbers": replaced("skeleton.rules", lambda a: a.astype(np.int64)),
    "entries of unknown labels": changed("skeleton.entry_label", -1, 10_000),
    "entries of unknown symbols": changed("skeleton.entry_symbol", -1, 2**31 - 1),
    "entries out of order": replaced("skeleton.entry_symbol", lambda a: a[::-1].copy()),
    "offsets near the end of numbers": changed("skeleton.entry_start", 1, FAR),
    "falling offsets": changed("skeleton.entry_start", 3, 0),
    "offsets that end elsewhere": changed("skeleton.entry_start", -1, 0),
    "no offsets": replaced("skeleton.entry_start", lambda a: a[:0]),
    "negative probability": changed("skeleton.rule_probability", 0, -0.5),
    "huge probability": changed("skeleton.root_probability", 0, 1e30),
    "infinite weight": changed("member0.rule_weight", 0, np.inf),
    "weights of several types": replaced("member0.root_weight", lambda a: a.astype(np.float64)),
    "half precision": replaced("member0.entry_weight", lambda a: a.astype(np.float16)),
    "one weight too many": replaced("coarse.rule_weight", lambda a: np.append(a, a[:1])),
    "small context": replaced("context.follow", lambda a: a[:-1]),
    "negative context": changed("context.before", (0, 0), -1.0),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_arrays_are_refused(name: str, tmp_path: pathlib.Path) -> None:
    header, arrays = grammar().to_parts()
    BAD[name](arrays)
    write_container(tmp_path / "bad", kind="lpcfg", header=header, arrays=arrays)
    with pytest.raises(ModelFileError, match=r"again$"):
        load_model(tmp_path / "bad")


@pytest.mark.parametrize(
    "change",
    [
        {"labels": []},
        {"symbols": []},
        {"n_words": -1},
        {"n_words": 10**9},
        {"n_classes": 10**9},
        {"n_members": 0},
        {"n_members": 10**9},
        {"n_members": True},
        {"report": []},
        {"report": {"label_counts": [1, 2]}},
        {"report": {"members": [{"singular": {"0": "x"}}]}},
        {"report": {"binarisation": {"factor": 3}}},
        {"others": [{}]},
        {"others": None},
    ],
    ids=str,
)
def test_bad_headers_are_refused(change: dict[str, Any], tmp_path: pathlib.Path) -> None:
    header, arrays = grammar().to_parts()
    write_container(tmp_path / "bad", kind="lpcfg", header=header | change, arrays=arrays)
    with pytest.raises(ModelFileError, match=r"again$"):
        load_model(tmp_path / "bad")


def test_labels_need_a_name(tmp_path: pathlib.Path) -> None:
    header, arrays = grammar().to_parts()
    header["labels"][0][0] = []
    write_container(tmp_path / "bad", kind="lpcfg", header=header, arrays=arrays)
    with pytest.raises(ModelFileError, match="without a name"):
        load_model(tmp_path / "bad")


@pytest.mark.parametrize("name", grammar().to_parts()[1])
def test_every_array_is_needed(name: str, tmp_path: pathlib.Path) -> None:
    header, arrays = grammar().to_parts()
    del arrays[name]
    write_container(tmp_path / "bad", kind="lpcfg", header=header, arrays=arrays)
    with pytest.raises(ModelFileError, match="is missing"):
        load_model(tmp_path / "bad")


def test_what_was_packed_is_checked_like_any_grammar(tmp_path: pathlib.Path) -> None:
    header, arrays = grammar().to_parts()
    for name in ("no states", "rules of unknown labels", "offsets that end elsewhere"):
        bad = dict(arrays)
        BAD[name](bad)
        save_model(PackedGrammar(LatentGrammar.from_parts(header, arrays)), tmp_path / "good", "lpcfg-packed")
        assert load_model(tmp_path / "good").members
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LatentGrammar, "to_parts", lambda self, bad=bad: (header, bad))
            try:
                save_model(PackedGrammar(grammar()), tmp_path / "bad", "lpcfg-packed")
            except (ValueError, IndexError):  # so broken that it cannot even be packed
                continue
        with pytest.raises(ModelFileError, match=r"again$"):
            load_model(tmp_path / "bad")


@pytest.mark.parametrize("name", ["entry_weight", "root_weight", "rule_weight"])
def test_drawing_from_states_without_weight(name: str) -> None:
    header, arrays = grammar().to_parts()
    arrays |= {key: np.zeros_like(arrays[key]) for key in arrays if key.endswith(name)}
    empty = LatentGrammar.from_parts(header, arrays)
    if name == "root_weight":
        with pytest.raises(DataError, match="train the model again"):
            sample_trees(empty, 3, max_words=20)
    else:  # rules and words that were never seen keep a little mass
        assert len(sample_trees(empty, 3, max_words=400)) == 3
