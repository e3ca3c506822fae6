"""Characters of words after their contexts: counts in, probabilities of words in every group out."""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel


class Level(NamedTuple):
    """Contexts of one length: key (C,), sorted; at (C + 1,) of event.

    event: context << 21 | character, sorted; number: how often each; total: (C,) of each context.
    """

    key: np.ndarray
    at: np.ndarray
    event: np.ndarray
    number: np.ndarray
    total: np.ndarray


@kernel
def place_of(table, wanted):
    """How many numbers of a sorted table are below one; NumPy's function loads SciPy's linear algebra with it."""
    low, high = 0, table.size
    while low < high:
        middle = (low + high) // 2
        if table[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def find(table, wanted):
    """The place of a number in a sorted table, -1 if it is not there."""
    low = place_of(table, wanted)
    return low if low < table.size and table[low] == wanted else -1


@kernel
def smoothed(level, context, character, p):
    """Witten-Bell smoothing: p(character | context), where p is the probability in the next shorter context."""
    kinds = level.at[context + 1] - level.at[context]
    event = find(level.event, (np.int64(context) << 21) | character)
    count = level.number[event] if event >= 0 else 0.0
    return (count + kinds * p) / (level.total[context] + kinds)


# log p of every word in every group.  Letters come from the end of a word to its beginning.  A context of k letters is
# known by the place of the one of k - 1 letters and its k-th letter, so the walk from short to long contexts stops at
# the first that was never seen.  The last level is the longest context together with a group: its keys are
# context * groups + group, and groups that were never seen there keep the shared probability.
@kernel
def spell_words(character, before, first, levels, grouped, even, log_p):
    """log_p: (words, groups).  first: (words + 1,) of character; before: (n, k) letters, nearest first."""
    n_groups = log_p.shape[1]
    own = np.empty(n_groups)
    for w in range(first.size - 1):
        shared = 0.0
        own[:] = 0.0
        for t in range(first[w], first[w + 1]):
            c, p, context = character[t], even, 0
            for k in range(len(levels)):
                if k > 0:
                    context = find(levels[k].key, (np.int64(context) << 21) | before[t, k - 1])
                if context < 0:
                    break
                p = smoothed(levels[k], context, c, p)
            shared += np.log(p)
            if context >= 0:
                low = place_of(grouped.key, context * n_groups)
                while low < grouped.key.size and grouped.key[low] < (context + 1) * n_groups:
                    own[grouped.key[low] - context * n_groups] += np.log(smoothed(grouped, low, c, p) / p)
                    low += 1
        for g in range(n_groups):
            log_p[w, g] = shared + own[g]
