"""Parses in, dependency trees in CoNLL-U out, by the head rules of their grammar."""

from collections.abc import Sequence

from eigenparse.corpus.brackets import parse_trees
from eigenparse.corpus.conllu import word_line
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.heads import to_dependencies
from eigenparse.decode.grammar.results import Parse


def dependencies(parses: Sequence[Parse]) -> Dependencies:
    """Heads and relations of parses that have trees, all of one grammar, by its head rules; forms as in brackets."""
    return to_dependencies(parse_trees("\n".join(one.tree for one in parses)), parses[0].heads)


def conllu(parses: Sequence[Parse], *, first: int = 1) -> str:
    """Parses as CoNLL-U; the last column holds the tag's posterior where it is known.

    first: the number of the first sentence.  A parse without a tree (too long) is left out.
    """
    found = [one for one in parses if one.tree]
    if not found:
        return ""
    trees = dependencies(found)
    upos, xpos, relation = (trees.strings(name) for name in ("upos", "xpos", "relation"))
    heads, offsets = trees.head.tolist(), trees.offsets.tolist()
    lines: list[str] = []
    for s, one in enumerate(found):
        lines += [f"# sent_id = {first + s}", f"# text = {' '.join(one.tokens)}"]
        low = offsets[s]
        for i, token in enumerate(one.tokens):
            r = low + i
            note = f"TagPosterior={one.tags[i].posterior:.4f}" if _known(one, i) else "_"
            lines.append(word_line(i + 1, token, upos[r], xpos[r], heads[r], relation[r], note))
        lines.append("")
    return "\n".join(lines) + "\n"


def _known(parse: Parse, i: int) -> bool:
    """Whether a tag has a posterior."""
    return bool(parse.tags) and parse.tags[i].posterior == parse.tags[i].posterior
