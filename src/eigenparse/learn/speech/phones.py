"""Train a phone recogniser: recordings with alignments in, front end, codebook and tagger out."""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from eigenparse.arrays import AnyArray, IntVector, as_ids, as_offsets
from eigenparse.corpus.audio import at_rate, read_audio, refuse_silence
from eigenparse.corpus.phones import Utterance, fold_phone, frame_phones, read_phn
from eigenparse.corpus.sequences import Column, Sequences
from eigenparse.errors import DataError, FormatError, OptionError
from eigenparse.features.codes import Codebook, CodeChoices, codes_of, learn_codebook
from eigenparse.features.speech.mfcc import MfccChoices, mfcc
from eigenparse.features.speech.phones import CODE, PHONE, duration_features
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.checkpoint import NOTHING_KEPT, Checkpoint, Part
from eigenparse.learn.hmm.three_segment import fit_three_segment
from eigenparse.learn.rounds import Tell, silent, slow_part
from eigenparse.learn.tagger.emission import BackoffEmission
from eigenparse.learn.tagger.kept import TaggerReport
from eigenparse.learn.tagger.learner import TaggerChoices, fit_tagger
from eigenparse.models.speech.phones import PhoneRecogniser
from eigenparse.models.tagger.rhmm import RefinementHMM

EMISSION = BackoffEmission((CODE,), rare=0, strength=1.0)
DIMENSIONS = 12  # coordinates of the views that are clustered
MANY, FEW = 128, 24  # states of a phone by clusters, and by the other methods
# method: smoothing of observation vectors and of transitions, chosen on development sets
STRENGTHS = {"spectral": (1.0, 20.0), "cluster": (1.0, 1.0)}
SMOOTHINGS = ("pairs", "runs")
METHODS = ("spectral", "cluster", "em", "hmm", "unigram", "three-segment")


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of several recordings.  rows: (T, d) float32; phones: T names; lengths: frames a recording."""

    rows: AnyArray
    phones: list[str]
    lengths: list[int]
    rate: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PhoneChoices:
    """Everything that training a recogniser can choose; weight and strength smooth the tagger.

    method: ``cluster`` (clusters of the spectral projections are the states) and ``spectral`` (tensors of their
    moments) do not iterate.  states: None means 128 for clusters, 24 otherwise.  dimensions: coordinates of the
    projections that are clustered.
    smoothing: the spectral tagger backs off to ``pairs`` of phones, or to how ``runs`` of phones begin and end.
    """

    method: str = "cluster"
    states: int | None = None
    dimensions: int = DIMENSIONS
    codes: CodeChoices = field(default_factory=CodeChoices)
    mfcc: MfccChoices = field(default_factory=MfccChoices)
    weight: float | None = None
    strength: float | None = None
    smoothing: str = "pairs"
    rounds: int | None = None
    seed: int = 0


def read_frames(
    utterances: Iterable[Utterance],
    choices: MfccChoices,
    *,
    fold: bool = False,
    rate: int | None = None,
    resample: bool = False,
) -> Frames:
    """Features and phones of all frames; the first recording sets the sampling rate unless one is given."""
    rows, phones, lengths = [], [], []
    seconds = 0.0
    for utterance in utterances:
        audio = refuse_silence(read_audio(utterance.audio))
        rate = rate or audio.rate
        sound = at_rate(audio, rate, resample=resample)
        segments = read_phn(utterance.alignment)
        made = mfcc(sound.samples, rate, choices).astype(np.float32)
        if segments.end[-1] > audio.samples.size + choices.window_samples(audio.rate):
            raise FormatError(
                f"the alignment ends at sample {segments.end[-1]}, the recording at {audio.samples.size}",
                source=str(utterance.alignment),
                line=len(segments.phones),
                remedy="see that both belong together and count samples at the recording's rate",
            )
        window, step = choices.window_samples(audio.rate), choices.step_samples(audio.rate)
        names = frame_phones(segments, made.shape[0], window, step)
        phones += [fold_phone(name) for name in names] if fold else names
        rows.append(made)
        lengths.append(made.shape[0])
        seconds += audio.seconds
    if not rows or rate is None:
        raise DataError("there is no recording to read; name a folder with recordings and .phn files")
    return Frames(np.vstack(rows), phones, lengths, rate, seconds)


def frame_sequences(frames: Frames, codes: IntVector, n_codes: int, names: tuple[str, ...]) -> Sequences:
    """Columns ``code`` and ``phone``; a phone that is not among the names gets an id beyond them."""
    known = {name: k for k, name in enumerate(names)}
    more = sorted(set(frames.phones) - known.keys())
    known |= {name: len(names) + k for k, name in enumerate(more)}
    ids = as_ids([known[name] for name in frames.phones])
    columns = (
        Column(CODE, codes, tuple(str(k) for k in range(n_codes))),
        Column(PHONE, ids, (*names, *more)),
    )
    offsets = as_offsets(np.concatenate([[0], np.cumsum(frames.lengths)]))
    return Sequences(columns, offsets, as_offsets(np.arange(1, offsets.size)))


def tagger_choices(choices: PhoneChoices) -> TaggerChoices:
    """The tagger of codes that the choices describe; its smoothing was chosen on development sets."""
    clusters = choices.method == "cluster"
    weight, strength = STRENGTHS.get(choices.method, (None, None))
    return TaggerChoices(
        method=choices.method,
        states=choices.states if choices.states is not None else MANY if clusters else FEW,
        emission=EMISSION,
        features=duration_features(),
        symbols=(CODE,),
        rounds=choices.rounds,
        weight=weight if choices.weight is None else choices.weight,
        strength=strength if choices.strength is None else choices.strength,
        runs=choices.smoothing == "runs",
        dimensions=choices.dimensions if clusters else None,
        seed=choices.seed,
    )


def fit_frames(
    train: Sequences,
    choices: PhoneChoices,
    *,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[RefinementHMM, TaggerReport]:
    """A tagger of the column ``phone`` from the column ``code``; checkpoint: where rounds of EM are kept."""
    if choices.method not in METHODS:
        raise OptionError(f"method must be one of {', '.join(METHODS)}, got {choices.method!r} instead")
    if choices.smoothing not in SMOOTHINGS:
        raise OptionError(
            f"smoothing must be one of {', '.join(SMOOTHINGS)}, got {choices.smoothing!r} instead"
        )
    if choices.method == "three-segment":
        rounds = 10 if choices.rounds is None else choices.rounds
        return fit_three_segment(train, rounds=rounds, checkpoint=checkpoint, tell=tell)
    return fit_tagger(train, PHONE, tagger_choices(choices), checkpoint=checkpoint, tell=tell)


def fit_recogniser(
    utterances: Iterable[Utterance],
    choices: PhoneChoices,
    *,
    fold: bool = False,
    resample: bool = False,
    checkpoint: Checkpoint = NOTHING_KEPT,
    tell: Tell = silent,
) -> tuple[PhoneRecogniser, TaggerReport]:
    """Learn everything from aligned recordings; seconds by stage are in the report.

    checkpoint: where codes and rounds of EM are kept and looked for.
    """
    seconds: dict[str, float] = {}
    clock = time.perf_counter()

    def done(stage: str, following: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        seconds[stage] = now - clock
        clock = now
        tell(following)

    frames = read_frames(utterances, choices.mfcc, fold=fold, resample=resample)
    done("frames", "codes")
    book = _kept_codes(checkpoint, frames, replace(choices.codes, seed=choices.seed))
    names = tuple(sorted(set(frames.phones)))
    train = frame_sequences(frames, codes_of(book, frames.rows), len(book), names)
    done("codes", "states")
    tagger, report = fit_frames(train, choices, checkpoint=checkpoint, tell=tell)
    done("tagger", "saving")
    about = {
        "method": choices.method,
        "states": tagger_choices(choices).states,
        "smoothing": choices.smoothing,
        "codes": len(book),
        "recordings": len(frames.lengths),
        "minutes": round(frames.seconds / 60, 2),
        "folded": fold,
        "seed": choices.seed,
    }
    model = PhoneRecogniser(frames.rate, choices.mfcc, book, tagger, about)
    return model, replace(report, seconds=seconds)


def _kept_codes(checkpoint: Checkpoint, frames: Frames, choices: CodeChoices) -> Codebook:
    """The codes that were kept, or learnt now, and kept if that took long."""

    def compute() -> Part:
        made = learn_codebook(frames.rows, choices)
        return {}, {"scale": made.scale, "centres": made.centres}

    return Codebook(**slow_part(checkpoint, "codes", compute)[1])


def speech_mark(utterances: Iterable[Utterance], settings: str) -> str:
    """SHA-256 of recordings, alignments and settings: what a checkpoint must agree with."""
    total = hashlib.sha256(settings.encode())
    for utterance in utterances:
        for path in (utterance.audio, utterance.alignment):
            with open(path, "rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def frame_accuracy(
    model: PhoneRecogniser, utterances: Iterable[Utterance], *, fold: bool = False, resample: bool = False
) -> float:
    """Share of frames that get the phone of the alignment."""
    frames = read_frames(utterances, model.mfcc, fold=fold, rate=model.rate, resample=resample)
    codes = codes_of(model.codebook, frames.rows)
    gold = frame_sequences(frames, codes, len(model.codebook), model.phones)
    guess = tag_ids(model.tagger, gold.without(PHONE))
    return float(np.mean(guess == gold.column(PHONE).ids))
