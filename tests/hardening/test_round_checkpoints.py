"""EM of HMMs, taggers and latent tree models that is stopped or killed, and what a second run makes of the rest."""

import os
import pathlib
import random
import time
from collections.abc import Callable
from functools import partial

import pytest
from tests.cli.calls import call
from tests.hardening.processes import ended, start, write_trees
from tests.sequence.corpora import sing, write_wav

from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.learn.dependency import arcs
from eigenparse.learn.dependency import em as deptree_em
from eigenparse.learn.dependency.trees import DepTreeOptions
from eigenparse.learn.grammar import members as lpcfg
from eigenparse.learn.hmm import em as em_chain
from eigenparse.learn.hmm.learner import HmmOptions
from eigenparse.learn.hmm.reading import SymbolReading
from eigenparse.learn.speech.learner import PhoneOptions
from eigenparse.learn.speech.reading import SpeechReading
from eigenparse.learn.speech.three_segment import fit_three_segment
from eigenparse.learn.tagger import emission as rhmm_emission
from eigenparse.learn.tagger import latent as rhmm_latent
from eigenparse.learn.tagger.learner import TaggerOptions
from eigenparse.learn.tagger.reading import SequenceReading
from eigenparse.models.registry import save_model
from eigenparse.models.tagger.rhmm import Tagger
from eigenparse.work.kept import NOTHING_KEPT, Kept, fingerprint
from eigenparse.work.work import Work

KILLS = int(os.environ.get("EIGENPARSE_KILLS", "0"))  # 0: one of each of the short commands
Learn = Callable[[pathlib.Path, pathlib.Path, Kept], None]


class PowerCutError(Exception):
    """Stands for a power cut."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Trees, their words and tags as columns, and their words as text."""
    folder = tmp_path_factory.mktemp("rounds")
    trees = read_conllu(write_trees(folder / "train.conllu", 60, 1)).trees
    words, tags = trees.strings("form"), trees.strings("upos")
    spans = list(zip(trees.offsets[:-1].tolist(), trees.offsets[1:].tolist()))
    text = (" ".join(words[a:b]) for a, b in spans)
    (folder / "text").write_text("".join(f"{line}\n" for line in text))
    for seed in range(3):
        (folder / "tones").mkdir(exist_ok=True)
        samples, alignment = sing(seed)
        write_wav(folder / "tones" / f"{seed}.wav", samples)
        (folder / "tones" / f"{seed}.phn").write_text(alignment)
    rows = ("\n".join(f"{w} {t}" for w, t in zip(words[a:b], tags[a:b])) for a, b in spans)
    (folder / "columns").write_text("\n\n".join(rows) + "\n")
    return folder


def learn_hmm(method: str, folder: pathlib.Path, out: pathlib.Path, place: Kept) -> None:
    data = SymbolReading("word").read([folder / "text"])
    save_model(HmmOptions(method, states=5, em_rounds=4).fit(data, Work(kept=place)), out, "hmm")


def learn_tagger(options: TaggerOptions, folder: pathlib.Path, out: pathlib.Path, place: Kept) -> None:
    data = SequenceReading("word,pos").read([folder / "columns"])
    save_model(options.fit(data, Work(kept=place)), out, "rhmm")


def learn_segments(folder: pathlib.Path, out: pathlib.Path, place: Kept) -> None:
    data = SequenceReading("code,phone").read([folder / "columns"])
    save_model(Tagger((fit_three_segment(data, rounds=3, work=Work(kept=place)),)), out, "rhmm")


def learn_phones(folder: pathlib.Path, out: pathlib.Path, place: Kept) -> None:
    options = PhoneOptions(method="em", states=2, em_rounds=3, codes=8)
    save_model(options.fit(SpeechReading().read([folder / "tones"]), Work(kept=place)), out, "phones")


def learn_trees(options: DepTreeOptions, folder: pathlib.Path, out: pathlib.Path, place: Kept) -> None:
    work = Work(kept=place)
    save_model(options.fit(read_conllu(folder / "train.conllu").trees, work), out, "deptree")


def tagger(method: str, **more: object) -> TaggerOptions:
    return TaggerOptions(method=method, states=2, em_rounds=3, **more)  # type: ignore[arg-type]


def trees(estimator: str, **more: object) -> DepTreeOptions:
    return DepTreeOptions(estimator=estimator, states=2, rounds=3, **more)  # type: ignore[arg-type]


LONG: dict[str, Learn] = {
    "hmm-cluster": partial(learn_hmm, "cluster"),
    "hmm-em": partial(learn_hmm, "em"),
    "rhmm-cluster": partial(learn_tagger, tagger("cluster", emission="class")),
    "rhmm-em": partial(learn_tagger, tagger("em", emission="class", start="random")),
    "rhmm-product": partial(learn_tagger, tagger("em", ensemble=2)),
    "three-segment": learn_segments,
    "phones": learn_phones,
    "deptree-em": partial(learn_trees, trees("em")),
    "deptree-recovered": partial(learn_trees, trees("recovered")),
    "deptree-lpcfg": partial(learn_trees, trees("lpcfg", members=2, relations=True)),
}
PLACES = (
    (em_chain, "expected_counts"), (rhmm_latent, "expected_states"), (rhmm_emission, "adagrad_pass"),
    (deptree_em, "count_block"), (lpcfg, "expected_counts"), (arcs, "label_pass"),
)  # fmt: skip


def stop_after(patch: pytest.MonkeyPatch, n: int) -> list[int]:
    """Raise at the n-th round or pass of any kind; a very large n only counts.  Gives what is left."""
    left = [n]
    for module, name in PLACES:

        def counted(
            *given: object, real: Callable[..., object] = getattr(module, name), **named: object
        ) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise PowerCutError
            return real(*given, **named)

        patch.setattr(module, name, counted)
    return left


@pytest.mark.parametrize("name", LONG)
def test_work_stopped_at_any_round_ends_in_the_same_bytes(
    name: str, folder: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = LONG[name]
    with monkeypatch.context() as patch:
        left = stop_after(patch, 1000)
        learn(folder, tmp_path / "whole", NOTHING_KEPT)
    n_rounds = 1000 - left[0]
    assert n_rounds >= 2
    for after in range(n_rounds):
        place = Kept(tmp_path / f"c{after}", 0.0)
        (tmp_path / f"c{after}").mkdir()
        with monkeypatch.context() as patch:
            stop_after(patch, after)
            with pytest.raises(PowerCutError):
                learn(folder, tmp_path / "never", place)
        with monkeypatch.context() as patch:
            left = stop_after(patch, n_rounds)
            learn(folder, tmp_path / "again", place)
            if name not in AGAIN:
                assert left[0] == after  # nothing is done twice
        assert (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "never").exists()


AGAIN = ("rhmm-product", "deptree-lpcfg")  # an emission, and a grammar's last round, are done again


def test_what_a_tagger_reports_survives(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    data = SequenceReading("word,pos").read([folder / "columns"])
    for options in (tagger("em", ensemble=2), tagger("spectral")):
        place = tmp_path / options.method
        place.mkdir()
        work = Work(kept=Kept(place, 0.0))
        whole = options.fit(data, work).first
        assert list(place.glob("*.part"))
        assert {"log_likelihood", "trials"} & whole.about.keys()
        assert options.fit(data, work).first.about == whole.about


COMMANDS = {
    "hmm": ("hmm", "text", "--unit", "word", "--method", "em", "--states", "4", "--em-rounds", "300"),
    "rhmm": ("rhmm", "columns", "--columns", "word,pos", "--method", "em", "--em-rounds", "60", "--ensemble", "2"),
    "phones": ("phones", "tones", "--method", "em", "--codes", "8", "--em-rounds", "200"),
    "deptree": ("deptree", "train.conllu", "--states", "4", "--rounds", "300"),
    "split-heads": ("deptree", "train.conllu", "--states", "4", "--estimator", "lpcfg", "--members", "2"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS if KILLS else ("hmm", "rhmm"))
def test_killed_at_random_moments(name: str, folder: pathlib.Path) -> None:
    """kill -9 after learning has begun, then --resume: the same bytes, every time."""
    kind, source, *more = COMMANDS[name]
    began = time.monotonic()
    done = call("train", kind, folder / source, *more, "--out", folder / f"{name}.model")
    assert done.code == 0, done.err
    seconds, expected = time.monotonic() - began, (folder / f"{name}.model").read_bytes()
    draw = random.Random(KILLS)
    for number in range(KILLS or 1):
        out = f"{name}{number}.model"
        process = start(folder, *COMMANDS[name], "--out", out)
        while not (folder / f"{out}.checkpoint" / "run.json").exists() and process.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.uniform(0.0, 1.0) * seconds)
        process.kill()
        process.communicate()
        ended(start(folder, *COMMANDS[name], "--out", out, "--resume"))
        assert (folder / out).read_bytes() == expected
        assert not (folder / f"{out}.checkpoint").exists()
        assert not list(folder.glob(".*.part"))


@pytest.mark.parametrize("name", COMMANDS)
def test_other_data_or_settings_are_refused(name: str, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    place = tmp_path / "a.model.checkpoint"
    place.mkdir()
    (place / "run.json").write_text('{"fingerprint": "something else"}')
    kind, source, *more = COMMANDS[name]
    done = call("train", kind, folder / source, *more, "--out", tmp_path / "a.model", "--resume")
    assert done.code == 1
    assert "other data or settings" in done.err
    assert not (tmp_path / "a.model").exists()


def test_marks_tell_columns_apart() -> None:
    def mark(words: str, name: str = "word", settings: str = "") -> str:
        column = Column.of(name, words.split())
        return fingerprint(Sequences.of((name,), [[(w,) for w in column.strings()]]), settings)

    assert mark("a b") == mark("a b")
    assert len({mark("a b"), mark("b a"), mark("a b", "form"), mark("a b", settings="x"), mark("a b a")}) == 5
