"""Broken dependency files at the command line: one sentence with file, line and remedy, or a counted treatment."""

import pathlib

import pytest
from tests.cli.calls import Call, call
from tests.dependency.toys import toy

from eigenparse.cli import verbs as verbs_registered  # noqa: F401


def word(i: int, head: object, form: str = "w", upos: str = "NOUN") -> str:
    return f"{i}\t{form}\t_\t{upos}\t_\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_"


GOOD = [word(1, 2), word(2, 0), ""]
FAULTS = {
    "cycle": ([word(1, 0), word(2, 3), word(3, 2)], 2, "the heads form a cycle"),
    "no root": ([word(1, 2), word(2, 1)], 1, "no word of the sentence has head 0"),
    "two roots": ([word(1, 0), word(2, 0)], 2, "a second word has head 0"),
    "outside": ([word(1, 0), word(2, 9)], 2, "the head is outside the sentence"),
    "own head": ([word(1, 0), word(2, 2)], 2, "a word is its own head"),
    "columns": ([word(1, 0), "2\tw\t_\tNOUN"], 2, "4 columns instead of 10"),
    "no head": ([word(1, 0), word(2, "_")], 2, "the head is missing"),
}
CROSSING = [word(1, 3), word(2, 4), word(3, 0), word(4, 3), ""]
EMPTY = ["# sent_id = empty", ""]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with a parser ``arcs``, a grammar ``grammar``, a tree model ``em`` and trees ``gold``."""
    place = tmp_path_factory.mktemp("models")
    _, lines = toy(40)
    (place / "gold").write_text("\n".join(lines), encoding="utf-8")
    fits = (
        ("dependency", "arcs", "--passes", 2, "--bits", 14),
        ("deptree", "grammar", "--estimator", "lpcfg", "--states", 2),
        ("deptree", "em", "--states", 2, "--rounds", 1),
    )
    for what, name, *options in fits:
        done = call("train", what, place / "gold", *options, "--out", place / name)
        assert done.code == 0, done.err
    done = call(
        "train", "reranker", place / "gold", "--parser", place / "arcs", "--deptree", place / "em", "--best", 3,
        "--passes", 1, "--out", place / "reranker",
    )  # fmt: skip
    assert done.code == 0, done.err
    return place


def verbs(models: pathlib.Path, path: pathlib.Path) -> dict[str, list[object]]:
    """Every verb that reads trees, with the file as the trees."""
    out = ["--out", models / "new"]
    return {
        "train dependency": ["train", "dependency", path, *out],
        "train deptree": ["train", "deptree", path, *out],
        "train deptree lpcfg": ["train", "deptree", path, "--estimator", "lpcfg", "--states", 2, *out],
        "train reranker": ["train", "reranker", path, "--parser", models / "arcs", *out],
        "score": ["score", models / "em", path],
        "score lpcfg": ["score", models / "grammar", path],
        "evaluate": ["evaluate", path, path],
        "rerank": ["rerank", models / "reranker", path],
        "reproduce": ["reproduce", "dhillon2012", "--train", path, "--dev", path, "--test", path, *out],
    }


VERBS = tuple(verbs(pathlib.Path(), pathlib.Path()))


def told(done: Call) -> str:
    """The one sentence of a failure."""
    assert done.code == 1
    lines = done.err.rstrip("\n").split("\n")
    assert len(lines) == 1, done.err
    return lines[0]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_sentence(models: pathlib.Path, tmp_path: pathlib.Path, verb: str, fault: str) -> None:
    lines, at, problem = FAULTS[fault]
    path = tmp_path / "broken.conllu"
    path.write_text("\n".join([*GOOD, *lines, "", *GOOD]), encoding="utf-8")
    sentence = told(call(*verbs(models, path)[verb]))
    assert sentence.startswith(f"eigenparse: {path}:{3 + at}: {problem}; ")
    assert not (models / "new").exists()


@pytest.mark.parametrize("model", ["arcs", "grammar"])
def test_parsing_needs_columns_but_no_heads(models: pathlib.Path, tmp_path: pathlib.Path, model: str) -> None:
    path = tmp_path / "x.conllu"
    path.write_text("\n".join([*GOOD, *FAULTS["columns"][0], ""]))
    assert told(call("parse", models / model, path)).startswith(f"eigenparse: {path}:5: 4 columns instead")
    for fault in ("cycle", "two roots", "outside", "no head"):
        path.write_text("\n".join([*EMPTY, *GOOD, *FAULTS[fault][0], ""]))
        done = call("parse", models / model, path)
        assert done.code == 0, done.err
        path.write_text(done.out)
        assert call("evaluate", path, path).code == 0
        assert "# sent_id = empty" in done.out
    path.write_text("")
    assert "this is an empty file" in told(call("parse", models / model, path))


@pytest.mark.parametrize(
    "verb",
    ["train dependency", "train deptree", "train deptree lpcfg", "train reranker", "score", "score lpcfg"],
)
def test_broken_trees_can_be_skipped(models: pathlib.Path, tmp_path: pathlib.Path, verb: str) -> None:
    path = tmp_path / "broken.conllu"
    broken = [line for lines, _, _ in FAULTS.values() for line in (*lines, "")]
    good = (models / "gold").read_text(encoding="utf-8").rstrip("\n").split("\n")
    path.write_text("\n".join([*good, "", *broken, *EMPTY, *CROSSING]), encoding="utf-8")
    done = call(*verbs(models, path)[verb], "--skip-broken")
    assert done.code == 0, done.err
    assert done.err.count(f"eigenparse: skipped {path}:") == len(FAULTS)
    if verb.startswith("score"):
        assert len(done.lines) == 42
        assert float(done.lines[40]) == 0.0
    if verb == "train dependency":
        assert "learnt from 42 sentences" in done.err
        assert "1 lifted to projective trees" in done.err
    if verb == "train deptree lpcfg":
        assert "lifted 1 trees with crossing arcs" in done.err
    if not verb.startswith("score"):
        (models / "new").unlink()


@pytest.mark.parametrize("verb", [name for name in VERBS if not name.startswith(("score", "rerank"))])
def test_files_without_words(models: pathlib.Path, tmp_path: pathlib.Path, verb: str) -> None:
    for lines in ([], EMPTY):
        path = tmp_path / "nothing.conllu"
        path.write_text("\n".join(lines))
        done = call(*verbs(models, path)[verb])
        if verb == "evaluate":
            assert done.code in (0, 1)
            assert "Traceback" not in done.err
        else:
            told(done)


def test_lists_that_are_torn_apart(models: pathlib.Path, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "lists.conllu"
    notes = ["# rank = 1", "# score = 1.0"]
    cases = {
        "a tree without a comment '# rank ='": GOOD,
        "a list does not start with rank 1": ["# rank = 2", "# score = 1.0", *GOOD],
        "a tree without a comment '# score ='": ["# rank = 1", "# score = much", *GOOD],
        "lists.conllu:8: tree 2 of list 1 has other words": [
            *notes,
            *GOOD,
            "# rank = 2",
            "# score = 0.5",
            word(1, 0, "other"),
            "",
        ],
    }
    for problem, lines in cases.items():
        path.write_text("\n".join(lines))
        assert problem in told(call("rerank", models / "reranker", path))
    path.write_text("")
    done = call("rerank", models / "reranker", path)
    assert (done.code, done.out) == (0, "")
