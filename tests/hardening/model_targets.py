"""Small models of every kind, and what is done with a model that could be loaded."""

import io
import pathlib

from tests.cli.calls import call
from tests.hardening.targets import COLUMNS, CONLLU, NBEST, Target, spoil_model, tone

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
    from eigenparse.inference.tagger.chain import tag_ids
    from eigenparse.models.registry import load_model

    model = load_model(path, "rhmm")
    tag_ids(model, parse_columns(COLUMNS.decode().split("\n"), ["word", "pos", "label"]).without("label"))


def use_chain(path: pathlib.Path) -> None:
    from eigenparse.arrays import as_ids, as_offsets
    from eigenparse.inference.hmm.chain import filtered, sequence_logs
    from eigenparse.models.registry import load_model

    model = load_model(path, "hmm")
    if len(model.symbols) > 2:
        sequence_logs(model, as_ids([1, 2, 2, 1]), as_offsets([0, 4]))
        filtered(model, as_ids([1, 2, 2, 1]), as_offsets([0, 4]))


def use_arcs(path: pathlib.Path) -> None:
    from eigenparse.corpus.conllu import read_input
    from eigenparse.decode.dependency.arcs import parse_corpus
    from eigenparse.models.registry import load_model

    corpus = read_input(CONLLU.decode().split("\n"), source="x")
    parse_corpus(load_model(path, "dependency"), corpus, io.StringIO())


def use_deptree(path: pathlib.Path) -> None:
    from eigenparse.corpus.conllu import read_lines
    from eigenparse.inference.dependency.deptree import score_trees
    from eigenparse.models.registry import load_model

    score_trees(load_model(path, "deptree"), read_lines(CONLLU.decode().split("\n"), source="x").trees)


def use_split_heads(path: pathlib.Path) -> None:
    from eigenparse.corpus.conllu import read_lines
    from eigenparse.decode.dependency.split_heads import parse_corpus, tree_parser
    from eigenparse.models.dependency.split_heads import SplitHeads
    from eigenparse.models.registry import load_model

    use_deptree(path)
    model = load_model(path, "deptree")
    if isinstance(model, SplitHeads):
        corpus = read_lines(CONLLU.decode().split("\n"), source="x")
        parse_corpus(tree_parser(model), corpus, io.StringIO())


def use_reranker(path: pathlib.Path) -> None:
    from eigenparse.decode.dependency.rerank import rerank_conllu
    from eigenparse.models.registry import load_model

    rerank_conllu(load_model(path, "reranker"), NBEST.split("\n"), io.StringIO(), source="lists")


def use_vectors(path: pathlib.Path) -> None:
    from eigenparse.learn.vectors.learner import merge_vectors
    from eigenparse.models.vectors.vectors import nearest
    from eigenparse.models.vectors.word2vec import load_vectors

    found = load_vectors(path)
    nearest(found, found.words[-1])
    merge_vectors([found, found], ["one", "other"])


def use_chain_sums(path: pathlib.Path) -> None:
    from eigenparse.learn.hmm.statistics import merge_chains
    from eigenparse.models.registry import load_model

    kept = load_model(path, "hmm")
    merge_chains([kept, kept], ["one", "other"])


def use_tagger_sums(path: pathlib.Path) -> None:
    from eigenparse.learn.tagger.statistics import merge_taggers
    from eigenparse.models.registry import load_model

    kept = load_model(path, "rhmm")
    merge_taggers([kept, kept], ["one", "other"])


def use_phones(path: pathlib.Path) -> None:
    from eigenparse.corpus.audio import read_audio
    from eigenparse.decode.speech.phones import transcribe
    from eigenparse.models.registry import load_model

    model = load_model(path, "phones")
    sound = path.parent / "tone.wav"
    if not sound.exists():
        sound.write_bytes(tone(b"RIFF"))
    transcribe(model, read_audio(sound), resample=True).segment_posteriors()


def pack(folder: pathlib.Path) -> None:
    from eigenparse.models.grammar.packed import PackedGrammar
    from eigenparse.models.registry import load_model, save_model

    grammar = PackedGrammar(load_model(folder / "lpcfg.model"))
    save_model(grammar, folder / "packed.model", "lpcfg-packed")


def record(folder: pathlib.Path) -> None:
    """A folder of recordings with alignments."""
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.wav").write_bytes(tone(b"RIFF"))
        (folder / f"{name}.phn").write_text("0 400 pau\n400 1600 a\n1600 2400 n\n")


def model_targets(folder: pathlib.Path) -> list[Target]:
    """Train one small model of each kind in a folder."""
    import eigenparse.cli.rerank  # noqa: F401  (whose verb is not called as its module)

    (folder / "t.ptb").write_text(TREES * 100)
    (folder / "t.conllu").write_bytes(CONLLU * 4)
    (folder / "t.txt").write_bytes(COLUMNS * 8)
    (folder / "t.abc").write_text("abba\nbaab\nabab\n" * 5)
    (folder / "t.words").write_text("the dog saw a man\na man saw the dog\nthe men slept\n" * 5)
    record(folder / "speech")
    kinds = {
        "lpcfg": ("train lpcfg t.ptb --states 2 --rare 0", use_grammar),
        "rhmm": ("train rhmm t.txt --method cluster --states 2", use_tagger),
        "hmm": ("train hmm t.abc --unit char --states 2", use_chain),
        "hmm sums": ("train hmm t.abc --unit char --states 2 --keep-statistics", use_chain_sums),
        "rhmm sums": ("train rhmm t.txt --emission class --states 2 --keep-statistics", use_tagger_sums),
        "dependency": ("train dependency t.conllu --bits 10 --passes 2", use_arcs),
        "deptree": ("train deptree t.conllu --states 2", use_deptree),
        "split heads": ("train deptree t.conllu --states 2 --estimator lpcfg", use_split_heads),
        "reranker": (
            "train reranker t.conllu --parser dependency.model --deptree deptree.model "
            "--deptree split-heads.model --best 3 --folds 2 --passes 2",
            use_reranker,
        ),
        "vectors": ("embed t.words --dim 2 --min-count 1 --keep-statistics", use_vectors),
        "phones": ("train phones speech --codes 4 --states 2", use_phones),
    }
    targets = []
    for name, (line, use) in kinds.items():
        words = [str(folder / word) if (folder / word).exists() else word for word in line.split()]
        path = folder / f"{name.replace(' ', '-')}.model"
        done = call(*words, "--out", path)
        assert done.code == 0, done.err
        use(path)
        targets.append(Target(name, (path.read_bytes(),), use, spoil_model))
    pack(folder)
    use_grammar(folder / "packed.model")
    packed = (folder / "packed.model").read_bytes()
    return [*targets, Target("packed", (packed,), use_grammar, spoil_model)]
