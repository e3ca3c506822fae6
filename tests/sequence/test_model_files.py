"""Crafted files of taggers, HMMs and recognisers with right checksums: each is refused in a sentence, none is used."""

import copy
import pathlib

import numpy as np
import pytest
from tests.sequence.chains import draw_hmm, names
from tests.sequence.corpora import fit, sing, toy_corpus, write_wav

from eigenparse.corpus.sequences import Sequences
from eigenparse.errors import ModelFileError
from eigenparse.inference.hmm.chain import sample
from eigenparse.learn.hmm.learner import HmmOptions
from eigenparse.learn.hmm.reading import SymbolText
from eigenparse.learn.speech.learner import PhoneOptions
from eigenparse.learn.speech.reading import SpeechReading
from eigenparse.models.container import read_container, write_container
from eigenparse.models.hmm.chain import proper_chain
from eigenparse.models.registry import load_model, save_model

NEAR = 2**63 - 1


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of every kind, with the sums behind it where there are any."""
    folder = tmp_path_factory.mktemp("files")
    train = toy_corpus(200)
    proper = proper_chain(names(5), "word", *draw_hmm(3))
    ids, _ = sample(proper, np.full(100, 40), seed=1)
    rows = [[(f"s{x}",) for x in row] for row in ids.reshape(100, 40).tolist()]
    text = SymbolText(Sequences.of(("x",), rows), "word")
    (folder / "tones").mkdir()
    for seed in range(3):
        samples, alignment = sing(seed)
        write_wav(folder / "tones" / f"{seed}.wav", samples)
        (folder / "tones" / f"{seed}.phn").write_text(alignment)
    models = {
        "rhmm": fit(train, states=3, emission="class", strength=30.0),
        "rhmm-em": fit(train, method="em", states=3, emission="class", em_rounds=1),
        "rhmm-two": fit(train, method="hmm", emission="class", ensemble=2),
        "rhmm-sums": fit(train, states=3, emission="class", keep_statistics=True),
        "hmm": HmmOptions(states=3).fit(text),
        "hmm-proper": proper,
        "hmm-sums": HmmOptions(states=3, keep_statistics=True).fit(text),
        "phones": PhoneOptions(codes=8, states=2).fit(SpeechReading().read([folder / "tones"])),
    }
    for name, model in models.items():
        save_model(model, folder / name, name.partition("-")[0])
    return folder


def test_sound_files_are_read_and_written_back_the_same(files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for path in sorted(path for path in files.iterdir() if path.is_file()):
        kind = path.name.partition("-")[0]
        model = load_model(path, kind)
        save_model(model, tmp_path / "again", kind)
        assert (tmp_path / "again").read_bytes() == path.read_bytes()
        assert model.summary()


def at(name, position, value):
    """A change of one value of an array."""

    def change(header, arrays):
        array = arrays[name].copy()
        array.reshape(-1)[position] = value
        arrays[name] = array

    return change


def whole(name, make):
    """A change of a whole array."""

    def change(header, arrays):
        arrays[name] = np.ascontiguousarray(make(arrays[name]))

    return change


def said(value, *path):
    """A change of an entry of the header."""

    def change(header, arrays):
        place = header
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def both(*changes):
    def change(header, arrays):
        for one in changes:
            one(header, arrays)

    return change


def huge_states(header, arrays):
    """States whose products wrap around in 32 bits, and one value that all blocks seem to fit into."""
    arrays["m0.states"] = np.array([65536, 65536], dtype=np.int32)
    arrays["m0.block"] = np.zeros(4, dtype=np.int64)
    arrays["m0.values"] = np.zeros(1)


CRAFTED = {
    "wrapping states": ("rhmm", huge_states),
    "states of a diagonal model": ("rhmm-em", huge_states),
    "no state": ("rhmm", at("m0.states", 0, 0)),
    "negative states": ("rhmm", at("m0.states", 0, -1)),
    "a block at the end": ("rhmm", at("m0.block", 0, NEAR)),
    "a block below nothing": ("rhmm", at("m0.block", 0, -2)),
    "a block one too far": ("rhmm", whole("m0.values", lambda a: a[:-1])),
    "stops too few": ("rhmm", whole("m0.stop", lambda a: a[:-1])),
    "rows that wrap": ("rhmm", both(at("m0.observation_row_at", 1, NEAR), at("m0.observation_row_at", 2, -NEAR))),
    "rows that fall": ("rhmm", at("m0.observation_row_at", 1, 0)),
    "rows that start below": ("rhmm", at("m0.observation_row_at", 0, -1)),
    "rows of no label": ("rhmm", at("m0.observation_row_label", 1, 2)),
    "rows of a negative label": ("rhmm", at("m0.observation_row_label", 1, -1)),
    "narrow vectors": ("rhmm", whole("m0.observation_vectors", lambda a: a[:, :1])),
    "no vector": (
        "rhmm-two",
        both(*(whole(f"m0.observation_{name}", lambda a: a[:0]) for name in ("vectors", "row_label")),
             at("m0.observation_row_at", 0, 0)),
    ),
    "half precision": ("rhmm", whole("m0.emission_rows", lambda a: a.astype(np.float16))),
    "no label": ("rhmm", said([], "members", 0, "labels")),
    "no column": ("rhmm", said([], "members", 0, "columns")),
    "no member": ("rhmm", said([], "members")),
    "different labels": ("rhmm-two", said(["A", "C"], "members", 1, "labels")),
    "a template of nothing": ("rhmm", said(["word["], "members", 0, "emission_templates")),
    "a template far away": ("rhmm", said([f"word[{2**70}]"], "members", 0, "observation_templates")),
    "another way to combine": ("rhmm", said("product", "members", 0, "emission_combine")),
    "sums of another width": ("rhmm-sums", whole("statistics.stops", lambda a: a[:, :1])),
    "sums of a strange label": ("rhmm-sums", at("statistics.seen.labels", 0, 7)),
    "counts without end": ("rhmm-sums", at("statistics.emitted.sums", 0, 2.0**40)),
    "negative counts": ("rhmm-sums", at("statistics.emitted.sums", 0, -1.0)),
    "a pair of no labels": (
        "rhmm-sums", lambda header, arrays: arrays.update({"statistics.pair99": np.zeros((3, 3, 3))}),
    ),
    "a pair with a crooked name": (
        "rhmm-sums", lambda header, arrays: arrays.update({"statistics.pair-1": np.zeros((3, 3, 3))}),
    ),
    "a projection cut": ("rhmm-sums", whole("statistics.view0.along.left", lambda a: a[:-1])),
    "views too few": ("rhmm-sums", said([True], "statistics", "viewed")),
    "sums of a list": ("rhmm-sums", said([], "statistics")),
    "sums of a number": ("hmm-sums", said(3, "statistics")),
    "no symbol": ("hmm", said([], "symbols")),
    "too many symbols": ("hmm", said(["a"] * 9, "symbols")),
    "pairs in half precision": (
        "hmm",
        both(said(0.5, "pair_share"), lambda header, arrays: arrays.update(
            {"pairs": np.zeros((6, 6, 3), dtype=np.float16)}
        )),
    ),
    "pairs that are not there": (
        "hmm", both(said(0.5, "pair_share"), lambda header, arrays: arrays.pop("pairs", None)),
    ),
    "a share above one": ("hmm", said(7.5, "pair_share")),
    "a share of words": ("hmm", said("much", "pair_share")),
    "a floor below nothing": ("hmm", said(-0.5, "floor")),
    "operators missing": ("hmm", lambda header, arrays: arrays.pop("operators")),
    "an HMM that claims to be proper": ("hmm", said(True, "proper")),
    "a proper HMM that denies it": ("hmm-proper", said(False, "proper")),
    "probabilities above one": ("hmm-proper", whole("transition", lambda a: 2.0 * a)),
    "no probability at all": ("hmm-proper", whole("start", np.zeros_like)),
    "negative probabilities": ("hmm-proper", whole("emission", lambda a: a - 0.5)),
    "no state in an HMM": ("hmm-proper", whole("start", lambda a: a[:0])),
    "sums of other symbols": ("hmm-sums", whole("statistics.moved", lambda a: a[1:])),
    "nothing counted": ("hmm-sums", whole("statistics.uses", np.zeros_like)),
    "an endless window": ("hmm-sums", said(10**9, "statistics", "choices", "window")),
    "a sum of a number of words": ("hmm-sums", said("many", "statistics", "n_starts")),
    "no code": ("phones", whole("centres", lambda a: a[:0])),
    "a scale of nothing": ("phones", at("scale", 0, 0.0)),
    "a window without end": ("phones", said(1e9, "mfcc", "window")),
    "a step of nothing": ("phones", said(0.0, "mfcc", "step")),
    "a rate without end": ("phones", said(2**40, "rate")),
    "a tagger inside that wraps": ("phones", at("tagger.block", 0, NEAR)),
    "a tagger inside without labels": ("phones", said([], "tagger", "labels")),
}  # fmt: skip


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_files_are_refused(name: str, files: pathlib.Path, tmp_path: pathlib.Path) -> None:
    source, change = CRAFTED[name]
    kind, header, arrays = read_container(files / source)
    header, arrays = copy.deepcopy(header), dict(arrays)
    change(header, arrays)
    write_container(tmp_path / "crafted", kind=kind, header=header, arrays=arrays)
    with pytest.raises(ModelFileError, match="not a valid model"):
        load_model(tmp_path / "crafted", kind)
