"""Classes of words, pruning, packed taggers, features and lemmas of parsers that predict what they write."""

import io

import numpy as np
import pytest

from eigenparse.api.dependency_parser import DependencyParser
from eigenparse.corpus.conllu import from_sentences, read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency.arcs import parse_corpus
from eigenparse.features.dependency.arc_columns import arc_columns, pruning_of
from eigenparse.inference.dependency.arcs import parse
from eigenparse.inference.dependency.tags import tagging_columns
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.kernels.dependency.pruning import SHORT, open_arcs
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.learn.dependency.morphology import learn_morphology
from eigenparse.learn.dependency.reading import TreeData
from eigenparse.learn.dependency.word_classes import word_classes
from eigenparse.models.dependency.arcs import ArcModel
from eigenparse.models.dependency.hashed import rounded, table_of, table_parts
from eigenparse.models.dependency.morphology import edit_of, edited
from eigenparse.models.registry import load_model, save_model

ROWS = (
    ("the", "the", "DET", "DT", "Definite=Def", 2, "det"), ("dogs", "dog", "NOUN", "NNS", "Number=Plur", 3, "nsubj"),
    ("barked", "bark", "VERB", "VBD", "Tense=Past", 0, "root"), ("loudly", "loudly", "ADV", "RB", "_", 3, "advmod"),
    ("in", "in", "ADP", "IN", "_", 7, "case"), ("the", "the", "DET", "DT", "Definite=Def", 7, "det"),
    ("garden", "garden", "NOUN", "NN", "Number=Sing", 3, "obl"), (".", ".", "PUNCT", ".", "_", 3, "punct"),
)  # fmt: skip


def corpus(n: int = 12) -> Dependencies:
    """Sentences of one shape with changing nouns."""
    lines = []
    for s in range(n):
        for i, (form, lemma, upos, xpos, feats, head, relation) in enumerate(ROWS, start=1):
            ending = chr(97 + s % 3) if form == "garden" else ""
            cells = (i, form + ending, lemma + ending, upos, xpos, feats, head, relation, "_", "_")
            lines.append("\t".join(map(str, cells)))
        lines.append("")
    return read_lines(lines, source="test").trees


def learnt(**options: object) -> ArcModel:
    """A small parser with classes of words and predicted tags."""
    words = ("<unk>", "the", "dogs", "cats", "garden", "barked", "in", "loudly", ".")
    vectors = np.random.default_rng(0).normal(size=(len(words), 4))
    vectors[3] = vectors[2]
    classes = word_classes(words, vectors, np.arange(len(words))[::-1], sizes=(4, 2))
    chosen = ArcOptions(order=2, tags="predicted", passes=3, bits=14, label_bits=10, prune_bits=10, **options)
    return chosen.fit(TreeData(corpus(), classes=classes))


@pytest.fixture(scope="module")
def model() -> ArcModel:
    return learnt()


def test_words_with_the_same_vector_share_a_class(model: ArcModel) -> None:
    assert model.classes is not None
    fine, coarse = model.classes.of(("dogs", "Cats", "unheard"))
    assert fine[0] == fine[1] > 0
    assert coarse[0] == coarse[1] > 0
    assert fine[2] == coarse[2] == 0


def test_what_is_predicted_is_written(model: ArcModel) -> None:
    sentence = [row[0] for row in ROWS]
    out = io.StringIO()
    parse_corpus(model, from_sentences([sentence]), out)
    found = [line.split("\t") for line in out.getvalue().strip().splitlines()]
    assert [tuple(cells[1:8]) for cells in found] == [tuple(map(str, row)) for row in ROWS]
    (words,) = DependencyParser(model).parse([sentence])
    assert [(w.form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.deprel) for w in words] == list(ROWS)


def test_a_file_gives_the_same_parser_again(model: ArcModel, tmp_path) -> None:
    save_model(model, tmp_path / "m", "dependency")
    again = load_model(tmp_path / "m", "dependency")
    trees = corpus()
    assert parse(again, trees).head.tolist() == parse(model, trees).head.tolist()
    for kind, tagger in model.taggers.items():
        words = tagging_columns(trees, classes=model.classes)
        assert tag_ids(again.taggers[kind], words).tolist() == tag_ids(tagger, words).tolist()
    save_model(again, tmp_path / "n", "dependency")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()


def test_pruned_arcs_hold_a_tree_and_short_sentences_are_not_pruned(model: ArcModel) -> None:
    trees, pruning = corpus(2), pruning_of(model.pruner)
    columns = arc_columns(trees, model.classes)
    is_open = open_arcs(columns, 0, pruning)
    assert is_open[:, 1:].any(axis=0).all()
    assert is_open[0, 1:].any()
    assert len(ROWS) > SHORT
    short = trees.select([0])
    assert open_arcs(arc_columns(short, model.classes), 0, pruning_of(None)).all()


@pytest.mark.parametrize("coded", [False, True])
def test_tables_survive_a_file(coded: bool) -> None:
    table = rounded(np.random.default_rng(1).normal(size=1 << 8).astype(np.float32), coded=coded)
    again = table_of(table_parts(table, coded=coded), 8)
    np.testing.assert_array_equal(again, table)
    np.testing.assert_array_equal(rounded(again, coded=coded), table)


@pytest.mark.parametrize(
    "pair", [("Babies", "baby"), ("was", "be"), ("Bob", "Bob"), ("US", "US"), ("dog", "dog")]
)
def test_an_edit_gives_the_lemma_back(pair: tuple[str, str]) -> None:
    assert edited(pair[0], edit_of(*pair)) == pair[1]


def test_words_and_endings_never_seen_get_what_their_tags_have() -> None:
    known = learn_morphology(corpus())
    assert known is not None
    assert known.of("lemma", ("walked", "VERB", "VBD")) == "walk"
    assert known.of("feats", ("cats", "NOUN", "NNS")) == "Number=Plur"
    assert known.of("feats", ("x", "SYM", "SYM")) == "_"
