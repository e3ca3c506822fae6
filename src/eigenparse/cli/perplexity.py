"""eigenparse perplexity: text in, how well an HMM predicts it out."""

from eigenparse.cli.app import app, verb
from eigenparse.cli.options import WAIT, Cluster, Jobs, Out, Wait, run
from eigenparse.cli.score import Column, Model, Sources


@verb(app, epilog="Example:\n\n  eigenparse perplexity letters.model held-out.txt")
def perplexity(
    model: Model,
    sources: Sources,
    column: Column = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    wait: Wait = WAIT,
    out: Out = None,
) -> None:
    """Print exp of the mean negative log-probability per symbol, each predicted from those before it."""
    from eigenparse.batch.requests import ScoreRequest

    run("perplexity", model, ScoreRequest(tuple(sources), column=column), out, jobs, cluster, wait)
