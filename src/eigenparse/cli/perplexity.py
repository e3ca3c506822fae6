"""eigenparse perplexity: text or trees in, how well a model predicts them out."""

from eigenparse.batch.requests import ScoreRequest
from eigenparse.cli.app import app, verb
from eigenparse.cli.options import asks
from eigenparse.cli.score import Model

EXAMPLES = """
Examples:

  eigenparse perplexity letters.model held-out.txt

  eigenparse perplexity english.model dev.ptb --jobs 2
"""


@verb(app, epilog=EXAMPLES)
@asks(ScoreRequest, leave_out=["skip_broken"])
def perplexity(model: Model) -> None:
    """Print the perplexity of text per word, per character or per symbol.

    A grammar sums over the trees of each sentence that survive pruning, which gives an upper bound; --exact sums over
    all trees.  If the input has trees, their perplexity is printed too.  An HMM predicts each symbol from those before
    it.  A tagger sums over all labellings of a sentence; if the input has labels, their perplexity is printed too.
    """
