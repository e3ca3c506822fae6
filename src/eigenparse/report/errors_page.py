"""Errors of one or two parsers in, one self-contained HTML page out, which can be mailed.

The page holds the trees as JSON and a short script that lists, filters and draws them; nothing is fetched.
"""

import json
from collections import Counter
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from eigenparse.corpus.columns import Treebank
from eigenparse.evaluate.errors import RIGHT, UNKNOWN, ErrorReport, Mark, SentenceErrors

MOST_ROWS = 30  # of a table of confusions


@dataclass(frozen=True, slots=True)
class Guess:
    """One parser's output: a name to show, its trees, and its errors."""

    name: str
    trees: Treebank
    errors: ErrorReport


def errors_page(title: str, gold: Treebank, guesses: list[Guess], summary: list[str]) -> str:
    """The whole document.  summary: lines of scores that stand on top."""
    first = guesses[0].errors
    sentences = [_sentence(s, gold, guesses) for s in range(len(first.sentences))]
    names = sorted({name for one in sentences for name in one["classes"]})
    content = json.dumps({"sentences": sentences}, ensure_ascii=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
    changed = (
        '<option value="changed">largest difference between the parsers</option>' if len(guesses) > 1 else ""
    )
    values = {
        "title": escape(title),
        "summary": "".join(f"<p>{escape(line)}</p>" for line in summary),
        "changed": changed,
        "classes": "".join(f"<option>{escape(name)}</option>" for name in names),
        "tables": "".join(_tables(guess) for guess in guesses),
        "data": content,
        "script": _resource("errors_page.js"),
    }
    return Template(_resource("errors_page.html")).substitute(values)


def _resource(name: str) -> str:
    return files("eigenparse.report").joinpath(name).read_text(encoding="utf-8")


def _sentence(s: int, gold: Treebank, guesses: list[Guess]) -> dict[str, Any]:
    """What the script needs of one sentence."""
    errors = [guess.errors.sentences[s] for guess in guesses]
    first, last = errors[0], errors[-1]
    trees = [["gold", _nested(gold, s, first.gold, first.tags, 1)]]
    trees += [
        [guess.name, _nested(guess.trees, s, one.guess, one.tags, 2)] for guess, one in zip(guesses, errors)
    ]
    low, high = int(gold.offsets[s]), int(gold.offsets[s + 1])
    return {
        "number": first.number,
        "scored": first.scored,
        "text": " ".join(gold.words[w] for w in gold.word[low:high].tolist() if w >= 0),
        "wrong": first.wrong,
        "f1": round(first.f1, 4),
        "change": round(last.f1 - first.f1, 4),
        "classes": sorted(_classes(first)),
        "trees": trees,
    }


def _classes(errors: SentenceErrors) -> set[str]:
    found = {mark.verdict for mark in (*errors.gold, *errors.guess) if mark.verdict != RIGHT}
    return found | ({"tags"} if errors.tags else set()) | ({UNKNOWN} if errors.unknown else set())


def _nested(
    trees: Treebank, s: int, marks: tuple[Mark, ...], tags: tuple[tuple[str, str, str], ...], side: int
) -> Any:
    """A tree as nested lists with its marks; None for a sentence without a tree."""
    low, high = int(trees.offsets[s]), int(trees.offsets[s + 1])
    verdict = {mark.row: mark for mark in marks if mark.verdict != RIGHT}
    wrong = Counter((tag[0], tag[side]) for tag in tags)
    nodes: list[Any] = []
    for row in range(high - low):
        word, label = int(trees.word[low + row]), trees.labels[trees.label[low + row]]
        if word >= 0:
            name = trees.words[word]
            bad = wrong[name, label] > 0
            wrong[name, label] -= bad
            nodes.append([label, "another tag" if bad else "", name])
        else:
            mark = verdict.get(row)
            nodes.append([label, mark.verdict if mark else "", [], bool(mark and mark.crossing)])
    for row in range(high - low):
        parent = int(trees.parent[low + row])
        if parent >= 0:
            nodes[parent - low][2].append(nodes[row])
    return nodes[-1] if nodes else None


def _tables(guess: Guess) -> str:
    """Tables of error classes and confusions of one parser."""
    errors = guess.errors
    total = sum(errors.classes.values())
    rows = [(name, n, f"{100 * n / total:.1f} %") for name, n in errors.classes.most_common()]
    parts = [_table(f"{guess.name}: error classes", ("class", "brackets", "share"), rows)]
    confused = [("labels", errors.labels), ("tags", errors.tags)]
    confused += [("tags of unknown words", errors.unknown)] if errors.n_unknown else []
    for title, counts in confused:
        common = [(a, b, n) for (a, b), n in counts.most_common(MOST_ROWS)]
        parts.append(_table(f"{guess.name}: {title} confused", ("gold", "guess", "times"), common))
    return "".join(parts)


def _table(title: str, header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<section><h3>{escape(title)}</h3>{table}</section>"
