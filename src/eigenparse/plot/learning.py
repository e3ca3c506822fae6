"""The training report of a grammar in, curves out."""

from collections.abc import Mapping, Sequence
from typing import Any

from eigenparse.report.content import Curves, Series


def singular_curves(report: Mapping[str, Any], labels: Sequence[str], *, most: int = 8) -> Curves | None:
    """Singular values of the most frequent labels (or of all, if ``labels`` are fewer); None if there are none."""
    members = report.get("members") or [{}]
    singular = members[0].get("singular") or {}
    counts = report.get("label_counts") or [0] * len(labels)
    order = sorted((int(a) for a in singular), key=lambda a: (-counts[a], a))[:most]
    lines = tuple(
        Series(labels[a], tuple(float(k) for k in range(1, len(values) + 1)), tuple(map(float, values)))
        for a, values in ((a, singular[str(a)]) for a in order)
        if values
    )
    if not lines:
        return None
    return Curves("Singular values by label", "rank", "singular value", lines, y_log=True)


def learning_curves(report: Mapping[str, Any]) -> Curves | None:
    """Log-likelihood of the training trees before each round of EM, a line per member; None without EM."""
    lines = []
    for number, member in enumerate(report.get("members") or [], start=1):
        values = member.get("log_likelihood") or []
        if len(values) > 1:
            per_word = max(int(report.get("n_words") or 1), 1)
            rounds = tuple(float(k) for k in range(len(values)))
            lines.append(Series(f"member {number}", rounds, tuple(float(v) / per_word for v in values)))
    if not lines:
        return None
    return Curves("Learning", "rounds of EM", "log-likelihood per word", tuple(lines))
