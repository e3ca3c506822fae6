"""The record of phone recognisers: what is checked of their files, and who learns and uses them."""

from collections.abc import Mapping

from eigenparse.arrays import AnyArray
from eigenparse.models.registry import Kind
from eigenparse.models.schema import Array, Header, Law, Part, Schema, Sizes
from eigenparse.models.tagger.kind import ONE_TAGGER

MFCC = {
    "window": float, "step": float, "n_coefficients": int, "n_bands": int, "pre_emphasis": float, "lifter": int,
    "range_db": float, "span": int, "centred": bool,
}  # fmt: skip
MOST_RATE, MOST_BANDS = 384_000, 1000


def _sound(header: Header, arrays: Mapping[str, AnyArray], sizes: Sizes) -> bool:
    """Whether windows are neither empty nor very long, and tables not too large."""
    mfcc = header["mfcc"]
    return bool(
        1000 <= header["rate"] <= MOST_RATE
        and 0.001 <= mfcc["step"] <= mfcc["window"] <= 1.0
        and 1 <= mfcc["n_coefficients"] <= mfcc["n_bands"] <= MOST_BANDS
        and 1 <= mfcc["span"] <= MOST_BANDS
        and 0 <= mfcc["lifter"] <= MOST_BANDS
        and 0.0 <= mfcc["pre_emphasis"] <= 1.0
        and 0.0 < mfcc["range_db"] <= 1000.0
    )


PHONES = Kind(
    name="phones",
    title="a phone recogniser",
    trainer="train phones",
    schema=Schema(
        header={"rate": int, "mfcc": MFCC, "tagger": ONE_TAGGER.header, "about": dict},
        rows=(
            Law("the settings of the front end are out of range", _sound),
            Array("centres", ("f4", "f8"), ("codes", "coefficients")),
            Array("scale", ("f4", "f8"), ("coefficients",)),
            Law("front end and codebook do not fit", lambda header, arrays, sizes: bool(
                sizes["codes"] >= 1 and sizes["coefficients"] == 3 * header["mfcc"]["n_coefficients"]
                and arrays["scale"].min() > 0.0
            )),
        ),
        parts=(Part("tagger.", ONE_TAGGER, "tagger"),),
    ),
    model="eigenparse.models.speech.phones:PhoneRecogniser",
    options="eigenparse.learn.speech.learner:PhoneOptions",
    reading="eigenparse.learn.speech.reading:SpeechReading",
    verbs={
        "transcribe": "eigenparse.batch.transcribe:transcribe",
        "evaluate": "eigenparse.learn.speech.learner:evaluate",
    },
    kernels="eigenparse.kernels.tagger.chain",
)  # fmt: skip
