"""eigenparse merge: models of parts of a corpus in, the model of all of it out, where that is exact."""

from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.main import app


@app.command(epilog="Example:\n\n  eigenparse merge monday.vectors tuesday.vectors --out both.vectors")
def merge(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Files of `embed --keep-statistics`.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="The model file to write.")],
) -> None:
    """Add models that kept their statistics; the result is that of all their texts together."""
    from eigenparse.cli.output import check_target
    from eigenparse.cli.progress import tell
    from eigenparse.learn.statistics import load_statistics, merge_statistics, save_statistics

    check_target(out)
    parts = [load_statistics(path) for path in models]
    vectors, statistics = merge_statistics(parts, [str(path) for path in models])
    save_statistics(out, vectors, statistics)
    tell(f"{len(models)} models, {vectors.about['n_tokens']} tokens; wrote {out}")
