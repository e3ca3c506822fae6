"""How many corrections bring the trees of a grammar to gold: the loop of ``parse --ask`` with perfect answers.

    python benchmarks/corrections.py gum.model gum/dev.ptb

In every round each sentence that is not right gets one correction: the largest gold constituent that is missing is
required, or, if none is missing, the largest constituent that gold lacks is forbidden (with any label, where gold has
none over these words); the sentence is parsed again under all its corrections.  A correction that no tree of the
grammar keeps is put into the tree as it stands, as ``parse --ask`` does; how many these are is said.
"""

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from eigenparse import Grammar, load, normalise, read_trees
from eigenparse.api.correct import Draft
from eigenparse.corpus.brackets import parse_trees, take_trees
from eigenparse.corpus.cleaning import ROOT
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.decode.grammar.constraints import span_limits
from eigenparse.decode.grammar.results import Parse
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

    gold: set[Node]
    draft: Draft

    def correct(self, grammar: Grammar) -> bool:
        """Make one correction and parse again; False if the tree is right."""
        guess = nodes_of(self.draft.parse)
        missing, extra = (sorted(nodes, key=_larger) for nodes in (self.gold - guess, guess - self.gold))
        if not missing and not extra:
            return False
        required = missing[:1]
        forbidden = [
            node if any(one[:2] == node[:2] for one in self.gold) else node[:2]
            for node in ([] if missing else extra[:1])
        ]
        self.draft = self.draft.corrected(grammar, span_limits(required, forbidden))
        return True


def f1_of(gold: Treebank, sentences: list[Sentence]) -> float:
    return float(
        score_brackets(gold, parse_trees("\n".join(one.draft.parse.tree for one in sentences))).all.f1
    )


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
    sentences = [
        Sentence({node for node in right if node[2] != ROOT}, Draft.of(grammar, grammar.request(w)))
        for w, right in zip(words, gold_brackets(gold))
    ]
    made, points, open_ones = 0, [(0.0, f1_of(gold, sentences))], sentences
    for number in range(given.rounds + 1):
        right = sum(1 for s in sentences if s.gold == nodes_of(s.draft.parse))
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
    imposed = sum(len(one.draft.imposed) for one in sentences)
    print(f"{made} corrections, {imposed} of them put in because no tree of the grammar keeps them")


def reached(points: list[tuple[float, float]], goal: float) -> str:
    """Corrections a sentence where a goal is reached, between rounds by a straight line."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if y0 < goal <= y1:
            return f"{x0 + (x1 - x0) * (goal - y0) / (y1 - y0):.2f} corrections a sentence"
    return f"not reached ({points[-1][1]:.2f} at {points[-1][0]:.2f})"


if __name__ == "__main__":
    main()
