"""Log probabilities of trees, and trees drawn from a grammar."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.arrays import BoolVector
from eigenparse.batch.perplexity import Rate
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import SampleRequest, ScoreRequest
from eigenparse.corpus.brackets import format_trees, notes, read_trees_report
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.conllu import check_conllu, read_lines
from eigenparse.corpus.files import find_files, read_text
from eigenparse.decode.dependency.rerank import score_conllu, tree_totals
from eigenparse.inference.grammar.proper import is_signed
from eigenparse.inference.grammar.tree import TreeScores
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.work.progress import tell
from eigenparse.work.work import Where


def score_brackets(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """A line per tree with its number, log p, sign and words, and a line of totals."""
    grammar = Grammar.of(loaded(ModelPlace.of(path)))
    reading = read_trees_report(asked.sources, skip_broken=asked.skip_broken)
    for note in notes(reading):
        tell(note)
    found = grammar.score(reading.treebank, project=asked.project)
    words = np.add.reduceat(_is_counted(reading.treebank), reading.treebank.offsets[:-1])
    rows = enumerate(zip(found.log_probability.tolist(), found.sign.tolist(), words.tolist()), start=1)
    yield b"tree\tlog_p\tsign\twords\n"
    yield "".join(f"{i}\t{log:.6f}\t{sign:+.0f}\t{n}\n" for i, (log, sign, n) in rows).encode()
    good = found.sign > 0
    total, n_words = float(found.log_probability[good].sum()), int(words[good].sum())
    mean = total / n_words if n_words else float("nan")
    yield f"total\t{total:.6f}\t{int(good.sum())} of {good.size} trees positive\t{mean:.6f} per word\n".encode()
    if is_signed(grammar.latent):
        yield _signed(grammar, reading.treebank, found, asked.project).encode()


def _signed(grammar: Grammar, treebank: Treebank, found: TreeScores, project: bool) -> str:
    """What is to be said of signed weights, and what the nearest distribution costs."""
    raw = grammar.score(treebank) if project else found
    negative = f"{int((raw.sign <= 0).sum())} of {raw.sign.size} totals are not positive"
    if not project:
        return f"signed weights: no distribution; {negative}; --project scores by the nearest distribution\n"
    both = (raw.sign > 0) & (found.sign > 0)
    change = float((found.log_probability - raw.log_probability)[both].sum()) / max(int(both.sum()), 1)
    return f"projected: {negative} before; log p changes by {change:+.3f} per tree where both are positive\n"


def _is_counted(treebank: Treebank) -> BoolVector:
    """Which rows are words that normalisation keeps."""
    empty = np.array([label == "-NONE-" for label in treebank.labels], dtype=bool)
    counted: BoolVector = (treebank.word >= 0) & ~empty[treebank.label]
    return counted


def score_dependencies(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Dependency trees, by a latent tree model."""
    model: TreeModel = loaded(ModelPlace.of(path))
    for source in find_files(asked.sources, suffixes=(".conllu", ".conll")):
        lines, text = read_text(source).split("\n"), io.StringIO()
        check_conllu(lines, str(source))
        for note in score_conllu(model, lines, text, source=str(source), skip_broken=asked.skip_broken):
            tell(f"skipped {note}")
        yield text.getvalue().encode("utf-8")
    tell(_scored(model))


def perplexity_dependencies(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Perplexity per word of dependency trees by a latent tree model; totals that are not positive are left out."""
    model: TreeModel = loaded(ModelPlace.of(path))
    logs, words = [], []
    for source in find_files(asked.sources, suffixes=(".conllu", ".conll")):
        lines = read_text(source).split("\n")
        check_conllu(lines, str(source))
        trees = read_lines(lines, source=str(source)).trees
        found = tree_totals(model, trees)
        logs.append(np.where(found.sign > 0, found.log_abs, np.nan))
        words.append(trees.lengths().astype(np.float64))
    log_p, n = np.concatenate(logs), np.concatenate(words)
    good = ~np.isnan(log_p)
    rate = Rate.of(log_p[good], n[good])
    yield (
        f"perplexity {rate} per word ({int(n.sum())} words, {n.size} trees, {int((~good).sum())} without a "
        f"positive total and left out)\n{_scored(model)}\n"
    ).encode()


def _scored(model: TreeModel) -> str:
    """What log p of a dependency tree is of."""
    if isinstance(model, SplitHeads):
        return "log p is of forms and tags with their trees: a distribution over projective trees"
    what = f"log p is of {', '.join(model.channels)} given the shapes of trees"
    return what if model.is_proper else f"{what}; the parameters are signed, so that it is no distribution"


def sample_trees(path: Path, asked: SampleRequest, where: Where) -> Iterator[bytes]:
    """Trees drawn from a grammar of probabilities, one per line, or their words."""
    grammar = Grammar.of(loaded(ModelPlace.of(path)))
    trees = grammar.sample(asked.n, seed=asked.seed, max_words=asked.max_words)
    if not asked.words:
        yield format_trees(trees)
        return
    yield "".join(" ".join(row) + "\n" for row in sentences_of(trees)).encode("utf-8")
