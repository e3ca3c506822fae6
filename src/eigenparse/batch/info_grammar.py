"""What is in a grammar: sizes, labels, states and their typical words and phrases."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eigenparse.batch.facts import plain_fact, plain_name
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import InfoRequest, refuse_given
from eigenparse.errors import OptionError
from eigenparse.inference.grammar.typical import state_profiles, states_by_size
from eigenparse.models.grammar.pcfg import LatentGrammar


def info(path: Path, asked: InfoRequest) -> tuple[dict[str, Any], list[str]]:
    """Facts about a grammar, and the same as lines."""
    if asked.labels:
        refuse_given(asked, "labels that are named", "n_labels")
    facts = describe(loaded(ModelPlace.of(path)), asked.labels, asked.n_labels, asked.top)
    return facts, fact_table(facts)


def describe(grammar: LatentGrammar, wanted: Sequence[str], n_labels: int, top: int) -> dict[str, Any]:
    """All facts about a grammar as JSON values."""
    skeleton, first, report = grammar.skeleton, grammar.members[0], grammar.report
    counts = report.get("label_counts") or [0] * skeleton.n_labels
    order = states_by_size(first, counts)
    chosen = [a for a in order if str(skeleton.labels[a]) in wanted] if wanted else order[:n_labels]
    _check_labels(wanted, [str(name) for name in skeleton.labels])
    singular = (report.get("members") or [{}])[0].get("singular", {})
    return {
        "kind": "lpcfg",
        **grammar.summary(),
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
            for profile in state_profiles(grammar, chosen, top)
        ],
    }


def _check_labels(wanted: Sequence[str], known: list[str]) -> None:
    missing = [name for name in wanted if name not in known]
    if missing:
        raise OptionError(f"the grammar has no label {missing[0]!r}; `info --json` lists them all")


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def fact_table(facts: dict[str, Any]) -> list[str]:
    """The same facts as readable lines."""
    lines = [
        f"{plain_name(name):<30}{plain_fact(name, value)}"
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
