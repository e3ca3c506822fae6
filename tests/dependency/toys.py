"""Small treebanks and learners that the tests of the dependency family share."""

import io
from collections.abc import Iterable

import numpy as np
from tests.dependency.oracles import all_trees
from typer.testing import CliRunner

from eigenparse.arrays import FloatArray
from eigenparse.cli.main import app, register
from eigenparse.corpus.conllu import read_input, read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.decode.dependency.arcs import parse_corpus
from eigenparse.inference.dependency.arcs import columns_for, compiled_for, judged
from eigenparse.kernels.dependency.arc_decoding import scores_of
from eigenparse.kernels.dependency.arc_judge import judged_scores
from eigenparse.kernels.dependency.eisner import NO_ENDS, NO_SIBLINGS, arc_posteriors
from eigenparse.learn.dependency.arcs import ArcOptions
from eigenparse.models.dependency.arcs import ArcModel

WORDS = [
    ("the", "DET"),
    ("old", "ADJ"),
    ("man", "NOUN"),
    ("sees", "VERB"),
    ("dogs", "NOUN"),
    ("and", "CCONJ"),
]


def toy(n_sentences: int = 10, seed: int = 0) -> tuple[Dependencies, list[str]]:
    """Random projective trees over random words."""
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(n_sentences):
        n = int(rng.integers(1, 7))
        heads = all_trees(n)[rng.integers(len(all_trees(n)))]
        for i, h in enumerate(heads, start=1):
            form, tag = WORDS[rng.integers(len(WORDS))]
            relation = "root" if h == 0 else f"{tag.lower()}:{'l' if h > i else 'r'}"
            lines.append(f"{i}\t{form}{rng.integers(9)}\t_\t{tag}\t_\t_\t{h}\t{relation}\t_\t_")
        lines.append("")
    return read_lines(lines, source="toy").trees, lines


def small(order: int = 1, **options: object) -> ArcOptions:
    return ArcOptions(order=order, bits=18, label_bits=12, **options)  # type: ignore[arg-type]


def parsed_text(model: ArcModel, lines: Iterable[str], n_best: int = 1) -> str:
    """CoNLL-U of lines of CoNLL-U or tokens."""
    out = io.StringIO()
    parse_corpus(model, read_input(lines, source="input"), out, n_best=n_best)
    return out.getvalue()


def run(*arguments: object) -> str:
    """What a command prints; it must succeed."""
    words = [str(a) for a in arguments]
    register(words)
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def arc_marginals(model: ArcModel, trees: Dependencies, sentence: int, *, scale: float = 1.0) -> FloatArray:
    """(n + 1, n + 1) posterior of each arc h -> m under p(tree) ~ exp(scale * score)."""
    columns = columns_for(model, trees.select([sentence]))
    marginal = np.zeros((columns.tags.size + 1, columns.tags.size + 1))
    if model.judge is not None:
        scores = judged_scores(0, columns.offsets, judged(model, model.judge, columns))
        arc_posteriors(scores * scale, NO_SIBLINGS, NO_ENDS, marginal)
        return marginal
    scores, siblings, ends = scores_of(columns, 0, compiled_for(model), model.weights, model.order == 2)
    arc_posteriors(scores * scale, siblings * np.float32(scale), ends * scale, marginal)
    return marginal
