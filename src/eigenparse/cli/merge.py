"""eigenparse merge: models of parts of a corpus in, the model of all of it out, where that is exact."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app

EXACT = "embed, train hmm or train rhmm with --keep-statistics"


@app.command(epilog="Example:\n\n  eigenparse merge monday.vectors tuesday.vectors --out both.vectors")
def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help=f"Files of `{EXACT}`, of one kind.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="The model file to write.")],
) -> None:
    """Add models that kept their statistics; the result is that of all their texts together."""
    from eigenparse.cli.models import kind_of
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import tell
    from eigenparse.errors import OptionError

    check_target(out)
    kinds = [kind_of(path) for path in models]
    adders = {"vectors": _vectors, "hmm": _chains, "rhmm": _taggers}
    if kinds[0] not in adders:
        raise OptionError(f"{models[0]}: models of kind {kinds[0]!r} do not add up; merge files of {EXACT}")
    for path, kind in zip(models, kinds, strict=True):
        if kind != kinds[0]:
            raise OptionError(f"{path}: a model of kind {kind!r}, not {kinds[0]!r}; merge files of one kind")
    tell(f"{len(models)} models, {adders[kinds[0]](models, out)} tokens; wrote {out}")


def _vectors(models: list[Path], out: Path) -> int:
    from eigenparse.learn.vectors.learner import merge_vectors
    from eigenparse.models.registry import load_model, save_model

    parts = [load_model(path, "vectors") for path in models]
    total = merge_vectors(parts, [str(path) for path in models])
    save_model(total, out, "vectors")
    return int(total.about["n_tokens"])


def _chains(models: list[Path], out: Path) -> int:
    from eigenparse.learn.hmm.statistics import merge_chains
    from eigenparse.models.registry import load_model, save_model

    total = merge_chains([load_model(path, "hmm") for path in models], [str(path) for path in models])
    save_model(total, out, "hmm")
    return int(total.statistics[1]["counts"].sum()) if total.statistics else 0


def _taggers(models: list[Path], out: Path) -> int:
    from eigenparse.learn.tagger.statistics import merge_taggers
    from eigenparse.models.registry import load_model, save_model

    total = merge_taggers([load_model(path, "rhmm") for path in models], [str(path) for path in models])
    save_model(total, out, "rhmm")
    return int(total.first.about["tokens"])
