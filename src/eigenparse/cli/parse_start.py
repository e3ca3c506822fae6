"""Start-up of ``parse`` with a grammar: the model is read in a thread of its own while kernels are loaded."""

from concurrent.futures import ThreadPoolExecutor

from eigenparse.cli.parse import ParseRequest
from eigenparse.models.grammar_file import load_grammar


def run(request: ParseRequest) -> None:
    """Parse a file or standard input."""
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(load_grammar, request.model)
        from eigenparse.cli.parse_lpcfg import parse_all, warm_up

        warm_up()
        grammar = pending.result()
    parse_all(grammar, request)
