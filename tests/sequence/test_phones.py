"""Phones: alignments, layouts, codes, and a recogniser of tones made here."""

import json
import pathlib

import numpy as np
import pytest
from tests.sequence.corpora import PITCH, sing, write_wav
from typer.testing import CliRunner

import eigenparse.cli.verbs  # noqa: F401  registers the verbs
from eigenparse.cli.main import app
from eigenparse.corpus.audio import read_audio
from eigenparse.corpus.phones import (
    CORE_TEST,
    DEVELOPMENT,
    FOLDED,
    find_speech,
    fold_phone,
    frame_phones,
    frame_segments,
    parse_phn,
    read_phn,
    speaker_of,
)
from eigenparse.decode.speech.phones import transcribe
from eigenparse.errors import DataError, EigenparseError, FormatError, ModelFileError, OptionError
from eigenparse.experiments.stratos_report import compare_hits
from eigenparse.features.codes import CodeChoices, codes_of, learn_codebook, nearest_codes
from eigenparse.features.speech.mfcc import MfccChoices
from eigenparse.learn.speech.frames import read_frames
from eigenparse.learn.speech.learner import PhoneOptions, frame_accuracy
from eigenparse.learn.speech.reading import Recordings, SpeechReading
from eigenparse.models.container import read_container, write_container
from eigenparse.models.registry import load_model, save_model
from eigenparse.work.work import Work

TIMIT_61 = [
    "iy",
    "ih",
    "eh",
    "ey",
    "ae",
    "aa",
    "aw",
    "ay",
    "ah",
    "ao",
    "oy",
    "ow",
    "uh",
    "uw",
    "ux",
    "er",
    "ax",
    "ix",
    "axr",
    "ax-h",
    "b",
    "d",
    "g",
    "p",
    "t",
    "k",
    "dx",
    "q",
    "jh",
    "ch",
    "s",
    "sh",
    "z",
    "zh",
    "f",
    "th",
    "v",
    "dh",
    "m",
    "n",
    "ng",
    "em",
    "en",
    "eng",
    "nx",
    "l",
    "r",
    "w",
    "y",
    "hh",
    "hv",
    "el",
    "bcl",
    "dcl",
    "gcl",
    "pcl",
    "tcl",
    "kcl",
    "pau",
    "epi",
    "h#",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("tones")
    for seed, part in enumerate(["train"] * 12 + ["dev"] * 3 + ["test"] * 3):
        (folder / part).mkdir(exist_ok=True)
        samples, text = sing(seed)
        write_wav(folder / part / f"u{seed:02d}.wav", samples)
        (folder / part / f"u{seed:02d}.phn").write_text(text)
    return folder


@pytest.fixture(scope="module")
def model_file(corpus: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("model") / "tones.model"
    work = Work()
    model = PhoneOptions(states=4, codes=24).fit(SpeechReading().read([corpus]), work)
    work.stages.stop()
    assert set(work.stages.seconds) == {"frames", "codes", "emission", "states"}
    save_model(model, path, "phones")
    return path


def test_alignments_round_trip_and_are_checked(tmp_path: pathlib.Path) -> None:
    text = "0 10 h#\n10 10 q\n10 25 aa\n"
    found = parse_phn(text.splitlines())
    assert found.phones == ("h#", "aa")
    (tmp_path / "a.phn").write_text(text)
    assert read_phn(tmp_path / "a.phn").end.tolist() == [10, 25]
    for bad, words in (("0 x aa", "not `start end phone`"), ("0 5 a\n3 9 b", "overlaps"), ("\n", "no phone")):
        with pytest.raises(FormatError, match=words):
            parse_phn(bad.split("\n"))
    with pytest.raises(DataError, match="cannot be read"):
        read_phn(tmp_path / "none.phn")


def test_frames_get_the_phone_at_their_middle() -> None:
    segments = parse_phn(["0 300 a", "300 520 b", "520 900 c"])
    # windows of 400 every 160: middles at 200, 360, 520, 680
    assert frame_phones(segments, 4, 400, 160) == ["a", "b", "c", "c"]
    assert frame_phones(parse_phn(["500 900 a"]), 2, 400, 160) == ["a", "a"]


def test_runs_of_frames_become_segments_without_gaps() -> None:
    found = frame_segments([1, 1, 0, 2, 2], ("a", "b", "c"), 1100, 400, 160)
    assert found.phones == ("b", "a", "c")
    assert found.start.tolist() == [0, 440, 600]
    assert found.end.tolist() == [440, 600, 1100]
    assert frame_phones(found, 5, 400, 160) == ["b", "b", "a", "c", "c"]


def test_sixty_one_phones_fold_to_thirty_nine() -> None:
    assert len(TIMIT_61) == 61
    assert len({fold_phone(phone) for phone in TIMIT_61}) == 39
    assert set(FOLDED) < set(TIMIT_61)
    assert (len(CORE_TEST), len(DEVELOPMENT), len(CORE_TEST & DEVELOPMENT)) == (24, 50, 0)


def test_timit_is_cut_by_speaker(tmp_path: pathlib.Path) -> None:
    places = ["TRAIN/DR1/FCJF0", "TEST/DR1/FAKS0", "TEST/DR1/MDAB0", "TEST/DR1/FDRD1"]
    for place in places:
        folder = tmp_path / "TIMIT" / place
        folder.mkdir(parents=True)
        for sentence in ("SA1", "SX10", "SI20"):
            (folder / f"{sentence}.WAV").write_bytes(b"")
            (folder / f"{sentence}.PHN").write_text("0 9 h#\n")
        (folder / "SX10.WAV.wav").write_bytes(b"")
        (folder / "SX10.WAV.phn").write_text("0 9 h#\n")
    found = find_speech(tmp_path)
    assert found.is_timit
    by_part = {
        part: [(speaker_of(u), u.audio.stem) for u in found.part(part)] for part in ("train", "dev", "test")
    }
    assert by_part["train"] == [("fcjf0", "SI20"), ("fcjf0", "SX10")]
    assert by_part["dev"] == [("faks0", "SI20"), ("faks0", "SX10")]
    assert by_part["test"] == [("mdab0", "SI20"), ("mdab0", "SX10")]


def test_folders_are_found_or_refused(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    found = find_speech(corpus)
    assert [len(found.part(part)) for part in ("train", "dev", "test")] == [12, 3, 3]
    assert len(find_speech(corpus / "dev").train) == 3
    with pytest.raises(DataError, match="no such folder"):
        find_speech(tmp_path / "none")
    with pytest.raises(DataError, match="no recording"):
        find_speech(tmp_path)
    write_wav(tmp_path / "a.wav", sing(0)[0])
    with pytest.raises(DataError, match=r"no \.phn"):
        find_speech(tmp_path)


def test_nearest_code_is_the_nearest() -> None:
    rng = np.random.default_rng(3)
    rows, centres = rng.normal(size=(300, 5)).astype(np.float32), rng.normal(size=(40, 5)).astype(np.float32)
    distance = ((rows[:, None] - centres[None]) ** 2).sum(axis=2)
    chosen = nearest_codes(rows, centres)
    np.testing.assert_allclose(distance[np.arange(300), chosen], distance.min(axis=1), rtol=1e-5)


def test_codebook_finds_separate_clusters_and_repeats() -> None:
    rng = np.random.default_rng(4)
    middle = 50.0 * rng.normal(size=(6, 3))
    rows = np.repeat(middle, 200, axis=0) + rng.normal(size=(1200, 3))
    choices = CodeChoices(n_codes=12, weights=(1.0, 1.0, 1.0), seed=5)
    book = learn_codebook(rows, choices)
    codes = codes_of(book, rows).reshape(6, 200)
    groups = [set(group.tolist()) for group in codes]
    assert sum(map(len, groups)) == len(set().union(*groups))
    again = learn_codebook(rows, choices)
    assert again.centres.tobytes() == book.centres.tobytes()
    scattered = np.mean((rows / book.scale - book.centres[codes.reshape(-1)]) ** 2)
    assert scattered < 0.05 * np.var(rows / book.scale)
    with pytest.raises(DataError, match="too few"):
        learn_codebook(rows[:5], choices)
    with pytest.raises(OptionError, match="codes must be"):
        learn_codebook(rows, CodeChoices(n_codes=10_001))
    with pytest.raises(DataError, match="values"):
        codes_of(book, rows[:, :2])


def test_tones_are_recognised(corpus: pathlib.Path, model_file: pathlib.Path) -> None:
    model = load_model(model_file, "phones")
    assert frame_accuracy(model, Recordings(find_speech(corpus).test)) > 0.9
    utterance = find_speech(corpus).test[0]
    audio = read_audio(utterance.audio)
    found = transcribe(model, audio)
    assert found.segments.start[0] == 0
    assert found.segments.end[-1] == audio.samples.size
    assert np.all(found.segments.start[1:] == found.segments.end[:-1])
    gold = read_phn(utterance.alignment)
    assert sum(a == b for a, b in zip(found.segments.phones, gold.phones)) >= len(gold.phones) - 4
    assert all(0.0 < p <= 1.0 for p in found.segment_posteriors())


def test_training_repeats_to_the_byte(
    corpus: pathlib.Path, model_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    model = PhoneOptions(states=4, codes=24).fit(SpeechReading().read([corpus]))
    save_model(model, tmp_path / "again.model", "phones")
    assert (tmp_path / "again.model").read_bytes() == model_file.read_bytes()


def test_model_files_know_their_kind(model_file: pathlib.Path) -> None:
    with pytest.raises(ModelFileError, match="phones"):
        load_model(model_file, "rhmm")


def test_info_names_what_the_model_holds(model_file: pathlib.Path) -> None:
    text = call("info", model_file)
    assert "phones" in text
    assert "16000" in text


def test_damaged_model_files_are_refused(model_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    kind, header, arrays = read_container(model_file)
    for name, wrong in (
        ("centres", arrays["centres"][:, :5]),
        ("scale", -arrays["scale"]),
        ("tagger.base", arrays["tagger.base"][:1]),
        ("tagger.values", arrays["tagger.values"].astype(np.float32)),
    ):
        bad = {**arrays, name: np.ascontiguousarray(wrong)}
        write_container(tmp_path / "bad", kind=kind, header=header, arrays=bad)
        with pytest.raises(EigenparseError):
            load_model(tmp_path / "bad")


def test_smoothing_by_runs_is_a_choice(corpus: pathlib.Path) -> None:
    options = PhoneOptions(method="spectral", states=4, codes=24, smoothing="runs")
    model = options.fit(Recordings(find_speech(corpus).train))
    assert frame_accuracy(model, Recordings(find_speech(corpus).test)) > 0.9
    with pytest.raises(OptionError, match="smoothing must be"):
        PhoneOptions(smoothing="much")


def test_a_foreign_alignment_is_refused(tmp_path: pathlib.Path) -> None:
    samples, _ = sing(1)
    write_wav(tmp_path / "a.wav", samples)
    (tmp_path / "a.phn").write_text(f"0 {2 * samples.size} pau\n")
    with pytest.raises(FormatError, match="the alignment ends"):
        read_frames(find_speech(tmp_path).train, MfccChoices())


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_verbs(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model, sound = tmp_path / "m", corpus / "test" / "u15.wav"
    few = ("--codes", 16, "--states", 2, "--method", "spectral", "--smoothing", "runs")
    call("train", "phones", corpus, *few, "--out", model)
    rows = [line.split() for line in call("transcribe", model, sound).splitlines()]
    assert float(rows[0][0]) == 0.0
    assert {row[2] for row in rows} <= {"pau", *PITCH}
    frames = call("transcribe", model, sound, "--frames").splitlines()
    assert len(frames) == 1 + (read_audio(sound).samples.size - 400) // 160
    parse_phn(call("transcribe", model, sound, "--format", "phn").splitlines())
    found = json.loads(call("transcribe", model, sound, "--format", "json"))
    assert len(found["segments"]) == len(rows)
    assert call("transcribe", model, sound, sound).count("# ") == 2


def test_bad_recordings_get_a_sentence(
    corpus: pathlib.Path, model_file: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    write_wav(tmp_path / "silent.wav", np.zeros(8000))
    write_wav(tmp_path / "slow.wav", sing(1, rate=8000)[0], 8000)
    write_wav(tmp_path / "short.wav", 0.1 * np.ones(100) * np.arange(100) / 100)
    for name, words in (
        ("silent", "is silent"),
        ("slow", "8000 Hz where 16000 Hz"),
        ("short", "less than one window"),
    ):
        with pytest.raises(EigenparseError, match=words):
            call("transcribe", model_file, tmp_path / f"{name}.wav")
    assert call("transcribe", model_file, tmp_path / "slow.wav", "--resample")
    (tmp_path / "silent.phn").write_text("0 8000 pau\n")
    for name in ("slow", "short"):
        (tmp_path / f"{name}.wav").unlink()
    with pytest.raises(DataError, match="is silent"):
        call("train", "phones", tmp_path, "--out", tmp_path / "m")


def test_bootstrap_of_a_certain_gain() -> None:
    one, other = np.ones(40, dtype=bool), np.zeros(40, dtype=bool)
    ahead = compare_hits(other, one, np.array([0, 10, 40]), seed=0)
    assert (ahead.difference, ahead.not_ahead) == (100.0, 0.0)
    level = compare_hits(one, one, np.array([0, 10, 40]), seed=0)
    assert (level.difference, level.not_ahead) == (0.0, 1.0)


def test_reproduce_writes_every_figure(corpus: pathlib.Path, tmp_path: pathlib.Path) -> None:
    text = call(
        "reproduce", "stratos2013", "--speech", corpus, "--codes", 16, "--states", "1,2", "--em-states", "2",
        "--cluster-states", "2,3", "--em-rounds", 2, "--jobs", 1, "--out", tmp_path / "report",
    )  # fmt: skip
    for word in (
        "Figure 5",
        "Figure 7",
        "Figure 8",
        "three segments",
        "no np, pp, pos",
        "The spectral row is",
    ):
        assert word in text
    content = json.loads((tmp_path / "report" / "report.json").read_text())
    assert content["report"]["sections"]
    with pytest.raises(OptionError, match="no data to run on"):
        call("reproduce", "stratos2013")
    with pytest.raises(OptionError, match="states must be"):
        call("reproduce", "stratos2013", "--speech", corpus, "--states", "x")
