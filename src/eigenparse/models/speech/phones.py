"""A phone recogniser as frozen arrays: front end, codebook and tagger of codes; kept in one model file."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from eigenparse.errors import DataError, ModelFileError
from eigenparse.features.codes import Codebook
from eigenparse.features.speech.mfcc import MfccChoices
from eigenparse.models.store import load_model, save_model
from eigenparse.models.tagger.rhmm import RefinementHMM

KIND = "phones"
MOST_RATE, MOST_BANDS = 384_000, 1000


@dataclass(frozen=True, slots=True)
class PhoneRecogniser:
    """rate: samples a second;  mfcc, codebook: from samples to codes;  tagger: from codes to phones."""

    rate: int
    mfcc: MfccChoices
    codebook: Codebook
    tagger: RefinementHMM
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def phones(self) -> tuple[str, ...]:
        """Names of the phones."""
        return self.tagger.labels


def save_recogniser(path: str | Path, model: PhoneRecogniser) -> None:
    """Write a recogniser to one file."""
    header, arrays = model.tagger.to_arrays("tagger.")
    arrays = {**arrays, "scale": model.codebook.scale, "centres": model.codebook.centres}
    whole = {"rate": model.rate, "mfcc": asdict(model.mfcc), "tagger": header, "about": model.about}
    save_model(path, kind=KIND, header=whole, arrays=arrays)


def load_recogniser(path: str | Path) -> PhoneRecogniser:
    """Read what ``save_recogniser`` wrote; ModelFileError says why it cannot."""
    kind, header, arrays = load_model(path)
    if kind != KIND:
        raise ModelFileError(
            f"{path}: holds a model of kind {kind!r}, not a phone recogniser; give a file of `train phones`"
        )
    try:
        tagger = RefinementHMM.from_arrays(header["tagger"], arrays, "tagger.")
        book = Codebook(arrays["scale"], arrays["centres"])
        mfcc, rate = MfccChoices(**header["mfcc"]), int(header["rate"])
        if book.centres.ndim != 2 or book.scale.shape != book.centres.shape[1:]:
            raise ValueError("codebook and scale do not fit")
        if np.any(book.scale <= 0.0) or 3 * mfcc.n_coefficients != book.scale.size or not len(book):
            raise ValueError("front end and codebook do not fit")
        _check_front_end(rate, mfcc)
    except (KeyError, TypeError, IndexError, ValueError, DataError) as problem:
        raise ModelFileError(
            f"{path}: not a readable recogniser ({problem}); train or copy it again"
        ) from None
    return PhoneRecogniser(rate, mfcc, book, tagger, header.get("about", {}))


def _check_front_end(rate: int, mfcc: MfccChoices) -> None:
    """Refuse what would make windows empty or endless, or tables large."""
    sound = (
        1000 <= rate <= MOST_RATE
        and 0.001 <= mfcc.step <= mfcc.window <= 1.0
        and 1 <= mfcc.n_coefficients <= mfcc.n_bands <= MOST_BANDS
        and 1 <= mfcc.span <= MOST_BANDS
        and 0 <= mfcc.lifter <= MOST_BANDS
        and 0.0 <= mfcc.pre_emphasis <= 1.0
        and 0.0 < mfcc.range_db <= 1000.0
    )
    if not sound:
        raise ValueError("the settings of the front end are out of range")
