"""The bundled English model: by name, from raw text, in every form, at its promised size."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.calls import call
from tests.conftest import data_dir

import eigenparse
from eigenparse.api.dependencies import conllu
from eigenparse.api.raw import conventions
from eigenparse.batch.tune_grammar import dev_scores
from eigenparse.corpus.brackets import parse_trees, read_trees
from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.pick import tokens_of
from eigenparse.data import located
from eigenparse.evaluate.brackets import score_brackets

# Sentences, and floors of exact trees in percent and of F1; errors in the second set were never looked at.
EVERYDAY = {"everyday.ptb": (100, 88, 96), "everyday2.ptb": (60, 75, 94)}
RUN = "from eigenparse.cli.main import main; main()"
TEXT = 'Dr. Smith doesn\'t eat well-known fish (or meat). He said: "No!"'


@pytest.fixture(scope="module")
def english() -> eigenparse.Grammar:
    return eigenparse.load("en")


def test_size_and_attribution(english: eigenparse.Grammar) -> None:
    assert located("en").stat().st_size <= 15_500_000
    about = english.latent.report["about"]
    assert about["licence"] == "CC BY-SA 4.0"
    assert ["GUM" in about["data"][0], "CRAFT" in about["data"][1]] == [True, True]


@pytest.mark.parametrize("name", EVERYDAY)
def test_everyday_sentences(english: eigenparse.Grammar, name: str) -> None:
    """Ordinary sentences with trees made by hand: questions, commands, greetings, short statements."""
    gold = normalise(read_trees(Path(__file__).parent / name))
    scores = score_brackets(
        gold, parse_trees("\n".join(one.tree for one in english.parse_many(tokens_of(gold))))
    )
    number, exact, f1 = EVERYDAY[name]
    assert len(gold) == number
    assert scores.all.exact >= exact
    assert scores.all.f1 >= f1


def test_raw_text(english: eigenparse.Grammar) -> None:
    assert conventions(english) == {"quotes": "keep", "hyphens": "split"}
    first, second = english.parse_text(TEXT)
    assert " ".join(first.tokens) == "Dr. Smith does n't eat well - known fish ( or meat ) ."
    assert " ".join(second.tokens) == 'He said : " No ! "'
    assert first.tree.startswith("(TOP (S (NP (NNP Dr.) (NNP Smith)) (VP (VBZ does) (RB n't)")
    assert all(0 <= b.posterior <= 1 for b in first.brackets)


def test_plain_sentences(english: eigenparse.Grammar) -> None:
    tree = english.parse("The committee has approved the plan .").tree
    assert tree == (
        "(TOP (S (NP (DT The) (NN committee)) (VP (VBZ has) (VP (VBN approved) (NP (DT the) (NN plan)))) (. .)))"
    )


@pytest.mark.parametrize("arguments", [("parse", TEXT), ("parse", "en", TEXT)])
def test_a_text_instead_of_a_file(arguments: tuple[str, ...]) -> None:
    done = call(*arguments)
    assert done.out.count("\n") == 2
    assert len(parse_trees(done.out)) == 2


def test_standard_input_and_files(tmp_path: Path) -> None:
    by_name = call("parse", "en", "-", stdin="The old man saw the boats .\n").out
    (tmp_path / "in.txt").write_text("The old man saw\nthe boats.\n")
    assert call("parse", "en", str(tmp_path / "in.txt"), "--raw").out == by_name


def test_forms() -> None:
    record = json.loads(call("parse", "The dog saw a cat.", "--format", "json").out)
    assert record["tokens"] == ["The", "dog", "saw", "a", "cat", "."]
    assert [tag["tag"] for tag in record["tags"]] == ["DT", "NN", "VBD", "DT", "NN", "."]
    drawn = call("parse", "The dog saw a cat.", "--format", "text").out
    assert "p(tree) = " in drawn
    assert "┌" in drawn
    assert call("parse", "The dog saw a cat.", "--format", "svg").out.startswith("<svg")


def test_dependencies_by_head_rules(english: eigenparse.Grammar) -> None:
    lines = call("parse", TEXT, "--format", "conllu").out.split("\n")
    trees = read_lines(lines, source="test").trees  # checks that heads make trees
    assert len(trees) == 2
    assert trees.strings("form")[-4:] == ['"', "No", "!", '"']
    small = conllu([english.parse("The dog saw a cat .")], first=7)
    rows = [line.split("\t") for line in small.split("\n") if line[:1].isdigit()]
    assert small.startswith("# sent_id = 7\n# text = The dog saw a cat .\n")
    assert [row[6] for row in rows] == ["2", "3", "0", "5", "3", "3"]
    assert float(rows[0][9].removeprefix("TagPosterior=")) > 0.9


def test_a_name_that_is_no_model() -> None:
    done = call("parse", "nomodel")
    assert done.code == 1
    assert "no such file" in done.err


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert located("en").name == "en.eig"
    Path("en").write_text("mine")
    assert located("en") == Path("en")
    assert located("de") == Path("de")


def test_first_use_in_a_process_of_its_own() -> None:
    command = [sys.executable, "-c", RUN, "parse", "The old man the boats."]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("(TOP ")
    assert done.stderr == ""


@pytest.mark.data
def test_accuracy_on_open_genres(english: eigenparse.Grammar) -> None:
    gold = normalise(read_trees(data_dir("english-open") / "dev.ptb"))
    scores = dev_scores(english.latent, gold)
    assert scores.f1 > 80.0
    assert scores.tagging > 94.0
