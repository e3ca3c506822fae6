"""A grammar and sentences in, what the judge of brackets learns from out."""

from collections.abc import Sequence

from eigenparse.decode.grammar.judge import bracket_names, evidence_of
from eigenparse.decode.grammar.parser import explore, free_space, make_parser
from eigenparse.features.grammar.judge import Charts, Evidence
from eigenparse.models.grammar.pcfg import LatentGrammar


def charts_of(grammar: LatentGrammar, sentences: Sequence[Sequence[str]]) -> Charts:
    """Likely brackets and best tags of every sentence; None for those that no tree of the grammar spans."""
    parser = make_parser(grammar)
    ids = bracket_names(parser.table.ids)
    found: list[Evidence | None] = []
    for words in sentences:
        others = [free_space(other, words) for other in parser.others]
        chart = explore(parser, *free_space(parser, words), others)
        found.append(None if chart is None else evidence_of(chart.posteriors, ids)[0])
    return Charts(ids.names, ids.is_tag, found)
