"""A slow reading of the judge's templates: sets and lists in the place of sorted arrays and offsets."""

import functools
import math
import operator
import zlib
from collections.abc import Sequence

from eigenparse.arrays import FloatArray
from eigenparse.corpus.heads import feature_rules, rank_table
from eigenparse.features.grammar.judge import Evidence

WORD_MASK = (1 << 64) - 1
BORDER_WORD, BORDER_TAG = 2, 3


def mix(h: int, *more: int) -> int:
    for x in more:
        h = ((h * 0x9E3779B97F4A7C15 + x) * 0x9E3779B97F4A7C15) & WORD_MASK
        h ^= h >> 29
    return h


def odds(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def size_class(n: int) -> int:
    return next((k for k, most in zip(range(1, 10), (1, 2, 3, 4, 5, 7, 10, 15, 25)) if n <= most), 10)


def word_key(word: str, known: set[str]) -> int:
    if word not in known:
        case = "A" if word[:1].isupper() else "a" if word.islower() else "."
        shout = "A" if word.isupper() and len(word) > 1 else ""
        word = "\0" + case + shout + ("0" if any(c.isdigit() for c in word) else "") + word[-3:].lower()
    return zlib.crc32(word.encode())


class Reader:
    """One sentence; believed: brackets (start, end, name, belief) above one half."""

    def __init__(
        self,
        words: Sequence[str],
        evidence: Evidence,
        belief: FloatArray,
        names: Sequence[str],
        known: set[str],
    ) -> None:
        self.n, self.names = len(words), names
        self.tags = [names[a] for a in evidence.tag.tolist()]
        self.word_keys = [word_key(word, known) for word in words]
        columns = (evidence.start, evidence.end, evidence.symbol, evidence.posterior, belief)
        self.brackets = [
            (i, j, names[a], p, b) for i, j, a, p, b in zip(*(column.tolist() for column in columns))
        ]
        self.believed = [x for x in self.brackets if x[4] > 0.5]
        self.rank, self.rightmost = rank_table(names, feature_rules(names))

    def word(self, k: int) -> int:
        return self.word_keys[k] if 0 <= k < self.n else BORDER_WORD

    def tag(self, k: int) -> int:
        return self.key(self.tags[k], tag=True) if 0 <= k < self.n else BORDER_TAG

    def key(self, name: str, *, tag: bool = False) -> int:
        return zlib.crc32(f"{'tag' if tag else 'phrase'} {name}".encode())

    def children(self, i: int, j: int) -> list[tuple[int, int, str | None]]:
        """Start, end and name of the parts of a span; no name for a word alone."""
        parts: list[tuple[int, int, str | None]] = []
        k = i
        while k < j:
            inner = [x for x in self.believed if x[0] == k and x[1] <= j and (x[0], x[1]) != (i, j)]
            best = max(inner, key=lambda x: (x[1], x[4]), default=None)
            parts.append((k, k + 1, None) if best is None else (k, best[1], best[2]))
            k = parts[-1][1]
        return parts

    def head(self, i: int, j: int, name: str) -> int:
        a = self.names.index(name)
        parts = self.children(i, j)
        ranks = [self.rank[a, self.names.index(self.tags[p[0]] if p[2] is None else p[2])] for p in parts]
        ties = [k for k, r in enumerate(ranks) if r == min(ranks)]
        start, end, child = parts[ties[-1] if self.rightmost[a] else ties[0]]
        return start if child is None else self.head(start, end, child)

    def part(self, start: int, end: int, name: str | None) -> tuple[int, int]:
        """Hash and head of a part."""
        return (self.tag(start), start) if name is None else (self.key(name), self.head(start, end, name))

    def ends(self, i: int, j: int) -> list[int]:
        w, t, size = self.word, self.tag, size_class(j - i)
        w0, w1, w2, w3, t0, t1, t2, t3 = w(i - 1), w(i), w(j - 1), w(j), t(i - 1), t(i), t(j - 1), t(j)
        inner = [t(k) for k in range(i, j)] if j - i <= 5 else [t1, t(i + 1), t(j - 2), t2]
        within = mix(17, *inner)
        return [
            17, size, w1, w2, w0, w3, t1, t2, t0, t3,
            mix(t0, t1), mix(t2, t3), mix(t1, t2), mix(t0, t3), mix(w0, t1), mix(t0, w1), mix(w2, t3), mix(t2, w3),
            mix(w1, w2), mix(w0, w3), mix(w0, w1), mix(w2, w3), mix(w1, size), mix(w2, size), mix(w0, size),
            mix(w3, size), within, mix(within, t0, t3), mix(t(i - 2), t0, t1), mix(t2, t3, t(j + 1)),
            mix(t0, t1, t(i + 1)), mix(t(j - 2), t2, t3), mix(mix(t0, t1), mix(t2, t3)), mix(w1, w(i + 1)),
        ]  # fmt: skip

    def tree(self, i: int, j: int, name: str) -> list[int]:
        parent = self.holder(i, j)
        above, low, high = (7, 0, self.n) if parent is None else (self.key(parent[2]), parent[0], parent[1])
        left, left_head, right, right_head = 3, -1, 3, -1
        if i > low:
            ending = [x for x in self.believed if x[0] >= low and x[1] == i]
            best = min(ending, key=lambda x: (x[0], -x[4]), default=None)
            left, left_head = self.part(i - 1, i, None) if best is None else self.part(best[0], i, best[2])
        if j < high:
            beginning = [x for x in self.believed if x[0] == j and x[1] <= high]
            best = max(beginning, key=lambda x: (x[1], x[4]), default=None)
            right, right_head = self.part(j, j + 1, None) if best is None else self.part(j, best[1], best[2])
        parts = [self.part(*part)[0] for part in self.children(i, j)]
        children = mix(17, *parts)
        second, last_but_one = (parts[1], parts[-2]) if len(parts) > 1 else (11, 11)
        side = (1 if i == low else 0) + (2 if j == high else 0)
        head = self.head(i, j, name)
        own, own_tag, begin = self.word(head), self.tag(head), self.word(i)
        left_word, left_tag = (self.word(left_head), self.tag(left_head)) if left_head >= 0 else (13, 13)
        right_word = self.word(right_head) if right_head >= 0 else 13
        return [
            children, above, mix(children, above), mix(above, side), mix(above, left), mix(above, right), left, right,
            mix(left, right), mix(left, right, above), parts[0], parts[-1], mix(parts[0], second),
            mix(last_but_one, parts[-1]), mix(children, self.tag(j)), mix(children, self.tag(i - 1)),
            own, mix(own, left_word), mix(begin, left_word), mix(begin, left_tag), mix(own_tag, left_word),
            mix(begin, left_word, left), mix(own, right_word), mix(self.word(j), left_tag), mix(above, begin, left),
            mix(len(parts), above),
        ]  # fmt: skip

    def holder(self, i: int, j: int) -> tuple[int, int, str] | None:
        """The smallest believed bracket that holds a span and is wider."""
        holding = [x for x in self.believed if x[0] <= i and x[1] >= j and x[1] - x[0] > j - i]
        best = min(holding, key=lambda x: x[1] - x[0], default=None)
        return None if best is None else best[:3]

    def row(self, i: int, j: int) -> int:
        """Hash of the parts from i to j, a part that is all of it included."""
        whole = [x for x in self.believed if (x[0], x[1]) == (i, j)]
        best = max(whole, key=lambda x: x[4], default=None)
        parts = self.children(i, j) if best is None else [(i, j, best[2])]
        return mix(17, *(self.part(*part)[0] for part in parts))

    def around(self, i: int, j: int, name: str) -> list[int]:
        parent = self.holder(i, j)
        above, top, low, high, parent_word, parent_tag = 7, 7, 0, self.n, 13, 13
        if parent is not None:
            low, high, above = parent[0], parent[1], self.key(parent[2])
            head = self.head(*parent)
            parent_word, parent_tag = self.word(head), self.tag(head)
            over = self.holder(low, high)
            top = 7 if over is None else self.key(over[2])
        lefts, rights = self.row(low, i), self.row(j, high)
        last = self.part(*self.children(i, j)[-1])[1]
        head = self.head(i, j, name)
        own, own_tag, begin = self.word(head), self.tag(head), self.word(i)
        last_word, last_tag = self.word(last), self.tag(last)
        return [
            mix(above, lefts), mix(above, rights), mix(above, lefts, rights), mix(above, top),
            mix(parent_word, own), mix(parent_tag, own), mix(parent_word, own_tag), mix(parent_tag, own_tag, above),
            mix(begin, last_word), mix(begin, last_tag, parent_tag), mix(parent_word, begin, last_tag),
            mix(parent_word, last_word), mix(parent_word, begin), mix(own_tag, last_tag), mix(own, last_word),
            mix(above, lefts, begin),
        ]  # fmt: skip

    def sort(self, k: int) -> int:
        """Twice a hash of the first letter of a tag; one more and the whole name for punctuation."""
        if not 0 <= k < self.n:
            return BORDER_TAG
        name, mark = self.tags[k], not self.tags[k][0].isalnum()
        return 2 * zlib.crc32((name if mark else name[0]).encode()) + mark

    def beside(self, i: int, low: int) -> tuple[int, int, str | None]:
        """The part that ends at i."""
        ending = [x for x in self.believed if x[0] >= low and x[1] == i]
        best = min(ending, key=lambda x: (x[0], -x[4]), default=None)
        return (i - 1, i, None) if best is None else best[:3]

    def after(self, j: int, low: int, high: int) -> tuple[int, int, str | None]:
        """The part that begins at j."""
        beginning = [x for x in self.believed if x[0] == j and x[1] <= high and (x[0], x[1]) != (low, high)]
        best = max(beginning, key=lambda x: (x[1], x[4]), default=None)
        return (j, j + 1, None) if best is None else best[:3]

    def shape(self, i: int, j: int, name: str) -> list[int]:
        parent, t, w = self.holder(i, j), self.tag, self.word
        above, low, high, parent_tag = 7, 0, self.n, 13
        if parent is not None:
            low, high, above = parent[0], parent[1], self.key(parent[2])
            parent_tag = t(self.head(*parent))
        sorts = [self.sort(k) for k in range(i, j)]
        shape = mix(17, *(s for s, previous in zip(sorts, [17, *sorts]) if s != previous))
        marks = functools.reduce(operator.xor, (s for s in sorts if s % 2), 17)
        parts = [self.part(*part)[0] for part in self.children(i, j)]
        runs = mix(17, *(p for p, previous in zip(parts, [11, *parts]) if p != previous))
        left, second, right, third, word_2, tag_2, first_2 = 3, 3, 3, 3, 13, 13, 13
        if i > low:
            nearer = self.beside(i, low)
            left = self.part(*nearer)[0]
            if nearer[0] > low:
                further = self.beside(nearer[0], low)
                second, head = self.part(*further)
                word_2, tag_2, first_2 = w(head), t(head), t(further[0])
        if j < high:
            nearer = self.after(j, low, high)
            right = self.part(*nearer)[0]
            if nearer[1] < high:
                third = self.part(*self.after(nearer[1], low, high))[0]
        own, own_tag = w(self.head(i, j, name)), t(self.head(i, j, name))
        return [
            shape, mix(shape, t(i - 1), t(j)), marks, mix(marks, self.sort(i - 1), self.sort(j)),
            runs, mix(runs, above), mix(second, left, above), mix(right, third, above),
            mix(tag_2, left, own_tag), mix(word_2, left, own), mix(first_2, left, t(i)),
            mix(mix(left, right), mix(above, parent_tag)), mix(w(i), above, t(j)), mix(w(i - 1), t(i), above),
            mix(w(j), t(j - 1), above), mix(mix(second, left), mix(right, third)),
        ]  # fmt: skip

    def strength(self, i: int, j: int, name: str, p: float) -> tuple[list[int], list[float]]:
        belief = next(x[4] for x in self.brackets if x[:3] == (i, j, name))
        crossing = [x for x in self.brackets if x[0] < i < x[1] < j or i < x[0] < j < x[1]]
        same = [x for x in self.brackets if x[:2] == (i, j) and x[2] != name]
        rivals = [max(rows, key=lambda x: x[4], default=None) for rows in (crossing, same)]
        logs = [odds(0.0) if x is None else odds(x[4]) for x in rivals]
        keys = [3 if x is None else self.key(x[2]) for x in rivals]
        own = odds(p)
        steps = [math.floor(x) + 20 for x in (own, *logs)]
        values = [steps[0], mix(keys[0], steps[1]), mix(keys[1], steps[2]), mix(steps[0], size_class(j - i))]
        return values, [odds(belief), own, *logs]


def features(
    words: Sequence[str], evidence: Evidence, belief: FloatArray, names: Sequence[str], known: set[str]
) -> list[tuple[list[int], list[float]]]:
    """Hashes, not yet cut to size, and dense features of every doubtful bracket."""
    reader = Reader(words, evidence, belief, names, known)
    found = []
    for number, (i, j, name, p, _) in enumerate(reader.brackets):
        if not 0.01 < p < 0.995:
            continue
        steps, dense = reader.strength(i, j, name, p)
        values = [*reader.ends(i, j), *reader.tree(i, j, name), *steps, *reader.around(i, j, name)]
        values += reader.shape(i, j, name)
        hashes = [mix(mix(101 + z, reader.key(name)), value) for z, value in enumerate(values)]
        found.append((hashes, dense + [odds(voice) for voice in evidence.voices[:, number].tolist()]))
    return found


def tag_features(
    words: Sequence[str], evidence: Evidence, names: Sequence[str], known: set[str]
) -> list[tuple[list[int], list[float]]]:
    """The same of every doubtful tag."""
    reader = Reader(words, evidence, evidence.posterior, names, known)
    columns = (evidence.word, evidence.word_tag, evidence.word_posterior)
    rows = list(zip(*(column.tolist() for column in columns)))
    found = []
    for number, (k, a, p) in enumerate(rows):
        if not 0.01 < p < 0.995:
            continue
        others = [row for row in rows if row[0] == k and row[1] != a]
        rival = max(others, key=lambda row: row[2], default=None)
        against = odds(0.0 if rival is None else rival[2])
        other = 1 if rival is None else reader.key(names[rival[1]], tag=True)
        values = _tag_values(
            reader, words, known, k, other, math.floor(against) + 20, math.floor(odds(p)) + 20
        )
        key = reader.key(names[a], tag=True)
        hashes = [mix(mix(301 + z, key), value) for z, value in enumerate(values)]
        voices = [odds(voice) for voice in evidence.word_voices[:, number].tolist()]
        found.append((hashes, [odds(p), against, *voices]))
    return found


def _tag_values(
    reader: Reader, words: Sequence[str], known: set[str], k: int, rival: int, against: int, own: int
) -> list[int]:
    w, t, ending = reader.word, reader.tag, (lambda k: _spelling(words, k)[3])
    small = _spelling(words, k)
    word, e = w(k), ending(k)
    return [
        word, *small, w(k - 1), w(k + 1), w(k - 2), w(k + 2), mix(w(k - 1), word), mix(word, w(k + 1)),
        ending(k - 1), ending(k + 1), t(k - 1), t(k + 1), mix(t(k - 1), t(k + 1)), mix(t(k - 1), word),
        mix(t(k + 1), word), mix(t(k - 2), t(k - 1)), mix(t(k + 1), t(k + 2)), mix(t(k - 1), e), mix(t(k + 1), e),
        mix(w(k - 1), t(k + 1)), mix(t(k - 1), w(k + 1)), mix(w(k - 1), w(k + 1)), mix(rival, against),
        mix(rival, word), mix(rival, e), own, mix(small[6], 5 if k == 0 else 6), mix(t(k - 1), rival, t(k + 1)),
    ]  # fmt: skip


def _spelling(words: Sequence[str], k: int) -> list[int]:
    """Hashes of the word in small letters, of its last 1 to 4 letters, its first three, and its shape."""
    if not 0 <= k < len(words):
        return [BORDER_WORD] * 7
    word, shape = words[k].lower(), ""
    for c in words[k]:
        kind = "A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c
        shape += "" if shape.endswith(kind) else kind
    texts = [f"w{word}", *(f"{n}{word[-n:]}" for n in (1, 2, 3, 4)), f"p{word[:3]}", f"s{shape}"]
    return [zlib.crc32(b"\0" + text.encode()) for text in texts]
