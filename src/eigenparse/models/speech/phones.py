"""A phone recogniser as frozen arrays: front end, codebook and tagger of codes; kept in one model file."""

from dataclasses import asdict, dataclass, field
from typing import Any

from eigenparse.arrays import AnyArray
from eigenparse.features.codes import Codebook
from eigenparse.features.speech.mfcc import MfccChoices
from eigenparse.models.registry import Parts
from eigenparse.models.tagger.rhmm import RefinementHMM, parts_below


@dataclass(frozen=True, slots=True)
class PhoneRecogniser:
    """rate: samples per second;  mfcc, codebook: from samples to codes;  tagger: from codes to phones."""

    rate: int
    mfcc: MfccChoices
    codebook: Codebook
    tagger: RefinementHMM
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def phones(self) -> tuple[str, ...]:
        """Names of the phones."""
        return self.tagger.labels

    def to_parts(self) -> Parts:
        """JSON header and named arrays."""
        header, named = self.tagger.to_parts()
        arrays = {f"tagger.{name}": array for name, array in named.items()}
        arrays |= {"scale": self.codebook.scale, "centres": self.codebook.centres}
        whole = {"rate": self.rate, "mfcc": asdict(self.mfcc), "tagger": header, "about": self.about}
        return whole, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: dict[str, AnyArray]) -> "PhoneRecogniser":
        """The inverse of ``to_parts``."""
        tagger = RefinementHMM.from_parts(header["tagger"], parts_below(arrays, "tagger."))
        book = Codebook(arrays["scale"], arrays["centres"])
        return cls(header["rate"], MfccChoices(**header["mfcc"]), book, tagger, header["about"])

    def summary(self) -> dict[str, Any]:
        """What is in the model."""
        return {
            "rate": self.rate,
            "phones": list(self.phones),
            "codes": len(self.codebook),
            "states_in_all": int(self.tagger.operators.states.sum()),
            **self.about,
        }
