"""One refinement HMM to learn, with everything decided."""

from dataclasses import asdict, dataclass
from typing import Any

from eigenparse.features.tagger.sequence import ChainFeatures
from eigenparse.features.tagger.templates import Template
from eigenparse.learn.tagger.base import Labelled
from eigenparse.learn.tagger.emission import EmissionLearner
from eigenparse.learn.tagger.latent import LatentChoices
from eigenparse.learn.tagger.spectral import SpectralChoices


@dataclass(frozen=True, slots=True)
class TaggerPlan:
    """What the options of a tagger mean for the data at hand.

    symbols: templates of the symbols that have observation vectors, from coarse to fine.  is_tried: whether smoothing
    is chosen on held-out text.  dimensions: coordinates of the views that are clustered; None means as many as states.
    """

    method: str
    emission: EmissionLearner
    features: ChainFeatures
    symbols: tuple[Template, ...]
    spectral: SpectralChoices
    latent: LatentChoices
    is_random: bool = False
    is_tried: bool = False
    dimensions: int | None = None
    seed: int = 0
    emission_name: str | None = None

    def about(self, data: Labelled) -> dict[str, Any]:
        """Facts about the training for the model file."""
        learner = {"kind": type(self.emission).__name__, **asdict(self.emission)}
        learner["templates"] = list(self.emission.templates)
        return {
            "method": self.method,
            "states": self.spectral.states,
            "seed": self.seed,
            "tokens": int(data.labels.size),
            "sequences": len(data.sequences),
            "emission": self.emission_name or learner,
        }
