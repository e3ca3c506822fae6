"""eigenparse sample: a model and a seed in, trees or sequences drawn from it out."""

from eigenparse.batch.requests import SampleRequest
from eigenparse.cli.app import app, verb
from eigenparse.cli.options import asks
from eigenparse.cli.score import Model

EXAMPLES = """
Examples:

  eigenparse sample english.model -n 10 --seed 1

  eigenparse sample letters.model -n 3 --length 60
"""


@verb(app, epilog=EXAMPLES)
@asks(SampleRequest, running=["out"])
def sample(model: Model) -> None:
    """Draw random trees or sequences from a model, one per line; from signed tensors only with --project."""
