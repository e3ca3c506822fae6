"""Bracket scores in, text and JSON-ready dictionaries out."""

from collections.abc import Iterator
from dataclasses import asdict

from eigenparse.evaluate.brackets import BracketScores
from eigenparse.evaluate.counts import BracketCounts, LabelCounts, percent
from eigenparse.evaluate.words import ERROR, SKIPPED

_RULE = "=" * 76
_SHOWN = 10  # sentences named in a note


def describe(scores: BracketScores) -> str:
    """One line that describes the scoring conventions."""
    params = scores.params.name + ("" if scores.params.labelled else " (LABELED 0: labels do not count)")
    if scores.strict:
        return f"brackets by {params}, strict: exactly as EVALB, which leaves out sentences in error"
    return (
        f"brackets by {params}, punctuation taken out by the gold tags"
        " so that every sentence with the same words is scored (--strict: exactly as EVALB)"
    )


def sentence_table(scores: BracketScores) -> str:
    """One line per sentence, in EVALB's layout, with its head and its line of totals."""
    return "\n".join(_sentence_lines(scores)) + "\n"


def evalb_report(scores: BracketScores) -> str:
    """The output of EVALB, byte for byte."""
    cutoff = scores.params.cutoff
    blocks = [_evalb_block("All", scores.all), _evalb_block(f"len<={cutoff}", scores.short)]
    return sentence_table(scores) + "=== Summary ===\n" + "".join(blocks)


def _sentence_lines(scores: BracketScores) -> Iterator[str]:
    yield "  Sent.                        Matched  Bracket   Cross        Correct Tag"
    yield " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy"
    yield _RULE
    names = ("length", "status", "matched", "gold", "guess", "crossing", "words", "tags")
    columns = [getattr(scores, name).tolist() for name in names]
    for number, (length, status, matched, gold, guess, crossing, words, tags) in enumerate(
        zip(*columns), start=1
    ):
        recall, precision, tagging = percent(matched, gold), percent(matched, guess), percent(tags, words)
        yield (
            f"{number:4d}  {length:3d}    {status:d}  {recall:6.2f} {precision:6.2f}   {matched:3d}"
            f"    {gold:3d}  {guess:3d}    {crossing:3d}   {words:4d}  {tags:4d}   {tagging:6.2f}"
        )
    yield _RULE
    total = scores.all
    front = ""
    if total.gold and total.guess:
        front = (
            f"                {total.recall:6.2f} {total.precision:6.2f} {total.matched:6d} {total.gold:5d}"
            f" {total.guess:5d}  {total.crossing:5d}"
        )
    yield f"{front}  {total.words:5d} {total.tags:5d}   {total.tagging:6.2f}"


def _evalb_block(title: str, counts: BracketCounts) -> str:
    """One of EVALB's two summaries; where it divides zero by zero it prints ``-nan``."""
    f1 = f"{counts.f1:6.2f}" if counts.matched else "  -nan"
    lines = [
        ("Number of sentence", f"{counts.sentences:6d}"),
        ("Number of Error sentence", f"{counts.errors:6d}"),
        ("Number of Skip  sentence", f"{counts.skipped:6d}"),
        ("Number of Valid sentence", f"{counts.scored:6d}"),
        ("Bracketing Recall", f"{counts.recall:6.2f}"),
        ("Bracketing Precision", f"{counts.precision:6.2f}"),
        ("Bracketing FMeasure", f1),
        ("Complete match", f"{counts.exact:6.2f}"),
        ("Average crossing", f"{counts.average_crossing:6.2f}"),
        ("No crossing", f"{counts.no_crossing:6.2f}"),
        ("2 or less crossing", f"{counts.few_crossing:6.2f}"),
        ("Tagging accuracy", f"{counts.tagging:6.2f}"),
    ]
    return f"\n-- {title} --\n" + "".join(f"{name:<25} = {value}\n" for name, value in lines)


_RATIOS = {
    "labelled recall": "recall",
    "labelled precision": "precision",
    "labelled F1": "f1",
    "labelled F1, mean of sentences": "mean_f1",
    "unlabelled recall": "unlabelled_recall",
    "unlabelled precision": "unlabelled_precision",
    "unlabelled F1": "unlabelled_f1",
    "unlabelled F1, mean of sentences": "mean_unlabelled_f1",
    "exact match": "exact",
    "crossing brackets per sentence": "average_crossing",
    "no crossing bracket": "no_crossing",
    "at most 2 crossing brackets": "few_crossing",
    "tagging accuracy": "tagging",
}


def summary(scores: BracketScores) -> str:
    """All figures for all and for short sentences, and what was left out."""
    both = scores.all, scores.short
    lines = [describe(scores), f"{'':36}{'all':>9}{'<= ' + str(scores.params.cutoff):>9}"]
    for name, field in (("sentences", "sentences"), ("sentences scored", "scored")):
        lines.append(f"{name:36}" + "".join(f"{getattr(counts, field):9d}" for counts in both))
    for name, field in _RATIOS.items():
        lines.append(f"{name:36}" + "".join(f"{getattr(counts, field):9.2f}" for counts in both))
    return "\n".join([*lines, *notes(scores)]) + "\n"


def notes(scores: BracketScores) -> list[str]:
    """Which sentences were not scored, and F1 if they counted as failures."""
    found = []
    differ = "punctuation tags or words differ" if scores.strict else "words differ"
    for status, what in ((ERROR, f"in error ({differ}, or the line is broken)"), (SKIPPED, "without words")):
        numbers = [k + 1 for k, value in enumerate(scores.status.tolist()) if value == status]
        if numbers:
            named = ", ".join(map(str, numbers[:_SHOWN])) + (", ..." if len(numbers) > _SHOWN else "")
            found.append(f"not scored: {len(numbers)} {what}: sentence {named}")
    total = scores.all
    if total.missed:
        found.append(f"labelled F1 if those counted as parses without brackets: {total.f1_with_failures:.2f}")
    if scores.strict and total.errors > scores.params.max_error + 1:
        found.append(
            f"the C program, with MAX_ERROR {scores.params.max_error}, would have stopped without a summary"
        )
    return found


def label_table(scores: BracketScores) -> str:
    """Counts and ratios of every label, the most frequent first."""
    lines = [f"{'label':16}{'gold':>8}{'guess':>8}{'matched':>9}{'recall':>9}{'prec.':>9}{'F1':>9}"]
    for label, counts in scores.by_label.items():
        shown = (label or '""').encode("utf-8", "backslashreplace").decode("utf-8")
        lines.append(
            f"{shown:16}{counts.gold:8d}{counts.guess:8d}{counts.gold_matched:9d}"
            f"{counts.recall:9.2f}{counts.precision:9.2f}{counts.f1:9.2f}"
        )
    return "\n".join(lines) + "\n"


def as_dict(
    scores: BracketScores, *, per_sentence: bool = False, per_label: bool = False
) -> dict[str, object]:
    """Everything as plain values: mode, both summaries, and on request labels and sentences."""
    result: dict[str, object] = {
        "format": "brackets",
        "mode": "strict" if scores.strict else "gold-tags",
        "rules": describe(scores),
        "params": scores.params.name,
        "cutoff": scores.params.cutoff,
        "all": _counts_dict(scores.all),
        "short": _counts_dict(scores.short),
    }
    if per_label:
        result["labels"] = {label: _label_dict(counts) for label, counts in scores.by_label.items()}
    if per_sentence:
        names = ("status", "length", "matched", "gold", "guess", "unlabelled", "crossing", "words", "tags")
        columns = [getattr(scores, name).tolist() for name in names]
        result["per_sentence"] = [
            {"number": k, **dict(zip(names, row))} for k, row in enumerate(zip(*columns), start=1)
        ]
    return result


def _counts_dict(counts: BracketCounts) -> dict[str, float]:
    ratios = {field: getattr(counts, field) for field in (*_RATIOS.values(), "f1_with_failures")}
    kept = {name: value for name, value in asdict(counts).items() if not name.startswith("sum_")}
    return {**kept, "scored": counts.scored, **ratios}


def _label_dict(counts: LabelCounts) -> dict[str, float]:
    return {**asdict(counts), "recall": counts.recall, "precision": counts.precision, "f1": counts.f1}
