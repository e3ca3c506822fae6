"""Learning in batches: moments of batches added are those of the whole, and refuse what would not be exact."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from tests.sequence.chains import draw_hmm, names

from eigenparse.errors import DataError, OptionError
from eigenparse.estimators import HMMDensity, WordEmbedding
from eigenparse.inference.hmm.chain import sample
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, fit_spectral_hmm
from eigenparse.learn.hmm.stream import chain_dictionary, chain_moments, streamed_hmm
from eigenparse.models.hmm.chain import proper_chain

SUMS = 1e-9  # the same sum in another order


def sequences(n, seed=1, length=60):
    true = proper_chain(names(6), "word", *draw_hmm(4, k=3, n=6))
    ids, _ = sample(true, np.full(n, length), seed=seed)
    return ids.reshape(n, length)


def as_symbols(rows):
    offsets = np.arange(rows.shape[0] + 1) * rows.shape[1]
    return Symbols.of(rows.reshape(-1), offsets, names(6))


def test_one_batch_is_the_batch_learner():
    data = as_symbols(sequences(200))
    choices = ChainChoices(states=3)
    whole = fit_spectral_hmm(data, "word", choices)
    dictionary = chain_dictionary(data, choices)
    streamed = streamed_hmm(dictionary, chain_moments(dictionary, data), "word")
    assert streamed.pair_share == whole.pair_share
    for name in ("initial", "operators", "predict", "reset", "unigram", "pairs"):
        assert_allclose(getattr(streamed, name), getattr(whole, name), atol=1e-7, err_msg=name)


def test_moments_of_batches_add_up_to_those_of_the_whole():
    rows = sequences(300)
    dictionary = chain_dictionary(as_symbols(rows[:100]), ChainChoices(states=3))
    whole = chain_moments(dictionary, as_symbols(rows))
    parts = [chain_moments(dictionary, as_symbols(rows[i:j])) for i, j in ((0, 50), (50, 220), (220, 300))]
    added = parts[2] + (parts[0] + parts[1])
    for name in type(whole).__dataclass_fields__:
        assert_allclose(getattr(added, name), getattr(whole, name), rtol=SUMS, atol=SUMS, err_msg=name)


def test_partial_fit_and_merge_are_exact_and_improve():
    rows = sequences(600)
    lists = [[str(x) for x in row] for row in rows]
    test = [[str(x) for x in row] for row in sequences(100, seed=2)]
    first, rest = lists[:50], lists[50:]
    one = HMMDensity(states=3).partial_fit(first).partial_fit(rest)
    few = HMMDensity(states=3).partial_fit(first)
    other = HMMDensity(states=3).start_of(few).partial_fit(rest[:200])
    third = HMMDensity(states=3).start_of(few).partial_fit(rest[200:])
    merged = few.merge(third).merge(other)
    assert_allclose(merged.score(test), one.score(test), rtol=SUMS)
    assert one.score(test) > HMMDensity(states=3).partial_fit(first).score(test)


def test_what_would_not_be_exact_is_refused():
    lists = [[str(x) for x in row] for row in sequences(60)]
    one, other = (HMMDensity(states=3).partial_fit(part) for part in (lists[:30], lists[30:]))
    with pytest.raises(DataError, match="different first batches"):
        one.merge(other)
    with pytest.raises(AttributeError, match="partial_fit") as refused:
        HMMDensity("em").partial_fit(lists)
    assert isinstance(refused.value.__cause__, OptionError)
    with pytest.raises(NotFittedError, match="partial_fit"):
        HMMDensity(states=3).fit(lists).merge(one)


def test_word_vectors_in_batches_are_those_of_the_whole():
    rng = np.random.default_rng(0)
    lines = [" ".join(f"{'nv'[t % 2]}{rng.integers(0, 6)}" for t in range(6)) for _ in range(600)]
    words = tuple(f"{kind}{k}" for kind in "nv" for k in range(6))
    whole = WordEmbedding(dim=2, words=words).fit(lines)
    parts = WordEmbedding(dim=2, words=words).partial_fit(lines[:200]).partial_fit(lines[200:])
    assert (parts.vectors_.vectors == whole.vectors_.vectors).all()
    one, other = (WordEmbedding(dim=2, words=words).fit(part) for part in (lines[:250], lines[250:]))
    assert (one.merge(other).vectors_.vectors == whole.vectors_.vectors).all()
    assert [word[0] for word, _ in whole.nearest("n1", 5)] == ["n"] * 5
    assert whole.transform(["n1", "never"]).shape == (2, 2)
    assert (WordEmbedding(dim=2).fit([line.split() for line in lines]).vocabulary_.counts.sum()) == 3600
    with pytest.raises(DataError, match="different vocabularies"):
        whole.merge(WordEmbedding(dim=2).fit(lines[:50]))
