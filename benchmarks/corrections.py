"""How many corrections bring the trees of a grammar to gold: the loop of ``parse --ask`` with perfect answers.

    python benchmarks/corrections.py gum.model gum/dev.ptb

In every round each sentence that is not right gets one correction: the largest gold constituent that is missing is
required, or, if none is missing, the largest constituent that gold lacks is forbidden (with any label, where gold has
none over these words); the sentence is parsed again under all its corrections.  A correction that no tree of the
grammar keeps is passed over.
"""

import argparse
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from eigenparse import Grammar, load, normalise, read_trees
from eigenparse.corpus.brackets import parse_trees, take_trees
from eigenparse.corpus.cleaning import ROOT
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.decode.grammar.constraints import Span
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError
from eigenparse.evaluate.brackets import score_brackets
from eigenparse.learn.grammar.judge_cases import gold_brackets

Node = tuple[int, int, str]
GOALS = (95.0, 98.0, 100.0)


def nodes_of(parse: Parse) -> set[Node]:
    return {(b.start, b.end, b.label) for b in parse.brackets}


def _larger(node: Node) -> tuple[int, int]:
    """Large constituents first, then from left to right."""
    return node[0] - node[1], node[0]


@dataclass(slots=True)
class Sentence:
    """A sentence under correction."""

    words: tuple[str, ...]
    gold: set[Node]
    parse: Parse
    required: list[Span] = field(default_factory=list)
    forbidden: list[Span] = field(default_factory=list)
    passed_over: set[Node] = field(default_factory=set)

    def correct(self, grammar: Grammar) -> bool:
        """Make one correction and parse again; False if there is nothing left that can be corrected."""
        guess = nodes_of(self.parse)
        missing = sorted(self.gold - guess, key=_larger)
        extra = sorted(guess - self.gold, key=_larger)
        for spans, nodes in ((self.required, missing), (self.forbidden, [] if missing else extra)):
            for node in nodes:
                if node in self.passed_over:
                    continue
                spans.append(node if missing or any(one[:2] == node[:2] for one in self.gold) else node[:2])
                try:
                    self.parse = grammar.parse(self.words, required=self.required, forbidden=self.forbidden)
                    return True
                except DataError:
                    spans.pop()
                    self.passed_over.add(node)
        return False


def f1_of(gold: Treebank, sentences: list[Sentence]) -> float:
    return float(score_brackets(gold, parse_trees("\n".join(one.parse.tree for one in sentences))).all.f1)


def main() -> None:
    """Print F1 after every round, and the corrections per sentence at which each goal is reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--sentences", type=int, default=None, help="only the first ones")
    parser.add_argument("--rounds", type=int, default=60)
    given = parser.parse_args()
    grammar, gold = load(given.model), normalise(read_trees(given.gold))
    gold = take_trees(gold, 0, min(given.sentences or len(gold), len(gold)))
    words = sentences_of(gold)
    parses = grammar.parse_many(words)
    sentences = [
        Sentence(w, {node for node in right if node[2] != ROOT}, parse)
        for w, right, parse in zip(words, gold_brackets(gold), parses)
    ]
    made, points, open_ones = 0, [(0.0, f1_of(gold, sentences))], sentences
    for number in range(given.rounds + 1):
        right = sum(1 for s in sentences if s.gold == nodes_of(s.parse))
        print(
            f"round {number:2d}: {points[-1][0]:.3f} corrections a sentence, F1 {points[-1][1]:.2f}, right {right}"
        )
        open_ones = [one for one in open_ones if one.correct(grammar)]
        if not open_ones:
            break
        made += len(open_ones)
        points.append((made / len(sentences), f1_of(gold, sentences)))
    for goal in GOALS:
        print(f"F1 {goal:.0f}: {reached(points, goal)}")


def reached(points: list[tuple[float, float]], goal: float) -> str:
    """Corrections a sentence where a goal is reached, between rounds by a straight line."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if y0 < goal <= y1:
            return f"{x0 + (x1 - x0) * (goal - y0) / (y1 - y0):.2f} corrections a sentence"
    return f"not reached ({points[-1][1]:.2f} at {points[-1][0]:.2f})"


if __name__ == "__main__":
    main()
