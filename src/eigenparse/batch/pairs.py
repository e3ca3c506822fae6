"""Pairs of gold and guess in blocks that any worker can score; the sum is the same as that of all at once."""

from dataclasses import dataclass, replace

import numpy as np

from eigenparse.corpus.brackets import take_trees
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.normalise import compact
from eigenparse.evaluate.attachment import Attachment, attachment, check_same_words
from eigenparse.evaluate.brackets import BracketScores, score_lines
from eigenparse.evaluate.evalb_params import EvalbParams
from eigenparse.evaluate.pairing import PairedFiles
from eigenparse.evaluate.tagging import TaggingCounts, count_tagging, is_iob
from eigenparse.evaluate.tree_lines import TreeLines
from eigenparse.work.work import Work

PAIRS = 2000  # in a block


@dataclass(frozen=True, slots=True)
class ScoreBlock:
    """Sentences to score."""

    gold: TreeLines
    guess: TreeLines
    params: EvalbParams
    strict: bool


def score_block(block: ScoreBlock) -> BracketScores:
    return score_lines(block.gold, block.guess, params=block.params, strict=block.strict)


def score_pairs(work: Work, pair: PairedFiles, params: EvalbParams, strict: bool) -> BracketScores:
    """The scores of paired sentences: at once in this process, block by block elsewhere, with the same figures."""
    n = len(pair.gold.treebank)
    if work.is_here or not n:
        return pair.score(params=params, strict=strict)
    todo = (
        ScoreBlock(_part(pair.gold, s, s + PAIRS), _part(pair.guess, s, s + PAIRS), params, strict)
        for s in range(0, n, PAIRS)
    )
    scores: BracketScores = work.add_up(score_block, todo)
    order = sorted(scores.by_label.items(), key=lambda one: (-one[1].gold, -one[1].guess, one[0]))
    return replace(scores, by_label=dict(order))


def _part(lines: TreeLines, start: int, stop: int) -> TreeLines:
    """Some of the sentences, with only the symbols that they hold."""
    whole = lines.treebank
    stop = min(stop, len(whole))
    part = take_trees(whole, start, stop)
    label, labels = compact(part.label, part.labels)
    word, words = compact(part.word, part.words)
    small = replace(part, label=label, labels=labels, word=word, words=words)
    low, high = int(whole.offsets[start]), int(whole.offsets[stop])
    return TreeLines(small, lines.broken[start:stop], lines.unclosed[low:high])


def attach_block(block: tuple[Dependencies, Dependencies]) -> Attachment:
    return attachment(*block)


def attach_pairs(work: Work, gold: Dependencies, guess: Dependencies) -> Attachment:
    """Counts of right heads and arcs, block by block; the same as at once."""
    check_same_words(gold, guess)
    if work.is_here or len(gold) == 0:
        return attachment(gold, guess)
    rows = [np.arange(s, min(s + PAIRS, len(gold))) for s in range(0, len(gold), PAIRS)]
    found: Attachment = work.add_up(attach_block, ((gold.select(p), guess.select(p)) for p in rows))
    by_length = sorted(found.by_length.items(), key=lambda one: int(one[0].rstrip("+").split("-")[0]))
    return replace(found, by_relation=dict(sorted(found.by_relation.items())), by_length=dict(by_length))


Labels = list[list[str]]
TagPair = tuple[Labels, Labels, list[list[bool]] | None, bool]


def tagging_block(block: TagPair) -> TaggingCounts:
    gold, guess, unknown, iob = block
    return count_tagging(gold, guess, unknown=unknown, iob=iob)


def tagging_pairs(work: Work, gold: Labels, guess: Labels, unknown: list[list[bool]] | None) -> TaggingCounts:
    """Counts of right labels and chunks, block by block; the same as at once."""
    if work.is_here or len(gold) != len(guess) or not gold:
        return count_tagging(gold, guess, unknown=unknown)
    iob = is_iob(sorted({label for labels in gold for label in labels}))
    todo = (
        (gold[s : s + PAIRS], guess[s : s + PAIRS], unknown[s : s + PAIRS] if unknown else None, iob)
        for s in range(0, len(gold), PAIRS)
    )
    found: TaggingCounts = work.add_up(tagging_block, todo)
    return found
