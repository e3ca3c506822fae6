"""Features of the judge of tags: posteriors and spellings of a sentence in, hashed features out.

As for brackets (``kernels/grammar/judge.py``): a tag of a word is a candidate if its posterior is
neither very high nor very low.  Templates look at the spelling of the word, at the words and the likeliest tags around
it, and at the candidate's strongest rival.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.hashing import log_odds, mix, step
from eigenparse.kernels.grammar.judge_weights import STEP, judge_odds

TAG_TEMPLATES = 34
TAG_DENSE = 2
SPELLINGS = 8  # the word as the judge knows it, in small letters, last 1 to 4 letters, first letters, shape
MARGIN = 2
_SEED, _BORDER, _NO_RIVAL = np.uint64(301), np.uint64(3), np.uint64(1)
_FIRST, _LATER = np.uint64(5), np.uint64(6)


class Tagged(NamedTuple):
    """One sentence of n words with T possible tags.

    spelling: (n + 4, SPELLINGS) uint64 hashes, two margins on each side.  tag: (n,) symbol of the likeliest
    tag.  word, symbol, posterior: (T,) sorted by word.  candidate: (T,), which of them are to be judged.
    voices: (V, T) posteriors under single grammars.
    """

    spelling: np.ndarray
    tag: np.ndarray
    word: np.ndarray
    symbol: np.ndarray
    posterior: np.ndarray
    candidate: np.ndarray
    voices: np.ndarray


@kernel
def rival_of(tagged, c):
    """The likeliest other tag of the same word; -1 if there is none."""
    found, d = -1, c
    while d > 0 and tagged.word[d - 1] == tagged.word[c]:
        d -= 1
    while d < tagged.word.size and tagged.word[d] == tagged.word[c]:
        if d != c and (found < 0 or tagged.posterior[d] > tagged.posterior[found]):
            found = d
        d += 1
    return found


@kernel
def tag_features(spelling, tag, k, rival, own, against, value):
    """Values of all templates for a tag of word k, which is at k + MARGIN; rival: hash of the other tag."""
    first = _FIRST if k == 0 else _LATER
    k += MARGIN
    word, ending, before, after = spelling[k, 0], spelling[k, 4], spelling[k - 1, 0], spelling[k + 1, 0]
    t1, t2, t3, t4 = tag[k - 2], tag[k - 1], tag[k + 1], tag[k + 2]
    for z in range(SPELLINGS):
        value[z] = spelling[k, z]
    value[8], value[9], value[10], value[11] = before, after, spelling[k - 2, 0], spelling[k + 2, 0]
    value[12], value[13], value[14], value[15] = (
        mix(before, word),
        mix(word, after),
        spelling[k - 1, 4],
        spelling[k + 1, 4],
    )
    value[16], value[17], value[18], value[19] = t2, t3, mix(t2, t3), mix(t2, word)
    value[20], value[21], value[22], value[23] = mix(t3, word), mix(t1, t2), mix(t3, t4), mix(t2, ending)
    value[24], value[25], value[26], value[27] = (
        mix(t3, ending),
        mix(before, t3),
        mix(t2, after),
        mix(before, after),
    )
    value[28], value[29], value[30] = mix(rival, step(against)), mix(rival, word), mix(rival, ending)
    value[31], value[32], value[33] = step(own), mix(spelling[k, 7], first), mix(mix(t2, rival), t3)


@kernel
def tag_rows(tagged, key, bits, rows, dense):
    """Features of all candidates: rows (candidates, TAG_TEMPLATES), dense (candidates, TAG_DENSE + V); their number."""
    n = tagged.tag.size
    tag = np.full(n + 2 * MARGIN, _BORDER)
    for k in range(n):
        tag[k + MARGIN] = key[tagged.tag[k]]
    value, r, mask = np.empty(TAG_TEMPLATES, dtype=np.uint64), 0, np.uint64((1 << bits) - 1)
    for c in range(tagged.word.size):
        if not tagged.candidate[c]:
            continue
        rival = rival_of(tagged, c)
        other = key[tagged.symbol[rival]] if rival >= 0 else _NO_RIVAL
        dense[r, 0] = log_odds(tagged.posterior[c])
        dense[r, 1] = log_odds(tagged.posterior[rival]) if rival >= 0 else log_odds(0.0)
        for k in range(TAG_DENSE, dense.shape[1]):
            dense[r, k] = log_odds(tagged.voices[k - TAG_DENSE, c])
        tag_features(tagged.spelling, tag, tagged.word[c], other, dense[r, 0], dense[r, 1], value)
        for z in range(TAG_TEMPLATES):
            rows[r, z] = mix(mix(_SEED + np.uint64(z), key[tagged.symbol[c]]), value[z]) & mask
        r += 1
    return r


@kernel
def share_out(tagged, belief, tag):
    """Scale the candidates of a word that has several tags by the sum of all; note the likeliest tags.

    A tag alone keeps its probability: the rest belongs to tags that are nearly impossible in the grammar.
    """
    c = 0
    while c < tagged.word.size:
        stop, total, best = c, 0.0, c
        while stop < tagged.word.size and tagged.word[stop] == tagged.word[c]:
            total += belief[stop]
            stop += 1
        for d in range(c, stop):
            if tagged.candidate[d] and stop - c > 1:
                belief[d] /= total
            if belief[d] > belief[best]:
                best = d
        tag[tagged.word[c]] = tagged.symbol[best]
        c = stop


@kernel
def tag_again(tagged, key, bits, u, w, belief, tag):
    """The judge's probabilities of all tags (other tags are unchanged), and the likeliest tag of every word."""
    n = 0
    for c in range(tagged.candidate.size):
        n += tagged.candidate[c]
    rows, dense, odds = np.empty((n, TAG_TEMPLATES), dtype=np.int32), np.empty((n, u.size)), np.empty(n)
    tag_rows(tagged, key, bits, rows, dense)
    judge_odds(rows, dense, u, w, STEP, odds)
    r = 0
    for c in range(tagged.candidate.size):
        belief[c] = tagged.posterior[c]
        if tagged.candidate[c]:
            belief[c] = 1.0 / (1.0 + np.exp(-odds[r]))
            r += 1
    share_out(tagged, belief, tag)
