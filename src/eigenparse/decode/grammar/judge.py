"""Bracket and tag posteriors of a grammar in, those of its judge out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenparse.arrays import AnyArray, BoolVector, FloatArray, LongVector
from eigenparse.corpus.normalise import ROOT
from eigenparse.decode.grammar.objective import Brackets
from eigenparse.features.grammar.judge import Evidence, WordKeys, seen_in, symbol_tables, tagged_in
from eigenparse.kernels.grammar.judge import Symbols, look_again
from eigenparse.kernels.grammar.judge_evidence import likeliest, likely_brackets
from eigenparse.kernels.grammar.judge_tags import tag_again
from eigenparse.models.grammar.judge import Judge, weight_table

LEAST = 0.01  # smaller posteriors are ignored


@dataclass(frozen=True, slots=True)
class BracketNames:
    """The bracket ids of a parser: their names, which are tags, and which are phrases that count."""

    names: tuple[str, ...]
    is_tag: BoolVector
    is_phrase: BoolVector


def bracket_names(ids: Mapping[tuple[str, bool], int]) -> BracketNames:
    """What the ids of a bracket table stand for."""
    every = sorted(ids, key=lambda name: ids[name])
    tag = np.array([tag for _, tag in every], dtype=bool)
    root = np.array([name == ROOT for name, _ in every], dtype=bool)
    return BracketNames(tuple(name for name, _ in every), tag, ~tag & ~root)


def evidence_of(found: Brackets, ids: BracketNames) -> tuple[Evidence, LongVector, LongVector]:
    """Likely brackets and tags of a sentence, and where both stand in ``found``."""
    tag = np.zeros(found.width - 1, dtype=np.int32)
    phrase = likely_brackets(found.keys, found.masses, found.voices, found.width, ids.is_phrase, LEAST)
    word = likely_brackets(found.keys, found.masses, found.voices, found.width, ids.is_tag, LEAST)
    likeliest(word.start, word.symbol, word.mass, tag)
    evidence = Evidence(
        phrase.start, phrase.end, phrase.symbol, phrase.mass, phrase.voices,
        word.start, word.symbol, word.mass, word.voices, tag,
    )  # fmt: skip
    return evidence, phrase.place, word.place


@dataclass(frozen=True, slots=True)
class Bench:
    """A judge with the tables of the parser that it serves; make it once for many sentences."""

    judge: Judge
    ids: BracketNames
    symbols: Symbols
    words: WordKeys
    tags: tuple[FloatArray, AnyArray]
    looks: tuple[tuple[FloatArray, AnyArray], ...]


def make_bench(judge: Judge, ids: Mapping[tuple[str, bool], int]) -> Bench:
    """Prepare a judge for a parser with these bracket ids."""
    names = bracket_names(ids)
    tags, *looks = ((np.array(x.dense), weight_table(judge, x)) for x in (judge.tags, *judge.looks))
    keys = WordKeys(frozenset(judge.words.tolist()))
    return Bench(judge, names, symbol_tables(names.names, names.is_tag), keys, tags, tuple(looks))


def judged(bench: Bench, words: Sequence[str], found: Brackets) -> Brackets:
    """The same tags and brackets with the probabilities that the judge gives to uncertain ones."""
    judge, key, masses = bench.judge, bench.symbols.key, found.masses.copy()
    evidence, phrase, word = evidence_of(found, bench.ids)
    spelling, doubtful = bench.words.of(words), (judge.low, judge.high)
    tagged, seen = tagged_in(evidence, spelling, doubtful), seen_in(evidence, spelling, doubtful)
    belief = np.empty(word.size)
    tag_again(tagged, key, judge.bits, *bench.tags, belief, seen.tag)
    masses[word[tagged.candidate]] = belief[tagged.candidate]
    for dense, weights in bench.looks:
        look_again(seen, bench.symbols, judge.bits, judge.templates, dense, weights)
    masses[phrase[seen.candidate]] = seen.belief[seen.candidate]
    return replace(found, masses=masses)
