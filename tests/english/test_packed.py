"""Packed grammars: scales by their law, round trips, and files that were tampered with."""

import doctest
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eigenparse
import eigenparse.models.grammar.packed
from eigenparse.api.learner import LatentPCFG
from eigenparse.batch.tune_grammar import sentences_of
from eigenparse.corpus.normalise import normalise
from eigenparse.errors import DataError, ModelFileError
from eigenparse.inference.grammar.chart import sparse_arrays
from eigenparse.inference.grammar.probability import sentence_log_p, sentence_readings, tree_log_p
from eigenparse.inference.grammar.proper import proper_parts
from eigenparse.inference.grammar.sample import sample_trees
from eigenparse.kernels.grammar.unpack import place_shares
from eigenparse.models.container import write_container
from eigenparse.models.grammar.entry_rows import rows_of
from eigenparse.models.grammar.few import FewValues
from eigenparse.models.grammar.packed import PackedGrammar, pack_parts, scale_table, to_scale, unpack_parts
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model, read_parts, save_model
from eigenparse.synthetic import sample_treebank

WEIGHTS = ("rule_weight", "entry_weight", "root_weight")
PACKED = "lpcfg-packed"


def save_packed(grammar: LatentGrammar, path: Path) -> None:
    save_model(PackedGrammar(grammar), path, PACKED)


@pytest.fixture(scope="module")
def grammar() -> LatentGrammar:
    """Two factorings, the first with two members, so that every kind of array is there."""
    return LatentPCFG(states=6, ensemble=4).fit(sample_treebank(200, 0)).latent


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.just(0.0), st.floats(1e-12, 10.0)), min_size=1, max_size=40),
    st.sampled_from([0.0, 1e-6, 1e-2]),
    st.sampled_from([1, 30, 254]),
)
def test_scales_are_off_by_half_a_step_at_most(values: list[float], least: float, steps: int) -> None:
    given_values = np.array(values)
    codes, low, high = to_scale(given_values, least, steps)
    back = scale_table((low, high), steps)[codes]
    kept = given_values > least
    assert np.array_equal(codes > 0, kept)
    assert not back[~kept].any()
    assert codes.max() <= steps + 1
    half = (high - low) / steps / 2
    assert np.all(np.abs(np.log(back[kept]) - np.log(given_values[kept])) <= half * 1.001 + 1e-6)


def test_grammars_come_back(grammar: LatentGrammar, tmp_path: Path) -> None:
    save_model(grammar, tmp_path / "big", "lpcfg")
    save_packed(grammar, tmp_path / "small")
    save_packed(grammar, tmp_path / "again")
    assert (tmp_path / "small").read_bytes() == (tmp_path / "again").read_bytes()
    assert (tmp_path / "small").stat().st_size < (tmp_path / "big").stat().st_size / 5
    found = load_model(tmp_path / "small")
    for one, two in zip((grammar, *grammar.others), (found, *found.others), strict=True):
        assert one.skeleton.labels == two.skeleton.labels
        assert one.skeleton.symbols == two.skeleton.symbols
        assert np.array_equal(one.skeleton.rules, two.skeleton.rules)
        assert np.array_equal(one.skeleton.entry_start, two.skeleton.entry_start)
        assert one.report == two.report
        assert one.coarse is not None
        assert two.coarse is not None
        pairs = zip((*one.members, one.coarse), (*two.members, two.coarse), strict=True)
        for a, b in ((getattr(x, n), getattr(y, n)) for x, y in pairs for n in WEIGHTS):
            kept = b > 0
            assert a[~kept].sum() <= 0.01 * a.sum()
            assert b[kept] == pytest.approx(a[kept], rel=0.05)


def test_a_packed_grammar_parses_alike(grammar: LatentGrammar, tmp_path: Path) -> None:
    save_packed(grammar, tmp_path / "small")
    packed, whole = eigenparse.load(tmp_path / "small"), eigenparse.Grammar.of(grammar)
    sentences = sentences_of(sample_treebank(40, 9))
    pairs = list(zip(packed.parse_many(sentences), whole.parse_many(sentences)))
    assert sum(a.tree == b.tree for a, b in pairs) >= 38
    assert all(a.log_total == pytest.approx(b.log_total, rel=0.02) for a, b in pairs)


def test_signed_weights_are_refused(grammar: LatentGrammar, tmp_path: Path) -> None:
    member = grammar.members[0]
    signed = replace(grammar, members=(replace(member, rule_weight=-member.rule_weight),), others=())
    with pytest.raises(DataError, match="negative weights cannot be packed"):
        save_packed(signed, tmp_path / "small")


def small_parts() -> tuple[dict[str, Any], dict[str, Any]]:
    return pack_parts(
        {"name": "x"}, {"ids": np.arange(5, dtype=np.int32), "odd": np.array([3, 1], dtype=np.int64)}
    )


def test_whole_numbers_are_exact() -> None:
    header, arrays = unpack_parts(*small_parts())
    assert header == {"name": "x"}
    assert arrays["ids"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["ids"].dtype == np.int32
    assert arrays["odd"].tolist() == [3, 1]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"packing": 4}, "packing 4 is unknown"),
        ({"layout": []}, "do not add up"),
        ({"layout": [["header", "|u1", [10**15], "zlib", 10]]}, "do not add up"),
        ({"layout": [["header", "|u1", [-1], "zlib", 10]]}, "do not add up"),
    ],
)
def test_lies_about_sizes(change: dict[str, Any], complaint: str) -> None:
    about, arrays = small_parts()
    with pytest.raises(DataError, match=complaint):
        unpack_parts(about | change, arrays)


def test_a_damaged_stream_is_one_sentence(grammar: LatentGrammar, tmp_path: Path) -> None:
    path = tmp_path / "small"
    save_packed(replace(grammar, others=()), path)
    _, about, arrays = read_parts(path)
    for stream in (arrays["packed"][:-40], arrays["packed"][::-1], arrays["packed"][:0]):
        write_container(path, kind=PACKED, header=about, arrays={"packed": stream.copy()})
        with pytest.raises(ModelFileError, match=r"train or copy it again$"):
            load_model(path)
    for name in about["notes"]:
        fewer = json.loads(json.dumps(about))
        del fewer["notes"][name]
        write_container(path, kind=PACKED, header=fewer, arrays=arrays)
        if not name.startswith(("context", "coarse")):  # which a grammar may lack
            with pytest.raises(ModelFileError):
                load_model(path)


@st.composite
def lexicons(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Labels of entries, states of labels, and a byte per state of every entry; few kinds of rows."""
    states = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    label = draw(st.lists(st.integers(0, len(states) - 1), max_size=30))
    share = [draw(st.sampled_from([0, 7, 254])) for a in label for _ in range(states[a])]
    return np.array(label, dtype=np.int32), np.array(states, dtype=np.int32), np.array(share, dtype=np.uint8)


@settings(deadline=None)
@given(lexicons())
def test_rows_of_entries_come_back(lexicon: tuple[Any, Any, Any]) -> None:
    label, states, share = lexicon
    rows = rows_of(label, states, share)
    assert rows.share.size <= share.size
    out, one = np.empty(share.size, dtype=np.float32), np.ones(label.size, dtype=np.float32)
    scale, number = np.arange(256, dtype=np.float32), rows.number.astype(np.int32)
    assert place_shares(one, label, states, number, rows.shared, rows.share, scale, out)
    assert np.array_equal(out, share)
    if label.size:
        number[0] = rows.shared[label[0]] + 1
        assert not place_shares(one, label, states, number, rows.shared, rows.share, scale, out)
        assert not place_shares(one, label, states, rows.number, rows.shared, rows.share[:-1], scale, out)


def _proper_logs(grammar: LatentGrammar) -> list[float]:
    """log p of trees, of sampled ones, and of a sentence."""
    parts, trees = proper_parts(grammar), sample_treebank(20, 1)
    readings = sentence_readings(parts, ["who", "sleeps", "?"])
    return [
        *tree_log_p(parts, normalise(trees)),
        *tree_log_p(parts, sample_trees(grammar, 20, seed=1)),
        sentence_log_p(parts, readings, [None]),
    ]


def test_rules_are_read_without_making_them_whole(tmp_path: Path) -> None:
    grammar = LatentPCFG(states=6, method="em", judge=False).fit(sample_treebank(200, 0)).latent
    member = grammar.members[0]
    rng = np.random.default_rng(1)
    few = np.where(rng.random(member.rule_weight.size) < 0.1, member.rule_weight, 0).astype(np.float32)
    save_packed(replace(grammar, members=(replace(member, rule_weight=few),)), tmp_path / "small")
    found = load_model(tmp_path / "small").members[0]
    for least in (1e-7, 0.01):
        late = sparse_arrays(grammar.skeleton, found, least)
        assert isinstance(found.rules, FewValues)
        whole = replace(load_model(tmp_path / "small").members[0], rule_weight=found.rules.whole())
        early = sparse_arrays(grammar.skeleton, whole, least)
        assert late.sparse.value.size
        assert late.rule_weight.size == 0
        assert all(np.array_equal(a, b) for a, b in zip(late.sparse, early.sparse))
    assert found.n_parameters == member.n_parameters
    late, early = (_proper_logs(replace(grammar, members=(one,))) for one in (found, whole))
    assert isinstance(found.rules, FewValues)
    np.testing.assert_allclose(late, early, rtol=1e-12)
    assert np.array_equal(found.rule_weight > 0, few > 1e-6)
    assert not isinstance(found.rules, FewValues)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).rule_weight, found.rule_weight)


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(eigenparse.models.grammar.packed).failed == 0


@pytest.mark.parametrize("share", [0.05, 0.9])
def test_few_values_and_many_come_back_at_their_places(share: float) -> None:
    rng = np.random.default_rng(3)
    values = np.where(rng.random(4000) < share, rng.random(4000), 0.0).astype(np.float32)
    about, arrays = pack_parts({}, {"x.rule_probability": values})
    assert any(part[0].endswith(".gaps") for part in about["layout"]) == (share < 0.25)
    found = unpack_parts(about, arrays)[1]["x.rule_probability"]
    assert np.array_equal(found > 0, values > 0)
    np.testing.assert_allclose(found, values, rtol=0.01)


def test_gaps_that_lead_outside_are_refused() -> None:
    values = np.zeros(4000, dtype=np.float32)
    values[[3, 3999]] = 0.5, 0.25
    about, arrays = pack_parts({}, {"x.rule_probability": values})
    about["notes"]["x.rule_probability"]["shape"] = [3999]
    with pytest.raises(DataError, match="are not where the file says"):
        unpack_parts(about, arrays)
