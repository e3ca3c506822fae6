"""eigenparse info: what is in a model."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eigenparse.cli.main import app
from eigenparse.cli.models import kind_of

if TYPE_CHECKING:
    from eigenparse.models.grammar.pcfg import LatentGrammar


@app.command(epilog="Example:\n\n  eigenparse info english.model --label NP --label VP --top 6")
def info(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Any model file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
    label: Annotated[
        list[str] | None, typer.Option(help="Show the states of this label; may be repeated.")
    ] = None,
    labels: Annotated[int, typer.Option(min=0, help="Show the states of so many labels.")] = 6,
    top: Annotated[int, typer.Option(min=1, help="Words and phrases shown of a state.")] = 5,
) -> None:
    """Say what a model holds: labels, states, their typical words and phrases, singular values."""
    if kind_of(model) == "lpcfg":
        facts = describe(model, label or [], labels, top)
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1) if as_json else "\n".join(_lines(facts)))
        return
    facts = contents(model)
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1) if as_json else "\n".join(_rows(facts)))


def contents(model: Path) -> dict[str, Any]:
    """Kind, header and the shapes of all arrays of a model of any kind."""
    from eigenparse.models.store import load_model

    kind, header, arrays = load_model(model)
    shapes = {name: list(array.shape) for name, array in sorted(arrays.items())}
    return {"kind": kind, "parameters": sum(a.size for a in arrays.values()), **header, "arrays": shapes}


def _rows(facts: dict[str, Any], before: str = "") -> list[str]:
    """A line a fact: long lists by their number and their beginning, facts inside facts below them."""
    rows: list[str] = []
    for name, value in facts.items():
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            value = dict(zip(map(str, range(len(value))), value))
        if isinstance(value, dict):
            rows += [f"{before}{name}", *_rows(value, before + "  ")] if value else []
            continue
        shown = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)
        if len(shown) > _LONGEST:
            shown = (f"{len(value)}: " if isinstance(value, list) else "") + shown[: _LONGEST - 1] + "…"
        rows.append(f"{before}{name:<26}{shown}")
    return rows


_LONGEST = 72


def describe(model: Path, wanted: list[str], n_labels: int, top: int) -> dict[str, Any]:
    """All facts about a grammar as JSON values."""
    from eigenparse.inference.grammar.typical import state_profiles, states_by_size
    from eigenparse.models.grammar.file import load_grammar

    grammar = load_grammar(model)
    skeleton, first, report = grammar.skeleton, grammar.members[0], grammar.report
    counts = report.get("label_counts") or [0] * skeleton.n_labels
    order = states_by_size(first, counts)
    chosen = [a for a in order if str(skeleton.labels[a]) in wanted] if wanted else order[:n_labels]
    _check_labels(wanted, [str(name) for name in skeleton.labels])
    singular = (report.get("members") or [{}])[0].get("singular", {})
    return {
        "kind": "lpcfg",
        **_sizes(grammar),
        **{name: report[name] for name in _REPORTED if name in report},
        **_filter_facts(grammar),
        "labels": [
            {"label": str(skeleton.labels[a]), "states": int(first.states[a]), "nodes": int(counts[a])}
            | ({"singular_values": singular[str(a)]} if str(a) in singular else {})
            for a in order
        ],
        "states": [
            {
                "label": profile.label,
                "state": profile.state,
                "words": [{"word": word, "weight": _short(value)} for word, value in profile.words],
                "phrases": [
                    {"rule": rule, "phrase": text, "weight": _short(value)}
                    for rule, text, value in profile.phrases
                ],
            }
            for profile in state_profiles(skeleton, first, chosen, top)
        ],
    }


_REPORTED = ("method", "seed", "binarisation", "em_rounds", "n_trees", "n_words", "negative_share")


def _check_labels(wanted: list[str], known: list[str]) -> None:
    from eigenparse.errors import OptionError

    missing = [name for name in wanted if name not in known]
    if missing:
        raise OptionError(f"the grammar has no label {missing[0]!r}; `info --json` lists them all")


def _sizes(grammar: "LatentGrammar") -> dict[str, int]:
    skeleton = grammar.skeleton
    every = (grammar, *grammar.others)
    return {
        "members": sum(len(one.members) for one in every),
        "n_labels": skeleton.n_labels,
        "n_rules": int(skeleton.rules.shape[0]),
        "n_known_words": skeleton.n_words,
        "n_word_classes": skeleton.n_classes,
        "n_states": int(grammar.members[0].states.sum()),
        "parameters": sum(member.n_parameters for one in every for member in one.members),
    }


def _filter_facts(grammar: "LatentGrammar") -> dict[str, float]:
    """What the filter of spans closed in held-out trees: of all spans, and of those of the trees."""
    found = grammar.span_filter
    return {} if found is None else {"spans_closed": found.closed, "spans_lost": found.lost}


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _lines(facts: dict[str, Any]) -> list[str]:
    """The same facts for people."""
    lines = [
        f"{name:<16}{value}"
        for name, value in facts.items()
        if name not in ("labels", "states") and value != {}
    ]
    lines += ["", f"{'label':<16}{'nodes':>9}{'states':>8}  singular values"]
    for row in facts["labels"]:
        values = row.get("singular_values", [])
        shown = " ".join(f"{v:.3g}" for v in values[:8]) + (" …" if len(values) > 8 else "")
        lines.append(f"{row['label']:<16}{row['nodes']:>9}{row['states']:>8}  {shown}".rstrip())
    for profile in facts["states"]:
        lines += ["", f"{profile['label']}, state {profile['state']}"]
        if profile["words"]:
            lines.append("  " + "  ".join(f"{one['word']} {one['weight']:.2g}" for one in profile["words"]))
        lines += [f"  {one['rule']:<24}{one['weight']:>8.2g}  {one['phrase']}" for one in profile["phrases"]]
    return lines
