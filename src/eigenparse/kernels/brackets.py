"""Bytes of bracketed trees in, rows of slices and symbol ids out; and rows in, bytes out.

Nothing here recurses: open brackets live on a stack array, so depth is bounded by memory only.
"""

from typing import NamedTuple

import numpy as np

from eigenparse.kernels.compiled import kernel

FINE, NEVER_CLOSED, UNMATCHED, OUTSIDE, CHILDLESS, MIXED, TWO_WORDS, OPEN_COMMENT, NOT_UTF8 = range(9)

# Columns of the stack of open brackets and, the first four, of a finished row.
LABEL, LABEL_STOP, WORD, WORD_STOP, KIND, HEIGHT = range(6)
# Kinds of an open bracket: nothing read yet, a label, a label and a word, at least one child.
BARE, LABELLED, TAG, PHRASE = range(4)
# Entries of the state: where the scan is, how many rows and trees there are, what was skipped.
POS, LINE, ROWS, TREES, PROBLEMS, SPLITS = range(6)

OPEN, CLOSE, NEWLINE, RETURN = 40, 41, 10, 13


class Scan(NamedTuple):
    """What a scan works on and writes.

    state: (6,).  stack: (depth, 6) open brackets.  done: (N + 1,) finished rows that wait for their parent.
    rows: (N, 4) slices of label and word (-1 without one) in post-order; parent: (N,).
    """

    state: object
    stack: object
    done: object
    rows: object
    parent: object


class Names(NamedTuple):
    """Bytes of all labels and words, and the offset of each."""

    labels: object
    label_at: object
    words: object
    word_at: object


@kernel
def is_blank(c):
    """Whether a byte separates tokens."""
    return c == 32 or 9 <= c <= 13


@kernel
def ends_line(data, i):
    """Whether byte i is the last of a line end (LF, CR LF or a lone CR)."""
    return data[i] == NEWLINE or (data[i] == RETURN and not (i + 1 < data.size and data[i + 1] == NEWLINE))


# What it computes: whether bytes [start, stop) are a sequence of whole characters.  The first byte of a character says
# how many continuation bytes follow, and for some of them which values the next byte may have; after that byte the
# usual bounds 80 to BF hold.  One pass, because a word is checked while it is at hand.
@kernel
def is_utf8(data, start, stop):
    """Whether the slice is valid UTF-8 as RFC 3629 has it (no surrogates, no overlong forms)."""
    i = start
    while i < stop:
        c = data[i]
        low, high = 0x80, 0xBF
        if c < 0x80:
            i += 1
            continue
        if 0xC2 <= c <= 0xDF:
            more = 1
        elif 0xE0 <= c <= 0xEF:
            more = 2
            low = 0xA0 if c == 0xE0 else 0x80
            high = 0x9F if c == 0xED else 0xBF
        elif 0xF0 <= c <= 0xF4:
            more = 3
            low = 0x90 if c == 0xF0 else 0x80
            high = 0x8F if c == 0xF4 else 0xBF
        else:
            return False
        if i + more >= stop:
            return False
        for k in range(1, more + 1):
            if not low <= data[i + k] <= high:
                return False
            low, high = 0x80, 0xBF
        i += more + 1
    return True


@kernel
def atom_stop(data, start):
    """End of the token at ``start``, negated if the token is not valid UTF-8."""
    i = start
    seen = np.uint8(0)
    while i < data.size and data[i] != OPEN and data[i] != CLOSE and not is_blank(data[i]):
        seen |= data[i]
        i += 1
    return i if seen < 0x80 or is_utf8(data, start, i) else -i


@kernel
def add_token(node, start, stop):
    """Make a token the label or the word of an open bracket; return the code of a problem, or 0."""
    if node[KIND] == BARE:
        node[LABEL], node[LABEL_STOP], node[KIND] = start, stop, LABELLED
    elif node[KIND] == LABELLED:
        node[WORD], node[WORD_STOP], node[KIND] = start, stop, TAG
    else:
        return TWO_WORDS if node[KIND] == TAG else MIXED
    return FINE


@kernel
def open_bracket(stack, depth, height):
    """Push an open bracket; return the code of a problem, or 0."""
    if depth > 0:
        if stack[depth - 1, KIND] == TAG:
            return MIXED
        stack[depth - 1, KIND] = PHRASE
    stack[depth, LABEL] = stack[depth, LABEL_STOP] = 0
    stack[depth, WORD] = stack[depth, WORD_STOP] = -1
    stack[depth, KIND] = BARE
    stack[depth, HEIGHT] = height
    return FINE


@kernel
def finish_row(node, row, height, scan):
    """Write a closed bracket's row and adopt the rows that wait for it; how many rows wait now."""
    for k in range(4):
        scan.rows[row, k] = node[k]
    scan.parent[row] = -1
    while height > node[HEIGHT]:
        height -= 1
        scan.parent[scan.done[height]] = row
    scan.done[height] = row
    return height + 1


# What it computes: rows of a tree in post-order in one pass over its bytes, without recursion.  Layout: stack holds the
# brackets that are open, with their kind and how many rows waited when they opened; done holds the rows that wait for a
# parent.  Order: a bracket gets its row when it closes and adopts all rows that have come to wait since it opened.
@kernel
def scan_tree(data, scan, strict, split):
    """Read one tree from its opening bracket on; the first problem met, if any.

    With ``strict`` a line that starts with a bracket ends the tree before it.  With ``split`` a second word under a
    tag gets a tag of its own.
    """
    state, stack = scan.state, scan.stack
    i, row = state[POS], state[ROWS]
    depth, height = (
        np.int64(0),
        np.int64(0),
    )  # a literal 0 would have another type
    while i < data.size:
        c = data[i]
        problem = FINE
        if c == OPEN:
            if strict and depth > 0 and (data[i - 1] == NEWLINE or data[i - 1] == RETURN):
                return NEVER_CLOSED
            problem = open_bracket(stack, depth, height)
            depth += 1
        elif c == CLOSE:
            node = stack[depth - 1]
            if node[KIND] == BARE or node[KIND] == LABELLED:
                problem = CHILDLESS
            else:
                height = finish_row(node, row, height, scan)
                row += 1
                depth -= 1
        elif is_blank(c):
            if ends_line(data, i):
                state[LINE] += 1
        else:
            stop = atom_stop(data, i)
            node = stack[depth - 1]
            if split and depth > 1 and node[KIND] == TAG:
                height = finish_row(node, row, height, scan)
                node[HEIGHT], node[KIND] = height, LABELLED
                row += 1
                state[SPLITS] += 1
            problem = NOT_UTF8 if stop < 0 else add_token(node, i, stop)
            i = stop - 1
        if problem != FINE:
            return problem
        i += 1
        if depth == 0:
            state[POS], state[ROWS] = i, row
            return FINE
    return NEVER_CLOSED


@kernel
def comment_stop(data, i):
    """End of the comment that starts at i: i if there is none, -1 if it is never closed."""
    c = data[i]
    after = data[i + 1] if i + 1 < data.size else 0
    last = data[i + 2] if i + 2 < data.size else 0
    if c == 47 and (after == 42 or (after == 126 and last == 42)):  # /* or /~*
        for k in range(i + 3 if after == 42 else i + 4, data.size):
            if data[k] == 47 and (data[k - 1] == 42 or (data[k - 1] == 126 and data[k - 2] == 42)):
                return k + 1
        return -1
    starred = c == 42 and (after == 120 or after == 88) and last == 42  # *x*
    if c == 35 or c == 37 or (c == 59 and after == 59) or starred:  # # % ;;
        while i < data.size and data[i] != NEWLINE and data[i] != RETURN:
            i += 1
    return i


@kernel
def scan_between(data, state):
    """Move to the next opening bracket or the end, over blanks and comments; the first problem met."""
    i = state[POS]
    fresh = i == 0 or data[i - 1] == NEWLINE or data[i - 1] == RETURN
    while i < data.size and data[i] != OPEN:
        if is_blank(data[i]):
            if ends_line(data, i):
                state[LINE] += 1
                fresh = True
            i += 1
            continue
        stop = comment_stop(data, i) if fresh else i
        if stop <= i:
            state[POS] = i
            if stop < 0:
                return OPEN_COMMENT
            return UNMATCHED if data[i] == CLOSE else OUTSIDE
        while i < stop:
            state[LINE] += ends_line(data, i)
            i += 1
    state[POS] = i
    return FINE


@kernel
def next_start(data, state):
    """Move to the next line that starts with a bracket, or to the end."""
    i = state[POS]
    while i < data.size:
        if ends_line(data, i):
            state[LINE] += 1
            if i + 1 < data.size and data[i + 1] == OPEN:
                state[POS] = i + 1
                return
        i += 1
    state[POS] = i


@kernel
def scan_trees(data, skip, split, scan, tree_stop, tree_line, problems):
    """Read every tree of a file.

    tree_stop, tree_line: (S,).  problems: (P, 2) kind and line, as many as fit;
    ``state[PROBLEMS]`` counts them all.  Without ``skip`` the scan ends at the first one.
    """
    state = scan.state
    strict = skip and False  # of the same type as skip, not a literal, so that scan_tree is compiled once
    while True:
        problem = scan_between(data, state)
        start, line, splits = state[POS], state[LINE], state[SPLITS]
        if problem == FINE and start >= data.size:
            return
        if problem == FINE:
            problem = scan_tree(data, scan, strict, split)
        if problem == FINE:
            tree_stop[state[TREES]], tree_line[state[TREES]] = state[ROWS], line
            state[TREES] += 1
            continue
        if skip and not strict:
            # From the first broken tree on, a bracket at the start of a line always starts a tree:
            # otherwise one missing bracket swallows the file and re-reading it is quadratic.
            strict = True
            state[POS], state[LINE], state[SPLITS] = start, line, splits
            continue
        if state[PROBLEMS] < problems.shape[0]:
            problems[state[PROBLEMS], 0] = problem
            problems[state[PROBLEMS], 1] = line if problem == NEVER_CLOSED else state[LINE]
        state[PROBLEMS] += 1
        if not skip:
            return
        state[POS], state[LINE], state[SPLITS] = start, line, splits
        next_start(data, state)


@kernel
def intern_slices(data, start, stop, table, hashes, ids, first):
    """Dense ids of byte slices in order of first occurrence; how many there are.

    start, stop, ids: (N,).  table: (power of two,) filled with -1 and larger than N.
    hashes, first: (N,), the hash and the first slice of each id.
    """
    n_distinct = 0
    mask = table.size - 1
    for s in range(start.size):
        h = np.uint64(14695981039346656037)
        for i in range(start[s], stop[s]):
            h = (h ^ np.uint64(data[i])) * np.uint64(1099511628211)
        h ^= h >> np.uint64(29)
        slot = np.int64(h & np.uint64(mask))
        while True:
            d = table[slot]
            if d < 0:
                table[slot] = ids[s] = n_distinct
                hashes[n_distinct], first[n_distinct] = h, s
                n_distinct += 1
                break
            if hashes[d] == h and same_slice(data, start[first[d]], stop[first[d]], start[s], stop[s]):
                ids[s] = d
                break
            slot = (slot + 1) & mask
    return n_distinct


@kernel
def same_slice(data, start, stop, other_start, other_stop):
    """Whether two slices hold the same bytes."""
    size = stop - start
    if size != other_stop - other_start:
        return False
    i = 0
    while i < size and data[start + i] == data[other_start + i]:
        i += 1
    return i == size


@kernel
def text_sizes(label, parent, word, label_size, word_size, size):
    """Write the length of each row's text ``(label child child)`` or ``(tag word)``."""
    size[:] = 0
    for r in range(label.size):
        size[r] += 2 + label_size[label[r]]
        if word[r] >= 0:
            size[r] += 1 + word_size[word[r]]
        if parent[r] >= 0:
            size[parent[r]] += 1 + size[r]


@kernel
def write_text(label, parent, word, size, at, names, text):
    """Write every row's brackets, label and word into ``text``.

    at: (N,), set for roots to where their text starts.  Rows are visited from the last to the first, and ``end``
    is where the next child of a row ends.
    """
    end = np.empty_like(at)
    for r in range(label.size - 1, -1, -1):
        p = parent[r]
        if p >= 0:
            at[r] = end[p] - size[r]
            end[p] = at[r] - 1
        end[r] = at[r] + size[r] - 1
        k = at[r]
        text[k] = OPEN
        text[end[r]] = CLOSE
        k += 1
        for i in range(names.label_at[label[r]], names.label_at[label[r] + 1]):
            text[k] = names.labels[i]
            k += 1
        if word[r] >= 0:
            k += 1
            for i in range(names.word_at[word[r]], names.word_at[word[r] + 1]):
                text[k] = names.words[i]
                k += 1
