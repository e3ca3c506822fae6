"""Known refinement HMMs and slow, obvious answers about them; shares no code with the package's inference."""

import itertools
from dataclasses import dataclass

import numpy as np

from eigenparse.corpus.sequences import Sequences
from eigenparse.features.tagger.templates import dense_ids, parse_template, template_keys
from eigenparse.learn.tagger.base import Labelled
from eigenparse.models.tagger.rhmm import Emission, Observations, Operators, RefinementHMM

ROUNDING = 1e-10  # the same sum in another order
POPULATION = 1e-8  # exact moments through a singular value decomposition


@dataclass(frozen=True)
class KnownModel:
    """pi[a, h], o[x, a, h], t[b, g, a, h], f[a, h] of a refinement HMM."""

    pi: np.ndarray
    o: np.ndarray
    t: np.ndarray
    f: np.ndarray

    @property
    def shape(self):
        """Labels, states, symbols."""
        return self.pi.shape[0], self.pi.shape[1], self.o.shape[0]


def draw_model(seed, n_labels=2, n_states=2, n_symbols=3, concentration=0.6, stop=0.35):
    """A random model whose parameters are far from uniform."""
    rng = np.random.default_rng(seed)
    pi = rng.dirichlet(np.full(n_labels * n_states, 1.0)).reshape(n_labels, n_states)
    o = rng.dirichlet(np.full(n_symbols, concentration), size=(n_labels, n_states)).transpose(2, 0, 1)
    go = rng.dirichlet(np.full(n_labels * n_states, concentration), size=(n_labels, n_states))
    f = stop * (0.5 + rng.random((n_labels, n_states)))
    t = (go * (1 - f)[:, :, None]).reshape(n_labels, n_states, n_labels, n_states).transpose(2, 3, 0, 1)
    return KnownModel(pi, o, t, f)


def joint(model, labels, symbols):
    """p(labels, symbols) by summing over all state paths."""
    total = 0.0
    for states in itertools.product(range(model.shape[1]), repeat=len(labels)):
        p = model.pi[labels[0], states[0]]
        for i, (a, x, h) in enumerate(zip(labels, symbols, states)):
            p *= model.o[x, a, h]
            if i + 1 < len(labels):
                p *= model.t[labels[i + 1], states[i + 1], a, h]
        total += p * model.f[labels[-1], states[-1]]
    return total


def all_labellings(model, n):
    """Every label sequence of length n."""
    return list(itertools.product(range(model.shape[0]), repeat=n))


def marginals(model, symbols):
    """mu[i, a] = p(symbols, label i = a), by enumeration."""
    mu = np.zeros((len(symbols), model.shape[0]))
    for labels in all_labellings(model, len(symbols)):
        p = joint(model, labels, symbols)
        for i, a in enumerate(labels):
            mu[i, a] += p
    return mu


def symbols_as_sequences(symbol_lists, n_symbols):
    """Columns of symbols named s0, s1, ...; the symbol table is complete."""
    rows = [[(f"s{x}",) for x in symbols] for symbols in symbol_lists]
    return Sequences.of(("x",), [[(f"s{x}",) for x in range(n_symbols)], *rows]).take(1, len(rows) + 1)


def tagger(model, *, rotate_seed=None):
    """The model as a package tagger: diagonal, or tensors in a random basis [stratos-2013, theorem 4.1]."""
    A, m, n = model.shape
    diagonal = rotate_seed is None
    rng = np.random.default_rng(rotate_seed)
    G = [np.eye(m) if diagonal else rng.standard_normal((m, m)) for _ in range(A)]
    H = [np.eye(m) if diagonal else rng.standard_normal((m, m)) for _ in range(A)]
    blocks = [_block(model, b, a, G, H, diagonal) for b in range(A) for a in range(A)]
    stops = [_stop(model, a, G, H, diagonal) for a in range(A)]
    sizes = [block.size for block in blocks]
    operators = Operators(
        states=np.full(A, m, dtype=np.int32),
        diagonal=diagonal,
        start=np.concatenate([G[a] @ model.pi[a] for a in range(A)]),
        stop=np.concatenate(stops),
        block=np.cumsum([0, *sizes[:-1]]).astype(np.int64),
        values=np.concatenate([block.reshape(-1) for block in blocks]),
        first=model.pi.sum(axis=1),
        base=np.full((A, A), 1.0 / A),
        last=np.full(A, 0.5),
    )
    vectors = np.array([[model.o[x, a] @ np.linalg.inv(H[a]) for a in range(A)] for x in range(n)])
    return wrap(operators, vectors, np.ones((n, A)))


def _block(model, b, a, G, H, diagonal):
    T = G[b] @ model.t[b, :, a, :]  # (g, h)
    if diagonal:
        return T
    # C(v) = G T diag(v H) G^-1, so C[i, j, k] = sum_h (G T)[i, h] H[k, h] G^-1[h, j]
    return np.einsum("ih,kh,hj->ijk", T, H[a], np.linalg.inv(G[a])).reshape(G[b].shape[0], -1)


def _stop(model, a, G, H, diagonal):
    if diagonal:
        return model.f[a]
    return np.einsum("h,kh,hj->jk", model.f[a], H[a], np.linalg.inv(G[a])).reshape(-1)


def wrap(operators, vectors, emission):
    """Operators with one observation vector a (symbol, label) and an emission (n, A)."""
    n, A, m = vectors.shape
    keys = template_keys([parse_template("x")], symbols_as_sequences([range(n)], n))
    _, distinct = dense_ids(keys)
    observations = Observations(
        ("x",),
        distinct,
        (1 + A * np.arange(n + 1)).astype(np.int64),
        np.concatenate([[0], np.tile(np.arange(A), n)]).astype(np.int32),
        np.vstack([np.ones((1, m)), vectors.reshape(n * A, m)]),
    )
    rows = np.log(emission)
    learnt = Emission(("x",), distinct, rows, "last", np.zeros(A))
    labels = tuple(f"a{a}" for a in range(A))
    return RefinementHMM(("x",), "label", labels, operators, learnt, observations)


# Exact populations: every window of four tokens as a short sequence whose second token alone has weight.


def windows(model):
    """All (before, centre, after, after that) with -1 for no token, as rows of (label, symbol) codes."""
    A, _, n = model.shape
    some = range(A * n)
    for c in some:
        for before in (-1, *some):
            yield (before, c, -1, -1)
            for after in some:
                for later in (-1, *some):
                    yield (before, c, after, later)


def symbol_step(model):
    """Step matrices S[code][(b, g), (a, h)]: emit code = a * n + x from state (a, h), then move to (b, g)."""
    A, m, n = model.shape
    T = model.t.reshape(A * m, A * m)
    steps, emits = [], []
    for a in range(A):
        for x in range(n):
            e = np.zeros((A, m))
            e[a] = model.o[x, a]
            emits.append(e.reshape(-1))
            steps.append(T * e.reshape(-1)[None])
    return np.array(steps), np.array(emits)


def window_weights(model, *, one_position=False, longest=60):
    """Expected occurrences of every window in a sequence; with ``one_position`` each divided by length."""
    A, m, _ = model.shape
    steps, emits = symbol_step(model)
    T = model.t.reshape(A * m, A * m)
    pi, f = model.pi.reshape(-1), model.f.reshape(-1)
    ahead = [pi]  # state before the token at position i
    ends = [f]  # probability of stopping after exactly j more moves, given the state
    for _ in range(longest):
        ahead.append(T @ ahead[-1])
        ends.append(ends[-1] @ T)
    length_share = np.array(
        [[1.0 / (i + j) if i + j else 0.0 for j in range(longest)] for i in range(longest)]
    )
    starts, stops = np.array(ahead[:longest]), np.array(ends[:longest])
    out = []
    for before, c, after, later in windows(model):
        out.append(
            _weight(before, c, after, later, steps, emits, pi, f, starts, stops, length_share, one_position)
        )
    return np.array(out)


def _weight(before, c, after, later, steps, emits, pi, f, starts, stops, length_share, one_position):
    # past[i]: state before the centre when i tokens come before it
    past = starts @ steps[before].T if before >= 0 else pi[None]
    n_past = np.arange(1, past.shape[0] + 1) if before >= 0 else np.array([0])
    if after < 0:
        future, n_future = (emits[c] * f)[None], np.array([0])
    else:
        back = emits[after] * f if later < 0 else None
        if later < 0:
            future, n_future = (back @ steps[c])[None], np.array([1])
        else:
            future = (stops * emits[later]) @ steps[after] @ steps[c]
            n_future = 2 + np.arange(stops.shape[0])
    table = past @ future.T
    if one_position:
        table = table / (n_past[:, None] + 1 + n_future[None])
    return float(table.sum())


def window_corpus(model, weights):
    """The windows as labelled training input."""
    A, _, n = model.shape
    kept = [(w, rows) for w, rows in zip(weights, windows(model)) if w > 0.0]
    sequences, token_weights = [], []
    for w, (before, c, after, later) in kept:
        codes = [code for code in (before, c, after, later) if code >= 0]
        sequences.append([(f"s{code % n}", f"a{code // n}") for code in codes])
        here = [0.0] * len(codes)
        here[1 if before >= 0 else 0] = w
        token_weights += here
    table = [[(f"s{x}", f"a{a}") for a in range(A) for x in range(n)]]
    corpus = Sequences.of(("x", "label"), table + sequences).take(1, len(sequences) + 1)
    column = corpus.column("label")
    return Labelled(corpus.without("label"), "label", column.ids, column.symbols, np.array(token_weights))
