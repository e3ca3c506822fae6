"""Features of the judge of brackets: posteriors, words and tags of a sentence in, hashed features out.

A bracket is (symbol, start, end) with the posterior that the grammar gives it.  Brackets come sorted by
start, then end.  Very likely and very unlikely ones are left alone; the others are candidates and get a row each:

    rows[r, z] = hash(z, symbol, value of template z) mod 2 ** bits      dense[r] = log odds

and the judge's log odds of the bracket are  dense[r] . u + sum over z of w[rows[r, z]].  The first of the
dense features is what was believed before, so that u = (1, 0, ..., 0) and w = 0 change nothing.  DENSE of them are of
the bracket and its rivals; those that follow are of the bracket under single grammars (``Seen.voices``), and judges of
older files have none.

Templates look at words and tags at both ends, at the tags within, and at the tree that the brackets
believed in (``belief`` above one half) make around the candidate: its children, its parent, the
children beside it, its parent's parent, and their heads.  The work grows with brackets times words, so
each bracket finds its children through the list of those that begin at the same word.  A judge from an older
file, whose rows have FEWER or MORE templates, does not use ``around_features`` or ``shape_features``.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel
from eigenparse.kernels.grammar.hashing import log_odds, mix, step
from eigenparse.kernels.grammar.judge_weights import STEP, judge_odds

TEMPLATES, FEWER, MORE = 96, 64, 80
DENSE = 4
BELIEVED = 0.5
MARGIN = 2  # words beyond each end of a sentence
_START, _BORDER, _NO_PARENT, _NO_CHILD, _NO_HEAD = (np.uint64(x) for x in (17, 3, 7, 11, 13))
_SEED, _MARK = np.uint64(101), np.uint64(1)


class Symbols(NamedTuple):
    """Of every symbol: its hash, which children head it (a smaller rank is better), and on which side ties fall.

    key: (S,) uint64.  rank: (S, S).  rightmost: (S,).  coarse: (S,) uint64, the same for tags of one sort, odd for
    punctuation.
    """

    key: np.ndarray
    rank: np.ndarray
    rightmost: np.ndarray
    coarse: np.ndarray


class Seen(NamedTuple):
    """One sentence of n words with m brackets.

    word: (n + 4,) uint64 hashes, two margins on each side.  tag: (n,) symbol of the likeliest tag.
    start, end, symbol: (m,).  posterior: (m,) of the grammar.  belief: (m,) of the last stage.
    candidate: (m,), which of them are to be judged.  voices: (V, m) posteriors under single grammars.
    """

    word: np.ndarray
    tag: np.ndarray
    start: np.ndarray
    end: np.ndarray
    symbol: np.ndarray
    posterior: np.ndarray
    belief: np.ndarray
    candidate: np.ndarray
    voices: np.ndarray


class Tree(NamedTuple):
    """The brackets of a sentence that are believed in, sorted by start, then end.

    at: (n + 2,) where those that begin at each word or later stand.  which: their numbers among all brackets.
    """

    at: np.ndarray
    which: np.ndarray
    start: np.ndarray
    end: np.ndarray
    symbol: np.ndarray
    belief: np.ndarray


class View(NamedTuple):
    """The values of a sentence that templates read.

    word, tag, coarse: (n + 4,) hashes with margins.  key: (S,) of symbols.
    head: (m,) the word that heads each bracket.
    """

    tree: Tree
    word: np.ndarray
    tag: np.ndarray
    coarse: np.ndarray
    key: np.ndarray
    head: np.ndarray


@kernel
def length_class(n):
    """1 to 5, then ever wider."""
    k = n
    if n > 5:
        k = 6 if n <= 7 else 7 if n <= 10 else 8 if n <= 15 else 9 if n <= 25 else 10
    return np.uint64(k)


@kernel
def tree_of(seen):
    """The brackets believed in, and where those that begin at each word stand."""
    n, count, m = seen.tag.size, 0, seen.start.size
    which, at = np.empty(m, dtype=np.int64), np.empty(n + 2, dtype=np.int64)
    start, end, symbol = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int32)
    belief = np.empty(m)
    k = 0
    for d in range(m):
        if seen.belief[d] > BELIEVED:
            while k <= seen.start[d]:
                at[k] = count
                k += 1
            which[count], start[count], end[count] = d, seen.start[d], seen.end[d]
            symbol[count], belief[count] = seen.symbol[d], seen.belief[d]
            count += 1
    at[k:] = count
    return Tree(at, which[:count], start[:count], end[:count], symbol[:count], belief[:count])


@kernel
def child_at(tree, k, i, j):
    """The widest bracket of the tree from word k within [i, j), other than [i, j) itself; -1 for the word alone."""
    found = -1
    for d in range(tree.at[k], tree.at[k + 1]):
        if tree.end[d] > j:
            break
        if not (k == i and tree.end[d] == j):
            wider = found < 0 or tree.end[d] > tree.end[found]
            if wider or tree.belief[d] > tree.belief[found]:
                found = d
    return found


@kernel
def row_hash(tree, i, j, tag, key):
    """Hash of the brackets of the tree and single words from word i to word j, one after the other."""
    found, k = _START, i
    while k < j:
        d = child_at(tree, k, -1, j)
        found = mix(found, tag[k + MARGIN] if d < 0 else key[tree.symbol[d]])
        k = k + 1 if d < 0 else tree.end[d]
    return found


@kernel
def find_heads(seen, tree, symbols, head):
    """The word that heads each bracket, its children being brackets of the tree, or words."""
    order = np.argsort(seen.end - seen.start)
    for t in range(order.size):
        c = order[t]
        i, j, a = seen.start[c], seen.end[c], seen.symbol[c]
        best, k = 32767, i
        while k < j:
            d = child_at(tree, k, i, j)
            child, word = (seen.tag[k], k) if d < 0 else (tree.symbol[d], head[tree.which[d]])
            r = symbols.rank[a, child]
            if r < best or (r == best and symbols.rightmost[a]):
                best, head[c] = r, word
            k = k + 1 if d < 0 else tree.end[d]


@kernel
def parent_of(tree, i, j):
    """The smallest bracket of the tree that holds [i, j) and is wider; -1 if there is none."""
    found = -1
    for d in range(tree.at[i + 1]):
        a, b = tree.start[d], tree.end[d]
        holds = b >= j and b - a > j - i
        if holds and (found < 0 or b - a < tree.end[found] - tree.start[found]):
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
def before(tree, low, i):
    """The widest bracket of the tree that begins at ``low`` or later and ends at i; -1 for the word alone."""
    found = -1
    for d in range(tree.at[low], tree.at[i]):
        if tree.end[d] == i:
            wider = found < 0 or tree.start[d] < tree.start[found]
            if wider or (tree.start[d] == tree.start[found] and tree.belief[d] > tree.belief[found]):
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


# What it computes: the values of templates 34 to 59 for a bracket [i, j): labels and head words of its children, its
# parent and its neighbours in the tree of believed brackets.  Layout: value[z] is the hash of template z; word and tag
# have MARGIN entries before the first word, so word k stands at k + MARGIN.  Order: neighbours first, then one walk
# over the children from left to right, which also returns what two later groups of templates need.
@kernel
def tree_features(view, parent, i, j, own_head, value):
    """Children, parent and neighbours of a bracket among the brackets believed in."""
    tree, word, tag, _, key, head = view
    above, low, high = _NO_PARENT, 0, tag.size - 2 * MARGIN
    if parent >= 0:
        above, low, high = key[tree.symbol[parent]], tree.start[parent], tree.end[parent]
    left, right, left_head, right_head = _BORDER, _BORDER, -1, -1
    if i > low:
        d = before(tree, low, i)
        left, left_head = (
            (tag[i + MARGIN - 1], i - 1) if d < 0 else (key[tree.symbol[d]], head[tree.which[d]])
        )
    if j < high:
        d = child_at(tree, j, low, high)
        right, right_head = (tag[j + MARGIN], j) if d < 0 else (key[tree.symbol[d]], head[tree.which[d]])
    children, first, second, last, last_but_one = _START, _NO_CHILD, _NO_CHILD, _NO_CHILD, _NO_CHILD
    k, count, last_head, runs = i, 0, i, _START
    while k < j:
        d = child_at(tree, k, i, j)
        child = tag[k + MARGIN] if d < 0 else key[tree.symbol[d]]
        last_head = k if d < 0 else head[tree.which[d]]
        first = child if count == 0 else first
        second = child if count == 1 else second
        runs = runs if child == last else mix(runs, child)
        children, last_but_one, last, count = mix(children, child), last, child, count + 1
        k = k + 1 if d < 0 else tree.end[d]
    side = np.uint64((1 if i == low else 0) + (2 if j == high else 0))
    value[34], value[35], value[36], value[37] = children, above, mix(children, above), mix(above, side)
    value[38], value[39], value[40], value[41] = mix(above, left), mix(above, right), left, right
    value[42], value[43] = mix(left, right), mix(mix(left, right), above)
    value[44], value[45], value[46], value[47] = first, last, mix(first, second), mix(last_but_one, last)
    value[48], value[49] = mix(children, tag[j + MARGIN]), mix(children, tag[i + MARGIN - 1])
    own, own_tag, begin = word[own_head + MARGIN], tag[own_head + MARGIN], word[i + MARGIN]
    left_word, left_tag, right_word = _NO_HEAD, _NO_HEAD, _NO_HEAD
    if left_head >= 0:
        left_word, left_tag = word[left_head + MARGIN], tag[left_head + MARGIN]
    if right_head >= 0:
        right_word = word[right_head + MARGIN]
    value[50], value[51], value[52] = own, mix(own, left_word), mix(begin, left_word)
    value[53], value[54], value[55] = (
        mix(begin, left_tag),
        mix(own_tag, left_word),
        mix(mix(begin, left_word), left),
    )
    value[56], value[57] = mix(own, right_word), mix(word[j + MARGIN], left_tag)
    value[58], value[59] = mix(mix(above, begin), left), mix(np.uint64(count), above)
    return last_head, runs


@kernel
def around_features(view, parent, i, j, own_head, last, value):
    """The siblings of a bracket, and the heads of its parent and of its last child."""
    tree, word, tag, _, key, head = view
    above, low, high, top, parent_word, parent_tag = (
        _NO_PARENT,
        0,
        tag.size - 2 * MARGIN,
        _NO_PARENT,
        _NO_HEAD,
        _NO_HEAD,
    )
    if parent >= 0:
        above, low, high = key[tree.symbol[parent]], tree.start[parent], tree.end[parent]
        of_parent = head[tree.which[parent]] + MARGIN
        parent_word, parent_tag = word[of_parent], tag[of_parent]
        d = parent_of(tree, low, high)
        top = key[tree.symbol[d]] if d >= 0 else _NO_PARENT
    lefts, rights = row_hash(tree, low, i, tag, key), row_hash(tree, j, high, tag, key)
    last_word, last_tag = word[last + MARGIN], tag[last + MARGIN]
    own, own_tag, begin = word[own_head + MARGIN], tag[own_head + MARGIN], word[i + MARGIN]
    beside = mix(above, lefts)
    value[64], value[65], value[66] = beside, mix(above, rights), mix(beside, rights)
    value[67], value[68], value[69] = mix(above, top), mix(parent_word, own), mix(parent_tag, own)
    value[70], value[71] = mix(parent_word, own_tag), mix(mix(parent_tag, own_tag), above)
    value[72], value[73] = mix(begin, last_word), mix(mix(begin, last_tag), parent_tag)
    value[74], value[75] = mix(mix(parent_word, begin), last_tag), mix(parent_word, last_word)
    value[76], value[77] = mix(parent_word, begin), mix(own_tag, last_tag)
    value[78], value[79] = mix(own, last_word), mix(beside, begin)


# What it computes: the values of templates 80 to 95 for a bracket [i, j): the sequence of tag classes inside it with
# repeats collapsed (shape), the parity of each punctuation mark (marks, so that a lone quote differs from a pair), and
# the second neighbour on each side below the same parent.  Layout: as in tree_features; coarse holds the class of each
# tag, odd for punctuation.  Order: it comes last because only judges with more than MORE templates use it.
@kernel
def shape_features(view, parent, i, j, own_head, runs, value):
    """Sorts of tags and marks within a bracket, and what stands two places away from it under its parent."""
    tree, word, tag, coarse, key, head = view
    above, low, high, parent_tag = _NO_PARENT, 0, tag.size - 2 * MARGIN, _NO_HEAD
    if parent >= 0:
        above, low, high = key[tree.symbol[parent]], tree.start[parent], tree.end[parent]
        parent_tag = tag[head[tree.which[parent]] + MARGIN]
    shape, marks, last = _START, _START, _START
    for k in range(i + MARGIN, j + MARGIN):
        if coarse[k] != last:
            shape, last = mix(shape, coarse[k]), coarse[k]
        if coarse[k] & _MARK:
            marks ^= coarse[k]
    left, right, second, third, head_2, begin_2 = _BORDER, _BORDER, _BORDER, _BORDER, -1, -1
    if i > low:
        d = before(tree, low, i)
        left, k = (tag[i + MARGIN - 1], i - 1) if d < 0 else (key[tree.symbol[d]], tree.start[d])
        if k > low:
            d = before(tree, low, k)
            second, head_2, begin_2 = (
                (tag[k + MARGIN - 1], k - 1, k - 1)
                if d < 0
                else (key[tree.symbol[d]], head[tree.which[d]], tree.start[d])
            )
    if j < high:
        d = child_at(tree, j, low, high)
        right, k = (tag[j + MARGIN], j + 1) if d < 0 else (key[tree.symbol[d]], tree.end[d])
        if k < high:
            d = child_at(tree, k, low, high)
            third = tag[k + MARGIN] if d < 0 else key[tree.symbol[d]]
    own, own_tag = word[own_head + MARGIN], tag[own_head + MARGIN]
    word_2, tag_2, first_2 = _NO_HEAD, _NO_HEAD, _NO_HEAD
    if head_2 >= 0:
        word_2, tag_2, first_2 = word[head_2 + MARGIN], tag[head_2 + MARGIN], tag[begin_2 + MARGIN]
    i, j = i + MARGIN, j + MARGIN
    value[80], value[81] = shape, mix(mix(shape, tag[i - 1]), tag[j])
    value[82], value[83] = marks, mix(mix(marks, coarse[i - 1]), coarse[j])
    value[84], value[85] = runs, mix(runs, above)
    value[86], value[87] = mix(mix(second, left), above), mix(mix(right, third), above)
    value[88], value[89] = mix(mix(tag_2, left), own_tag), mix(mix(word_2, left), own)
    value[90], value[91] = mix(mix(first_2, left), tag[i]), mix(mix(left, right), mix(above, parent_tag))
    value[92], value[93] = mix(mix(word[i], above), tag[j]), mix(mix(word[i - 1], tag[i]), above)
    value[94], value[95] = mix(mix(word[j], tag[j - 1]), above), mix(mix(second, left), mix(right, third))


@kernel
def odds_features(seen, c, key, value, dense):
    """Log odds of bracket c and of its rivals, as numbers and as steps."""
    cross, other = rivals(seen, c)
    own = log_odds(seen.posterior[c])
    crossing = log_odds(seen.belief[cross]) if cross >= 0 else log_odds(0.0)
    same = log_odds(seen.belief[other]) if other >= 0 else log_odds(0.0)
    dense[0], dense[1], dense[2], dense[3] = log_odds(seen.belief[c]), own, crossing, same
    for k in range(DENSE, dense.size):
        dense[k] = log_odds(seen.voices[k - DENSE, c])
    value[60] = step(own)
    value[61] = mix(key[seen.symbol[cross]] if cross >= 0 else _BORDER, step(crossing))
    value[62] = mix(key[seen.symbol[other]] if other >= 0 else _BORDER, step(same))
    value[63] = mix(step(own), length_class(seen.end[c] - seen.start[c]))


# What it computes: rows[r, z] and dense[r] of the module's formula for every candidate r.  Layout: candidates keep the
# order of the brackets.  Order: the tree and all heads are found once per sentence, because every template needs them;
# then each candidate fills ``value`` group by group and hashes it into its row.
@kernel
def judge_rows(seen, symbols, bits, rows, dense):
    """Features of all candidates: rows (candidates, templates), dense (candidates, DENSE + V); their number."""
    n, m, key = seen.tag.size, seen.start.size, symbols.key
    tag, coarse = np.full(n + 2 * MARGIN, _BORDER), np.full(n + 2 * MARGIN, _BORDER)
    for k in range(n):
        tag[k + MARGIN], coarse[k + MARGIN] = key[seen.tag[k]], symbols.coarse[seen.tag[k]]
    head, tree = np.empty(m, dtype=np.int64), tree_of(seen)
    find_heads(seen, tree, symbols, head)
    view = View(tree, seen.word, tag, coarse, key, head)
    value, r, mask = np.empty(TEMPLATES, dtype=np.uint64), 0, np.uint64((1 << bits) - 1)
    for c in range(m):
        if not seen.candidate[c]:
            continue
        i, j = seen.start[c], seen.end[c]
        parent = parent_of(tree, i, j)
        end_features(seen.word, tag, i, j, value)
        last, runs = tree_features(view, parent, i, j, head[c], value)
        odds_features(seen, c, key, value, dense[r])
        if rows.shape[1] > FEWER:
            around_features(view, parent, i, j, head[c], last, value)
        if rows.shape[1] > MORE:
            shape_features(view, parent, i, j, head[c], runs, value)
        for z in range(rows.shape[1]):
            rows[r, z] = mix(mix(_SEED + np.uint64(z), key[seen.symbol[c]]), value[z]) & mask
        r += 1
    return r


@kernel
def look_again(seen, symbols, bits, templates, u, w):
    """Replace the probabilities of candidates, ``seen.belief``, by those of the judge; w is in whole steps."""
    n = 0
    for c in range(seen.candidate.size):
        n += seen.candidate[c]
    rows, dense, odds = np.empty((n, templates), dtype=np.int32), np.empty((n, u.size)), np.empty(n)
    judge_rows(seen, symbols, bits, rows, dense)
    judge_odds(rows, dense, u, w, STEP, odds)
    r = 0
    for c in range(seen.candidate.size):
        if seen.candidate[c]:
            seen.belief[c] = 1.0 / (1.0 + np.exp(-odds[r]))
            r += 1
