"""Word vectors: counts against brute force, shards added, dense linear algebra, files, command line."""

import gzip
import itertools
import lzma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.conftest import data_dir
from typer.testing import CliRunner

import eigenparse.cli.verbs  # noqa: F401
from eigenparse.cli.main import app
from eigenparse.corpus.text_blocks import text_blocks, text_files
from eigenparse.errors import DataError, FormatError, ModelFileError, OptionError
from eigenparse.learn.vectors import words as vector_words
from eigenparse.learn.vectors.learner import VectorOptions, count_pairs
from eigenparse.learn.vectors.reading import Text
from eigenparse.learn.vectors.words import choose_vocabulary, count_words
from eigenparse.models.registry import save_model
from eigenparse.models.vectors.vectors import nearest, rows_of
from eigenparse.models.vectors.word2vec import load_vectors, save_word2vec
from eigenparse.spectral import pairs as pair_counts
from eigenparse.spectral.pairs import PairTable
from eigenparse.spectral.vectors import METHODS, PairStatistics, pair_matrix, vectors_of

sentences = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=12)


def text_of(lines):
    return "\n".join(" ".join(line) for line in lines).encode()


def brute_pairs(lines, index, reach):
    table = np.zeros((reach, max(index.values()) + 1, max(index.values()) + 1), dtype=int)
    for line in lines:
        for i, j in itertools.combinations(range(len(line)), 2):
            if j - i <= reach:
                table[j - i - 1, index[line[i]], index[line[j]]] += 1
    return table


def dense_counts(pairs):
    """All counts as an array (reach, n, n)."""
    n = pairs.n_words
    out = np.zeros((len(pairs.tables), n * n), dtype=np.int64)
    for d, (codes, counts) in enumerate(zip(pairs.codes, pairs.counts, strict=True)):
        out[d, codes] = counts
    return out.reshape(-1, n, n)


def embed_files(files, options):
    return options.fit(Text(tuple(files)))


@settings(deadline=None, max_examples=40)
@given(lines=sentences, cut=st.integers(0, 12))
def test_counts_are_brute_force_and_shards_add(lines, cut):
    parts = [text_of(lines[:cut]), text_of(lines[cut:])]
    words = count_words(parts[:1]) + count_words(parts[1:])
    assert dict(words.counts) == dict(count_words([text_of(lines)]).counts)
    if not words.n_tokens:
        return
    vocabulary = choose_vocabulary(words, 4)
    index = {word: vocabulary.ids.get(word.encode(), 0) for word in "abcdef"}
    whole = count_pairs([text_of(lines)], vocabulary, 3)
    assert (dense_counts(whole) == brute_pairs(lines, index, 3)).all()
    added = count_pairs(parts[:1], vocabulary, 3) + count_pairs(parts[1:], vocabulary, 3)
    for one, other in zip(whole.codes + whole.counts, added.codes + added.counts, strict=True):
        assert (one == other).all()
    assert vocabulary.counts.sum() == words.n_tokens


@settings(deadline=None, max_examples=30)
@given(lines=sentences, size=st.integers(1, 40))
def test_blocks_are_the_text_cut_between_words(tmp_path_factory, lines, size):
    path = tmp_path_factory.mktemp("blocks") / "a.txt"
    path.write_bytes(text_of(lines))
    blocks = list(text_blocks(path, size))
    assert b"".join(blocks) == path.read_bytes()
    assert [word for block in blocks for word in block.split()] == path.read_bytes().split()


@pytest.mark.parametrize("opener", [gzip.open, lzma.open, open])
def test_packed_files_read_alike(tmp_path, opener):
    path = tmp_path / "a.txt.packed"
    with opener(path, "wb") as stream:
        stream.write(b"a b\nc d\n" * 100)
    assert b"".join(text_blocks(path, 64)) == b"a b\nc d\n" * 100


def test_damaged_missing_and_piped_text_get_a_sentence(tmp_path):
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"a b\n" * 9999)[:60])
    (tmp_path / "a.bz2").write_bytes(b"BZh9" + b"?" * 60)
    for name in ("a.xz", "a.bz2"):
        with pytest.raises(FormatError, match="damaged"):
            list(text_blocks(tmp_path / name))
    with pytest.raises(DataError, match="cannot be read"):
        list(text_blocks(tmp_path / "none"))
    with pytest.raises(DataError, match="pipe"):
        text_files(["-"])
    (tmp_path / "b.txt").write_bytes(b"a\nb\n" * 9)
    with pytest.raises(DataError, match="no two words"):
        embed_files([tmp_path / "b.txt"], VectorOptions(dim=1))
    (tmp_path / "c.txt").write_bytes(b"a b\n" * 9)
    with pytest.raises(DataError, match="dimensions"):
        embed_files([tmp_path / "c.txt"], VectorOptions(dim=9))
    with pytest.raises(OptionError, match="method"):
        embed_files([tmp_path / "c.txt"], VectorOptions(method="word2vec"))
    (tmp_path / "d.txt").write_bytes(b"")
    with pytest.raises(DataError, match="no word"):
        embed_files([tmp_path / "d.txt"], VectorOptions())


def random_counts(seed, n=14, reach=8):
    rng = np.random.default_rng(seed)
    dense = rng.poisson(rng.gamma(0.3, size=(reach, n, n)) * 8)
    pairs = []
    for table in dense:
        codes = np.flatnonzero(table)
        found = PairTable.of_codes(codes, n, table.reshape(-1)[codes])
        pairs.append(pair_matrix(found.starts, found.seconds, found.counts))
        assert (pairs[-1].toarray() == table).all()
    return dense, PairStatistics(dense[0].sum(axis=1) + 1.0, tuple(pairs))


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_one_step_is_the_dense_svd(power):
    dense, counts = random_counts(1)
    words = counts.words
    table = np.hstack([dense[0], dense[0].T, dense[1], dense[1].T]).astype(float) ** power
    scale = words ** (-power / 2)
    U, sigma, _ = np.linalg.svd(scale[:, None] * table * np.tile(scale, 4), full_matrices=False)
    true = U[:, :4] * np.sqrt(sigma[:4])
    true /= np.linalg.norm(true, axis=1, keepdims=True)
    found, values = vectors_of(counts, "cca", 4, window=2, power=power)
    assert_allclose(values, sigma[:4], rtol=1e-4)
    assert_allclose(found @ found.T, true @ true.T, atol=1e-3)


def states_by_hand(tokens, rate, reach, A):
    """Smoothed left states of every place of a long text."""
    out = np.zeros((len(tokens), A.shape[1]))
    for d in range(1, reach + 1):
        out[d:] += rate ** (d - 1) * A[tokens[:-d]]
    return out


def test_moments_from_pairs_are_those_of_states_along_the_text():
    """The moments of smoothed states that lrmvl takes from pair counts, against a walk over a long text."""
    from eigenparse.spectral.vectors import _state_moments

    rng = np.random.default_rng(3)
    n, k, reach, rates = 6, 2, 3, (0.5, 0.8)
    tokens = rng.integers(0, n, 4000)
    A = rng.standard_normal((n, k))
    table = np.zeros((2 * reach, n, n))
    for d in range(1, 2 * reach + 1):
        np.add.at(table[d - 1], (tokens[:-d], tokens[d:]), 1.0)
    same = A.T @ (np.bincount(tokens, minlength=n)[:, None] * A)
    within, across = _state_moments(
        same, [A.T @ P @ A for P in table], [[r**d for d in range(reach)] for r in rates]
    )
    left = np.hstack([states_by_hand(tokens, r, reach, A) for r in rates])
    right = np.hstack([states_by_hand(tokens[::-1], r, reach, A)[::-1] for r in rates])
    inner = slice(reach, -reach)
    edge = 2 * reach * 60.0
    assert_allclose(within, left[inner].T @ left[inner], atol=edge)
    assert_allclose(across, left[inner].T @ right[inner], atol=edge)
    assert np.abs(across).max() > 5 * edge or np.abs(within).max() > 5 * edge


def two_classes(n_lines=3000, seed=0):
    """Nouns and verbs take turns; words of a class are alike."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n_lines):
        words = [f"{'nv'[t % 2]}{rng.integers(0, 8)}" for t in range(6)]
        lines.append(" ".join(words))
    return "\n".join(lines).encode()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_classes_and_repeats_itself(tmp_path, method):
    path = tmp_path / "t.txt"
    path.write_bytes(two_classes())
    choices = VectorOptions(dim=2, method=method)
    one, other = embed_files([path], choices), embed_files([path], choices)
    assert one.vectors.tobytes() == other.vectors.tobytes()
    assert_allclose(np.linalg.norm(one.vectors[1:], axis=1), 1.0, rtol=1e-5)
    kinds = [word[0] for word, _ in nearest(one, "n3", 7)]
    assert kinds == ["n"] * 7


def test_a_full_table_lets_the_rarest_go(monkeypatch):
    text = two_classes(400)
    vocabulary = choose_vocabulary(count_words([text]), 100)
    exact = count_pairs([text], vocabulary, 2)
    monkeypatch.setattr(pair_counts, "MOST_PAIRS", 120)
    halves = [count_pairs([text[: len(text) // 2]], vocabulary, 2) for _ in range(2)]
    bounded = halves[0] + halves[1]
    assert max(one.size for one in bounded.codes) <= 60 < exact.codes[0].size
    assert bounded.dropped > 0
    monkeypatch.setattr(vector_words, "MOST_WORDS", 10)
    words = count_words([b"common " * 50 + b" ".join(b"w%d" % k for k in range(40))])
    assert words.dropped > 0
    assert words.counts[b"common"] == 50


def test_tables_hold_what_they_were_given_and_counts_grow_as_they_must():
    codes, counts = np.array([0, 3, 4, 8]), np.array([5, 1, 2**31 - 1, 2])
    table = PairTable.of_codes(codes, 3, counts)
    assert table.counts.dtype == np.int32
    twice = table + table
    assert twice.counts.dtype == np.int64
    assert [twice.codes.tolist(), twice.counts.tolist()] == [codes.tolist(), (2 * counts).tolist()]
    fewer, lost = (table + PairTable.of_codes(np.array([3, 3, 5]), 3)).bounded(4)
    assert [fewer.codes.tolist(), fewer.counts.tolist()] == [[0, 3, 4, 8], [5, 3, 2**31 - 1, 2]]
    assert fewer.starts.tolist() == [0, 1, 3, 4]
    assert lost == 1


def test_pairs_of_different_vocabularies_do_not_add():
    one = choose_vocabulary(count_words([b"a b c"]), 3)
    other = choose_vocabulary(count_words([b"a b"]), 3)
    with pytest.raises(DataError, match="different vocabularies"):
        count_pairs([b"a b"], one, 2) + count_pairs([b"a b"], other, 2)


def test_files_round_trip(tmp_path):
    (tmp_path / "t.txt").write_bytes(two_classes(300))
    vectors = embed_files([tmp_path / "t.txt"], VectorOptions(dim=3))
    save_model(vectors, tmp_path / "v", "vectors")
    back = load_vectors(tmp_path / "v")
    assert back.words == vectors.words
    assert back.about == vectors.about
    assert (back.vectors == vectors.vectors).all()
    save_word2vec(tmp_path / "v.txt", vectors)
    text = load_vectors(tmp_path / "v.txt")
    assert text.words == vectors.words
    assert_allclose(text.vectors, vectors.vectors, atol=1e-5)
    assert_allclose(rows_of(text, ["n1", "never seen"]), text.vectors[[text.index()["n1"], 0]])
    (tmp_path / "bad.txt").write_text("2 2\na 1 2\nb 1\n")
    with pytest.raises(FormatError, match=r"bad\.txt:3"):
        load_vectors(tmp_path / "bad.txt")
    with pytest.raises(ModelFileError, match="no such file"):
        load_vectors(tmp_path / "none")


def test_the_command_learns_and_shows_neighbours(tmp_path):
    (tmp_path / "t.txt").write_bytes(two_classes(300))
    run = CliRunner()
    out = ["--out", str(tmp_path / "v"), "--text-out", str(tmp_path / "v.txt")]
    done = run.invoke(app, ["embed", str(tmp_path / "t.txt"), "--dim", "2", *out])
    assert done.exit_code == 0, done.output
    for name in ("v", "v.txt"):
        shown = run.invoke(app, ["embed", "--near", "v1", "--top", "3", str(tmp_path / name)])
        assert [line.split("\t")[1][0] for line in shown.output.splitlines()] == ["v"] * 3
    assert isinstance(run.invoke(app, ["embed", "--near", "zzz", str(tmp_path / "v")]).exception, DataError)
    assert isinstance(run.invoke(app, ["embed", str(tmp_path / "t.txt")]).exception, OptionError)


@pytest.mark.data
def test_months_are_neighbours_in_newswire(tmp_path):
    path = data_dir("text") / "reuters21578.txt.xz"
    block = next(iter(text_blocks(path)))
    words = choose_vocabulary(count_words([block]), 3000)
    options = VectorOptions(dim=30)
    vectors = options.fit_counts(words, count_pairs([block], words, options.distance))
    months = ("Jan", "Feb", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    assert sum(word.startswith(months) for word, _ in nearest(vectors, "March", 6)) >= 5
