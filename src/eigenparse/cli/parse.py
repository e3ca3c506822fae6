"""eigenparse parse: sentences in, trees out, with any model that parses."""

from pathlib import Path

from eigenparse.cli import parse_options as given
from eigenparse.cli.app import app, verb
from eigenparse.cli.checks import WAIT
from eigenparse.cli.options import Cluster, Wait, run
from eigenparse.cli.texts import arguments, default_form, reading_of

EXAMPLES = """
Examples:

  eigenparse parse "The old man the boats."

  eigenparse parse en letter.txt --format conllu

  echo "The old man the boats ." | eigenparse parse english.model

  eigenparse parse english.model --raw-lines --format json titles.txt

  eigenparse parse en --constraints partial.txt

  eigenparse parse en letter.txt --ask --out corrected.ptb

  eigenparse parse english.model --kbest 5 --jobs 2 sentences.txt --out trees.ptb
"""


@verb(app, epilog=EXAMPLES)
def parse(
    model: given.Model,
    source: given.Source = Path("-"),
    tagged: given.Tagged = False,
    tokens: given.Tokens = False,
    raw: given.Raw = False,
    raw_lines: given.RawLines = False,
    kbest: given.Kbest = 1,
    form: given.Format = None,
    decoder: given.Maximised = None,
    combination: given.Combined = None,
    threshold: given.Threshold = None,
    max_length: given.MaxLength = None,
    memory: given.Memory = None,
    jobs: given.Threads = 1,
    out: given.Output = None,
    constraints: given.Constraints = None,
    keep_tag_suffix: given.KeepTagSuffix = None,
    drop: given.Drop = None,
    ask: given.Ask = False,
    cluster: Cluster = None,
    wait: Wait = WAIT,
) -> None:
    """Parse sentences into trees.

    Each sentence gives one tree, in order; an empty line stays empty.  Plain text is first split into sentences and
    tokens, unless it is tokenised already.  For trees and CoNLL-U, only the words are used.  The default model is en,
    the bundled grammar of English; en-ud, a dependency parser, writes CoNLL-U.

    With --kbest, each line has the score that orders the list, the probability of the tree given the sentence, and the
    tree, separated by tabs; an empty line ends each list.  A grammar with a judge, such as en, orders by the judge's
    score, which may differ from the order of probability.
    """
    from eigenparse.batch.requests import ParseRequest
    from eigenparse.models.registry import named

    model, source, text = arguments(model, source)
    chosen = {"tagged": tagged, "drop": bool(drop), "tokens": tokens, "raw": raw, "raw-lines": raw_lines}
    asked = ParseRequest(
        source=source,
        text=text,
        tagged=tagged,
        reading=reading_of(chosen, constraints is not None, source, text),
        kbest=kbest,
        form=form.value if form else default_form(text, out),
        decoder=decoder.value if decoder else None,
        combination=combination.value if combination else None,
        threshold=threshold,
        max_length=max_length,
        memory=None if memory is None else memory * 1_000_000,
        output=out,
        constraints=constraints,
        keep_tag_suffix=keep_tag_suffix,
        drop=tuple(drop or ()),
    )
    if ask:
        named("eigenparse.batch.ask:ask")(model, asked)
    else:
        run("parse", model, asked, out, jobs, cluster, wait)
