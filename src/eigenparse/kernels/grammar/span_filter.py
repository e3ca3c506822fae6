"""A linear model over spans: hashed features of the tags and words at both ends of a span.

A template joins a part that depends on the start of a span, a part that depends on its end, and optionally the
length.  The parts of all positions are hashed once per sentence: ``left[i, part]`` for
spans that start at i and ``right[j, part]`` for spans that end before j.  A feature's slot in the
table of weights is one multiplication away from the sum of its two parts, so scoring a span costs one
look-up per template.  Templates with one part only are summed once per position.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eigenparse.kernels.columns import widest_slice
from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.tag_chain import (
    lexicon_choices,
    likeliest_labels,
    tag_posteriors,
)

Array = npt.NDArray[Any]
# Parts at the start of a span: nothing, tag before, first tag, both, first word, word before, the two
# tags before and the first one, the tag before and the first two.  At the end of a span: the mirror image.
NOTHING, OUTER, INNER, EDGE, INNER_WORD, OUTER_WORD, EDGE_OUT, EDGE_IN = range(8)
N_PARTS = 8
# (part at the start, part at the end, 1 if the length joins in)
ONE_SIDED = np.array([EDGE, INNER_WORD, OUTER_WORD, EDGE_OUT, EDGE_IN])
TWO_SIDED = np.array([
    (INNER, INNER, 0), (OUTER, OUTER, 0), (INNER, OUTER, 0), (OUTER, INNER, 0), (EDGE, EDGE, 0),
    (EDGE, OUTER, 0), (EDGE, INNER, 0), (OUTER, EDGE, 0), (INNER, EDGE, 0), (INNER_WORD, INNER_WORD, 0),
    (OUTER_WORD, OUTER_WORD, 0), (INNER_WORD, OUTER_WORD, 0), (OUTER_WORD, INNER_WORD, 0),
    (INNER, INNER, 1), (OUTER, OUTER, 1), (EDGE, NOTHING, 1), (NOTHING, EDGE, 1),
])  # fmt: skip
N_FEATURES = 2 * ONE_SIDED.size + TWO_SIDED.shape[0]
ONE = np.uint64(1)
MIX = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
RARE = -2  # stands for all words that features do not name
SPOKEN_OF = (
    3  # masks of spans (see ``Constraints``) below this one close spans, the others are of single spans
)
EASY = 0.003  # spans with a smaller error are skipped in training


@kernel
def mixed(a, b):
    """A hash of a hash and a number."""
    h = (a ^ np.uint64(b + 1)) * MIX
    return h ^ (h >> FOLD)


@kernel
def shift_of(size):
    """How far to shift a hash to the right for a place in a table of ``size``, a power of two."""
    bits = 0
    while (1 << bits) < size:
        bits += 1
    return np.uint64(64 - bits)


@kernel
def slot_of(template, x, y, shift):
    """The place of a feature made of two hashed parts."""
    return ((x + (y << ONE) + np.uint64(template)) * MIX) >> shift


@kernel
def length_bin(length):
    """Lengths up to ten are separate bins; longer ones share wider and wider bins."""
    if length <= 10:
        return length
    if length <= 15:
        return 11
    if length <= 22:
        return 12
    return 13 if length <= 35 else 14


@kernel
def at_or_margin(ids, i):
    """The id at a position, -1 outside the sentence."""
    return ids[i] if 0 <= i < ids.size else -1


@kernel
def side_parts(tags, words, position, step, parts):
    """Hash the parts of one end of a span whose inner word stands at ``position``; outwards is ``-step``."""
    inner, outer = at_or_margin(tags, position), at_or_margin(tags, position - step)
    edge = mixed(mixed(MIX, inner), outer)
    parts[NOTHING] = ONE
    parts[OUTER] = mixed(np.uint64(11), outer)
    parts[INNER] = mixed(np.uint64(13), inner)
    parts[EDGE] = edge
    parts[INNER_WORD] = mixed(mixed(np.uint64(17), at_or_margin(words, position)), outer)
    parts[OUTER_WORD] = mixed(mixed(np.uint64(19), at_or_margin(words, position - step)), inner)
    parts[EDGE_OUT] = mixed(edge, at_or_margin(tags, position - 2 * step) + 7919)
    parts[EDGE_IN] = mixed(edge, at_or_margin(tags, position + step) + 104729)


@kernel
def sentence_parts(tags, words, left, right):
    """The hashed parts of all starts and ends: left, right (n + 1, N_PARTS); left[n] and right[0] stay unset."""
    n = tags.size
    for i in range(n):
        side_parts(tags, words, i, 1, left[i])
        side_parts(tags, words, i, -1, right[i + 1])


@kernel
def one_sided_slots(parts, first, shift, slots):
    """The slots of the features that look at one end only."""
    for t in range(ONE_SIDED.size):
        slots[t] = slot_of(first + t, parts[ONE_SIDED[t]], ONE, shift)


@kernel
def two_sided_slots(left, right, length, shift, slots):
    """The slots of the features that look at both ends."""
    size = np.uint64(length_bin(length)) * FOLD
    for t in range(TWO_SIDED.shape[0]):
        y = right[TWO_SIDED[t, 1]] + size * np.uint64(TWO_SIDED[t, 2])
        slots[t] = slot_of(t, left[TWO_SIDED[t, 0]], y, shift)


@kernel
def span_sums(tags, words, weights, sums):
    """The summed weights of every span [i, j) of two words and more, in sums[i, j]: (n + 1, n + 1)."""
    n, shift = tags.size, shift_of(weights.size)
    left, right = np.empty((n + 1, N_PARTS), np.uint64), np.empty((n + 1, N_PARTS), np.uint64)
    sentence_parts(tags, words, left, right)
    end_sum = np.zeros(n + 1, dtype=sums.dtype)
    single, slots = np.empty(ONE_SIDED.size, np.uint64), np.empty(TWO_SIDED.shape[0], np.uint64)
    for j in range(2, n + 1):
        one_sided_slots(right[j], 200, shift, single)
        for t in range(single.size):
            end_sum[j] += weights[single[t]]
    for i in range(n - 1):
        one_sided_slots(left[i], 100, shift, single)
        start_sum = sums.dtype.type(0)
        for t in range(single.size):
            start_sum += weights[single[t]]
        for j in range(i + 2, n + 1):
            two_sided_slots(left[i], right[j], j - i, shift, slots)
            total = start_sum + end_sum[j]
            for t in range(slots.size):
                total += weights[slots[t]]
            sums[i, j] = total


@kernel
def learn_sentence(tags, words, gold, rate, weights, squares):
    """One pass of adaptive gradient steps [duchi-etal-2011] over the spans of a sentence.

    gold: (n, n + 1), whether a span is one of a tree.  With p the chance of a span, each of its
    features steps by rate (gold - p) / sqrt(sum of squared errors so far).  Spans whose error
    is below EASY are skipped, as most spans are, to save time.
    """
    n, shift = tags.size, shift_of(weights.size)
    left, right = np.empty((n + 1, N_PARTS), np.uint64), np.empty((n + 1, N_PARTS), np.uint64)
    sentence_parts(tags, words, left, right)
    m = ONE_SIDED.size
    slots = np.empty(N_FEATURES, np.uint64)
    for i in range(n - 1):
        one_sided_slots(left[i], 100, shift, slots[:m])
        for j in range(i + 2, n + 1):
            if i == 0 and j == n:
                continue
            one_sided_slots(right[j], 200, shift, slots[m : 2 * m])
            two_sided_slots(left[i], right[j], j - i, shift, slots[2 * m :])
            total = weights.dtype.type(0)
            for t in range(N_FEATURES):
                total += weights[slots[t]]
            error = np.float32((1.0 if gold[i, j] else 0.0) - 1.0 / (1.0 + np.exp(-total)))
            if abs(error) < EASY:
                continue
            for t in range(N_FEATURES):
                squares[slots[t]] += error * error
                weights[slots[t]] += rate * error / np.sqrt(squares[slots[t]])


class SpanCorpus(NamedTuple):
    """Sentences with their trees' spans: sentence s owns [word_at[s], word_at[s + 1]) of tags and words.

    words: symbols, RARE for those that features do not name.  gold: (n, n + 1) from gold_at[s] on,
    whether each span is one of the tree.
    """

    tags: Array
    words: Array
    word_at: Array
    gold: Array
    gold_at: Array


@kernel
def learn_spans(corpus, chosen, rate, weights, squares):
    """Learn from the sentences ``chosen``, in their order."""
    for s in chosen:
        low, high = corpus.word_at[s], corpus.word_at[s + 1]
        gold = corpus.gold[corpus.gold_at[s] : corpus.gold_at[s + 1]].reshape(high - low, high - low + 1)
        learn_sentence(corpus.tags[low:high], corpus.words[low:high], gold, rate, weights, squares)


@kernel
def held_out_sums(corpus, chosen, weights, sums, is_gold):
    """The sums of all spans but words and sentences, and whether they are in a tree; returns their number."""
    size = 0
    for s in chosen:
        low, high = corpus.word_at[s], corpus.word_at[s + 1]
        n = high - low
        table = np.zeros((n + 1, n + 1), dtype=sums.dtype)
        span_sums(corpus.tags[low:high], corpus.words[low:high], weights, table)
        for i in range(n - 1):
            for j in range(i + 2, n + 1):
                if j - i < n:
                    sums[size], is_gold[size] = table[i, j], corpus.gold[corpus.gold_at[s] + i * (n + 1) + j]
                    size += 1
    return size


@kernel
def open_spans(tags, words, weights, least, limited):
    """(n * (n + 1),) whether each span may hold a constituent: its sum reaches ``least``.

    Words and the whole sentence are always open, and so are spans with constraints: those with a mask of
    SPOKEN_OF or more in ``limited`` (see ``Constraints``), which is empty if there are none.
    """
    n = tags.size
    sums, is_open = np.zeros((n + 1, n + 1), dtype=np.int32), np.zeros(n * (n + 1), dtype=np.bool_)
    span_sums(tags, words, weights, sums)
    for i in range(n):
        for j in range(i + 1, n + 1):
            cell = i * (n + 1) + j
            always = j - i == 1 or j - i == n or (limited.size > 0 and limited[cell] >= SPOKEN_OF)
            is_open[cell] = always or sums[i, j] >= least
    return is_open


@kernel
def sentence_spans(words, posterior, label_tag, common, weights, least, limited):
    """``open_spans`` of a sentence whose tags are the likeliest of its words' readings."""
    tags, named = likeliest_labels(words, posterior), np.empty(words.symbol.size, dtype=np.int32)
    for i in range(named.size):
        tags[i] = label_tag[tags[i]]
        named[i] = words.symbol[i] if common[words.symbol[i]] else RARE
    return open_spans(tags, named, weights, least, limited)


@kernel
def chain_tags(symbol, word_at, sentences, lexicon, follow, found):
    """The likeliest label of each word of some sentences by the chain of tags alone, in ``found``.

    sentences: (first, one past the last).  lexicon: where each symbol's entries begin, their labels and
    their probabilities.
    """
    entry_start, entry_label, probability = lexicon
    for s in range(sentences[0], sentences[1]):
        low, high = word_at[s], word_at[s + 1]
        words = lexicon_choices(symbol[low:high], entry_start, entry_label, probability)
        shape = (high - low, max(widest_slice(words.at), 1))
        posterior = tag_posteriors(words, follow, np.zeros(shape), np.zeros(shape))
        found[low:high] = likeliest_labels(words, posterior)
