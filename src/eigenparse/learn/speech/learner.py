"""Phone recognisers: a record of options and aligned recordings in; front end, codebook and tagger out."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from eigenparse.corpus.sequences import Sequences
from eigenparse.features.codes import MOST, Codebook, CodeChoices, codes_of, learn_codebook
from eigenparse.features.speech.mfcc import MfccChoices
from eigenparse.features.speech.phones import CODE, PHONE, duration_features
from eigenparse.features.tagger.templates import parse_template
from eigenparse.inference.tagger.chain import tag_ids
from eigenparse.learn.options import Options, option
from eigenparse.learn.speech.frames import Frames, frame_sequences, read_frames
from eigenparse.learn.speech.reading import Recordings
from eigenparse.learn.speech.three_segment import fit_three_segment
from eigenparse.learn.tagger.base import labelled
from eigenparse.learn.tagger.emission import BackoffEmission
from eigenparse.learn.tagger.latent import LatentChoices
from eigenparse.learn.tagger.learner import METHODS as TAGGER_METHODS
from eigenparse.learn.tagger.learner import fit_plan
from eigenparse.learn.tagger.plan import TaggerPlan
from eigenparse.learn.tagger.spectral import SpectralChoices
from eigenparse.models.speech.phones import PhoneRecogniser
from eigenparse.models.tagger.rhmm import RefinementHMM
from eigenparse.work.kept import Part
from eigenparse.work.work import Work

EMISSION = BackoffEmission((CODE,), rare=0, strength=1.0)
DIMENSIONS = 12  # coordinates of the views that are clustered
MANY, FEW = 128, 24  # states of a phone by clusters, and by the other methods
# method: smoothing of observation vectors and of transitions, chosen on development sets
STRENGTHS = {"spectral": (1.0, 20.0), "cluster": (1.0, 1.0)}
SMOOTHINGS = ("pairs", "runs")
METHODS = (*TAGGER_METHODS, "three-segment")


@dataclass(frozen=True)
class PhoneOptions(Options):
    """Learn to recognise phones: cepstra, codes by k-means, a refinement HMM over codes.

    The methods cluster (clusters of the spectral projections are the states) and spectral (tensors of their moments)
    do not iterate.  weight, strength: smoothing of the tagger of codes.
    """

    kind: ClassVar[str] = "phones"
    examples: ClassVar[tuple[str, ...]] = ("eigenparse train phones recordings --out phones.model",)
    codes: int = option(1000, "Number of codes that frames are mapped to.", low=1, high=MOST)
    states: int | None = option(
        None,
        "Maximum number of hidden states per phone. Default: 128 for cluster, otherwise 24.",
        low=1,
        high=256,
        idle={"method": ("hmm", "unigram", "three-segment")},
    )
    method: str = option(
        "cluster", "How hidden states are learnt; hmm and unigram have none.", choices=METHODS
    )
    smoothing: str = option(
        "pairs", "With spectral: back off to pairs of phones, or to how runs of a phone begin and end.",
        choices=SMOOTHINGS, idle={"method": tuple(name for name in METHODS if name != "spectral")},
    )  # fmt: skip
    em_rounds: int | None = option(
        None,
        "Rounds of EM. Default: 10; 0 for cluster.",
        low=0,
        idle={"method": ("spectral", "hmm", "unigram")},
    )
    dimensions: int = option(DIMENSIONS, "Coordinates of the views that are clustered.", low=1, shown=False)
    weight: float | None = option(None, "Smoothing of observation vectors.", low=0, shown=False)
    strength: float | None = option(None, "Smoothing of transitions.", low=0, shown=False)
    seed: int = option(0, "Random seed.", low=0)

    def fit(self, data: Recordings, work: Work = Work()) -> PhoneRecogniser:
        """Learn everything from aligned recordings."""
        work.stage("frames")
        frames = read_frames(data.train, MfccChoices(), fold=data.fold, resample=data.resample)
        work.stage("codes")
        book = self._codebook(frames, work)
        names = tuple(sorted(set(frames.phones)))
        train = frame_sequences(frames, codes_of(book, frames.rows), len(book), names)
        tagger = self.fit_frames(train, work)
        about = {
            "method": self.method,
            "states": self.n_states,
            "smoothing": self.smoothing,
            "codes": len(book),
            "recordings": len(frames.lengths),
            "minutes": round(frames.seconds / 60, 2),
            "folded": data.fold,
            "seed": self.seed,
        }
        return PhoneRecogniser(frames.rate, MfccChoices(), book, tagger, about)

    def fit_frames(self, train: Sequences, work: Work = Work()) -> RefinementHMM:
        """The tagger of the column ``phone`` from the column ``code``."""
        data = labelled(train, PHONE)
        if self.method == "three-segment":
            rounds = 10 if self.em_rounds is None else self.em_rounds
            return fit_three_segment(data, rounds=rounds, work=work)
        return fit_plan(data, self.plan(), work)

    @property
    def n_states(self) -> int:
        """Most states of a phone."""
        return self.states if self.states is not None else MANY if self.method == "cluster" else FEW

    def plan(self) -> TaggerPlan:
        """The tagger of codes; its smoothing was chosen on development sets."""
        clusters, m = self.method == "cluster", self.n_states
        weight, strength = STRENGTHS.get(self.method, (None, None))
        given = {"strength": strength, "weight": weight} | {
            name: value for name in ("strength", "weight") if (value := getattr(self, name)) is not None
        }
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        usual = 0 if clusters else 10
        runs: dict[str, Any] = {"runs": True, "fewest": 1} if self.smoothing == "runs" else {}  # see ``runs``
        return TaggerPlan(
            method=self.method,
            emission=EMISSION,
            features=duration_features(),
            symbols=(parse_template(CODE),),
            spectral=SpectralChoices(**{"states": m, "strength": 150.0, "weight": 300.0, **runs, **chosen}),
            latent=LatentChoices(m, usual if self.em_rounds is None else self.em_rounds, **chosen),
            is_tried=not chosen,
            dimensions=self.dimensions if clusters else None,
            seed=self.seed,
        )

    def _codebook(self, frames: Frames, work: Work) -> Codebook:
        """The codes of frames, kept if they took long."""

        def compute() -> Part:
            made = learn_codebook(frames.rows, CodeChoices(n_codes=self.codes, seed=self.seed))
            return {}, {"scale": made.scale, "centres": made.centres}

        return Codebook(**work.part("codes", compute)[1])


def frame_accuracy(model: PhoneRecogniser, data: Recordings) -> float:
    """Share of frames that get the phone of the alignment."""
    frames = read_frames(data.train, model.mfcc, fold=data.fold, rate=model.rate, resample=data.resample)
    codes = codes_of(model.codebook, frames.rows)
    gold = frame_sequences(frames, codes, len(model.codebook), model.phones)
    guess = tag_ids(model.tagger, gold.without(PHONE))
    return float(np.mean(guess == gold.column(PHONE).ids))


def evaluate(model: PhoneRecogniser, gold: Recordings) -> list[str]:
    """The accuracy of a recogniser on aligned recordings, as one line."""
    return [f"frame accuracy {100 * frame_accuracy(model, gold):.2f} ({len(gold.train)} recordings)"]
