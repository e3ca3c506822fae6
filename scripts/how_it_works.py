"""Pictures of docs/how-it-works.md: from counts to singular vectors to states, on the synthetic English.

python scripts/how_it_works.py [--out docs]
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("svg")
mpl.rcParams.update(
    {"svg.hashsalt": "eigenparse", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False}
)
from matplotlib import pyplot as plt  # noqa: E402

from eigenparse.spectral.cluster import cluster_rows  # noqa: E402
from eigenparse.synthetic import english_grammar, sample_trees  # noqa: E402

TREES, LEAST, STATES, SHOWN = 4000, 60, 8, 12
KINDS = (
    "ideas",
    "features",
    "people",
    "instruments",
    "places",
    "objects",
    "parts",
    "times",
)  # in the order of states
COLOURS = ("#c2571a", "#7a5ea8", "#0f6b66", "#b08900", "#2f6fb5", "#a3261d", "#5a7d2a", "#566070")


def nouns() -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Frequent nouns, the words around them, how often each pair occurs, and each noun's true hidden state."""
    grammar = english_grammar()
    sample = sample_trees(grammar, TREES, seed=0)
    trees = sample.trees
    label = [str(one) for one in trees.labels].index("NN")
    leaves = np.flatnonzero(trees.word >= 0)
    words = [trees.words[w] for w in trees.word[leaves]]
    found = np.flatnonzero(trees.label[leaves] == label)[1:-1]
    often = [word for word, n in zip(*np.unique([words[i] for i in found], return_counts=True)) if n >= LEAST]
    place = {word: k for k, word in enumerate(often)}
    around: dict[str, int] = {}
    pairs, truth = [], np.zeros((len(often), STATES))
    for i in found:
        if words[i] in place:
            truth[place[words[i]], sample.state[leaves[i]]] += 1
            for neighbour in (f"{words[i - 1]} _", f"_ {words[i + 1]}"):
                pairs.append((place[words[i]], around.setdefault(neighbour, len(around))))
    counts = np.zeros((len(often), len(around)))
    np.add.at(counts, tuple(np.array(pairs).T), 1.0)
    return often, list(around), counts, truth.argmax(axis=1)


def save(figure: "plt.Figure", path: Path) -> None:
    """Write a picture that is the same byte for byte whenever it is made."""
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    print(f"{path.name}: {path.stat().st_size} bytes")


def draw_counts(words: list[str], around: list[str], counts: np.ndarray, out: Path) -> None:
    """The table of counts, its most frequent rows and columns."""
    rows, columns = np.argsort(-counts.sum(axis=1))[:SHOWN], np.argsort(-counts.sum(axis=0))[:SHOWN]
    part = counts[np.ix_(rows, columns)]
    figure, axes = plt.subplots(figsize=(6.4, 4.6))
    axes.imshow(np.sqrt(part), cmap="GnBu", aspect="auto")
    axes.set_xticks(range(SHOWN), [around[k] for k in columns], rotation=45, ha="right")
    axes.set_yticks(range(SHOWN), [words[k] for k in rows])
    for (i, j), n in np.ndenumerate(part):
        axes.text(j, i, f"{int(n)}", ha="center", va="center", fontsize=8)
    save(figure, out / "how-counts.svg")


def draw_spectrum(values: np.ndarray, out: Path) -> None:
    """The singular values."""
    figure, axes = plt.subplots(figsize=(6.4, 2.8))
    axes.bar(np.arange(1, 21), values[:20], color=["#0f6b66"] * STATES + ["#c9d6d4"] * (20 - STATES))
    axes.set_xticks(range(1, 21))
    axes.set_xlabel("number of the singular value")
    save(figure, out / "how-spectrum.svg")


def draw_words(words: list[str], places: np.ndarray, truth: np.ndarray, out: Path) -> None:
    """Every noun at its coordinates on two singular vectors, in the colour of its true hidden state."""
    figure, axes = plt.subplots(figsize=(6.4, 5.2))
    for state in range(STATES):
        chosen = truth == state
        axes.scatter(places[chosen, 0], places[chosen, 1], s=14, color=COLOURS[state], label=KINDS[state])
    for word, (x, y) in list(zip(words, places))[:: max(1, len(words) // 40)]:
        axes.annotate(word, (x, y), fontsize=7, xytext=(3, 2), textcoords="offset points")
    axes.set_xlabel("second singular vector")
    axes.set_ylabel("third singular vector")
    axes.legend(fontsize=8, frameon=False)
    save(figure, out / "how-vectors.svg")


def draw_states(states: np.ndarray, truth: np.ndarray, out: Path) -> float:
    """How many nouns of each true state each found state has; the share of nouns in the right one."""
    table = np.zeros((STATES, STATES))
    np.add.at(table, (states, truth), 1)
    order = np.argsort(table.argmax(axis=1), kind="stable")
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    axes.imshow(table[order], cmap="GnBu", aspect="auto")
    axes.set_xticks(range(STATES), KINDS, rotation=30, ha="right")
    axes.set_yticks(range(STATES), [f"state {k}" for k in range(STATES)])
    for (i, j), n in np.ndenumerate(table[order]):
        if n:
            axes.text(j, i, f"{int(n)}", ha="center", va="center", fontsize=9)
    save(figure, out / "how-states.svg")
    return float(table.max(axis=1).sum() / table.sum())


def main() -> None:
    """Count, decompose, cluster, draw."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--out", type=Path, default=Path(__file__).parent.parent / "docs")
    out = options.parse_args().out
    words, around, counts, truth = nouns()
    total = counts.sum()
    scaled = counts / np.sqrt(np.outer(counts.sum(axis=1), counts.sum(axis=0)))
    left, values, _ = np.linalg.svd(scaled, full_matrices=False)
    left = left * np.sign(left.sum(axis=0))
    places = left[:, :STATES] * values[:STATES] / np.sqrt(counts.sum(axis=1, keepdims=True) / total)
    states = cluster_rows(places[:, 1:], STATES, rng=np.random.default_rng(0))
    draw_counts(words, around, counts, out)
    draw_spectrum(values, out)
    draw_words(words, places[:, 1:3], truth, out)
    share = draw_states(np.asarray(states), truth, out)
    sizes = f"{len(words)} nouns, {len(around)} contexts, {int(total)} pairs"
    print(f"{sizes}; {100 * share:.1f} % of the nouns are in the right state")


if __name__ == "__main__":
    main()
