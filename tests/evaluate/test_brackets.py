"""The bracket scorer against an oracle, laws and cases computed by hand."""

import dataclasses
import random

import numpy as np
import pytest

from eigenparse.errors import DataError
from eigenparse.evaluate.brackets import BracketScores, score_brackets, score_lines
from eigenparse.evaluate.counts import BracketCounts
from eigenparse.evaluate.evalb_params import COLLINS, EvalbParams, parse_params
from eigenparse.evaluate.report import as_dict, evalb_report, label_table, notes, summary
from eigenparse.evaluate.tree_lines import read_tree_lines
from evaluate.evalb_oracle import evalb, random_tree, written

SHOWN = ("length", "status", "matched", "gold", "guess", "crossing", "words", "tags")
LABELS = ["S", "NP", "NP-SBJ", "VP=1", "ADVP", "PRT", "ROOT", "A", "B", "C", "-X", "TOP", "", "."]
TAGS = ["NN", "NN", "VB", "VB-1", ",", ".", "-NONE-", "ADVP", "PRT"]


def score(gold: str, guess: str, *, strict: bool = False, params: EvalbParams = COLLINS) -> BracketScores:
    return score_lines(
        read_tree_lines(gold.split("\n")), read_tree_lines(guess.split("\n")), params=params, strict=strict
    )


def row(scores: BracketScores, s: int = 0) -> tuple[int, ...]:
    return tuple(int(getattr(scores, name)[s]) for name in SHOWN)


def test_example_of_the_thesis() -> None:
    """matejovicova-2018, section 3.5: candidate {Y:cd, X:abcd}, gold {Z:cd, Y:bcd, X:abcd}."""
    gold = "(X (A a) (Y (B b) (Z (C c) (D d))))"
    scores = score(gold, "(X (A a) (B b) (Y (C c) (D d)))").all
    assert scores.unlabelled_precision == 100.0
    assert scores.unlabelled_recall == pytest.approx(200 / 3)
    assert scores.unlabelled_f1 == pytest.approx(80.0)
    assert (scores.precision, scores.recall) == (50.0, pytest.approx(100 / 3))
    assert scores.f1 == scores.mean_f1 == pytest.approx(40.0)


@pytest.mark.parametrize("strict", [True, False])
def test_one_sentence_by_hand(strict: bool) -> None:
    subject = "(NP (DT the) (NN man))"
    gold = f"(TOP (S {subject} (VP (VBD saw) (NP (NP (DT a) (NN dog)) (PP (IN in) (NP (NN rain))))) (. .)))"
    guess = f"(TOP (S {subject} (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN in) (NP (NNP rain)))) (. .)))"
    scores = score(gold, guess, strict=strict)
    # gold: S NP VP NP NP PP NP, guess: S NP VP NP PP NP, all found; the tag of rain is wrong
    assert row(scores) == (8, 0, 6, 7, 6, 0, 7, 6)
    assert (scores.all.precision, scores.all.complete, scores.all.uncrossed) == (100.0, 0, 1)


def test_crossing_counts_guessed_brackets() -> None:
    gold = "(S (X (A a) (A b)) (Y (A c) (A d)))"
    guess = "(S (A a) (X (Z (A b) (A c)) (A d)))"  # [1,3) crosses [0,2) and [2,4), [1,4) crosses [0,2)
    assert row(score(gold, guess, strict=True))[5] == 2
    assert row(score(guess, gold, strict=True))[5] == 2
    counts = score(gold, guess).all
    assert (counts.uncrossed, counts.hardly_crossed, counts.average_crossing) == (0, 1, 2.0)
    inside = "(S (A a) (A b) (X (A c) (A d)))"
    assert row(score(gold, inside))[5] == 0


@pytest.mark.parametrize(("gold", "guess", "matched"), [(1, 2, 1), (2, 1, 1), (2, 2, 2), (3, 2, 2)])
def test_repeated_brackets_match_one_to_one(gold: int, guess: int, matched: int) -> None:
    def chain(n: int) -> str:
        return "(NP " * n + "(DT the) (NN man)" + ")" * n

    assert row(score(chain(gold), chain(guess)))[2:5] == (matched, gold, guess)


def test_equal_labels_are_not_chained_and_taken_from_the_top() -> None:
    params = parse_params("EQ_LABEL A B\nEQ_LABEL B C\n")
    assert row(score("(A (B (X x)))", "(C (X x))", params=params))[2] == 1
    assert row(score("(A (X x))", "(C (X x))", params=params))[2] == 0
    # gold A takes guess B, the first that fits, though A would leave B to gold C
    assert row(score("(A (C (X x)))", "(B (A (X x)))", params=params))[2] == 1
    assert row(score("(C (A (X x)))", "(B (A (X x)))", params=params))[2] == 2


def test_particles_may_be_adverbs_and_each_label_keeps_its_counts() -> None:
    scores = score("(S (PRT (RP up)) (NP (NN x)))", "(S (ADVP (RP up)) (NP (NN x)))")
    assert row(scores)[2:5] == (3, 3, 3)
    assert dataclasses.astuple(scores.by_label["PRT"]) == (1, 0, 1, 0)
    assert dataclasses.astuple(scores.by_label["ADVP"]) == (0, 1, 0, 1)
    assert scores.all.unlabelled == 3


def test_a_deleted_label_takes_its_equals_with_it() -> None:
    params = parse_params("DELETE_LABEL PRT\nEQ_LABEL ADVP PRT\n")
    assert row(score("(S (ADVP (RB up)) (NN x))", "(S (ADVP (RB up)) (NN x))", params=params))[3:5] == (1, 1)


def test_function_tags_are_cut_from_phrases_but_not_from_words() -> None:
    scores = score("(S (NP-SBJ-1 (NN-HL x)) (VP=2 (VB y)))", "(S (NP (NN x)) (VP (VB y)))")
    assert row(scores)[2:] == (3, 3, 3, 0, 2, 1)
    assert row(score("(S (-LRB- (NN x)))", "(S (-X- (NN x)))"))[2] == 2  # both become ""


@pytest.mark.parametrize("strict", [True, False])
def test_traces_vanish_with_all_above_them(strict: bool) -> None:
    gold = "(TOP (S (NP-SBJ (NN x)) (VP (VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))))"
    scores = score(gold, "(TOP (S (NP (NN x)) (VP (VBD said))))", strict=strict)
    assert row(scores) == (2, 0, 3, 3, 3, 0, 2, 2)


def test_the_gold_tags_say_what_a_trace_is() -> None:
    wrong = score("(S (NN a) (NN b))", "(S (NN a) (-NONE- b))")
    assert row(wrong) == (2, 0, 1, 1, 1, 0, 2, 1)
    absent = score("(S (NN a) (NN b) (NP (-NONE- *)))", "(S (NN a) (-NONE- b))")
    assert row(absent) == (2, 0, 1, 1, 1, 0, 2, 1)
    parsed = score("(S (NN a) (NP (-NONE- *)))", "(S (NN a) (NP (NN *)))")
    assert row(parsed) == (1, 0, 1, 1, 1, 0, 1, 1)


def test_wrong_punctuation_tag_is_an_error_only_when_strict() -> None:
    gold = "(TOP (S (NP (NN x)) (, ,) (VP (VB y)) (. .)))"
    guess = "(TOP (S (NP (NN x)) (VP (NN ,) (VB y)) (: .)))"
    assert row(score(gold, guess, strict=True)) == (4, 1, 0, 0, 0, 0, 0, 0)
    assert row(score(gold, guess)) == (4, 0, 3, 3, 3, 0, 2, 2)
    # the other way round a real word is lost to EVALB but stays, wrongly tagged, for us
    assert row(score(guess, gold)) == (4, 0, 2, 3, 3, 0, 3, 2)


def test_default_is_strict_on_guesses_with_punctuation_tags_mended() -> None:
    rng = random.Random(5)
    golds, guesses, mended = [], [], []
    for _ in range(300):
        words = [rng.choice("abc,.") for _ in range(rng.randint(1, 9))]
        gold, guess = (random_tree(words, ["S", "NP", "VP"], ["NN", ",", "."], rng) for _ in range(2))
        gold_tags = iter([piece.split()[0] for piece in written(gold).split("(") if len(piece.split()) == 2])
        pieces = written(guess).split("(")
        for k, piece in enumerate(pieces):
            if len(piece.split()) == 2:
                tag, (own, _, rest) = next(gold_tags), piece.partition(" ")
                pieces[k] = f"{tag if tag in ',.' else own if own not in ',.' else 'WRONG'} {rest}"
        golds.append(written(gold))
        guesses.append(written(guess))
        mended.append("(".join(pieces))
    ours = score("\n".join(golds), "\n".join(guesses))
    theirs = score("\n".join(golds), "\n".join(mended), strict=True)
    assert set(ours.status.tolist()) == {0, 2}
    assert evalb_report(ours) == evalb_report(theirs)


def test_words_that_differ_cannot_be_scored() -> None:
    scores = score(
        "(S (NN a) (NN b))\n(S (NN a))\n(S (NN a))", "(S (NN a) (NN c))\n(S (NN a) (NN b))\n(S (NN a))"
    )
    assert scores.status.tolist() == [1, 1, 0]
    assert scores.missed.tolist() == [1, 1, 0]
    assert (scores.all.f1, scores.all.f1_with_failures) == (100.0, 50.0)
    assert any("2 in error" in note for note in notes(scores))


def test_equal_words() -> None:
    params = parse_params("EQ_WORD This this\n")
    assert score("(S (DT This))", "(S (DT this))", params=params).status.tolist() == [0]
    assert score("(S (DT this))", "(S (DT This))", params=params, strict=True).status.tolist() == [0]


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("failed", ["", "(())", "(TOP )", "(TOP)", "(TOP (S))", "()"])
def test_failed_parses_are_skipped_and_counted(failed: str, strict: bool) -> None:
    scores = score("(TOP (S (NN a)))\n(TOP (S (NN a)))", f"{failed}\n(TOP (S (NN a)))", strict=strict)
    assert scores.status.tolist() == [2, 0]
    total = scores.all
    assert (total.sentences, total.skipped, total.scored, total.missed, total.recall) == (2, 1, 1, 1, 100.0)


def test_an_empty_word_is_an_error_only_when_strict() -> None:
    assert score("(TOP (NN a))", "(S )", strict=True).status.tolist() == [1]
    assert score("(TOP (NN a))", "(S )").status.tolist() == [2]


def test_broken_lines_are_errors_that_are_shown_but_not_summed() -> None:
    scores = score(
        "(TOP (S (NN a) (NN b)))\n(S (NN a))", "(TOP (S (NN a) (NN b))\n(S (NN a)) words", strict=True
    )
    assert [row(scores, s)[1:5] for s in range(2)] == [(1, 1, 1, 1), (1, 1, 1, 1)]
    assert (scores.all.matched, scores.all.errors, scores.by_label) == (0, 2, {})
    assert row(score("(S (NN a))", "(S (NP (NN a)", strict=True))[2:5] == (
        0,
        1,
        2,
    )  # unclosed: no end, no match


def test_only_punctuation_is_skipped_and_no_bracket_at_all_is_complete() -> None:
    scores = score("(TOP (. .))\n(TOP (NN a))", "(TOP (. .))\n(TOP (NN a))", strict=True)
    assert [row(scores, s) for s in range(2)] == [(1, 2, 0, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0, 1, 1)]
    assert (scores.all.complete, scores.all.f1, scores.all.mean_f1) == (1, 0.0, 100.0)
    assert "Bracketing FMeasure       =   -nan\n" in evalb_report(scores)


@pytest.mark.parametrize("root", ["", "ROOT", "TOP", "S1", "VROOT", "ROOT-1"])
def test_roots_count_only_when_strict(root: str) -> None:
    gold, guess = "(TOP (S (NN a)))", f"({root} (S (NN a)))"
    assert row(score(gold, guess))[2:5] == (1, 1, 1)
    assert row(score(gold, guess, strict=True))[2:5] == (1, 1, 1 if root == "TOP" else 2)
    nested = f"( ({root} (S (NN a))))"
    assert row(score(gold, nested))[2:5] == (1, 1, 1)
    assert row(score(gold, "(ROOT (S (ROOT (NN a))))"))[2:5] == (1, 1, 2)
    below = f"(S ({root} (NN a)))"
    assert row(score(gold, below))[4] == (1 if root == "TOP" else 2)


def test_quote_marks_are_put_back_when_strict() -> None:
    params = parse_params("DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS\n")
    gold, guess = "(S (NP (NNS dogs) (POS ')) (NP (NN x)))", "(S (NP (NNS dogs)) ('' ') (NP (NN x)))"
    assert row(score(gold, guess, params=params, strict=True)) == (3, 0, 2, 3, 3, 0, 3, 2)
    assert row(score(guess, gold, params=params, strict=True)) == (3, 0, 2, 3, 3, 0, 3, 2)
    without = parse_params("DELETE_LABEL ''\n")
    assert score(gold, guess, params=without, strict=True).status.tolist() == [1]
    # a mark put back moves those after it
    two = "(S (A a) ({0} ') (B b) ({0} '))"
    assert row(score(two.format("''"), two.format("POS"), params=params, strict=True)) == (
        4,
        0,
        1,
        1,
        1,
        0,
        4,
        2,
    )
    # word put back twice where two marks stand side by side, as the C program does
    assert (
        score("(S (A a) ('' ') ('' '))", "(S (A a) (POS ') (POS '))", params=params, strict=True).words[0]
        == 3
    )


def test_length_is_that_of_the_gold_tree_and_cuts_off() -> None:
    params = dataclasses.replace(COLLINS, cutoff=2)
    gold = "(S (NN a) (. .))\n(S (NN a) (NN b) (. .))\n(S (NN a) (-NONE- *) (NN b))"
    scores = score(gold, gold, params=params, strict=True)
    assert scores.length.tolist() == [2, 3, 2]
    assert (scores.short.sentences, scores.all.sentences) == (2, 3)


def test_unlabelled_parameters_ignore_labels() -> None:
    params = parse_params("LABELED 0\n")
    scores = score("(S (NP (NN a)) (NN b))", "(X (Y (NN a)) (NN b))", params=params)
    assert scores.all.matched == scores.all.unlabelled == 2


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_oracle_on_random_trees(seed: int) -> None:
    rng = random.Random(seed)
    pairs = [("ADVP", "PRT"), ("A", "B"), ("B", "C")]
    params = EvalbParams(
        delete=frozenset(["TOP", ",", ".", "-NONE-"]),
        delete_for_length=frozenset(["-NONE-"]),
        equal_labels=frozenset(pairs),
    )
    couples = []
    for _ in range(400):
        words = [rng.choice("abc") for _ in range(rng.randint(1, 8))]
        changed = words if rng.random() < 0.9 else [*words, "c"]
        tags = TAGS if rng.random() < 0.4 else ["NN", "VB"]
        couples.append((random_tree(words, LABELS, tags, rng), random_tree(changed, LABELS, tags, rng)))
    scores = score(*("\n".join(map(written, side)) for side in zip(*couples)), params=params, strict=True)
    for s, (gold, guess) in enumerate(couples):
        expected = evalb(gold, guess, set(params.delete), set(params.delete_for_length), set(pairs))
        assert row(scores, s) == expected, (written(gold), written(guess))
    assert set(scores.status.tolist()) == {0, 1, 2}


@pytest.mark.parametrize("strict", [True, False])
def test_laws_on_random_trees(strict: bool) -> None:
    rng = random.Random(11)
    couples = []
    for _ in range(200):
        words = [rng.choice("abc") for _ in range(rng.randint(1, 8))]
        couples.append([written(random_tree(words, LABELS, ["NN", "VB"], rng)) for _ in range(2)])
    golds, guesses = ("\n".join(side) for side in zip(*couples))
    there, back = score(golds, guesses, strict=strict), score(guesses, golds, strict=strict)
    assert (there.all.precision, there.all.recall) == (back.all.recall, back.all.precision)
    assert there.all.unlabelled == back.all.unlabelled >= there.all.matched
    perfect = score(golds, golds, strict=strict).all
    assert (perfect.f1, perfect.mean_f1, perfect.exact, perfect.tagging, perfect.crossing) == (100,) * 4 + (
        0,
    )
    labels = there.by_label.values()
    assert sum(c.gold for c in labels) == there.all.gold
    assert sum(c.guess_matched for c in labels) == there.all.matched == sum(c.gold_matched for c in labels)
    half = [score("\n".join(g), "\n".join(h), strict=strict) for g, h in _halves(golds, guesses)]
    joined = half[0] + half[1]
    assert as_dict(joined, per_sentence=True) == as_dict(there, per_sentence=True)
    assert joined.by_label == there.by_label
    added, whole = half[0].all + half[1].all, there.all
    assert added.sum_f1 == pytest.approx(whole.sum_f1)
    assert _integers(added) == _integers(whole)


def _halves(golds: str, guesses: str) -> list[tuple[list[str], list[str]]]:
    one, two = golds.split("\n"), guesses.split("\n")
    return [(one[:70], two[:70]), (one[70:], two[70:])]


def _integers(counts: BracketCounts) -> list[int]:
    return [value for value in dataclasses.astuple(counts) if isinstance(value, int)]


def test_mean_of_sentences_is_not_the_corpus_figure() -> None:
    gold = "(S (NN a))\n(S (NP (NN a)) (NP (NN b)) (NP (NN c)))"
    guess = "(S (NN a))\n(S (NN a) (NN b) (NN c))"
    counts = score(gold, guess).all
    assert counts.f1 == pytest.approx(200 * 2 / (5 + 2))
    assert counts.mean_f1 == pytest.approx((100 + 200 * 1 / (4 + 1)) / 2)


def test_treebanks_score_like_lines_and_must_be_of_one_size() -> None:
    lines = read_tree_lines(["(S (NN a))", "(S (NN b))"])
    assert score_brackets(lines.treebank, lines.treebank).f1 == 100.0
    with pytest.raises(DataError, match="2 gold sentences against 1 guessed"):
        score_brackets(lines.treebank, read_tree_lines(["(S (NN a))"]).treebank)


def test_other_conventions_do_not_add() -> None:
    with pytest.raises(DataError, match="different conventions"):
        score("(S (NN a))", "(S (NN a))") + score("(S (NN a))", "(S (NN a))", strict=True)


def test_deep_and_long_sentences() -> None:
    deep = "(" * 3000 + "NN a" + ")" * 3000
    assert score(deep, deep).all.f1 == 0.0  # nothing but unnamed roots
    named = "(X " * 3000 + "(NN a)" + ")" * 3000
    other = "(Y " * 3000 + "(NN a)" + ")" * 3000
    assert row(score(named, other))[2:5] == (0, 3000, 3000)
    long = "(S " + "(NN a) " * 2000 + ")"
    assert score(long, long, strict=True).words.tolist() == [2000]


def test_texts_say_by_which_rules_they_are_made() -> None:
    scores = score("(S (NN a))", "(S (NN a))")
    strict = score("(S (NN a))", "(S (NN a))", strict=True)
    assert "gold tags" in summary(scores).split("\n")[0]
    assert "strict" in summary(strict).split("\n")[0]
    assert (as_dict(scores)["mode"], as_dict(strict)["mode"]) == ("gold-tags", "strict")
    assert label_table(scores).split("\n")[1].split() == ["S", "1", "1", "1", "100.00", "100.00", "100.00"]


def test_columns_are_integers() -> None:
    scores = score("(S (NN a))", "(S (NN a))")
    assert all(getattr(scores, name).dtype == np.int64 for name in (*SHOWN, "unlabelled", "missed"))
