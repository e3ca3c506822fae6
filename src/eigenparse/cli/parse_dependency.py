"""``eigenparse parse`` with a dependency parser: CoNLL-U or tokens in, CoNLL-U out."""

import io

from eigenparse.cli.output import result_stream
from eigenparse.cli.parse import ParseRequest
from eigenparse.errors import OptionError


def run(request: ParseRequest) -> None:
    """Parse one file."""
    from eigenparse.corpus.files import read_text
    from eigenparse.decode.arcs import parse_conllu
    from eigenparse.models.arcs import load_arcs

    if request.form != "brackets" or request.tagged or request.raw:
        raise OptionError(
            "a dependency parser reads CoNLL-U or tokens and writes CoNLL-U; leave out other formats"
        )
    model = load_arcs(request.model)
    lines = read_text(request.source).split("\n")
    with result_stream(request.output) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
        try:
            parse_conllu(model, lines, text, source=str(request.source), n_best=request.kbest)
        finally:
            text.detach()
