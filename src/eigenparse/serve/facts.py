"""A grammar in; what the page and /info say about it out: labels, states, their words, singular values."""

from typing import Any

from eigenparse.api.grammar import Grammar
from eigenparse.inference.grammar.typical import state_profiles, states_by_size

TOP = 8  # words and phrases of a state


def label_facts(grammar: Grammar) -> list[dict[str, Any]]:
    """Every label with its states, nodes and singular values; those with most states first."""
    latent, skeleton = grammar.latent, grammar.latent.skeleton
    states = latent.members[0].states
    counts = latent.report.get("label_counts") or [0] * skeleton.n_labels
    singular = (latent.report.get("members") or [{}])[0].get("singular", {})
    over_words = skeleton.is_tag()
    return [
        {
            "label": str(skeleton.labels[a]),
            "states": int(states[a]),
            "nodes": int(counts[a]),
            "kind": "partial" if skeleton.labels[a].partial else "tag" if over_words[a] else "phrase",
            "singular_values": [float(f"{value:.4g}") for value in singular.get(str(a), [])],
        }
        for a in states_by_size(latent.members[0], counts)
    ]


def profiles(grammar: Grammar) -> dict[str, list[dict[str, Any]]]:
    """The states of every label with their typical words and phrases; takes a while."""
    skeleton = grammar.latent.skeleton
    found: dict[str, list[dict[str, Any]]] = {str(label): [] for label in skeleton.labels}
    for one in state_profiles(grammar.latent, list(range(skeleton.n_labels)), TOP):
        found[one.label].append(
            {
                "state": one.state,
                "words": [{"word": word, "weight": _short(value)} for word, value in one.words],
                "phrases": [
                    {"rule": rule, "phrase": text, "weight": _short(value)}
                    for rule, text, value in one.phrases
                ],
            }
        )
    return found


def _short(value: float) -> float:
    return float(f"{value:.4g}")
