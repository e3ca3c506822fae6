"""The judge of brackets: its features, its gradient, its file, and what it leaves alone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from eigenparse.arrays import AnyArray, FloatArray, as_ids
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.decode.grammar.judge import bracket_names
from eigenparse.decode.grammar.objective import Brackets, mean_brackets
from eigenparse.decode.grammar.parser import decode, explore, free_space, make_parser, word_choices
from eigenparse.errors import DataError, OptionError
from eigenparse.features.grammar.judge import (
    N_TEMPLATES,
    Evidence,
    WordKeys,
    rare_class,
    seen_in,
    symbol_tables,
    tagged_in,
    word_hash,
)
from eigenparse.kernels.grammar.hashing import mix
from eigenparse.kernels.grammar.judge import DENSE, FEWER, TEMPLATES, Seen, Symbols, judge_rows
from eigenparse.kernels.grammar.judge_tags import TAG_DENSE, TAG_TEMPLATES, share_out, tag_rows
from eigenparse.kernels.grammar.judge_weights import Cases
from eigenparse.learn.grammar.judge import JudgeOptions, held_parts, learn_judge
from eigenparse.learn.grammar.judge_cases import gold_brackets, tags_of
from eigenparse.learn.grammar.judge_fit import Fit, sureness
from eigenparse.learn.grammar.options import GrammarOptions
from eigenparse.models.grammar.judge import Judge, judge_from, judge_parts, look_of
from eigenparse.models.grammar.kind import GRAMMAR, GRAMMARS
from eigenparse.models.grammar.packed import PackedGrammar
from eigenparse.models.grammar.pcfg import LatentGrammar
from eigenparse.models.registry import load_model, save_model
from eigenparse.models.schema import check_model
from eigenparse.synthetic import sample_treebank
from eigenparse.work.work import Work
from lpcfg import judge_oracle

ROUNDING = 1e-9
SINGLE = 1e-6  # of weights in single precision
DIFFERENCE = 1e-5  # of central differences
VOICES = 2
SMALL = JudgeOptions(bits=14, blocks=2)
OPTIONS = GrammarOptions(seed=3)
KEYS, DOUBTFUL = WordKeys(frozenset([word_hash("the")])), (0.01, 0.995)


def treebank(n: int = 120) -> Treebank:
    return normalise(sample_treebank(n, 0))


def learnt(work: Work = Work()) -> Judge:
    found = learn_judge(OPTIONS.fit(treebank()), treebank(), OPTIONS, work, SMALL)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def grammar() -> LatentGrammar:
    return replace(OPTIONS.fit(treebank()), judge=learnt())


def random_sentence(seed: int) -> tuple[list[str], Evidence, Symbols, list[str]]:
    """Brackets of all kinds over a few words: nested, crossing, doubled, doubtful and certain."""
    rng = np.random.default_rng(seed)
    names = ["S", "NP", "VP", "PP", "DT", "NN", ","]
    n = int(rng.integers(1, 9))
    spans = [(i, j, a) for i in range(n) for j in range(i + 1, n + 1) for a in range(4)]
    chosen = sorted(spans[k] for k in rng.permutation(len(spans))[: int(rng.integers(1, 25))])
    start, end, symbol = (as_ids(column) for column in zip(*chosen))
    posterior = rng.choice([0.02, 0.2, 0.45, 0.55, 0.8, 0.999], len(chosen)) + rng.uniform(
        0, 1e-4, len(chosen)
    )
    tag = as_ids(rng.integers(4, 7, n))
    words = [["the", "parser", "sees", "Trees", "42"][k] for k in rng.integers(0, 5, n)]
    symbols = symbol_tables(names, [name in ("DT", "NN", ",") for name in names])
    possible = [(k, a) for k in range(n) for a in (4, 5, 6) if a == tag[k] or rng.uniform() < 0.6]
    word, word_tag = (as_ids(column) for column in zip(*possible))
    mass = rng.choice([0.02, 0.3, 0.7, 0.999], word.size) + rng.uniform(0, 1e-4, word.size)
    voices, word_voices = rng.uniform(0, 1, (VOICES, start.size)), rng.uniform(0, 1, (VOICES, word.size))
    evidence = Evidence(start, end, symbol, posterior, voices, word, word_tag, mass, word_voices, tag)
    return words, evidence, symbols, names


def features(seen: Seen, symbols: Symbols, bits: int) -> tuple[AnyArray, FloatArray]:
    n = int(seen.candidate.sum())
    rows, dense = np.empty((n, TEMPLATES), dtype=np.int32), np.empty((n, DENSE + VOICES))
    assert judge_rows(seen, symbols, bits, rows, dense) == n
    return rows, dense


@pytest.mark.parametrize("seed", range(40))
def test_the_kernel_sees_what_a_slow_reader_sees(seed: int) -> None:
    words, evidence, symbols, names = random_sentence(seed)
    seen = seen_in(evidence, KEYS.of(words), DOUBTFUL)
    seen.belief[:] = np.random.default_rng(seed + 1000).uniform(0, 1, seen.belief.size)
    rows, dense = features(seen, symbols, 19)
    slow = judge_oracle.features(words, evidence, seen.belief, names, known={"the"})
    assert_array_equal(rows, [[number % (1 << 19) for number in one] for one, _ in slow])
    assert_allclose(dense, [numbers for _, numbers in slow], rtol=ROUNDING)


def test_judges_of_older_files_have_fewer_templates() -> None:
    words, evidence, symbols, _ = random_sentence(3)
    seen = seen_in(evidence, KEYS.of(words), DOUBTFUL)
    rows, dense = features(seen, symbols, 19)
    for number in N_TEMPLATES:
        fewer = np.empty((rows.shape[0], number), dtype=np.int32)
        judge_rows(seen, symbols, 19, fewer, dense)
        assert_array_equal(fewer, rows[:, :number])
    look = look_of(np.eye(DENSE)[0], np.zeros(1 << 14))
    header, arrays = judge_parts(Judge(look, (look,), np.empty(0, dtype=np.uint32), 14))
    assert judge_from(header, arrays).templates == TEMPLATES
    del header["templates"]
    assert judge_from(header, arrays).templates == FEWER


@pytest.mark.parametrize("seed", range(40))
def test_the_kernel_of_tags_sees_what_a_slow_reader_sees(seed: int) -> None:
    words, evidence, symbols, names = random_sentence(seed)
    tagged = tagged_in(evidence, KEYS.of(words), DOUBTFUL)
    n = int(tagged.candidate.sum())
    rows, dense = np.empty((n, TAG_TEMPLATES), dtype=np.int32), np.empty((n, TAG_DENSE + VOICES))
    assert tag_rows(tagged, symbols.key, 19, rows, dense) == n
    slow = judge_oracle.tag_features(words, evidence, names, known={"the"})
    assert_array_equal(rows.tolist(), [[number % (1 << 19) for number in one] for one, _ in slow])
    assert_allclose(dense.tolist(), [numbers for _, numbers in slow], rtol=ROUNDING)


@pytest.mark.parametrize("seed", range(10))
def test_several_tags_of_a_word_are_scaled_by_their_sum(seed: int) -> None:
    words, evidence, _, _ = random_sentence(seed)
    tagged = tagged_in(evidence, KEYS.of(words), DOUBTFUL)
    belief = np.random.default_rng(seed).uniform(0.1, 0.9, tagged.word.size)
    belief = np.where(tagged.candidate, belief, tagged.posterior)
    tag = np.full(len(words), -1, dtype=np.int32)
    alone = belief.copy()
    share_out(tagged, belief, tag)
    for k in range(len(words)):
        own = np.flatnonzero(tagged.word == k)
        free = own[tagged.candidate[own]]
        scale = alone[own].sum() if own.size > 1 else 1.0
        assert_allclose(belief[free], alone[free] / scale, rtol=ROUNDING)
        assert tag[k] == tagged.symbol[own[np.argmax(belief[own])]]


def test_a_grammar_that_says_nothing_speaks_like_the_mean() -> None:
    def said(keys: list[int], *masses: list[float]) -> Brackets:
        one, rough = (np.array(values) for values in masses)
        return Brackets(np.array(keys), one, rough[None], 4)

    own, other = said([3, 5], [0.5, 1.0], [0.25, 0.5]), said([5, 9], [0.5, 0.25], [1.0, 0.5])
    assert mean_brackets(own, []) is own
    found = mean_brackets(own, [None, other])
    mean = [0.25, 0.75, 0.125]
    assert_array_equal(found.keys, [3, 5, 9])
    assert_array_equal(found.masses, mean)
    assert_array_equal(found.voices, [[0.5, 1.0, 0.0], mean, [0.0, 0.5, 0.25], [0.125, 0.75, 0.25]])


def test_a_judge_of_an_ensemble_hears_each_of_its_grammars() -> None:
    options = replace(OPTIONS, ensemble=2)
    judge = learn_judge(options.fit(treebank()), treebank(), options, Work(), SMALL)
    assert judge is not None
    assert [len(look.dense) for look in (judge.tags, *judge.looks)] == [TAG_DENSE + 3, DENSE + 3, DENSE + 3]
    grammar = replace(options.fit(treebank()), judge=judge)
    check_model(GRAMMAR.schema, *grammar.to_parts())
    parser = make_parser(grammar)
    assert decode(parser, ["the", "dog"], given=word_choices(parser, ["the", "dog"])).derivations


def random_cases(seed: int, n: int = 40, features: int = 12) -> Cases:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, features, (n, 5)).astype(np.int32)
    return Cases(rows, rng.normal(size=(n, DENSE)), (rng.uniform(size=n) < 0.4).astype(float))


def slope_of_loss(cases: Cases, dense: FloatArray, weights: FloatArray, ridge: float) -> FloatArray:
    """The gradient of the logistic loss with its penalties, by dense weights and by all others, written out."""
    odds = cases.dense @ dense + weights[cases.rows].sum(axis=1)
    surplus = 1 / (1 + np.exp(-odds)) - cases.right
    of_features = ridge * weights
    np.add.at(of_features, cases.rows, surplus[:, None])
    return np.concatenate([surplus @ cases.dense + 1e-3 * (dense - np.eye(DENSE)[0]), of_features])


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("ridge", [2.0, 30.0])
def test_the_fit_is_a_minimum(crossed: bool, ridge: float) -> None:
    cases, bits = random_cases(7), 4
    fit = Fit(ridge=ridge, bits=bits, passes=200)
    at = np.arange(cases.right.size + 1)
    dense, weights = fit.crossed(cases, at)[:2] if crossed else fit.weights(cases)
    assert np.abs(slope_of_loss(cases, dense, weights, ridge)).max() < 1e-6
    start = np.eye(DENSE)[0], np.zeros(1 << bits)
    assert np.abs(slope_of_loss(cases, *start, ridge)).max() > 1e-1


def loss_of(cases: Cases, dense: FloatArray, weights: FloatArray, ridge: float) -> float:
    odds = cases.dense @ dense + weights[cases.rows].sum(axis=1)
    penalty = ridge * np.sum(weights**2) + 1e-3 * np.sum((dense - np.eye(DENSE)[0]) ** 2)
    return float(np.sum(np.logaddexp(0.0, odds) - cases.right * odds) + penalty / 2)


def test_few_passes_come_near_the_minimum() -> None:
    cases = random_cases(3, n=400)
    few, many = (
        loss_of(cases, *Fit(ridge=30.0, bits=4, passes=passes).weights(cases), 30.0) for passes in (3, 200)
    )
    start = loss_of(cases, np.eye(DENSE)[0], np.zeros(16), 30.0)
    assert many <= few < many + 0.02 * (start - many)


def test_dense_weights_stay_small_where_they_tell_right_from_wrong() -> None:
    cases = random_cases(3)
    dense = np.where(cases.right > 0, 1e-3, -1e-3)[:, None] * np.ones(DENSE)
    found, _ = Fit(ridge=30.0, bits=4, passes=3).weights(cases._replace(dense=dense))
    assert np.abs(found).max() < 3  # not so if any is not a number


def test_each_part_is_judged_by_the_others() -> None:
    cases, fit = random_cases(5), Fit(ridge=2.0, bits=4, passes=200)
    own = np.arange(cases.right.size) >= 30
    belief = fit.crossed(cases, np.array([0, 10, 20, 30, 40]))[2]
    dense, weights = fit.weights(Cases(*(column[~own] for column in cases)))
    odds = cases.dense[own] @ dense + weights[cases.rows[own]].sum(axis=1)
    assert_allclose(belief[own], 1 / (1 + np.exp(-odds)), atol=1e-6)


def test_a_judge_without_weights_believes_the_grammar(grammar: LatentGrammar) -> None:
    empty, tags = (look_of(np.eye(size)[0], np.zeros(1 << 14)) for size in (DENSE, TAG_DENSE))
    silent = Judge(tags, (empty, empty), np.empty(0, dtype=np.uint32), 14)
    plain, judged = make_parser(replace(grammar, judge=None)), make_parser(replace(grammar, judge=silent))
    for words in tokens_of(treebank())[:10]:
        one = explore(plain, *free_space(plain, words))
        two = explore(judged, *free_space(judged, words), tokens=words)
        assert one is not None
        assert two is not None
        assert_array_equal(one.posteriors.keys, two.posteriors.keys)
        phrase = bracket_names(plain.table.ids).is_phrase[one.posteriors.keys % len(plain.table.ids)]
        assert_allclose(two.posteriors.masses[phrase], one.posteriors.masses[phrase], rtol=SINGLE)


def test_a_judge_changes_doubtful_brackets_only(grammar: LatentGrammar) -> None:
    plain, judged = make_parser(replace(grammar, judge=None)), make_parser(grammar)
    assert grammar.judge is not None
    changed = 0
    for words in tokens_of(treebank()):
        one = explore(plain, *free_space(plain, words))
        two = explore(judged, *free_space(judged, words), tokens=words)
        assert one is not None
        assert two is not None
        before, after = one.posteriors.masses, two.posteriors.masses
        sure = (before <= grammar.judge.low) | (before >= grammar.judge.high)
        assert_array_equal(before[sure], after[sure])
        assert np.all((after[~sure] > 0) & (after[~sure] < 1))
        changed += int(np.sum(before != after))
    assert changed > 0


@dataclass(frozen=True, slots=True)
class Backwards:
    """A place where the last task is done first."""

    jobs: int = 2

    def map_ordered(self, task: Any, items: Any) -> Iterator[Any]:
        yield from [task(item) for item in list(items)[::-1]][::-1]


def test_the_same_judge_in_any_order_of_work() -> None:
    assert_same(learnt(), learnt(Work(Backwards())))


def test_the_learner_learns_the_judge_that_is_asked_for() -> None:
    trees = treebank(30)
    asked, plain = (replace(OPTIONS, judge=wanted).fit(trees) for wanted in (True, None))
    expected = learn_judge(plain, trees, OPTIONS)
    assert plain.judge is None
    assert asked.judge is not None
    assert expected is not None
    assert_same(asked.judge, expected)
    assert_array_equal(plain.members[0].rule_weight, asked.members[0].rule_weight)


def assert_same(one: Judge, two: Judge) -> None:
    assert (one.bits, one.low, one.high) == (two.bits, two.low, two.high)
    assert_array_equal(one.words, two.words)
    for mine, yours in zip((one.tags, *one.looks), (two.tags, *two.looks), strict=True):
        assert mine.dense == yours.dense
        assert_array_equal(mine.feature, yours.feature)
        assert_array_equal(mine.weight, yours.weight)


@pytest.mark.parametrize("packed", [False, True])
def test_a_judge_survives_its_file(grammar: LatentGrammar, tmp_path: Path, packed: bool) -> None:
    def again(model: LatentGrammar) -> LatentGrammar:
        made = PackedGrammar(model) if packed else model
        save_model(made, tmp_path / "a.model", "lpcfg-packed" if packed else "lpcfg")
        found: LatentGrammar = load_model(tmp_path / "a.model", *GRAMMARS)
        return found

    kept = again(grammar).judge
    assert grammar.judge is not None
    assert kept is not None
    assert_same(grammar.judge, kept)
    assert again(replace(grammar, judge=None)).judge is None


DAMAGE: dict[str, Any] = {
    "judge.look0.feature": lambda x: x[::-1].copy(),
    "judge.look1.feature": lambda x: x + np.int32(1 << 14),
    "judge.look0.weight": lambda x: x[:-1].copy(),
    "judge.look1.weight": lambda x: x.astype(np.float32),
    "judge.tags.feature": lambda x: x - np.int32(1 << 20),
    "judge.words": lambda x: x.astype(np.int64),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_judges_are_refused(grammar: LatentGrammar, name: str) -> None:
    header, arrays = grammar.to_parts()
    check_model(GRAMMAR.schema, header, arrays)
    with pytest.raises(DataError):
        check_model(GRAMMAR.schema, header, {**arrays, name: DAMAGE[name](arrays[name])})
    del arrays[name]
    with pytest.raises(DataError):
        check_model(GRAMMAR.schema, header, arrays)


@pytest.mark.parametrize(
    "change",
    [
        {"bits": 40},
        {"bits": 0},
        {"low": 0.9, "high": 0.1},
        {"low": float("nan")},
        {"dense": []},
        {"dense": [[1.0, 0.0]]},
        {"dense": [[1.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]},
        {"dense": [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]},
        {"dense": [[1.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0]]},
        {"dense": [[1.0, float("inf")], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]},
    ],
)
def test_senseless_judges_are_refused(grammar: LatentGrammar, change: dict[str, Any]) -> None:
    header, arrays = grammar.to_parts()
    with pytest.raises(DataError):
        check_model(GRAMMAR.schema, header | {"judge": header["judge"] | change}, arrays)


def test_gold_brackets_are_the_phrases_of_trees() -> None:
    from eigenparse.corpus.brackets import parse_trees

    trees = parse_trees("(TOP (S (NP (DT a) (NN b)) (VP (VB c))))\n(TOP (NP (NP (NN d))))")
    assert gold_brackets(trees) == [
        {(0, 3, "TOP"), (0, 3, "S"), (0, 2, "NP"), (2, 3, "VP")},
        {(0, 1, "TOP"), (0, 1, "NP")},
    ]
    assert tags_of(trees) == [["DT", "NN", "VB"], ["NN"]]


def test_words_are_hashed_by_name_or_by_ending() -> None:
    keys = WordKeys(frozenset([word_hash("known")]))
    known, rare, same, other = keys.of(["known", "seeing", "being", "Being"])[2:-2, 0].tolist()
    assert known == word_hash("known")
    assert rare == same == word_hash(rare_class("seeing"))
    assert other != same


def test_the_order_of_a_hash_counts() -> None:
    assert mix(np.uint64(1), np.uint64(2)) != mix(np.uint64(2), np.uint64(1))


def test_too_few_trees_get_no_judge() -> None:
    with pytest.raises(OptionError, match="a judge needs 24 trees or more, got 2; leave out --judge"):
        learn_judge(OPTIONS.fit(treebank(2)), treebank(2), OPTIONS)
    assert not OPTIONS.judges(999)
    assert OPTIONS.judges(1000)
    assert not GrammarOptions(method="pcfg").judges(1000)


@pytest.mark.parametrize(
    "options", [JudgeOptions(), JudgeOptions(folds=4), JudgeOptions(sentences=10, blocks=2)]
)
def test_no_sentence_is_parsed_by_a_grammar_that_saw_it(options: JudgeOptions) -> None:
    trees = treebank()
    parts = held_parts(trees, options)
    assert len(parts) == options.folds
    for rest, some in parts:
        assert not set(rest.tolist()) & set(some.tolist())
        assert rest.size >= len(trees) // 2
    held = [number for _, some in parts for number in some.tolist()]
    assert len(held) == len(set(held)) <= options.sentences + options.folds
    if options == JudgeOptions():
        assert sorted(held) == list(range(len(trees)))


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(OptionError):
        JudgeOptions(folds=1)


def test_every_sentence_still_has_a_tree(grammar: LatentGrammar) -> None:
    parser = make_parser(grammar)
    for words in (["x"], ["never", "seen", "words"], *tokens_of(treebank())[:5]):
        assert decode(parser, words).derivations


@pytest.mark.parametrize("boast", [1.0, 1.6])
def test_log_odds_that_boast_are_scaled_down(boast: float) -> None:
    """Outcomes drawn by true odds, beliefs with odds that are so many times too large."""
    rng = np.random.default_rng(3)
    odds = rng.normal(0.0, 2.0, 40_000)
    right = (rng.random(odds.size) < 1.0 / (1.0 + np.exp(-odds))).astype(float)
    assert sureness(1.0 / (1.0 + np.exp(-boast * odds)), right) == pytest.approx(1.0 / boast, rel=0.05)
