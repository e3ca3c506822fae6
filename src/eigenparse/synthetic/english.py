"""The bundled English: a grammar with hidden subclasses, written out as weighted rules.

The part before a colon is visible, the part after it is hidden: number (``s``, ``p``), the kind
of noun, what a verb takes, what a preposition opens, whether a clause has a gap.  A symbol that
begins with ``_`` leaves no node.  ``{n}`` stands for every value of ``n`` in turn; where only the
right-hand side names it, its own weights count.  See ``notation.py`` for how rules are read.
"""

import functools
from dataclasses import replace

from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.normalise import compact
from eigenparse.corpus.transform import unbinarise
from eigenparse.synthetic.grammar import SyntheticGrammar
from eigenparse.synthetic.lexicon import english_lexicon
from eigenparse.synthetic.notation import compile_grammar
from eigenparse.synthetic.sample import sample_trees

START = "_TOP:x"

VALUES = """
n = s:62 p:38
k = h:1 o:1 e:1 l:1
r = h:1 o:1
f = s:1 p:1 b:1
x = m:1 a:1
v = i:1 t:1 u:1 d:1 l:1 m:1 g:1 c:1 r:1 w:1
"""

RULES = """
# Sentences.
94   _TOP:x -> S:main
6    _TOP:x -> SQ:x
60   S:main -> _SUBJECT:{n} VP:m{n} .:x
6    S:main -> _SUBJECT:{n} ADVP:fr VP:m{n} .:x
4    S:main -> PP:ti ,:x _SUBJECT:{n} VP:m{n} .:x
4    S:main -> PP:ti _SUBJECT:{n} VP:m{n} .:x
3    S:main -> SBAR:su ,:x _SUBJECT:{n} VP:m{n} .:x
4    S:main -> SBAR:su _SUBJECT:{n} VP:m{n} .:x
5    S:main -> ADVP:ti _SUBJECT:{n} VP:m{n} .:x
8    S:main -> S:sub CC:c S:sub .:x
1    SQ:x -> MD:x _SUBJECT:{n} VP:mb .:q
12   S:sub -> _SUBJECT:{n} VP:m{n}
1    S:sub -> _SUBJECT:{n} ADVP:fr VP:m{n}
1    S:gap -> _SUBJECT:{n} VP:g{n}
1    S:inf -> VP:to
1    S:rel{n} -> VP:m{n}
1    VP:to -> TO:x VP:mb

# Who acts, and what is acted upon.
20   _SUBJECT:{n} -> NP:pro{n}
44   _SUBJECT:{n} -> NP:{n}h
7    _SUBJECT:{n} -> NP:{n}o
4    _SUBJECT:{n} -> NP:{n}e
3    _SUBJECT:{n} -> NP:{n}l
12   _SUBJECT:s -> NP:name
1    NP:pro{n} -> PRP:{n}
1    NP:proo -> PRP:o
1    NP:name -> NNP:h
8    _OBJECT:x -> NP:proo
5    _OBJECT:x -> NP:name
40   _OBJECT:x -> NP:{n}h
25   _OBJECT:x -> NP:{n}o
12   _OBJECT:x -> NP:{n}e
6    _OBJECT:h -> NP:proo
5    _OBJECT:h -> NP:name
36   _OBJECT:h -> NP:{n}h
1    _OBJECT:o -> NP:{n}o
60   _PLACE:x -> NP:{n}l
12   _PLACE:x -> NP:{n}o
10   _PLACE:x -> NP:town
1    NP:town -> NNP:l
50   _TOPIC:x -> NP:{n}e
20   _TOPIC:x -> NP:{n}h
20   _TOPIC:x -> NP:{n}o
40   _WHOSE:x -> NP:{n}h
30   _WHOSE:x -> NP:{n}l
20   _WHOSE:x -> NP:{n}o
10   _WHOSE:x -> NP:name

# Noun phrases.
1    _N:s{k} -> NN:{k}
1    _N:p{k} -> NNS:{k}
56   NP:{n}{k} -> DT:{n} _N:{n}{k}
9    NP:{n}{k} -> DT:{n} JJ:{k} _N:{n}{k}
9    NP:{n}{k} -> PRP$:x _N:{n}{k}
3    NP:{n}{k} -> PRP$:x JJ:{k} _N:{n}{k}
14   NP:p{k} -> NNS:{k}
6    NP:p{k} -> JJ:{k} NNS:{k}
6    NP:p{k} -> CD:x NNS:{k}
24   NP:p{k} -> NP:{n}{k} CC:x _NP:{k}
1    _NP:{k} -> NP:{n}{k}
8    NP:{n}o -> NP:{n}o PP:of
8    NP:{n}h -> NP:{n}h PP:of
7    NP:{n}l -> NP:{n}l PP:of
16   NP:{n}h -> NP:{n}h PP:ha
26   NP:{n}o -> NP:{n}o PP:pa
4    NP:{n}h -> NP:{n}h PP:pl
8    NP:{n}o -> NP:{n}o PP:pl
4    NP:{n}l -> NP:{n}l PP:pl
14   NP:{n}e -> NP:{n}e PP:ab
10   NP:{n}e -> NP:{n}e PP:ti
5    NP:{n}{r} -> NP:{n}{r} SBAR:r{n}{r}
5    NP:{n}e -> NP:{n}e SBAR:th
4    NP:{n}{r} -> NP:{n}{r} VP:part
6    NP:i -> DT:s NN:i
3    NP:i -> DT:s JJ:o NN:i
2    NP:i -> PRP$:x NN:i
3    NP:f -> DT:s NN:f
2    NP:f -> DT:s JJ:o NN:f
3    NP:f -> JJ:o NNS:f
4    NP:q -> DT:s NN:q
3    NP:q -> DT:s JJ:o NN:q
1    NP:q -> JJ:o NNS:q
6    NP:t -> DT:s NN:t
2    NP:t -> DT:s JJ:e NN:t
2    NP:t -> NNP:t

# Prepositional phrases.
1    PP:of -> IN:of _WHOSE:x
1    PP:pl -> IN:pl _PLACE:x
1    PP:go -> IN:go _PLACE:x
1    PP:wi -> IN:wi NP:i
1    PP:ha -> IN:ha NP:f
1    PP:pa -> IN:ha NP:q
1    PP:ti -> IN:ti NP:t
1    PP:ab -> IN:ab _TOPIC:x
1    PP:fo -> IN:fo _OBJECT:h
1    PP:to -> IN:to _OBJECT:h
1    PP:by -> IN:by _OBJECT:h

# Verb phrases: s and p agree with the subject, b is the bare form, g has lost its object.
45   _V:s{v} -> VBZ:{v}
55   _V:s{v} -> VBD:{v}
45   _V:p{v} -> VBP:{v}
55   _V:p{v} -> VBD:{v}
1    _V:b{v} -> VB:{v}
45   _BE:s -> VBZ:b
55   _BE:s -> VBD:bs
45   _BE:p -> VBP:b
55   _BE:p -> VBD:bp
1    _BE:b -> VB:b
4    VP:{x}{f} -> _V:{f}i
6    VP:{x}{f} -> _V:{f}i PP:pl
22   VP:{x}{f} -> _V:{f}t _OBJECT:x
10   VP:{x}{f} -> _V:{f}u _OBJECT:o
4    VP:{x}{f} -> _V:{f}d _OBJECT:h _OBJECT:o
4    VP:{x}{f} -> _V:{f}d _OBJECT:o PP:to
7    VP:{x}{f} -> _V:{f}l _OBJECT:o PP:pl
8    VP:{x}{f} -> _V:{f}m PP:go
5    VP:{x}{f} -> _V:{f}g _OBJECT:x PP:go
5    VP:{x}{f} -> _V:{f}r PP:ab
3    VP:{x}{f} -> _BE:{f} PP:pl
3    VP:{x}{f} -> _BE:{f} VP:part
1    VP:u{f} -> _V:{f}u _OBJECT:o
4    VP:m{f} -> _BE:{f} ADJP:x
5    VP:m{f} -> _V:{f}c SBAR:th
3    VP:m{f} -> _V:{f}w S:inf
8    VP:m{n} -> MD:x VP:mb
2    VP:m{n} -> MD:x RB:no VP:mb
14   VP:m{f} -> VP:a{f} PP:ti
4    VP:m{f} -> VP:a{f} PP:pl
5    VP:m{f} -> VP:a{f} PP:fo
5    VP:m{f} -> VP:a{f} ADVP:ma
5    VP:m{f} -> VP:a{f} ADVP:ti
2    VP:m{f} -> VP:a{f} SBAR:su
12   VP:{x}{f} -> VP:u{f} PP:wi
8    VP:m{f} -> VP:a{f} CC:x VP:m{f}
4    VP:g{n} -> _V:{n}t
1    VP:g{n} -> _V:{n}u PP:wi
1    VP:g{n} -> _V:{n}t PP:ti
3    VP:part -> VBN:t PP:by
2    VP:part -> VBN:u PP:wi
2    VP:part -> VBN:l PP:pl
2    VP:part -> VBN:g PP:go

# Clauses inside clauses.
3    SBAR:th -> IN:th S:sub
1    SBAR:th -> S:sub
6    SBAR:r{n}{r} -> WHNP:{r} S:rel{n}
3    SBAR:r{n}{r} -> WHNP:{r} S:gap
1    SBAR:r{n}{r} -> S:gap
1    SBAR:su -> IN:su S:sub
2    WHNP:h -> WP:h
1    WHNP:h -> WDT:h
1    WHNP:o -> WDT:o

# Small phrases.
4    ADJP:x -> JJ:p
3    ADJP:x -> RB:de JJ:p
3    ADJP:x -> JJ:a PP:of
1    ADJP:x -> JJ:p CC:x JJ:p
1    ADVP:ma -> RB:ma
1    ADVP:ti -> RB:ti
1    ADVP:fr -> RB:fr
"""


@functools.cache
def english_grammar() -> SyntheticGrammar:
    """The bundled English as a proper L-PCFG over collapsed, right-factored binary trees."""
    return compile_grammar(RULES, VALUES, english_lexicon(), start=START)


def sample_treebank(n_trees: int, seed: int) -> Treebank:
    """``n_trees`` trees of the bundled English with their roots; the first trees do not depend on ``n_trees``.

    As in a treebank that was read from a file, every word of ``words`` occurs.
    """
    treebank = unbinarise(sample_trees(english_grammar(), n_trees, seed).trees)
    word, words = compact(treebank.word, treebank.words)
    return replace(treebank, word=word, words=words)
