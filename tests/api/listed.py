"""Every tree of a short sentence."""

import functools

from tests.api.small import SENTENCE, tiny

from eigenparse.decode.grammar.results import Parse

ALL = 5000


@functools.cache
def all_trees(method: str = "pcfg") -> tuple[Parse, ...]:
    trees = tiny(method=method).kbest(SENTENCE, ALL)
    assert 5 < len(trees) < ALL
    return trees
