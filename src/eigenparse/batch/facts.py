"""Facts and figures as readable lines."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from eigenparse.arrays import AnyArray

_LONGEST = 72
_NAMES = 18  # least width of the column of names
_PLAIN = {  # of facts whose names in JSON say little
    "n_word_classes": "classes of unknown words",
    "most_states": "most states of a label",
    "spans_closed": "spans closed before parsing",
    "spans_lost": "constituents lost by that",
    "judge_weights": "weights of the judge",
    "n_pairs": "pairs of words counted",
    "heads": "head rules",
}
_SHARES = ("spans_closed", "spans_lost")


def plain_name(name: str) -> str:
    """What people call a fact.

    >>> plain_name("n_known_words"), plain_name("spans_closed")
    ('known words', 'spans closed before parsing')
    """
    return _PLAIN.get(name) or name.removeprefix("n_").replace("_", " ")


def plain_fact(name: str, value: Any) -> str:
    """What people read of a value."""
    if name in _SHARES and isinstance(value, float):
        return f"{100 * value:.2f} %"
    if isinstance(value, dict):
        return ", ".join(f"{plain_name(key)} {one}" for key, one in value.items())
    return str(value)


def fact_lines(facts: dict[str, Any], before: str = "") -> list[str]:
    """A line per fact: long lists by their length and their beginning, facts inside facts below them."""
    rows: list[str] = []
    for name, value in facts.items():
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            value = dict(zip(map(str, range(len(value))), value))
        shown_name = name if before else plain_name(name)
        if isinstance(value, dict):
            rows += [f"{before}{shown_name}", *fact_lines(value, before + "  ")] if value else []
            continue
        shown = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else plain_fact(name, value)
        if len(shown) > _LONGEST:
            shown = (f"{len(value)}: " if isinstance(value, list) else "") + shown[: _LONGEST - 1] + "…"
        rows.append(f"{before}{shown_name:<26}{shown}")
    return rows


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Rows of figures by name as a table with a head; one row of numbers alone as one line."""
    if not rows:
        return []
    if len(rows) == 1 and not any(isinstance(value, str) for value in rows[0].values()):
        return ["  ".join(f"{name} {_cell(value)}" for name, value in rows[0].items())]
    head = ["F1" if name == "f1" else name for name in rows[0]]
    shown = [[_cell(value) for value in row.values()] for row in rows]
    first, *others = (max(len(text) for text in column) for column in zip(head, *shown))
    return [_row(cells, [max(first, _NAMES), *others]) for cells in (head, *shown)]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths)
    return "  ".join([f"{first[0]:<{first[1]}}", *(f"{text:>{width}}" for text, width in others)]).rstrip()


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def log_table(logs: AnyArray, sizes: AnyArray, unit: str) -> bytes:
    """A line per sequence with its number, log p and size, and a line of totals; NaN is left out of the totals."""
    rows = enumerate(zip(logs.tolist(), sizes.tolist()), start=1)
    lines = [f"sequence\tlog_p\t{unit}s", *(f"{k}\t{log:.6f}\t{size}" for k, (log, size) in rows)]
    good = ~np.isnan(logs)
    total = float(logs[good].sum())
    lines.append(f"total\t{total:.6f}\t{total / max(int(sizes[good].sum()), 1):.6f} per {unit}\n")
    return "\n".join(lines).encode()


def posteriors_above(names: Sequence[object], values: Sequence[float], least: float = 1e-3) -> str:
    """``name:posterior`` of the values above ``least``, best first."""
    order = sorted(range(len(values)), key=lambda k: -values[k])
    return " ".join(f"{names[k]}:{values[k]:.4f}" for k in order if values[k] >= least)
