"""``eigenparse parse`` from end to end."""

import gzip
import json
import math
import pathlib

import pytest
from tests.cli.calls import Call, call

from eigenparse.api.grammar import load
from eigenparse.corpus.brackets import parse_trees, read_trees

SENTENCES = "the woman opened the box with a key .\n\nAnna saw the child .\nwho sleeps ?\n"


def parse(model: pathlib.Path, *options: object, stdin: str | bytes = SENTENCES) -> Call:
    done = call("parse", model, *options, stdin=stdin)
    assert done.code == 0, done.err
    return done


def test_a_line_gives_a_line(model: pathlib.Path) -> None:
    done = parse(model)
    assert [line[:5] for line in done.lines] == ["(TOP ", "", "(TOP ", "(TOP "]
    assert "4 lines, 17 words: 3 ok, 1 empty" in done.err
    assert done.lines[0] == load(model).parse(SENTENCES.split("\n")[0]).tree


def test_an_empty_input_is_refused(model: pathlib.Path) -> None:
    done = call("parse", model, stdin="")
    assert (done.code, done.out) == (1, "")
    assert "nothing to parse" in done.err


def test_empty_lines_keep_their_places(model: pathlib.Path) -> None:
    text = "\n\nwho sleeps ?\n\n\nwho sleeps ?\n\n"
    assert [bool(line) for line in parse(model, stdin=text).lines] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]
    assert parse(model, stdin="\n\n").out == "\n\n"


def test_files_packed_files_and_other_line_ends(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    plain = parse(model).out
    (tmp_path / "s.txt").write_bytes(b"\xef\xbb\xbf" + SENTENCES.replace("\n", "\r\n").encode())
    (tmp_path / "s.gz").write_bytes(gzip.compress(SENTENCES.encode()))
    assert parse(model, tmp_path / "s.txt").out == plain
    assert parse(model, tmp_path / "s.gz").out == plain
    parse(model, tmp_path / "s.txt", "--output", tmp_path / "out.ptb")
    assert (tmp_path / "out.ptb").read_text() == plain


def test_any_number_of_jobs_gives_the_same_output(model: pathlib.Path, corpus: pathlib.Path) -> None:
    words = [
        " ".join(line)
        for line in (
            [bank.words[w] for w in bank.word[i:j] if w >= 0]
            for bank in [read_trees(corpus / "dev.ptb")]
            for i, j in zip(bank.offsets, bank.offsets[1:])
        )
    ]
    text = "\n".join(words) + "\n"
    for form in ("brackets", "json"):
        one, two = (parse(model, "--jobs", jobs, "--format", form, stdin=text).out for jobs in (1, 2))
        assert one == two
        assert len(one.split("\n")) == 26


def test_json_lines(model: pathlib.Path) -> None:
    rows = [json.loads(line) for line in parse(model, "--format", "json").lines]
    assert [row["status"] for row in rows] == ["ok", "empty", "ok", "ok"]
    first = rows[0]
    assert set(first) == {
        "tokens", "tree", "status", "score", "log_probability", "log_total", "probability", "brackets", "tags"
    }  # fmt: skip
    assert first["tokens"] == SENTENCES.split("\n")[0].split()
    assert first["log_probability"] <= first["log_total"] < 0
    assert math.isclose(
        first["probability"], math.exp(first["log_probability"] - first["log_total"]), rel_tol=1e-6
    )
    assert len(first["tags"]) == 9
    assert all(set(b) == {"label", "start", "end", "posterior"} for b in first["brackets"])
    assert all(0 <= b["posterior"] <= 1 for b in first["brackets"] + first["tags"])
    assert first["tree"].count("(") == len(first["brackets"]) + len(first["tags"]) + 1


def test_k_best_lists(model: pathlib.Path) -> None:
    text = "the woman opened the box with a key .\n"
    rows = parse(model, "--kbest", 3, stdin=text).lines
    assert rows[-1] == ""
    parts = [row.split("\t") for row in rows[:-1]]
    scores = [float(score) for score, _, _ in parts]
    assert scores == sorted(scores, reverse=True)
    assert len({tree for _, _, tree in parts}) == len(parts) == 3
    assert sum(float(p) for _, p, _ in parts) <= 1 + 1e-6
    listed = json.loads(parse(model, "--kbest", 3, "--format", "json", stdin=text).lines[0])["kbest"]
    assert [one["tree"] for one in listed] == [tree for _, _, tree in parts]


def test_given_tags(model: pathlib.Path) -> None:
    done = parse(model, "--tagged", stdin="the_DT woman_NN saw_VBD Anna_NNP ._.\n")
    assert done.lines == ["(TOP (S (NP (DT the) (NN woman)) (VP (VBD saw) (NP (NNP Anna))) (. .)))"]
    odd = parse(model, "--tagged", stdin="the_DT woman_XYZ saw_VBD a_b_NN .\n")
    assert "1 given tags are not in the grammar" in odd.err
    assert "(NN a_b)" in odd.out


def test_raw_text(model: pathlib.Path) -> None:
    done = parse(model, "--raw", stdin="The woman slept. Anna\nsaw her (again)!\n\nWho sleeps?\n")
    banks = [parse_trees(line) for line in done.lines]
    assert [" ".join(bank.words) for bank in banks] == [
        "The woman slept .", "Anna saw her -LRB- again -RRB- !", "Who sleeps ?"
    ]  # fmt: skip
    assert call("parse", model, "--raw", "--tagged").code == 1


def test_brackets_in_words_are_written_as_in_treebanks(model: pathlib.Path) -> None:
    assert " -LRB-)" in parse(model, stdin="Anna ( again ) slept .\n").out


def test_pictures(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert parse(model, "--format", "svg", stdin="who sleeps ?\n").out.startswith("<svg")
    parse(model, "--format", "svg", "--output", tmp_path / "t.svg")
    assert sorted(p.name for p in tmp_path.glob("*.svg")) == ["t-1.svg", "t-2.svg", "t-3.svg"]
    many = call("parse", model, "--format", "svg", stdin=SENTENCES)
    assert many.code == 1
    assert "--out FILE" in many.err


def test_long_sentences_are_skipped_and_counted(model: pathlib.Path) -> None:
    done = parse(model, "--max-length", 4)
    assert [bool(line) for line in done.lines] == [False, False, False, True]
    assert "2 skipped" in done.err
    rows = [json.loads(line) for line in parse(model, "--max-length", 4, "--format", "json").lines]
    assert [row["status"] for row in rows] == ["skipped", "empty", "skipped", "ok"]


@pytest.mark.parametrize(
    "options", [("brackets", "--threshold", 0.5), ("labelled-recall",), ("max-rule",)], ids=lambda one: one[0]
)
def test_decoders(model: pathlib.Path, options: tuple[object, ...]) -> None:
    done = parse(model, "--decoder", *options)
    assert done.lines[0].startswith("(TOP (S ")


def test_members_of_an_ensemble_are_multiplied_or_added(
    corpus: pathlib.Path, model: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    train = (
        "train",
        "lpcfg",
        corpus / "train.ptb",
        "--states",
        2,
        "--ensemble",
        2,
        "--out",
        tmp_path / "two",
    )
    assert call(*train).code == 0
    for combination in ("product", "sum"):
        assert parse(tmp_path / "two", "--combination", combination).lines[0].startswith("(TOP (S ")
    assert "one member" in call("parse", model, "--combination", "sum", stdin=b"who sleeps ?\n").err


def test_one_word_and_many(model: pathlib.Path) -> None:
    done = parse(model, stdin="Anna\n" + "the woman and " * 60 + "the child slept .\n")
    assert done.lines[0].startswith("(TOP ")
    assert len(parse_trees(done.lines[1]).label) > 180


def test_strange_input(model: pathlib.Path) -> None:
    done = call("parse", model, stdin=b"caf\xe9 .\n")
    assert done.code == 1
    assert "standard input:1: the text is not UTF-8" in done.err
    odd = parse(model, stdin="\u200f x\u00a0y \u0001 \U0001f600 .\n")
    assert odd.lines[0].startswith("(TOP ")
    assert call("parse", model, "nothing.txt").code == 1


def test_a_failure_leaves_the_old_output(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "out.ptb").write_text("old")
    done = call("parse", model, "--output", tmp_path / "out.ptb", stdin=b"who sleeps ?\ncaf\xe9 .\n")
    assert done.code == 1
    assert (tmp_path / "out.ptb").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["out.ptb"]
