"""Log probabilities of trees, and trees drawn from a grammar."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from eigenparse.api.grammar import Grammar
from eigenparse.arrays import BoolVector, FloatArray
from eigenparse.batch.perplexity import Rate
from eigenparse.batch.places import ModelPlace, loaded
from eigenparse.batch.requests import SampleRequest, ScoreRequest, refuse_given, refuse_projection
from eigenparse.corpus.brackets import format_trees, notes, read_trees_report
from eigenparse.corpus.columns import Treebank, sentences_of
from eigenparse.corpus.conllu import check_conllu, read_lines, word_line
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.corpus.files import find_files, read_text
from eigenparse.decode.dependency.rerank import tree_totals
from eigenparse.errors import DataError, OptionError
from eigenparse.inference.dependency.proper_heads import projected_heads
from eigenparse.inference.dependency.proper_trees import is_whole
from eigenparse.inference.dependency.sample import sample_trees as dependency_sample
from eigenparse.inference.grammar.proper import is_signed, projected
from eigenparse.inference.grammar.tree import TreeScores
from eigenparse.models.dependency.deptree import TreeModel
from eigenparse.models.dependency.split_heads import SplitHeads
from eigenparse.work.progress import tell
from eigenparse.work.work import Where


def score_brackets(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """A line per tree with its number, log p, sign and words, and a line of totals."""
    refuse_given(asked, "a grammar", "column")
    grammar = Grammar.of(loaded(ModelPlace.of(path)))
    refuse_projection(asked, signed=is_signed(grammar.latent))
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
    """The message about signed weights, and how much log p changes under the nearest distribution."""
    if project:
        raw = grammar.score(treebank)
        return f"{_cost(raw.log_probability, raw.sign, found.log_probability)}\n"
    negative = f"{int((found.sign <= 0).sum())} of {found.sign.size} totals are not positive"
    return f"signed weights: no distribution; {negative}; --project scores by the nearest distribution\n"


def _cost(raw: FloatArray, sign: FloatArray, near: FloatArray) -> str:
    """How much log p changes: raw and sign are by signed weights (log |p|), near is by the distribution."""
    good = sign > 0
    change = float((near - raw)[good].sum()) / max(int(good.sum()), 1)
    return (
        f"projected: {int((~good).sum())} of {sign.size} totals are not positive before; "
        f"log p changes by {change:+.3f} per tree where both are positive"
    )


def _is_counted(treebank: Treebank) -> BoolVector:
    """Which rows are words that normalisation keeps."""
    empty = np.array([label == "-NONE-" for label in treebank.labels], dtype=bool)
    counted: BoolVector = (treebank.word >= 0) & ~empty[treebank.label]
    return counted


def score_dependencies(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Dependency trees, by a latent tree model; totals that are not positive are counted."""
    refuse_given(asked, "a latent tree model", "column", "exact")
    model: TreeModel = loaded(ModelPlace.of(path))
    refuse_projection(asked, signed=not model.is_proper)
    near = _nearest(model) if asked.project else model
    before, after = [], []
    for source in find_files(asked.sources, suffixes=(".conllu", ".conll")):
        trees = _trees(source, skip_broken=asked.skip_broken)
        after.append(tree_totals(near, trees))
        if near is not model:
            before.append(tree_totals(model, trees))
        rows = zip(after[-1].log_abs.tolist(), after[-1].sign.tolist())
        yield "".join(f"{log:.6f}\n" if sign > 0 else "nan\n" for log, sign in rows).encode()
    sign = np.concatenate([one.sign for one in after])
    if before:
        raw, near_log = (np.concatenate([one.log_abs for one in some]) for some in (before, after))
        tell(_cost(raw, np.concatenate([one.sign for one in before]), near_log))
    tell(_scored(near))
    if not near.is_proper:
        tell(f"{int((sign <= 0).sum())} of {sign.size} totals are not positive")


def perplexity_dependencies(path: Path, asked: ScoreRequest, where: Where) -> Iterator[bytes]:
    """Perplexity per word of dependency trees by a latent tree model; no tree is left out."""
    refuse_given(asked, "a latent tree model", "column", "exact")
    model: TreeModel = loaded(ModelPlace.of(path))
    refuse_projection(asked, signed=not model.is_proper)
    if not model.is_proper:
        if not asked.project:
            raise DataError(
                "the weights are signed, which is no distribution over trees; "
                + (
                    "add --project for the nearest one"
                    if isinstance(model, SplitHeads)
                    else "train with --estimator em"
                )
                + ", or see `eigenparse score` for single trees"
            )
        model = _nearest(model)
        yield b"projected: negative weights are zero; `eigenparse score --project` says what that costs\n"
    logs, words = [], []
    for source in find_files(asked.sources, suffixes=(".conllu", ".conll")):
        trees = _trees(source)
        logs.append(tree_totals(model, trees).log_abs)
        words.append(trees.lengths().astype(np.float64))
    n = np.concatenate(words)
    rate = Rate.of(np.concatenate(logs), n)
    counted = f"{int(n.sum())} words, {n.size} trees, none left out"
    yield f"perplexity {rate} per word ({counted})\n{_scored(model)}\n".encode()


def _trees(source: Path, *, skip_broken: bool = False) -> Dependencies:
    """The trees of a file; what is skipped is told."""
    lines = read_text(source).split("\n")
    check_conllu(lines, str(source))
    corpus = read_lines(lines, source=str(source), skip_broken=skip_broken)
    for note in corpus.skipped:
        tell(f"skipped {note}")
    return corpus.trees


def _nearest(model: TreeModel) -> TreeModel:
    """The distribution nearest to a model with signed weights."""
    if isinstance(model, SplitHeads):
        return projected_heads(model)
    raise OptionError(
        f"the states of the estimator {model.estimator} are not visible, so that there is nothing to project; leave "
        "out --project or train with --estimator em"
    )


def _scored(model: TreeModel) -> str:
    """The message that says what log p of a dependency tree describes."""
    if isinstance(model, SplitHeads):
        what = "log p is of forms and tags with their trees"
        if model.is_proper:
            return f"{what}: a distribution over projective trees"
        return (
            f"{what}; the weights are signed, so that it is no distribution, and --project takes the nearest"
        )
    if is_whole(model):
        tags = "universal tags" if model.channels[0] == "upos" else "tags"
        return f"log p is of {tags} with their trees, without words: a distribution over projective trees"
    what = f"log p is of {', '.join(model.channels)} given the shapes of trees, which the model does not draw"
    return what if model.is_proper else f"{what}; the parameters are signed, so it is not a distribution"


def sample_dependencies(path: Path, asked: SampleRequest, where: Where) -> Iterator[bytes]:
    """Dependency trees drawn from a latent tree model, in CoNLL-U, or their words."""
    if asked.length is not None:
        raise OptionError("the length of a sentence is drawn with its tree; leave out --length")
    model: TreeModel = loaded(ModelPlace.of(path))
    refuse_projection(asked, signed=not model.is_proper)
    model = _nearest(model) if asked.project else model
    trees = dependency_sample(model, asked.n, seed=asked.seed, max_words=asked.max_words)
    columns = [trees.strings(name) for name in ("form", "upos", "xpos")]
    heads = trees.head.tolist()
    for low, high in pairwise(trees.offsets.tolist()):
        lines = [" ".join(columns[0][low:high])]
        if not asked.words:
            rows = zip(*(column[low:high] for column in columns), heads[low:high])
            lines = [*(word_line(i, *row) for i, row in enumerate(rows, start=1)), ""]
        yield "".join(f"{line}\n" for line in lines).encode("utf-8")


def sample_trees(path: Path, asked: SampleRequest, where: Where) -> Iterator[bytes]:
    """Trees drawn from a grammar of probabilities, one per line, or their words."""
    refuse_given(asked, "a grammar, which draws its lengths", "length")
    grammar = Grammar.of(loaded(ModelPlace.of(path)))
    refuse_projection(asked, signed=is_signed(grammar.latent))
    if asked.project:
        grammar = Grammar.of(projected(grammar.latent))
    trees = grammar.sample(asked.n, seed=asked.seed, max_words=asked.max_words)
    if not asked.words:
        yield format_trees(trees)
        return
    yield "".join(" ".join(row) + "\n" for row in sentences_of(trees)).encode("utf-8")
