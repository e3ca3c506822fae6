"""eigenparse normalise: the cleaned trees, as trained on and scored."""

from eigenparse.batch.requests import NormaliseRequest
from eigenparse.cli.app import app, verb
from eigenparse.cli.fields import with_fields
from eigenparse.cli.options import Out
from eigenparse.errors import OptionError


@verb(app, epilog="Example:\n\n  eigenparse normalise wsj.mrg --out clean.ptb")
@with_fields(NormaliseRequest)
def normalise(asked: NormaliseRequest, out: Out = None) -> None:
    """Print cleaned trees: no traces, no function tags, no unary X over X, one root TOP."""
    from eigenparse.batch.convert import cleaned
    from eigenparse.batch.files import write_chunks
    from eigenparse.corpus import brackets, cleaning, transform

    if asked.binarise is None and (asked.horizontal, asked.vertical) != (0, 1):
        raise OptionError("--horizontal and --vertical are for binary trees; add --binarise right or left")
    options = cleaning.normalisation_by(asked.keep_tag_suffix, asked.drop)
    result = cleaned(asked, options)
    if asked.binarise is not None:
        settings = transform.Binarisation(asked.binarise, asked.horizontal, asked.vertical)
        result = transform.as_treebank(transform.binarise(result, settings))
    write_chunks([brackets.encode_trees(result, pretty=asked.pretty)], out)
