"""Random dependency trees, a small parser, and the command line in this process."""

import numpy as np
from tests.dependency.oracles import all_trees
from typer.testing import CliRunner

import eigenparse.cli.verbs  # noqa: F401
from eigenparse.cli.main import app
from eigenparse.corpus.conllu import read_lines
from eigenparse.corpus.dependencies import Dependencies
from eigenparse.learn.dependency.mira import ArcLearner

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


def small(order: int = 1, **options: object) -> ArcLearner:
    return ArcLearner(order=order, bits=18, label_bits=12, **options)  # type: ignore[arg-type]


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output
