"""Sums of words' latent values over shards in; the same sums with every word backed off to its label out."""

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack

from eigenparse.models.grammar.pcfg import Weights


def shrunk_sums(tokens: tuple[Any, Any], weights: Weights, constant: float) -> tuple[Any, Any]:
    """What ``learn.lexicon.shrunk`` does to single tokens, done to their sums inside and at the start.

    With n tokens of a word under a label, their mean gets weight sqrt(n) / (constant + sqrt(n)), the
    label's mean the rest; every token then has that value.
    """
    inner, initial = tokens
    n_states, state_at = int(weights.state_at[-1]), weights.state_at
    values = (inner + initial)[:, :n_states].tocsc()
    counts = [part[:, n_states:].tocsc() for part in (inner, initial)]
    made: list[list[tuple[Any, Any, Any]]] = [[], []]
    for a in range(state_at.size - 1):
        per = [np.asarray(part[:, [a]].todense()).ravel() for part in counts]
        n = per[0] + per[1]
        rows = np.flatnonzero(n > 0)
        if not rows.size:
            continue
        own = values[:, int(state_at[a]) : int(state_at[a + 1])].tocsr()[rows].toarray()
        number = n[rows][:, None]
        keep = np.sqrt(number) / (constant + np.sqrt(number))
        mean = keep * own / number + (1 - keep) * (own.sum(axis=0) / number.sum())
        columns = np.arange(int(state_at[a]), int(state_at[a + 1]))
        for k in (0, 1):
            chosen = per[k][rows] > 0
            block = mean[chosen] * per[k][rows][chosen][:, None]
            made[k].append(
                (block.ravel(), np.repeat(rows[chosen], columns.size), np.tile(columns, int(chosen.sum())))
            )
    shape = (inner.shape[0], n_states)
    found = []
    for k in (0, 1):
        value, row, column = (np.concatenate(parts) for parts in zip(*made[k], strict=True))
        found.append(
            hstack([csr_matrix((value, (row, column)), shape=shape), counts[k].tocsr()], format="csr")
        )
    return found[0], found[1]
