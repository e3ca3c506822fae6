"""A grammar's span filter and the readings of a sentence in; the spans that may hold a constituent out."""

from eigenparse.arrays import BoolVector, IntVector
from eigenparse.inference.grammar.forest import EVERYTHING_OPEN, Choices, Constraints, Readings
from eigenparse.kernels.grammar.span_filter import sentence_spans
from eigenparse.models.grammar.span_filter import SpanFilter


def spans_left_open(
    found: SpanFilter | None, label_tag: IntVector, words: Choices, readings: Readings, limits: Constraints
) -> BoolVector:
    """(n * (n + 1),) whether each span may hold a constituent; empty, which means all, without a filter.

    label_tag: the tag of each label (``tag_numbers``).  Words, the whole sentence and spans with
    constraints are always open.
    """
    if found is None or words.at.size <= 3:
        return EVERYTHING_OPEN
    return sentence_spans(
        words, readings.tag, label_tag, found.common, found.weights, found.least, limits.cell_mask
    )
