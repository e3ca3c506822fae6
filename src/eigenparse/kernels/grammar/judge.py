"""What a second look sees of candidate brackets: posteriors, words and tags of a sentence in, hashed features out.

A bracket is (symbol, start, end) with the posterior that the grammar gives it.  Brackets come sorted by
start, then end.  Some are beyond doubt, the others are candidates and get a row each:

    rows[r, z] = hash(z, symbol, value of template z) mod 2 ** bits      dense[r] = four log odds

and the judge's log odds of the bracket are  dense[r] . u + sum over z of w[rows[r, z]].  The first of the
dense features is what was believed before, so that u = (1, 0, 0, 0) and w = 0 change nothing.

Templates look at words and tags at both ends, at the tags within, and at the tree that the brackets
believed in (``belief`` above one half) make around the candidate: its children, its parent, the
children beside it, its parent's parent, and their heads.  The work grows with brackets times words, so
each bracket finds its children through the list of those that begin at the same word.  A judge whose rows
have FEWER templates, as in older files, does without ``around_features``.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.hashing import log_odds, mix, step
from eigenparse.kernels.grammar.judge_weights import judge_odds

TEMPLATES, FEWER = 80, 64
DENSE = 4
BELIEVED = 0.5
MARGIN = 2  # words beyond each end of a sentence
_START, _BORDER, _NO_PARENT, _NO_CHILD, _NO_HEAD = (np.uint64(x) for x in (17, 3, 7, 11, 13))
_SEED = np.uint64(101)


class Symbols(NamedTuple):
    """Of every symbol: its hash, which children head it (a smaller rank is better), and on which side ties fall.

    key: (S,) uint64.  rank: (S, S).  rightmost: (S,).
    """

    key: np.ndarray
    rank: np.ndarray
    rightmost: np.ndarray


class Seen(NamedTuple):
    """One sentence of n words with m brackets.

    word: (n + 4,) uint64 hashes, two margins on each side.  tag: (n,) symbol of the likeliest tag.
    start, end, symbol: (m,).  posterior: (m,) of the grammar.  belief: (m,) of whoever looked last.
    candidate: (m,), which of them are to be judged.
    """

    word: np.ndarray
    tag: np.ndarray
    start: np.ndarray
    end: np.ndarray
    symbol: np.ndarray
    posterior: np.ndarray
    belief: np.ndarray
    candidate: np.ndarray


@kernel
def length_class(n):
    """1 to 5, then ever wider."""
    k = n
    if n > 5:
        k = 6 if n <= 7 else 7 if n <= 10 else 8 if n <= 15 else 9 if n <= 25 else 10
    return np.uint64(k)


@kernel
def child_at(seen, at, k, i, j):
    """The widest believed bracket from word k within [i, j), other than [i, j) itself; -1 for the word alone."""
    found = -1
    for d in range(at[k], at[k + 1]):
        if seen.end[d] > j:
            break
        if seen.belief[d] > BELIEVED and not (k == i and seen.end[d] == j):
            wider = found < 0 or seen.end[d] > seen.end[found]
            if wider or seen.belief[d] > seen.belief[found]:
                found = d
    return found


@kernel
def row_hash(seen, at, i, j, tag, key):
    """Hash of the believed brackets and single words from word i to word j, one after the other."""
    found, k = _START, i
    while k < j:
        d = child_at(seen, at, k, -1, j)
        found = mix(found, tag[k + MARGIN] if d < 0 else key[seen.symbol[d]])
        k = k + 1 if d < 0 else seen.end[d]
    return found


@kernel
def find_heads(seen, at, symbols, head):
    """The word that heads each bracket, its children being brackets that are believed in, or words."""
    order = np.argsort(seen.end - seen.start)
    for t in range(order.size):
        c = order[t]
        i, j, a = seen.start[c], seen.end[c], seen.symbol[c]
        best, k = 32767, i
        while k < j:
            d = child_at(seen, at, k, i, j)
            child, word = (seen.tag[k], k) if d < 0 else (seen.symbol[d], head[d])
            r = symbols.rank[a, child]
            if r < best or (r == best and symbols.rightmost[a]):
                best, head[c] = r, word
            k = k + 1 if d < 0 else seen.end[d]


@kernel
def parent_of(seen, c):
    """The smallest believed bracket that holds bracket c and is wider; -1 if there is none."""
    i, j, found = seen.start[c], seen.end[c], -1
    for d in range(seen.start.size):
        a, b = seen.start[d], seen.end[d]
        if a > i:
            break
        holds = seen.belief[d] > BELIEVED and b >= j and b - a > j - i
        if holds and (found < 0 or b - a < seen.end[found] - seen.start[found]):
            found = d
    return found


@kernel
def rivals(seen, c):
    """The most believed bracket that crosses bracket c, and the other symbol over its span; -1 if none."""
    i, j, cross, other = seen.start[c], seen.end[c], -1, -1
    for d in range(seen.start.size):
        a, b = seen.start[d], seen.end[d]
        if a >= j:
            break
        crosses = (a < i and i < b and b < j) or (i < a and j < b)
        if a == i and b == j and d != c and (other < 0 or seen.belief[d] > seen.belief[other]):
            other = d
        if crosses and (cross < 0 or seen.belief[d] > seen.belief[cross]):
            cross = d
    return cross, other


@kernel
def before(seen, low, i):
    """The widest believed bracket that begins at ``low`` or later and ends at i; -1 for the word alone."""
    found = -1
    for d in range(seen.start.size):
        if seen.start[d] >= i:
            break
        if seen.start[d] >= low and seen.end[d] == i and seen.belief[d] > BELIEVED:
            wider = found < 0 or seen.start[d] < seen.start[found]
            if wider or (seen.start[d] == seen.start[found] and seen.belief[d] > seen.belief[found]):
                found = d
    return found


@kernel
def end_features(word, tag, i, j, value):
    """Words and tags at, before and after both ends; word and tag have margins."""
    size = length_class(j - i)
    i, j = i + MARGIN, j + MARGIN
    w0, w1, w2, w3 = word[i - 1], word[i], word[j - 1], word[j]
    t0, t1, t2, t3 = tag[i - 1], tag[i], tag[j - 1], tag[j]
    value[0], value[1] = _START, size
    value[2], value[3], value[4], value[5] = w1, w2, w0, w3
    value[6], value[7], value[8], value[9] = t1, t2, t0, t3
    value[10], value[11], value[12], value[13] = mix(t0, t1), mix(t2, t3), mix(t1, t2), mix(t0, t3)
    value[14], value[15], value[16], value[17] = mix(w0, t1), mix(t0, w1), mix(w2, t3), mix(t2, w3)
    value[18], value[19], value[20], value[21] = mix(w1, w2), mix(w0, w3), mix(w0, w1), mix(w2, w3)
    value[22], value[23], value[24], value[25] = mix(w1, size), mix(w2, size), mix(w0, size), mix(w3, size)
    within = _START
    if j - i <= 5:
        for k in range(i, j):
            within = mix(within, tag[k])
    else:
        within = mix(mix(mix(mix(within, t1), tag[i + 1]), tag[j - 2]), t2)
    value[26], value[27] = within, mix(mix(within, t0), t3)
    value[28], value[29] = mix(mix(tag[i - 2], t0), t1), mix(mix(t2, t3), tag[j + 1])
    value[30], value[31] = mix(mix(t0, t1), tag[i + 1]), mix(mix(tag[j - 2], t2), t3)
    value[32], value[33] = mix(mix(t0, t1), mix(t2, t3)), mix(w1, word[i + 1])


@kernel
def tree_features(seen, at, c, word, tag, key, head, value):
    """Children, parent and neighbours of bracket c among the brackets believed in."""
    n, i, j = seen.tag.size, seen.start[c], seen.end[c]
    parent = parent_of(seen, c)
    above, low, high = _NO_PARENT, 0, n
    if parent >= 0:
        above, low, high = key[seen.symbol[parent]], seen.start[parent], seen.end[parent]
    left, right, left_head, right_head = _BORDER, _BORDER, -1, -1
    if i > low:
        d = before(seen, low, i)
        left, left_head = (tag[i + MARGIN - 1], i - 1) if d < 0 else (key[seen.symbol[d]], head[d])
    if j < high:
        d = child_at(seen, at, j, low, high)
        right, right_head = (tag[j + MARGIN], j) if d < 0 else (key[seen.symbol[d]], head[d])
    children, first, second, last, last_but_one = _START, _NO_CHILD, _NO_CHILD, _NO_CHILD, _NO_CHILD
    k, count = i, 0
    while k < j:
        d = child_at(seen, at, k, i, j)
        child = tag[k + MARGIN] if d < 0 else key[seen.symbol[d]]
        first = child if count == 0 else first
        second = child if count == 1 else second
        children, last_but_one, last, count = mix(children, child), last, child, count + 1
        k = k + 1 if d < 0 else seen.end[d]
    side = np.uint64((1 if i == low else 0) + (2 if j == high else 0))
    value[34], value[35], value[36], value[37] = children, above, mix(children, above), mix(above, side)
    value[38], value[39], value[40], value[41] = mix(above, left), mix(above, right), left, right
    value[42], value[43] = mix(left, right), mix(mix(left, right), above)
    value[44], value[45], value[46], value[47] = first, last, mix(first, second), mix(last_but_one, last)
    value[48], value[49] = mix(children, tag[j + MARGIN]), mix(children, tag[i + MARGIN - 1])
    own, own_tag, begin = word[head[c] + MARGIN], tag[head[c] + MARGIN], word[i + MARGIN]
    left_word, left_tag, right_word = _NO_HEAD, _NO_HEAD, _NO_HEAD
    if left_head >= 0:
        left_word, left_tag = word[left_head + MARGIN], tag[left_head + MARGIN]
    if right_head >= 0:
        right_word = word[right_head + MARGIN]
    value[50], value[51], value[52], value[53] = (
        own,
        mix(own, left_word),
        mix(begin, left_word),
        mix(begin, left_tag),
    )
    value[54], value[55], value[56] = (
        mix(own_tag, left_word),
        mix(mix(begin, left_word), left),
        mix(own, right_word),
    )
    value[57], value[58] = mix(word[j + MARGIN], left_tag), mix(mix(above, begin), left)
    value[59] = mix(np.uint64(count), above)


@kernel
def around_features(seen, at, c, word, tag, key, head, value):
    """What stands beside bracket c under its parent, what heads the parent, and what heads c's last child."""
    n, i, j = seen.tag.size, seen.start[c], seen.end[c]
    parent = parent_of(seen, c)
    above, low, high, top, parent_word, parent_tag = _NO_PARENT, 0, n, _NO_PARENT, _NO_HEAD, _NO_HEAD
    if parent >= 0:
        above, low, high = key[seen.symbol[parent]], seen.start[parent], seen.end[parent]
        parent_word, parent_tag = word[head[parent] + MARGIN], tag[head[parent] + MARGIN]
        d = parent_of(seen, parent)
        top = key[seen.symbol[d]] if d >= 0 else _NO_PARENT
    lefts, rights = row_hash(seen, at, low, i, tag, key), row_hash(seen, at, j, high, tag, key)
    last, k = i, i
    while k < j:
        d = child_at(seen, at, k, i, j)
        last, k = (k, k + 1) if d < 0 else (head[d], seen.end[d])
    last_word, last_tag = word[last + MARGIN], tag[last + MARGIN]
    own, own_tag, begin = word[head[c] + MARGIN], tag[head[c] + MARGIN], word[i + MARGIN]
    beside = mix(above, lefts)
    value[64], value[65], value[66], value[67] = (
        beside,
        mix(above, rights),
        mix(beside, rights),
        mix(above, top),
    )
    value[68], value[69], value[70] = mix(parent_word, own), mix(parent_tag, own), mix(parent_word, own_tag)
    value[71], value[72] = mix(mix(parent_tag, own_tag), above), mix(begin, last_word)
    value[73], value[74] = mix(mix(begin, last_tag), parent_tag), mix(mix(parent_word, begin), last_tag)
    value[75], value[76], value[77] = (
        mix(parent_word, last_word),
        mix(parent_word, begin),
        mix(own_tag, last_tag),
    )
    value[78], value[79] = mix(own, last_word), mix(beside, begin)


@kernel
def odds_features(seen, c, key, value, dense):
    """Log odds of bracket c and of its rivals, as numbers and as steps."""
    cross, other = rivals(seen, c)
    own = log_odds(seen.posterior[c])
    crossing = log_odds(seen.belief[cross]) if cross >= 0 else log_odds(0.0)
    same = log_odds(seen.belief[other]) if other >= 0 else log_odds(0.0)
    dense[0], dense[1], dense[2], dense[3] = log_odds(seen.belief[c]), own, crossing, same
    value[60] = step(own)
    value[61] = mix(key[seen.symbol[cross]] if cross >= 0 else _BORDER, step(crossing))
    value[62] = mix(key[seen.symbol[other]] if other >= 0 else _BORDER, step(same))
    value[63] = mix(step(own), length_class(seen.end[c] - seen.start[c]))


@kernel
def judge_rows(seen, symbols, bits, rows, dense):
    """Features of all candidates: rows (candidates, templates), dense (candidates, DENSE); their number."""
    n, m, key = seen.tag.size, seen.start.size, symbols.key
    at, head = np.empty(n + 2, dtype=np.int64), np.empty(m, dtype=np.int64)
    d = 0
    for k in range(n + 2):
        while d < m and seen.start[d] < k:
            d += 1
        at[k] = d
    tag = np.full(n + 2 * MARGIN, _BORDER)
    for k in range(n):
        tag[k + MARGIN] = key[seen.tag[k]]
    find_heads(seen, at, symbols, head)
    value, r, mask = np.empty(TEMPLATES, dtype=np.uint64), 0, np.uint64((1 << bits) - 1)
    for c in range(m):
        if not seen.candidate[c]:
            continue
        end_features(seen.word, tag, seen.start[c], seen.end[c], value)
        tree_features(seen, at, c, seen.word, tag, key, head, value)
        odds_features(seen, c, key, value, dense[r])
        if rows.shape[1] > FEWER:
            around_features(seen, at, c, seen.word, tag, key, head, value)
        for z in range(rows.shape[1]):
            rows[r, z] = mix(mix(_SEED + np.uint64(z), key[seen.symbol[c]]), value[z]) & mask
        r += 1
    return r


@kernel
def look_again(seen, symbols, bits, templates, u, w):
    """Put the judge's probabilities in the place of the candidates' beliefs, ``seen.belief``."""
    n = 0
    for c in range(seen.candidate.size):
        n += seen.candidate[c]
    rows, dense, odds = np.empty((n, templates), dtype=np.int32), np.empty((n, DENSE)), np.empty(n)
    judge_rows(seen, symbols, bits, rows, dense)
    judge_odds(rows, dense, u, w, odds)
    r = 0
    for c in range(seen.candidate.size):
        if seen.candidate[c]:
            seen.belief[c] = 1.0 / (1.0 + np.exp(-odds[r]))
            r += 1
