"""The latent tree model as a parser: sentences in, posteriors of arcs and the trees that they favour out.

p(tree | words) is in proportion to p(words | tree), summed over the states of all words; all projective trees
with one root have the same prior probability.
"""

from collections.abc import Callable

import numpy as np

from eigenparse.arrays import AnyArray, FloatArray
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.features.dependency.channels import (
    DISTANCES,
    ROOT_BUCKET,
    SHAPES,
    encode,
    shape_names,
)
from eigenparse.inference.dependency.arcs import TreeLists
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS
from eigenparse.kernels.dependency.eisner_kbest import kbest_trees
from eigenparse.kernels.dependency.latent_chart import Chart, Tables, posteriors
from eigenparse.models.dependency.deptree import DepTree

TRIES = 8  # scale factors per word that are tried before a sentence counts as impossible
STEP = 1e3


def chart_bytes(model: DepTree, n_words: int) -> int:
    """Bytes of the inside and outside charts of a sentence."""
    k, n_counts = model.n_states, len(_shape_rows(model, "left"))
    return 16 * n_words * n_words * k * (n_counts * (k + 2) + 2)


def arc_posteriors(model: DepTree, trees: Dependencies, sentence: int) -> tuple[FloatArray, float]:
    """(n + 1, n + 1) posterior of each arc h -> m, and the log of the sum over all trees of p(words | tree).

    The model has visible states.
    """
    part = trees.select([sentence])
    n, k = part.n_words, model.n_states
    marginal = np.zeros((n + 1, n + 1))
    if n == 0:
        return marginal, 0.0
    emission = np.ones((n, k))
    rows = encode(part.with_heads(np.arange(n)), model.channels, model.symbols)
    for q, channel in enumerate(model.channels):
        if channel not in SHAPES:
            emission *= model.observation[rows[:, q]]
    top = emission.max(axis=1, keepdims=True)
    top[top <= 0.0] = 1.0
    distance = _shape_rows(model, "distance")
    far = distance[np.minimum(np.searchsorted(DISTANCES, np.arange(n)), distance.shape[0] - 1)]
    root = distance[min(ROOT_BUCKET, distance.shape[0] - 1)]
    numbers = np.stack([_shape_rows(model, side) for side in ("left", "right")])
    scale = 1.0
    for attempt in range(TRIES):
        tables = Tables(model.start * root, model.transition, emission / top * scale, far, numbers)
        total = posteriors(tables, _room(n, *numbers.shape[1:]), _room(n, *numbers.shape[1:]), marginal)
        if 0.0 < total < np.inf:
            return marginal, float(np.log(total) + np.log(top / scale).sum())
        scale = STEP ** ((attempt + 2) // 2 * (1 if attempt % 2 == 0 else -1))
    return marginal, -np.inf


def latent_lists(
    model: DepTree, trees: Dependencies, n_best: int, too_long: Callable[[int], bool]
) -> TreeLists:
    """The trees whose arcs have the largest posteriors together, best first.

    too_long: whether a sentence of this length is too long to parse; each of its words is then the head of the next.
    """
    lists = TreeLists.empty(n_best, trees.n_words, len(trees))
    for s, (low, high) in enumerate(zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist())):
        if too_long(high - low):
            lists.heads[0, low:high] = np.arange(high - low)
            continue
        scores, _ = arc_posteriors(model, trees, s)
        heads = np.zeros((n_best, high - low), dtype=np.int32)
        lists.found[s] = kbest_trees(scores, NO_SIBLINGS, NO_ENDS, heads, lists.scores[s])
        lists.heads[:, low:high] = heads
    return lists


def _shape_rows(model: DepTree, channel: str) -> AnyArray:
    """(C, k) probability of each value of a channel of shapes by state; ones if the model does not have the channel."""
    names = shape_names(channel)
    wanted = {"left", "right"} if channel != "distance" else {channel}
    if not wanted & set(model.channels):
        return np.ones((1, model.n_states))
    if channel not in model.channels:
        return np.ones((len(names), model.n_states))
    q = model.channels.index(channel)
    base = sum(map(len, model.symbols[:q]))
    place = {name: i for i, name in enumerate(model.symbols[q])}
    return model.observation[[base + place.get(name, 0) for name in names]]


def _room(n: int, n_counts: int, k: int) -> Chart:
    """A chart of zeros."""
    return Chart(np.zeros((2, n, n, n_counts, k)), np.zeros((2, n, n, k)), np.zeros((n, n, n_counts, k, k)))
