"""HMMs over characters and over a synthetic chain: perplexity and CPU seconds of every method, in one run.

python benchmarks/sequence_chain.py DATA [--hmmlearn ROUNDS]    (characters of wsj-sample; group ``bench``)
"""

import argparse
import pathlib
import time
from itertools import pairwise
from typing import Any

import numpy as np

from eigenparse.corpus.label_sources import read_labelled
from eigenparse.corpus.sequences import Sequences
from eigenparse.inference.hmm.chain import filtered, sample
from eigenparse.learn.hmm.learner import HmmOptions
from eigenparse.learn.hmm.spectral import ChainChoices, Symbols, fit_spectral_hmm, symbol_table
from eigenparse.models.hmm.chain import proper_chain


def characters(path):
    """The characters of the sentences of a treebank, words joined by blanks."""
    corpus = read_labelled(path)
    words = corpus.column("word").strings()
    return Sequences.of(("x",), [[(c,) for c in " ".join(words[i:j])] for i, j in pairwise(corpus.offsets)])


def report(name, data, test, offsets, choices):
    """One line: perplexity and training time."""
    clock = time.process_time()
    if isinstance(choices, ChainChoices):
        model = fit_spectral_hmm(data, "char", choices)
    else:
        model = choices.fit_symbols(data, "char")
    trained = time.process_time() - clock
    found = filtered(model, test, offsets)
    print(f"{name:<24} perplexity {found.perplexity:7.3f}   train {trained:6.1f} CPU s", flush=True)


def synthetic():
    """Five states, twenty symbols, a million tokens; the true perplexity beside ours."""
    rng = np.random.default_rng(0)
    start, move = rng.dirichlet(np.ones(5)), rng.dirichlet(np.full(5, 0.5), size=5).T
    true = proper_chain(
        tuple(map(str, range(20))), "word", start, move, rng.dirichlet(np.full(20, 0.5), size=5).T
    )
    ids, _ = sample(true, np.full(10_000, 100), seed=1)
    test, _ = sample(true, np.full(1_000, 100), seed=2)
    offsets = np.arange(10_001) * 100
    print(f"{'true model':<24} perplexity {filtered(true, test, offsets[:1001]).perplexity:7.3f}")
    data = Symbols.of(ids, offsets, true.symbols)
    report("spectral k=5", data, test, offsets[:1001], HmmOptions(states=5))


def peer(data, test, offsets, states, rounds):
    """The same by hmmlearn's EM."""
    from hmmlearn.hmm import CategoricalHMM

    model = CategoricalHMM(states, n_iter=rounds, random_state=0, n_features=len(data.names))
    clock = time.process_time()
    model.fit(data.ids[:, None], np.diff(data.offsets))
    trained = time.process_time() - clock
    value = model.score(test[:, None], np.diff(offsets))
    perplexity = np.exp(-value / test.size)
    name = f"hmmlearn, {model.monitor_.iter} EM, k={states}"
    print(f"{name:<24} perplexity {perplexity:7.3f}   train {trained:6.1f} CPU s", flush=True)


def witten_bell(data, test, offsets, order):
    """Perplexity of an n-gram model of characters: p = (count + types * p of the shorter context) / (total + types)."""
    clock = time.process_time()
    counts: list[dict[Any, Any]] = [{} for _ in range(order)]
    for context, symbol in _events(data.ids, data.offsets, order):
        for n in range(order):
            row = counts[n].setdefault(context[order - 1 - n :], {})
            row[symbol] = row.get(symbol, 0) + 1
    trained, total = time.process_time() - clock, 0.0
    for context, symbol in _events(test, offsets, order):
        p = 1.0 / len(data.names)
        for n in range(order):
            row = counts[n].get(context[order - 1 - n :])
            if row:
                p = (row.get(symbol, 0) + len(row) * p) / (sum(row.values()) + len(row))
        total -= np.log(p)
    name = f"Witten-Bell {order}-gram"
    print(f"{name:<24} perplexity {np.exp(total / test.size):7.3f}   train {trained:6.1f} CPU s", flush=True)


def _events(ids, offsets, order):
    """(context of order - 1 symbols, symbol) of every place; -1 before the beginning of a sentence."""
    for i, j in pairwise(offsets.tolist()):
        line = [-1] * (order - 1) + ids[i:j].tolist()
        for k in range(order - 1, len(line)):
            yield tuple(line[k - order + 1 : k]), line[k]


def main():
    """Characters, then the synthetic chain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--hmmlearn", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--states", type=int, default=0, help="one more spectral model, of so many states")
    options = parser.parse_args()
    train, dev = (characters(options.data / "wsj-sample" / name) for name in ("train.ptb", "dev.ptb"))
    data = symbol_table(train)
    names = {symbol: k for k, symbol in enumerate(data.names)}
    test = np.array([names.get(symbol, 0) for symbol in dev.columns[0].strings()], dtype=np.int32)
    few = Symbols.of(data.ids[:500], np.array([0, 500]), data.names)
    HmmOptions(states=4).fit_symbols(few, "char")  # compile
    for states in (20, 40):
        report(f"spectral k={states}", data, test, dev.offsets, HmmOptions(states=states))
        choices = ChainChoices(states=states, pair_share=0.0)
        report("  the same without pairs", data, test, dev.offsets, choices)
    report("clusters, 30 EM, k=20", data, test, dev.offsets, HmmOptions("cluster", states=20))
    for order in (3, 5):
        witten_bell(data, test, dev.offsets, order)
    if options.states:
        report(f"spectral k={options.states}", data, test, dev.offsets, HmmOptions(states=options.states))
    if options.hmmlearn:
        peer(data, test, dev.offsets, 20, options.hmmlearn)
    synthetic()


if __name__ == "__main__":
    main()
