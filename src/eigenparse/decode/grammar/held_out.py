"""A grammar and sentences in, what the judge of brackets learns from out."""

from collections.abc import Sequence

from eigenparse.decode.grammar.judge import bracket_names, evidence_of
from eigenparse.decode.grammar.parser import ParserOptions, explore, free_space, make_parser
from eigenparse.features.grammar.judge import Charts, Evidence
from eigenparse.inference.grammar.forest import Pruning
from eigenparse.models.grammar.pcfg import LatentGrammar

# A judge uses only posteriors above 0.01.  A narrower search than for trees finds them in a third of the time; the
# few sentences that need a wide search take as long as hundreds of others.
SEARCH = ParserOptions(
    pruning=Pruning(item=3e-4, edge=3e-5, coarse_item=3e-3, coarse_edge=1e-3, state=1e-3, weight=1e-5),
    relax=False,
)


def charts_of(grammar: LatentGrammar, sentences: Sequence[Sequence[str]]) -> Charts:
    """Likely brackets and best tags of every sentence; None for those without a tree in a narrow search."""
    parser = make_parser(grammar, SEARCH)
    ids = bracket_names(parser.table.ids)
    found: list[Evidence | None] = []
    for words in sentences:
        others = [free_space(other, words) for other in parser.others]
        chart = explore(parser, *free_space(parser, words), others)
        found.append(None if chart is None else evidence_of(chart.posteriors, ids)[0])
    return Charts(ids.names, ids.is_tag, found)
