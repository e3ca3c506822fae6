"""Templates of the arc, pair and relation features of the graph-based parser.

A template is written ``codes: atom atom ...``.  An atom is ``role[+-offset].attribute`` with roles
h (head), m (modifier), s (sibling) and the attributes listed below.  The codes say what the template
is conjoined with: s the side, d side and distance, b side and a count of verbs, punctuation and
conjunctions between, t side and each tag between.
"""

ATTRIBUTES = {
    "w": "form in lower case",
    "p": "universal tag",
    "t": "language-specific tag, or the universal tag if there is none",
    "f": "morphological features",
    "x": "last three characters and the kind of first character",
    "k": "fine class of the word, from raw text",
    "g": "coarse class of the word, from raw text",
}
ROLES = "hms"
CODES = "sdbt"

ARC_TEMPLATES = (
    "d: h.w", "sd: h.p", "d: h.t", "d: h.w h.t", "d: m.w", "sd: m.p", "d: m.t", "d: m.w m.t",
    "sdb: h.p m.p", "sdb: h.t m.t", "sd: h.w m.w", "sd: h.w m.t", "sd: h.t m.w", "s: h.w h.t m.w m.t",
    "s: h.w m.w m.t", "s: h.w h.t m.w", "sb: h.w m.p", "sb: h.p m.w", "d: h.x m.x", "d: h.p m.x",
    "d: h.x m.p",
    "d: h.t h.f m.t m.f", "d: h.f m.f", "s: h.t m.f",
    "sd: h.p h+1.p m-1.p m.p", "sd: h-1.p h.p m-1.p m.p", "sd: h.p h+1.p m.p m+1.p",
    "sd: h-1.p h.p m.p m+1.p",
    "sd: h.p h+1.p m.p", "sd: h-1.p h.p m.p", "sd: h.p m-1.p m.p", "sd: h.p m.p m+1.p",
    "s: h.t h+1.t m-1.t m.t", "s: h-1.t h.t m-1.t m.t", "s: h.t h+1.t m.t m+1.t", "s: h-1.t h.t m.t m+1.t",
    "sd: h.t m-1.t m.t", "sd: h.t m.t m+1.t", "sd: h-1.t h.t m.t", "sd: h.t h+1.t m.t",
    "s: h-1.p h.p h+1.p m-1.p m.p m+1.p", "d: h.p m-2.p m-1.p m.p", "d: h.p m.p m+1.p m+2.p",
    "s: h-2.p h-1.p h.p m.p", "s: h.p h+1.p h+2.p m.p",
    "d: h.p m-1.w m.p", "d: h.p m.p m+1.w", "d: h-1.w h.p m.p", "d: h.p h+1.w m.p",
    "s: h.w m-1.w m.p", "s: h.w m.p m+1.w", "s: h.w m-1.p m.p", "s: h.p m.w m+1.p", "s: h.p m-1.p m.w",
    "t: h.p m.p", "t: h.t m.t", "t: h.w m.p", "t: h.p m.w",
)  # fmt: skip
PAIR_TEMPLATES = (
    "h.p s.p m.p", "h.t s.t m.t", "s.p m.p", "s.t m.t", "s.w m.w", "s.w m.p", "s.p m.w", "h.w s.p m.p",
    "h.p s.w m.p", "h.p s.p m.w", "h.w s.w m.p", "h.w s.p m.w", "h.p s.w m.w", "h.w s.w m.w", "h.p s.w",
    "h.w s.p",
    "h.p s.p s+1.p m-1.p m.p", "h.p s.p m-1.p m.p", "h.p s.p s+1.p m.p", "h.p s-1.p s.p m.p",
    "h.p s.p m.p m+1.p",
    "h.t s.t", "h.w s.w", "h.t h+1.t s.t m.t", "h-1.t h.t s.t m.t", "h.w h.t s.t m.t", "h.f s.f m.f",
)  # fmt: skip
PRUNE_TEMPLATES = (
    "d: h.t", "d: m.w", "d: m.t", "sdb: h.p m.p", "db: h.t m.t", "d: h.w m.t", "d: h.t m.w", "s: h.w m.w",
    "d: h.p m-1.p m.p", "d: h.p m.p m+1.p", "d: h-1.p h.p m.p", "d: h.p h+1.p m.p", "s: h-1.t h.t m-1.t m.t",
    "s: h.t h+1.t m.t m+1.t", "t: h.p m.p",
)  # fmt: skip
LABEL_TEMPLATES = (
    "s: h.p", "s: m.p", "s: m.t", "s: m.w", "s: h.w", "s: m.f", "s: m.x",
    "sd: h.p m.p", "sd: h.t m.t", "s: h.w m.w", "s: h.w m.p", "s: h.p m.w", "s: h.t m.w", "s: h.w m.t",
    "s: h.p m-1.p m.p", "s: h.p m.p m+1.p", "s: h.p m-1.w m.p", "s: h.p m.p m+1.w", "s: h-1.p h.p m.p",
    "s: h.p h+1.p m.p", "b: h.p m.p", "s: h.f m.f", "s: h.p m.f", "s: h.t m.t m.f",
    "s: h.p m.p m.c", "s: h.w m.p m.c", "s: m.w m.c", "s: h.p m.p m.e", "s: h.w m.e", "s: h.p h.c m.p",
    "s: h.p h.e m.p", "s: h.c m.w", "s: h.p m.w m.c", "s: m.p m.n", "s: h.p h.n m.p", "s: h.w h.n m.p",
)  # fmt: skip
# added if the parser has classes of words
CLASS_ARC_TEMPLATES = (
    "sdb: h.g m.g", "sd: h.k m.k", "d: h.k", "d: m.k", "d: h.k m.t", "d: h.t m.k", "d: h.w m.k", "d: h.k m.w",
    "d: h.g m-1.g m.g", "d: h.g m.g m+1.g", "d: h-1.g h.g m.g", "d: h.g h+1.g m.g", "s: h-1.g h.g m-1.g m.g",
    "s: h.g h+1.g m.g m+1.g", "s: h.k h.t m.k m.t", "d: h.p m-1.k m.p", "d: h.p m.p m+1.k",
)  # fmt: skip
CLASS_PAIR_TEMPLATES = (
    "h.g s.g m.g", "s.g m.g", "s.k m.k", "h.k s.p m.p", "h.p s.k m.p", "h.p s.p m.k", "h.k s.k m.p",
    "h.k s.p m.k", "h.p s.k m.k",
)  # fmt: skip
CLASS_LABEL_TEMPLATES = (
    "s: m.k", "s: h.k", "sd: h.k m.k", "s: h.g m.g", "s: h.p m.k", "s: h.k m.p", "s: h.p m-1.k m.p",
    "s: h.p m.p m+1.k", "s: h.k m.e", "s: h.k m.p m.c",
)  # fmt: skip
CLASS_PRUNE_TEMPLATES = ("d: h.g m.g", "d: h.k m.p", "d: h.p m.k")
JUDGE_ATTRIBUTES = ATTRIBUTES | {"r": "relation in the believed tree"}
JUDGE_ROLES = (
    "hmsoglr"  # s, o: nearest sisters, g: head's head, l, r: outermost children of m, all as believed
)
JUDGE_CODES = "sdba"  # a: side, and where the head stands beside the believed one
JUDGE_TEMPLATES = (
    "a: m.w", "a: m.r", "a: m.p", "a: h.p m.r", "a: h.p m.p", "sda: h.t m.t", "a: h.w m.p", "a: h.p m.w",
    "sda: h.w m.w", "d: h.w m.t", "d: h.t m.w", "sb: h.p m.p", "b: h.t m.t", "s: h.w m-1.w m.w",
    "s: h.w m.w m+1.w", "s: h.w h+1.w m.w",
    "s: h.r m.r", "s: h.p h.r m.p m.r", "s: h.r m.w", "s: h.w m.r", "s: h.r m.p", "s: h.w m.w m.r",
    "s: g.p h.p m.p", "s: g.t h.t m.t", "s: g.p h.p m.w", "s: g.w h.p m.p", "s: g.p h.w m.p", "s: g.w h.p m.w",
    "s: g.p h.w m.w", "s: g.p h.p h.r m.p m.r", "s: g.w m.w", "s: g.w h.w m.w",
    "s: g.r h.r m.r", "s: g.p h.r m.p l.w", "s: g.w h.r m.w", "db: h.r m.r", "d: h.p h.r m.p m.r",
    "s: h.p s.p m.p o.p", "s: h.p s.p m.p", "s: h.p m.p o.p", "s: h.r s.r m.r o.r", "s: h.p s.r m.r",
    "s: h.p m.r o.r", "s: h.w s.r m.r", "s: h.w m.r o.r", "s: h.t s.t m.t", "s: h.w s.w m.p", "s: s.w m.w",
    "s: m.w o.w", "s: h.p m.p o.w", "s: h.w s.w m.w", "s: h.r s.r m.p o.p",
    "s: h.p m.p l.p r.p", "sd: h.p m.p l.p", "s: h.p m.p r.p", "s: h.w m.p l.w", "s: h.p m.p l.w",
    "s: h.p m.p r.w", "s: h.w m.p r.w", "s: h.w m.w l.w", "s: h.w m.w r.w", "s: h.p m.p l.r r.r", "s: h.w l.w",
    "s: h.w r.w", "s: g.p h.p m.p l.w", "s: h.t m.t l.t", "s: h.t m.t r.t",
    "s: h.r m.r l.r", "s: h.r m.r r.r",
)  # fmt: skip
CLASS_JUDGE_TEMPLATES = (
    "sda: h.k m.k", "s: g.k m.k", "s: g.k h.k m.k", "s: h.k s.k m.k", "s: h.k m.k o.k",
    "s: h.k m.p r.k", "s: h.k m.k l.w", "s: h.k m.k r.k",
)  # fmt: skip
LABEL_ATTRIBUTES = ATTRIBUTES | {
    "c": "form and tag of the leftmost child",
    "e": "form and tag of the rightmost child",
    "n": "relation class of the head's own head: its tag and side",
}
