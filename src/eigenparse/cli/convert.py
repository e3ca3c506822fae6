"""eigenparse convert: bracketed trees in; dependency trees in CoNLL-U, words, or words and tags out."""

from eigenparse.batch.requests import ConvertRequest
from eigenparse.cli.app import app, verb
from eigenparse.cli.fields import with_fields
from eigenparse.cli.options import Out
from eigenparse.errors import OptionError

EXAMPLES = """
Examples:

  eigenparse convert trees.ptb --to conllu > trees.conllu

  eigenparse convert gold.ptb --to words | eigenparse parse my.model > guess.ptb
"""


@verb(app, epilog=EXAMPLES)
@with_fields(ConvertRequest)
def convert(asked: ConvertRequest, out: Out = None) -> None:
    """Convert bracketed trees to dependency trees, plain sentences or tagged words."""
    from eigenparse.batch.convert import cleaned, conllu, leaf_lines
    from eigenparse.batch.files import write_chunks

    if asked.rules is not None and asked.to != "conllu":
        raise OptionError(f"--rules changes nothing for --to {asked.to}; leave it out")
    treebank = cleaned(asked)
    is_conllu = asked.to == "conllu"
    lines = conllu(treebank, asked.rules) if is_conllu else leaf_lines(treebank, tags=asked.to == "columns")
    write_chunks([("\n".join(lines) + "\n").encode()], out)
