"""What comes with the package: names of bundled models in, their paths out."""

from pathlib import Path

MODELS = {"en": "en.eig", "en-ud": "en-ud.eig"}


def located(path: str | Path) -> Path:
    """The path itself; for the bare name of a bundled model that is no file here, the bundled file."""
    given = Path(path)
    if str(given) in MODELS and not given.exists():
        return Path(__file__).parent / MODELS[str(given)]
    return given
