"""Word vectors in, fine and coarse classes of words out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray
from eigenparse.features.dependency.word_classes import WordClasses, class_hash
from eigenparse.kernels.rows import nearest
from eigenparse.spectral.cluster import SAMPLE, centres_of
from eigenparse.threads import one_thread

FINE, COARSE = 512, 64


def word_classes(
    words: Sequence[str],
    vectors: AnyArray,
    counts: AnyArray,
    *,
    seed: int = 0,
    sizes: tuple[int, int] = (FINE, COARSE),
) -> WordClasses:
    """Classes by k-means on the vectors of the most frequent words, and by Ward's method on their centres.

    words: the first one stands for all others.  vectors: (n, k).  counts: (n,).  sizes: maximum numbers of classes.
    """
    from scipy.cluster.hierarchy import cut_tree, ward  # imported late: few models need it

    rows = np.ascontiguousarray(vectors[1:], dtype=np.float32)
    frequent = rows[np.argsort(-counts[1:], kind="stable")[:SAMPLE]]
    fine, coarse = sizes
    with one_thread():  # several threads would add up sums in varying order
        centres: Any = centres_of(frequent, fine, rng=np.random.default_rng(seed))
    if centres is None:
        centres = frequent[:1]
    state = np.empty(len(rows), dtype=np.int32)
    nearest(rows, centres, state)
    few = min(coarse, len(centres))
    above = cut_tree(ward(centres), few)[:, 0] if len(centres) > 1 else np.zeros(1)
    keys, first = np.unique(np.array([class_hash(w) for w in words[1:]], dtype=np.uint32), return_index=True)
    return WordClasses(keys, state[first].astype(np.uint16), above.astype(np.uint16))
