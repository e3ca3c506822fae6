"""Keys of a sentence's tokens in, hashed feature rows and scores of its arcs and sibling pairs out.

Hashing is multilinear: a feature is a sum (modulo 2^64) of coefficient times key over its atoms,
and its row is the top bits of the sum.  So the part of a feature that depends on the head, on the
modifier or on the sibling is computed once per position, and an arc's feature is one addition:

    row = (head[h, r] + modifier[m, r] + code) >> shift

Templates come in blocks: ``blocks[c] : blocks[c + 1]`` are conjoined with code c, which is 0
side, 1 side and distance, 2 side and what lies between, 3 side and each tag between.
"""

from typing import Any, NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel

PAD = 2  # positions before the root and after the last word that atoms may look at
LONGEST = 12  # distances are bucketed up to here
BUCKET = np.array([0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 6, 7, 7])
N_BUCKETS = 8
N_SUMMARIES = 36
N_CODES = 1 + N_BUCKETS + N_SUMMARIES
MANY_TAGS = 64
HEAD, MODIFIER, SIBLING = 0, 1, 2


class Words(NamedTuple):
    """Hashed words of all sentences: keys (A, T) uint64, tags and classes (T,) int64, offsets (S + 1,)."""

    keys: Any
    tags: Any
    classes: Any
    offsets: Any


class Templates(NamedTuple):
    """Compiled templates.

    atoms, pair_atoms: (K, 4) with columns template, role, offset, attribute; coefficients beside
    them.  blocks: (5,).  codes: (2, N_CODES) keys by side.  edge_keys: (A, 4) for before the root,
    the root, after the end, and no such word.  tag_keys: (MANY_TAGS,).  shift: 64 - bits.
    """

    atoms: Any
    coefficients: Any
    blocks: Any
    pair_atoms: Any
    pair_coefficients: Any
    n_pair: int
    codes: Any
    edge_keys: Any
    tag_keys: Any
    shift: Any


class Parts(NamedTuple):
    """The parts of the features of one sentence; position n + 1 is "no such word"."""

    head: Any
    modifier: Any
    between: Any
    summary: Any
    pair_head: Any
    pair_sibling: Any
    pair_modifier: Any


@kernel
def role_part(keys, edge_keys, atoms, coefficients, role, n_templates):
    """Sum of coefficient times key over the atoms of one role, per position: (n + 2, R)."""
    n = keys.shape[1]
    part = np.zeros((n + 2, n_templates), dtype=np.uint64)
    for k in range(atoms.shape[0]):
        if atoms[k, 1] != role:
            continue
        r, offset, attribute = atoms[k, 0], atoms[k, 2], atoms[k, 3]
        for i in range(n + 1):
            j = i + offset
            if 1 <= j <= n:  # noqa: SIM108  three cases read better apart
                key = keys[attribute, j - 1]
            else:
                key = edge_keys[attribute, 0 if j < 0 else (1 if j == 0 else 2)]
            part[i, r] += coefficients[k] * key
        part[n + 1, r] += coefficients[k] * edge_keys[attribute, 3]
    return part


@kernel
def between_tables(tags, classes):
    """For positions i < j: bit set of the tags between them, and a summary of their classes.

    tags, classes: (n,); classes are 1 verb, 2 punctuation, 3 conjunction, 0 any other.  The summary
    counts verbs (0-2), punctuation marks (0-3) and conjunctions (0-2).
    """
    n = tags.size
    between = np.zeros((n + 1, n + 1), dtype=np.uint64)
    summary = np.zeros((n + 1, n + 1), dtype=np.int64)
    for i in range(n + 1):
        bits, verbs, marks, conjunctions = np.uint64(0), 0, 0, 0
        for j in range(i + 2, n + 1):
            bits |= np.uint64(1) << np.uint64(tags[j - 2])
            verbs += classes[j - 2] == 1
            marks += classes[j - 2] == 2
            conjunctions += classes[j - 2] == 3
            between[i, j] = bits
            summary[i, j] = (min(verbs, 2) * 4 + min(marks, 3)) * 3 + min(conjunctions, 2)
    return between, summary


@kernel
def sentence_parts(words, s, t, second):
    """The parts of the features of sentence s."""
    low, high = words.offsets[s], words.offsets[s + 1]
    keys = words.keys[:, low:high]
    n_templates = t.blocks[4]
    n_pair = t.n_pair if second else 0
    atoms = t.pair_atoms if second else t.pair_atoms[:0]
    between, summary = between_tables(words.tags[low:high], words.classes[low:high])
    return Parts(
        role_part(keys, t.edge_keys, t.atoms, t.coefficients, np.int64(HEAD), n_templates),
        role_part(keys, t.edge_keys, t.atoms, t.coefficients, np.int64(MODIFIER), n_templates),
        between,
        summary,
        role_part(keys, t.edge_keys, atoms, t.pair_coefficients, np.int64(HEAD), n_pair),
        role_part(keys, t.edge_keys, atoms, t.pair_coefficients, np.int64(SIBLING), n_pair),
        role_part(keys, t.edge_keys, atoms, t.pair_coefficients, np.int64(MODIFIER), n_pair),
    )


# What it computes: rows of the weight table for one arc,  (head key[r] + modifier key[r] + code) >> shift  for every
# template r.  Layout: templates are sorted into four blocks t.blocks[c]: direction alone, direction and distance,
# direction and the summary of the words between, and one row for each tag that occurs between (the bits of p.between).
# A sum of keys made beforehand replaces hashing each combination, since there are n squared arcs in a sentence.
@kernel
def arc_rows(h, m, p, t, rows):
    """Write the feature rows of arc h -> m; return their number."""
    side = 1 if m > h else 0
    low, high = min(h, m), max(h, m)
    head, modifier = p.head[h], p.modifier[m]
    count = 0
    for c in range(3):
        if c == 0:
            code = t.codes[side, 0]
        elif c == 1:
            code = t.codes[side, 1 + BUCKET[min(high - low, LONGEST)]]
        else:
            code = t.codes[side, 1 + N_BUCKETS + p.summary[low, high]]
        for r in range(t.blocks[c], t.blocks[c + 1]):
            rows[count] = (head[r] + modifier[r] + code) >> t.shift
            count += 1
    bits, b = p.between[low, high], 0
    while bits != np.uint64(0):
        if bits & np.uint64(1):
            code = t.codes[side, 0] + t.tag_keys[b]
            for r in range(t.blocks[3], t.blocks[4]):
                rows[count] = (head[r] + modifier[r] + code) >> t.shift
                count += 1
        bits >>= np.uint64(1)
        b += 1
    return count


@kernel
def pair_rows(side, h, s, m, p, t, rows):
    """Write the feature rows of head h with neighbouring children s, m; return their number.

    s = n + 1 before the first child, m = n + 1 after the last.
    """
    code = t.codes[side, 0]
    head, sibling, modifier = p.pair_head[h], p.pair_sibling[s], p.pair_modifier[m]
    for r in range(t.n_pair):
        rows[r] = (head[r] + sibling[r] + modifier[r] + code) >> t.shift
    return t.n_pair


@kernel
def row_buffer(t):
    """A buffer for the feature rows of one arc or pair."""
    return np.empty(t.blocks[3] + (t.blocks[4] - t.blocks[3]) * MANY_TAGS + t.n_pair, dtype=np.uint64)


@kernel
def total_of(rows, count, weights):
    """Sum of the weights of feature rows."""
    total = 0.0
    for k in range(count):
        total += weights[rows[k]]
    return total


@kernel
def score_arcs(p, t, weights, is_open, scores):
    """Write the score of every arc h -> m into scores (n + 1, n + 1); arcs that are not open have none."""
    n = scores.shape[0] - 1
    rows = row_buffer(t)
    for h in range(n + 1):
        scores[h, 0] = 0.0
        for m in range(1, n + 1):
            if h == m:
                scores[h, m] = 0.0
            elif is_open[h, m]:
                scores[h, m] = total_of(rows, arc_rows(h, m, p, t, rows), weights)
            else:
                scores[h, m] = -np.inf


@kernel
def score_pairs(p, t, weights, is_open, siblings, ends):
    """Write the scores of neighbouring children by open arcs: siblings (n+1, n+1, n+1) and ends (2, n+1, n+1)."""
    n = siblings.shape[0] - 1
    rows = row_buffer(t)
    for h in range(n + 1):
        for side in range(1 if h == 0 else 0, 2):
            step = 1 if side == 1 else -1
            stop = n + 1 if side == 1 else 0
            for s in range(h, stop, step):
                if s != h and not is_open[h, s]:
                    continue
                last = n + 1 if s == h else s
                for m in range(s + step, stop, step):
                    if is_open[h, m]:
                        siblings[h, s, m] = total_of(rows, pair_rows(side, h, last, m, p, t, rows), weights)
                ends[side, h, s] = total_of(rows, pair_rows(side, h, last, n + 1, p, t, rows), weights)
