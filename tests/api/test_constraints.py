"""Constraints against brute force: the trees found under them are all trees that keep them."""

import itertools
import math
import re

import pytest
from tests.api.listed import ALL, all_trees
from tests.api.small import SENTENCE, english, own_logs, own_shares, tiny

from eigenparse.decode.grammar.constraints import give_tags
from eigenparse.decode.grammar.parser import word_choices
from eigenparse.decode.grammar.results import Parse
from eigenparse.errors import DataError

N = len(SENTENCE.split())
Span = tuple[int, int] | tuple[int, int, str]


def holds(parse: Parse, span: Span) -> bool:
    """Whether a tree has a constituent over a span, with its label if there is one."""
    return any(
        (b.start, b.end) == span[:2] and (len(span) == 2 or b.label == span[2]) for b in parse.brackets
    )


def keeps(parse: Parse, required: list[Span], forbidden: list[Span]) -> bool:
    """The meaning of constraints: words and the whole sentence are units in any case."""
    wanted = [s for s in required if len(s) == 3 or (s[1] - s[0] > 1 and s[:2] != (0, N))]
    return all(holds(parse, s) for s in wanted) and not any(holds(parse, s) for s in forbidden)


def spans() -> list[Span]:
    plain: list[Span] = [(i, j) for i in range(N) for j in range(i + 1, N + 1)]
    return plain + [(i, j, label) for i, j, *_ in plain for label in ("NP", "VP", "PP", "S")]


def check(required: list[Span], forbidden: list[Span]) -> None:
    wanted = [t for t in all_trees() if keeps(t, required, forbidden)]
    try:
        found = tiny().kbest(SENTENCE, ALL, required=required, forbidden=forbidden)
    except DataError:
        found = ()
    if not wanted:  # nothing, pieces glued together, or a word under a tag that it never had
        assert all(keeps(t, required, forbidden) for t in found)
    else:
        assert {t.tree for t in found} == {t.tree for t in wanted}
        mass = sum(p for t, p in zip(all_trees(), own_shares(all_trees())) if t in wanted)
        everything = own_logs(all_trees())[1]
        assert math.isclose(own_logs(found)[1], everything + math.log(mass), rel_tol=1e-5)


@pytest.mark.parametrize("required", [True, False])
def test_single_spans(required: bool) -> None:
    for span in spans():
        check([span] if required else [], [] if required else [span])


def test_pairs_of_spans() -> None:
    for first, second in itertools.islice(itertools.combinations(spans(), 2), 0, None, 29):
        check([first], [second])
        check([first, second], [])


def test_no_tree_is_a_sentence_not_a_crash() -> None:
    with pytest.raises(DataError, match="cross"):
        tiny().parse(SENTENCE, required=[(0, 3), (2, 4)])
    with pytest.raises(DataError, match="outside"):
        tiny().parse(SENTENCE, required=[(0, N + 1)])
    with pytest.raises(DataError, match="no label"):
        tiny().parse(SENTENCE, required=[(0, 2, "QP")])
    with pytest.raises(DataError):
        tiny().parse(SENTENCE, required=[(1, 3)], forbidden=[(1, 3)])
    with pytest.raises(DataError, match="one for each word"):
        tiny().parse(SENTENCE, tags=["NN"])
    with pytest.raises(DataError, match="weight"):
        tiny().parse(SENTENCE, tags=[{"NN": -1.0}] + [None] * (N - 1))


AMBIGUOUS = "the saw saw the saw"


def test_hard_tags_leave_the_trees_that_have_them() -> None:
    every = all_trees_of(AMBIGUOUS)
    for tags in itertools.product(["NN", "VBD", None], repeat=2):
        given = [None, tags[0], tags[1], None, None]
        wanted = {t.tree for t in every if all(g in (None, x.tag) for g, x in zip(given, t.tags))}
        found = tiny().kbest(AMBIGUOUS, ALL, tags=given)
        if wanted:
            assert {t.tree for t in found} == wanted
        else:
            assert found[0].status == "fallback" or [t.tag for t in found[0].tags][1:3] == list(tags)


def all_trees_of(sentence: str) -> tuple[Parse, ...]:
    found = tiny().kbest(sentence, ALL)
    assert 0 < len(found) < ALL
    return found


def test_soft_tags_weigh_trees() -> None:
    every = all_trees_of(AMBIGUOUS)
    weights = {"NN": 0.3, "VBD": 0.05}
    found = tiny().kbest(AMBIGUOUS, ALL, tags=[None, weights, weights, None, weights])
    mass = sum(
        math.exp(log) * math.prod(weights[t.tags[i].tag] for i in (1, 2, 4))
        for t, log in zip(every, own_logs(every)[0])
    )
    assert math.isclose(own_logs(found)[1], math.log(mass), rel_tol=1e-5)


def test_soft_tags_weigh_what_is_pruned_too() -> None:
    parser = tiny().tables.parser
    words = word_choices(parser, ["saw"])
    given = give_tags(parser, words, [{"NN": 0.25, "VBD": 2.0}]).words
    factor = {"NN": 0.25, "VBD": 2.0}
    expected = {
        a: p * factor[parser.labels[a].chain[-1]]
        for a, p in zip(words.label.tolist(), words.probability.tolist())
    }
    assert dict(zip(given.label.tolist(), given.probability.tolist())) == pytest.approx(expected)


def test_a_word_takes_a_tag_it_never_had() -> None:
    parse = tiny().parse("men slept dogs", tags=["NNS", "VBD", "NNS"])
    assert [t.tag for t in parse.tags] == ["NNS", "VBD", "NNS"]
    odd = tiny().parse("slept saw dogs", tags=["NNS", None, None])
    assert odd.tags[0].tag == "NNS"


def test_unknown_tags_are_relaxed_and_reported() -> None:
    parse = tiny().parse(SENTENCE, tags=[None, "XYZ"] + [None] * (N - 2))
    assert parse.unknown_tags == (1,)
    assert parse.status == "relaxed"
    assert parse.tree == tiny().parse(SENTENCE).tree


def test_attachment_by_order() -> None:
    words = ["the", "woman", "opened", "the", "box", "with", "a", "key", "."]
    low = english().parse(words, required=[(3, 8, "NP")])
    high = english().parse(words, forbidden=[(3, 8)], required=[(2, 8, "VP")])
    assert re.search(r"\(NP \(NP \(DT the\) \(NN box\)\) \(PP", low.tree)
    assert not holds(high, (3, 8))
    assert holds(high, (2, 8, "VP"))
