"""Small models of every kind, and what is done with a model that could be loaded."""

import io
import pathlib

from tests.cli.calls import call
from tests.hardening.targets import COLUMNS, CONLLU, Target

TREES = """(TOP (S (NP (NNS dogs)) (VP (VBD saw) (NP (NNS men)))))
(TOP (S (NP (DT the) (NN man)) (VP (VBD slept))))
(TOP (NP (NP (NNS dogs)) (PP (IN with) (NP (NNS men)))))
"""
SENTENCE = "dogs saw the men"


def use_grammar(path: pathlib.Path) -> None:
    from eigenparse.api.grammar import load

    grammar = load(path).with_options(max_length=50, memory=50_000_000)
    grammar.kbest(SENTENCE, 2)
    grammar.parse("unheard")


def use_tagger(path: pathlib.Path) -> None:
    from eigenparse.corpus.tagged import parse_columns
    from eigenparse.inference.rhmm import tag_ids
    from eigenparse.models.rhmm import load_tagger

    model = load_tagger(path)
    tag_ids(model, parse_columns(COLUMNS.decode().split("\n"), ["word", "pos", "label"]).without("label"))


def use_chain(path: pathlib.Path) -> None:
    from eigenparse.arrays import as_ids, as_offsets
    from eigenparse.inference.chain import filtered, sequence_logs
    from eigenparse.models.chain import load_chain

    model = load_chain(path)
    if len(model.symbols) > 2:
        sequence_logs(model, as_ids([1, 2, 2, 1]), as_offsets([0, 4]))
        filtered(model, as_ids([1, 2, 2, 1]), as_offsets([0, 4]))


def use_arcs(path: pathlib.Path) -> None:
    from eigenparse.decode.arcs import parse_conllu
    from eigenparse.models.arcs import load_arcs

    parse_conllu(load_arcs(path), CONLLU.decode().split("\n"), io.StringIO())


def use_deptree(path: pathlib.Path) -> None:
    from eigenparse.corpus.conllu import read_lines
    from eigenparse.inference.deptree import score_trees
    from eigenparse.models.deptree import load_deptree

    score_trees(load_deptree(path), read_lines(CONLLU.decode().split("\n"), source="x").trees)


def model_targets(folder: pathlib.Path) -> list[Target]:
    """Train one small model of each kind in a folder."""
    (folder / "t.ptb").write_text(TREES * 100)
    (folder / "t.conllu").write_bytes(CONLLU * 4)
    (folder / "t.txt").write_bytes(COLUMNS * 8)
    (folder / "t.abc").write_text("abba\nbaab\nabab\n" * 5)
    kinds = {
        "lpcfg": (["train", "lpcfg", "t.ptb", "--states", "2", "--rare", "0"], use_grammar),
        "rhmm": (["train", "rhmm", "t.txt", "--method", "cluster", "--states", "2"], use_tagger),
        "hmm": (["train", "hmm", "t.abc", "--unit", "char", "--states", "2"], use_chain),
        "dependency": (["train", "dependency", "t.conllu", "--bits", "10", "--passes", "2"], use_arcs),
        "deptree": (["train", "deptree", "t.conllu", "--states", "2"], use_deptree),
    }
    targets = []
    for name, (arguments, use) in kinds.items():
        arguments[2] = str(folder / arguments[2])
        done = call(*arguments, "--out", folder / f"{name}.model")
        assert done.code == 0, done.err
        use(folder / f"{name}.model")
        targets.append(Target(name, ((folder / f"{name}.model").read_bytes(),), use))
    return targets
