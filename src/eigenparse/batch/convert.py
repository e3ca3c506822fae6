"""Read and normalise trees; convert them to CoNLL-U, sentences, tagged words or binary trees."""

from pathlib import Path

from eigenparse.batch.requests import TreesRequest
from eigenparse.corpus.brackets import notes, read_trees_report
from eigenparse.corpus.cleaning import refuse_absent
from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.heads import (
    ENOUGH,
    HeadRules,
    conllu_lines,
    load_rules,
    rules_for,
    to_dependencies,
)
from eigenparse.corpus.normalise import Normalisation, normalise_report
from eigenparse.errors import DataError
from eigenparse.work.progress import tell


def cleaned(asked: TreesRequest, options: Normalisation = Normalisation()) -> Treebank:
    """The normalised trees of files, with a message about what was left out."""
    reading = read_trees_report(asked.sources, skip_broken=asked.skip_broken)
    refuse_absent(options.dropped, reading.treebank.labels)
    found = normalise_report(reading.treebank, options=options)
    for note in notes(reading):
        tell(note)
    if found.n_removed:
        tell(f"left out {found.n_removed} trees without words")
        if not len(found.treebank):
            raise DataError("no tree has a word that is kept; check the trees, or --drop")
    return found.treebank


def conllu(treebank: Treebank, rules: Path | None) -> list[str]:
    """Dependency trees by head rules: of a file, or chosen for the treebank."""
    return conllu_lines(
        to_dependencies(treebank, chosen_rules(treebank) if rules is None else load_rules(rules))
    )


def chosen_rules(treebank: Treebank) -> HeadRules:
    """The English rules or, if they do not fit, rules learnt from these trees, with a message."""
    rules, share = rules_for(treebank)
    if share < ENOUGH:
        tell(
            f"the English head rules know {100 * share:.0f} % of these phrases: heads are learnt from the trees"
        )
    return rules


def leaf_lines(treebank: Treebank, *, tags: bool) -> list[str]:
    """One sentence per line, or with ``tags`` one word and its tag per line and an empty line after each sentence."""
    lines = []
    for first, last in zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist()):
        rows = [row for row in range(first, last) if treebank.word[row] >= 0]
        words = [treebank.words[treebank.word[row]] for row in rows]
        if not tags:
            lines.append(" ".join(words))
            continue
        lines += [f"{word}\t{treebank.labels[treebank.label[row]]}" for word, row in zip(words, rows)]
        lines.append("")
    return lines
