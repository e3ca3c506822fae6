"""Common mistakes: each ends with one sentence that names the mistake and the remedy, and none is silently accepted.

A case is the words of a command, in which ``{name}`` stands for a file of ``wrong_files``, the exit code, and a piece
of the sentence.  Code 0 is a thing that is plainly meant and done, with a line that says so.
"""

import importlib
import pathlib
import sys

import pytest
from tests.cli.calls import call
from tests.cli.wrong_files import make_files

from eigenparse.models.registry import DOING

NO_TEXT = {
    "columns.txt": "this is columns", "data.json": "this is JSON", "page.html": "this is HTML",
    "sound.wav": "this is audio", "archive.zip": "this is a compressed file", "picture.png": "this is binary data",
    "latin.txt": "not UTF-8", "wide.txt": "UTF-16", "phones.phn": "this is a phone alignment", "empty.txt": "check",
    "lpcfg": "this is a model file", "nothing": "directory",
}  # fmt: skip
NO_TREES = {
    "text.txt": "this is plain text", "tokens.txt": "this is tokenised text", "tree.conllu": "this is CoNLL-U",
    "columns.txt": "this is columns", "data.json": "this is JSON", "sound.wav": "this is audio",
    "archive.zip": "this is a compressed file", "empty.txt": "no tree", "wide.txt": "UTF-16",
    "broken.ptb": "never closed", "rhmm": "this is a model file", "prose": "holds trees", "nothing": "no file ends in",
    "phones.phn": "this is a phone alignment",
}  # fmt: skip
NO_CONLLU = {
    "text.txt": "this is plain text", "tokens.txt": "this is tokenised text", "trees.ptb": "this is bracketed trees",
    "columns.txt": "this is columns", "data.json": "this is JSON", "hmm": "this is a model file",
    "empty.txt": "this is an empty file",
}  # fmt: skip
NO_MODEL = {
    "text.txt": "but plain text", "trees.ptb": "but bracketed trees", "tree.conllu": "but CoNLL-U",
    "sound.wav": "but audio", "data.json": "but JSON", "empty.txt": "not an eigenparse model",
    "picture.png": "not an eigenparse model", "nothing": "is a directory",
}  # fmt: skip
DOCUMENTS = ("letter.docx", "paper.pdf", "old.doc", "note.rtf")
HURRY = {
    "utf32.txt": "UTF-32", "unmarked.txt": "UTF-16", "blank.txt": "this is an empty file",
    "tagged.txt": "words with their tags", "slash.txt": "words with their tags", "lines.jsonl": "this is JSON",
    "table.csv": "this is a table", "table.tsv": "this is a table", "page.xml": "HTML or XML",
    "square.ptb": "square brackets", "numbers.txt": "a table of numbers", "song.mp3": "this is audio",
    "spaces.conllu": "separate its ten columns by tabs", "wide.conllu": "this is a table",
}  # fmt: skip
CASES: list[tuple[str, int, str]] = [
    *((f"parse {kind} {{{name}}}", 1, said) for kind in ("{lpcfg}", "{dependency}") for name, said in HURRY.items()
      if (kind, name) != ("{dependency}", "wide.conllu")),
    *((f"{verb} {{{name}}}{rest}", 1, "save it as plain text") for name in DOCUMENTS for verb, rest in (
        ("parse {lpcfg}", ""), ("train lpcfg", " --out OUT"), ("train dependency", " --out OUT"), ("tag {rhmm}", ""),
        ("evaluate {trees.ptb}", ""), ("embed", " --out OUT"), ("train hmm", " --out OUT"))),
    *((f"{verb} {{{name}}}{rest}", 1, HURRY[name]) for name in ("square.ptb", "tagged.txt", "lines.jsonl", "page.xml")
      for verb, rest in (("train lpcfg", " --out OUT"), ("draw", ""), ("normalise", ""))),
    ("parse {half} {text.txt}", 1, "cut short"),
    ("parse {lpcfg} {giant.txt}", 0, "raise --max-length"),
    ("parse {lpcfg} {tagged.txt} --tagged", 0, "2 lines"),
    ("parse {lpcfg} {packed.ptb}", 0, "their words are parsed"),
    ("parse {lpcfg} {tokens.txt} {text.txt}", 2, "unexpected extra argument"),
    ("parse {lpcfg} {tokens.txt} --kbest -1", 2, "--kbest"),
    ("parse {lpcfg} {tokens.txt} --max-length 0", 2, "--max-length"),
    ("parse {lpcfg} {tokens.txt} --constraints {tokens.txt}", 1, "holds the sentences too"),
    ("parse {lpcfg} --constraints {paper.pdf}", 1, "save it as plain text"),
    ("parse {lpcfg} --constraints {lines.jsonl}", 1, "not a sentence with constraints"),
    ("parse {lpcfg} {nothing} --raw", 1, "directory"),
    ("parse {text.txt} {lpcfg}", 1, "but plain text"),
    ("tag {text.txt} {rhmm}", 1, "but plain text"),
    ("score {text.txt} {lpcfg}", 1, "but plain text"),
    ("transcribe {sound.wav} {phones}", 1, "but audio"),
    ("rerank {tree.conllu} {dependency}", 1, "but CoNLL-U"),
    ("evaluate {lpcfg} {trees.ptb}", 1, "this is a model file"),
    ("evaluate {speech} {trees.ptb}", 1, "one is a folder and one a file"),
    ("evaluate {phones.phn} {trees.ptb}", 1, "start end phone"),
    ("evaluate {trees.ptb} {blank.txt}", 1, "give one tree"),
    ("train lpcfg {marked.ptb} --out OUT --states 2", 0, "4 trees"),
    ("train lpcfg {cut.ptb.gz} --out OUT", 1, "damaged"),
    ("train lpcfg {bare.ptb} --out OUT", 1, "two words stand under one tag"),
    ("train lpcfg {blank.txt} --out OUT", 1, "no tree"),
    ("train lpcfg {speech} --out OUT", 1, "no file ends in"),
    ("train lpcfg {trees.ptb} {tree.conllu} --out OUT", 1, "this is CoNLL-U"),
    ("train lpcfg {trees.ptb} --out OUT --states -3", 1, "states must be"),
    ("train lpcfg {trees.ptb} --out OUT --states two", 2, "--states"),
    ("train lpcfg {trees.ptb} --out OUT --dev {lpcfg}", 1, "this is a model file"),
    ("train dependency {spaces.conllu} --out OUT", 1, "separate its ten columns by tabs"),
    ("train dependency {wide.conllu} --out OUT", 1, "14 columns instead of 10"),
    ("train dependency {roots.conllu} --out OUT", 1, "a second word has head 0"),
    ("train dependency {cycle.conllu} --out OUT", 1, "make one word the root"),
    ("train dependency {headless.conllu} --out OUT", 1, "the head is missing"),
    ("train dependency {speech} --out OUT", 1, "no file ends in"),
    ("train rhmm {slash.txt} --out OUT", 1, "with _ before the tag"),
    ("train phones {silent} --out OUT", 1, "no .phn file beside it"),
    ("transcribe {phones} {phones.phn}", 1, "but a phone alignment"),
    ("guide {dependency} {tree.conllu} --out OUT", 1, "cannot guide"),
    ("guide {lpcfg} {trees.ptb} --out OUT", 1, "this is bracketed trees"),
    ("draw {trees.ptb} --out x.jpg", 1, "svg, png or text"),
    ("compare {trees.ptb} {trees.ptb} --out {text.txt}", 1, "is a file; name a folder"),
    ("demo --out {text.txt}", 1, "is a file; name a folder"),
    ("info {vectors} --label NP", 1, "leave it out"),
    ("info {lpcfg} --label XX", 1, "no label 'XX'"),
    ("sample {hmm} -n 0", 2, "--number"),
    ("merge {rhmm} {hmm} --out OUT", 1, "merge files of one kind"),
    ("plot {rhmm} --out OUT.svg", 1, "cannot be plotted"),
    ("plot {lpcfg} --out OUT.txt", 1, "change the file's name"),
    ("convert {trees.ptb} --to pdf", 2, "--to"),
    ("serve {nothing} --port 0", 1, "is a directory"),
    ("serve {lpcfg} --port 99999", 2, "--port"),
    *((f"parse {{lpcfg}} {{{name}}}", 1, said) for name, said in NO_TEXT.items()),
    *((f"parse {{dependency}} {{{name}}}", 1, said) for name, said in NO_TEXT.items()),
    *((f"train lpcfg {{{name}}} --out OUT", 1, said) for name, said in NO_TREES.items()),
    *((f"{verb} {{{name}}}", 1, said) for verb in ("normalise", "convert") for name, said in NO_TREES.items()),
    *((f"score {{lpcfg}} {{{name}}}", 1, said) for name, said in NO_TREES.items()),
    *((f"train dependency {{{name}}} --out OUT", 1, said) for name, said in NO_CONLLU.items()),
    *((f"score {{deptree}} {{{name}}}", 1, said) for name, said in NO_CONLLU.items()),
    *((f"evaluate {{tree.conllu}} {{{name}}}", 1, said) for name, said in NO_CONLLU.items()),
    *((f"parse {{{name}}} {{text.txt}}", 1, said) for name, said in NO_MODEL.items()),
    *((f"info {{{name}}}", 1, said) for name, said in NO_MODEL.items()),
    *((f"sample {{{name}}}", 1, said) for name, said in NO_MODEL.items()),
    *((f"{verb} {{{kind}}} {{tokens.txt}}", 1, f"cannot {DOING.get(verb, verb)}") for verb, kinds in (
        ("parse", ("rhmm", "hmm", "vectors", "phones")), ("tag", ("lpcfg", "vectors", "phones", "deptree")),
        ("score", ("vectors", "phones")), ("perplexity", ("dependency", "vectors")),
        ("transcribe", ("lpcfg", "rhmm", "hmm"))) for kind in kinds),
    # What is meant is clear: it is done, and said.
    ("parse {lpcfg} {text.txt}", 0, "looks like plain text"),
    ("parse {lpcfg} {trees.ptb}", 0, "their words are parsed"),
    ("parse {lpcfg} {tree.conllu}", 0, "its words are parsed"),
    ("parse {dependency} {trees.ptb}", 0, "their words are parsed"),
    ("parse {dependency} {text.txt}", 0, "looks like plain text"),
    ("parse {lpcfg} {text.txt} --tokens", 0, "looks like plain text but"),
    ("parse {lpcfg} {tokens.txt} --raw", 0, "looks like tokenised text but"),
    ("parse {lpcfg} {trees.ptb} --raw-lines", 0, "looks like bracketed trees but"),
    ("parse {lpcfg} {tokens.txt} --tagged", 0, "no token is word_TAG"),
    ("tag {rhmm} {text.txt}", 0, "looks like plain text"),
    # Numbers that are none, or too large.
    ("parse {lpcfg} {tokens.txt} --threshold nan", 2, "--threshold"),
    ("parse {lpcfg} {tokens.txt} --threshold 1.5", 2, "--threshold"),
    ("parse {lpcfg} {tokens.txt} --threshold -1", 2, "--threshold"),
    ("parse {lpcfg} {tokens.txt} --kbest 999999999999", 2, "--kbest"),
    ("parse {lpcfg} {tokens.txt} --memory 99999999999999999999", 1, "must be a smaller number"),
    ("parse {lpcfg} {tokens.txt} --jobs 99999", 1, "jobs must be"),
    ("tag {rhmm} {tokens.txt} --kbest 0", 2, "--kbest"),
    ("tag {rhmm} {tokens.txt} --kbest 999999999999", 2, "--kbest"),
    ("train lpcfg {trees.ptb} --out OUT --rule-smoothing inf", 1, "rule-smoothing must be"),
    ("train lpcfg {trees.ptb} --out OUT --guided {trees.ptb} --guided-weight nan", 1, "guided-weight must be"),
    ("train lpcfg {trees.ptb} --out OUT --jobs 99999 --ensemble 2", 1, "jobs must be"),
    ("serve {lpcfg} --seconds inf", 1, "--seconds must be a finite number"),
    # Options that change nothing.
    ("parse {lpcfg} {tokens.txt} --combination sum", 1, "this grammar has one member"),
    ("parse {lpcfg} {tokens.txt} --decoder max-rule --threshold 0.5", 1, "--threshold changes nothing"),
    ("parse {lpcfg} {tokens.txt} --wait 5", 1, "add --cluster ADDRESS"),
    ("train lpcfg {trees.ptb} --out OUT --wait 5", 1, "add --cluster ADDRESS"),
    ("train lpcfg {trees.ptb} --out OUT --guided-weight 0.3", 1, "without --guided"),
    ("train lpcfg {trees.ptb} --out OUT --noise-level 0.5", 1, "with --noise none"),
    ("train lpcfg {trees.ptb} --out OUT --method pcfg --states 8", 1, "with --method pcfg"),
    ("train hmm {tokens.txt} --out OUT --column word", 1, "with --unit char"),
    ("train rhmm {columns.txt} --out OUT --start random", 1, "with --method spectral"),
    ("train deptree {tree.conllu} --out OUT --members 3", 1, "with --estimator em"),
    ("train phones {speech} --out OUT --smoothing runs", 1, "with --method cluster"),
    ("score {lpcfg} {trees.ptb} --column x", 1, "--column changes nothing for a grammar"),
    ("score {hmm} {tokens.txt} --skip-broken", 1, "--skip-broken changes nothing for an HMM"),
    ("score {hmm} {tokens.txt} --column x", 1, "--column changes nothing for an HMM of"),
    ("perplexity {hmm} {tokens.txt} --exact", 1, "--exact changes nothing for an HMM"),
    ("perplexity {lpcfg} {tokens.txt} --column x", 1, "--column changes nothing for a grammar"),
    ("sample {lpcfg} --length 4", 1, "--length changes nothing for a grammar"),
    ("sample {hmm} --project", 1, "--project changes nothing for an HMM"),
    ("sample {rhmm} --project", 1, "--project changes nothing for a tagger"),
    *((f"{verb} --project", 1, "--project changes nothing for a model without signed weights") for verb in (
        "score {lpcfg} {trees.ptb}", "perplexity {lpcfg} {trees.ptb}", "sample {lpcfg}",
        "score {deptree} {tree.conllu}", "perplexity {deptree} {tree.conllu}", "sample {deptree}")),
    ("score {hmm} {tokens.txt} --project", 1, "--project changes nothing for an HMM"),
    ("score {rhmm} {columns.txt} --project", 1, "--project changes nothing for a tagger"),
    ("sample {hmm} --words", 1, "--words changes nothing for an HMM"),
    ("tag {hmm} {tokens.txt} --columns x", 1, "--columns changes nothing for an HMM"),
    ("info {rhmm} --top 3", 1, "--top changes nothing for a tagger"),
    ("info {vectors} --labels 2", 1, "--labels changes nothing for word vectors"),
    ("evaluate {trees.ptb} {trees.ptb} --rate 8000", 1, "--rate changes nothing for brackets"),
    ("evaluate {trees.ptb} {trees.ptb} --seed 3", 1, "--seed changes nothing for one prediction"),
    ("evaluate {tree.conllu} {tree.conllu} --params {text.txt}", 1, "--params changes nothing for dependencies"),
    ("evaluate {phones.phn} {phones.phn} --cutoff 5", 1, "--cutoff changes nothing for phones"),
    ("evaluate {columns.txt} {columns.txt} --compare {columns.txt}", 1, "--compare changes nothing for columns"),
    ("convert {trees.ptb} --to words --rules {text.txt}", 1, "--rules changes nothing for --to words"),
    ("normalise {trees.ptb} --vertical 2", 1, "add --binarise right or left"),
    ("embed {vectors} --near the --out OUT", 1, "--near writes no file"),
    # What is no file, what gives nothing, what is too small and what is too long.
    ("parse {lpcfg} http://example.com/a.txt", 1, "http://example.com/a.txt: is an address"),
    ("parse https://example.com/m.model {tokens.txt}", 1, "download it first"),
    ("transcribe {phones} http://example.com/a.wav", 1, "download it first"),
    ("transcribe {phones} {sound.wav} {sound.wav} --folder OUT", 1, "come twice; use a folder for each"),
    ("train lpcfg {trees.ptb} --out -", 1, "is no file to write"),
    ("parse {lpcfg} {tokens.txt} --output -", 1, "leave the option out to write to standard output"),
    ("embed {latin.txt} --out OUT", 1, "the text is not UTF-8"),
    ("embed {latin.txt} --lower --out OUT", 1, "the text is not UTF-8"),
    ("parse {dependency} --constraints {tokens.txt}", 1, "--constraints is for other kinds of models"),
    ("parse {lpcfg} {dangling}", 1, "No such file"),
    ("train lpcfg {dangling} --out OUT", 1, "no such file or directory"),
    ("info {dangling}", 1, "no such file"),
    ("info {loop}", 1, "no such file"),
    ("train lpcfg {loop} --out OUT", 1, "no such file or directory"),
    ("info /dev/null", 1, "is no regular file"),
    ("score {rhmm} {tagged.txt}", 1, "no labelling of these tokens a probability"),
    ("tag {rhmm} {phones.phn}", 1, "this is a phone alignment"),
    ("score {rhmm} {phones.phn}", 1, "the tokens have no labels"),
    ("train lpcfg {trees.ptb} --out OUT --judge", 1, "a judge needs 24 trees or more"),
    ("parse {dependency} {giant.txt}", 0, "1 of 1 sentences are too long"),
    ("parse {dependency} {tree.conllu} --max-length 2", 0, "6 of 6 sentences are too long"),
    ("parse {dependency} {tree.conllu} --format conllu", 0, ""),
    # What looks like text and is none.
    *((f"parse {kind} {{partial.txt}}", 1, "--constraints FILE` keeps such brackets") for kind in (
        "{lpcfg}", "{dependency}")),
    ("parse {lpcfg} {partial.txt} --raw-lines", 0, "looks like partial trees"),
    ("embed {partial.txt} --out OUT", 1, "this is partial trees"),
    *((f"{verb} {{{name}}}{rest}", 1, said) for name, said in (
        ("script.py", "this is source code"), ("code.c", "this is source code"), ("film.srt", "a file of subtitles"))
      for verb, rest in (("parse {lpcfg}", ""), ("parse {dependency}", ""), ("train lpcfg", " --out OUT"),
                         ("train rhmm", " --out OUT"), ("train dependency", " --out OUT"), ("tag {rhmm}", ""))),
    *((f"{verb} {{{name}}}{rest}", 1, said) for name, said in (
        ("set.yaml", "a file of settings"), ("set.toml", "a file of settings"), ("set.ini", "a file of settings"),
        ("run.log", "this is a log file"), ("open.txt", "with a bracket that is never closed"))
      for verb, rest in (("parse {lpcfg}", ""), ("parse {dependency}", ""), ("tag {rhmm}", ""),
                         ("perplexity {lpcfg}", ""), ("embed", " --out OUT"))),
    *((f"{verb} {{{name}}}{rest}", 1, said) for name, said in (
        ("set.yaml", "a file of settings"), ("run.log", "this is a log file"), ("notes.md", "this is Markdown"),
        ("letter.eml", "this is an e-mail"))
      for verb, rest in ((f"train {kind}", " --out OUT") for kind in ("lpcfg", "rhmm", "dependency"))),
    *((f"parse {{{model}}} {{{name}}}{option}", 0, said) for name, said in (
        ("notes.md", "looks like Markdown, and its marks are parsed as text, too; save it as plain text"),
        ("letter.eml", "looks like an e-mail, and its header lines are parsed as text, too; save its text without"))
      for model in ("lpcfg", "dependency") for option in ("", " --raw")),
    # What a grammar was trained with.
    ("parse {lpcfg} {tokens.txt} --keep-tag-suffix", 1, "`train lpcfg --keep-tag-suffix` decides"),
    ("parse {lpcfg} {tokens.txt} --no-keep-tag-suffix", 0, "2 lines"),
    ("parse {dependency} {tree.conllu} --keep-tag-suffix", 1, "--keep-tag-suffix is for other kinds"),
    ("parse {lpcfg} {tokens.txt} --drop NP", 1, "--drop takes nodes out of trees"),
    ("parse {lpcfg} {trees.ptb} --drop VP", 0, "4 lines, 8 words"),
    ("parse {lpcfg} --constraints {partial.txt} --drop VP", 1, "leave out --tagged, --drop"),
    ("evaluate {trees.ptb} {trees.ptb} --strict --drop NP", 1, "leave out --drop or --strict"),
    ("parse {lpcfg} {trees.ptb} --drop XYZ", 1, "--drop XYZ: no node of the trees has this label; correct it"),
    ("parse {lpcfg} {trees.ptb} --drop CODE", 0, "4 lines, 16 words"),
    ("normalise {trees.ptb} --drop XYZ --out OUT", 1, "--drop XYZ: no node of the trees has this label; correct it"),
    ("evaluate {trees.ptb} {trees.ptb} --drop XYZ", 1, "--drop XYZ: no node of the trees has this label; correct it"),
    # Another encoding, another language, other labels.
    ("compare {latin.ptb} {latin.ptb} --out OUT", 1, "the text is not UTF-8"),
    ("evaluate {latin.ptb} {latin.ptb}", 1, "the text is not UTF-8"),
    ("evaluate {trees.ptb} {latin.ptb}", 1, "the text is not UTF-8"),
    ("parse {lpcfg} {german.txt}", 0, "is the text in the language of its trees?"),
    ("train rhmm {columns.txt} --dev {tree.conllu} --out OUT", 0, "none of these labels was learnt"),
    ("perplexity {lpcfg} {script.py}", 1, "script.py:1: this is source code"),
    ("info {lpcfg} --label NP --labels 2", 1, "--labels changes nothing for labels that are named"),
    # A text where the model should be.
    *((f"parse {{{name}}}", 1, "name a model before it, as in `eigenparse parse en") for name in (
        "text.txt", "tokens.txt", "trees.ptb", "tree.conllu")),
    ("parse gone.txt", 1, "`eigenparse parse en FILE`"),
    ("parse hello", 1, "give a sentence in quotation marks"),
    ("parse en the dog barks", 1, 'put it in quotation marks, as in `eigenparse parse en "the dog barks"`'),
    ("parse {lpcfg} the dog barks --kbest 2", 1, "a sentence is one argument; put it in quotation marks"),
    ("parse the dog barks loudly", 1, 'put it in quotation marks, as in `eigenparse parse en "the dog barks loudly"`'),
    ("parse dogs bark", 1, 'put it in quotation marks, as in `eigenparse parse en "dogs bark"`'),
    *((f"{verb} {{{name}}} {{{kind}}}", 1, f"the model comes first: `eigenparse {verb}") for verb, name, kind in (
        ("parse", "tokens.txt", "lpcfg"), ("tag", "columns.txt", "rhmm"), ("score", "trees.ptb", "lpcfg"),
        ("perplexity", "tokens.txt", "hmm"))),
    # More options that change nothing.
    ("draw {trees.ptb} --scale 3", 1, "--scale changes nothing with --format text"),
    ("draw {trees.ptb} --number 1 --format svg --scale 3", 1, "--scale changes nothing with --format svg"),
    ("draw {trees.ptb} --number 1 --format svg --width 30", 1, "--width changes nothing with --format svg"),
    ("draw {trees.ptb} --format text --folder OUT", 1, "--folder is for pictures"),
    ("plot {lpcfg} --out OUT.svg --most 5", 1, "add --gold FILE"),
    ("embed {tokens.txt} --out OUT --top 5", 1, "add --near WORD"),
    ("embed {vectors} --near the --dim 7", 1, "--dim is for learning"),
    ("transcribe {phones} {sound.wav} --folder OUT --out other.txt", 1, "leave one of them out"),
    ("tag {rhmm} {columns.txt} --kbest 2 --posteriors", 1, "leave one of them out"),
    ("evaluate {trees.ptb} {lpcfg} --calibration --strict", 1, "--strict changes nothing for --calibration"),
    ("evaluate {trees.ptb} {lpcfg} --calibration --format trees", 1, "--format changes nothing for --calibration"),
    # One name for the file that is written; another is understood.
    *((f"{verb} {option} OUT", 0, "") for option in ("--out", "--output", "-o") for verb in (
        "parse {lpcfg} {tokens.txt}", "sample {lpcfg}", "normalise {trees.ptb}", "tag {rhmm} {columns.txt}",
        "train hmm {tokens.txt} --states 2")),
    ("draw {tree.conllu} --out OUT.svg", 0, "wrote 6 pictures"),
    ("draw {tree.conllu} --number 2 --out OUT.svg", 0, "wrote"),
    # Other files where constraints should be, and options that --ask, constraints or other kinds do not know.
    *((f"parse {{lpcfg}} --constraints {{{name}}}", 1, "where sentences with constraints should be") for name in (
        "tree.conllu", "columns.txt", "page.html", "film.srt", "phones.phn")),
    ("parse {lpcfg} --constraints {partial.txt} --raw", 1, "holds the sentences too"),
    ("parse {lpcfg} --constraints {number.jsonl}", 1, "neither text nor a list of tokens"),
    ("parse {lpcfg} --constraints {tags.jsonl}", 1, "a tag has a blank or a bracket"),
    ("parse {lpcfg} --constraints {label.jsonl}", 1, "has a blank or a bracket; write a name"),
    ("parse {lpcfg} {tokens.txt} --ask --out OUT --jobs 2", 1, "leave out --jobs and --cluster"),
    ("parse {lpcfg} {tokens.txt} --ask --out OUT --cluster tcp://x:1", 1, "leave out --jobs and --cluster"),
    ("parse {lpcfg} {tokens.txt} --ask --out OUT --kbest 3", 1, "--kbest changes nothing for --ask"),
    ("parse {lpcfg} {tokens.txt} --ask --out OUT --format json", 1, "--format changes nothing for --ask"),
    ("parse {dependency} {tree.conllu} --format brackets", 1, "writes CoNLL-U"),
    ("parse {dependency} {tree.conllu} --drop NP", 1, "CoNLL-U holds none"),
    ("parse EN {tokens.txt}", 1, "wrote, or en"),
    # Results that would hold nothing, and files that do not fit each other or their names.
    ("compare {trees.ptb} {other.ptb} --out OUT", 1, "none of the 4 sentences has the same words"),
    ("evaluate {trees.ptb} {other.ptb}", 1, "none of the 4 sentences has the same words"),
    ("evaluate {trees.ptb} {trees.ptb} --compare {other.ptb}", 1, "none of the 4 sentences has the same words"),
    ("evaluate {trees.ptb} {trees.ptb} --params {empty.txt}", 1, "holds no parameters"),
    ("evaluate {trees.ptb} {trees.ptb} --compare {trees.ptb} --resamples 0", 1, "resamples must be 1 or more"),
    ("guide {lpcfg} {untagged.conllu} --out OUT", 1, "no whole tree of any sentence"),
    ("normalise {trees.ptb} --drop TOP --out OUT", 1, "no tree has a word that is kept"),
    ("plot {list.json} --out OUT.svg", 1, "no JSON object"),
    ("draw {trees.ptb} --out OUT.svg --format png", 1, "does not fit the file's name"),
    ("transcribe {phones} {song.mp3}", 1, "audio in another format, or damaged"),
    *((f"{verb} {{{name}}}{rest}", 1, said) for name, said in (
        ("null.txt", "this is binary data"), ("drawing.svg", "this is HTML or XML"))
      for verb, rest in (("parse {lpcfg}", ""), ("train lpcfg", " --out OUT"), ("tag {rhmm}", ""))),
    # Mistakes that were found out too late, or taken for something else.
    ("reproduce cohen2014 --out {text.txt}", 1, "is a file; name a folder"),
    ("serve {lpcfg} --port 0 --allow-host http://a.b/c", 1, "--allow-host must be a host name"),
    ("serve {lpcfg} --port 0 --host nosuchhost.invalid", 1, "choose another --host or --port"),
    # Options that do not go together or are out of range.
    ("parse {lpcfg} {text.txt} --raw --tokens", 1, "exclude each other"),
    ("parse {lpcfg} {text.txt} --raw --tagged", 1, "exclude each other"),
    ("parse {lpcfg} {text.txt} --kbest 0", 2, "--kbest"),
    ("parse {lpcfg} {text.txt} --format pdf", 2, "--format"),
    ("parse {lpcfg} {text.txt} --jobs -1", 2, "--jobs"),
    ("parse {lpcfg} {text.txt} --threshold x", 2, "--threshold"),
    ("parse {lpcfg} {text.txt} --memory 0", 2, "--memory"),
    ("parse {dependency} {tree.conllu} --format json", 1, "writes CoNLL-U"),
    ("parse {dependency} {tree.conllu} --decoder max-rule", 1, "--decoder is for other kinds"),
    ("score {rhmm} {tokens.txt}", 1, "the tokens have no labels"),
    ("parse {lpcfg} missing.txt", 1, "missing.txt"),
    ("parse missing.model {text.txt}", 1, "no such file"),
    ("parse {lpcfg} {text.txt} --output {text.txt}", 1, "would replace"),
    ("parse {lpcfg} {text.txt} --output no/such/folder/x", 1, "its directory does not exist"),
    ("parse", 2, "Missing argument"),
    ("parze x", 2, "No such command"),
    ("train lpcgf {trees.ptb}", 2, "No such command"),
    ("train lpcfg {trees.ptb}", 2, "--out"),
    ("train lpcfg {trees.ptb} --out OUT --states 0", 1, "states must be"),
    ("train lpcfg {trees.ptb} --out OUT --states 1000", 1, "states must be"),
    ("train lpcfg {trees.ptb} --out OUT --method magic", 2, "--method"),
    ("train lpcfg {trees.ptb} --out OUT --ensemble 0", 1, "ensemble must be"),
    ("train lpcfg {trees.ptb} --out OUT --vertical 3", 1, "vertical must be"),
    ("train lpcfg {trees.ptb} --out OUT --span-loss 2", 1, "span_loss must be"),
    ("train lpcfg {trees.ptb} --out OUT --dev {tree.conllu}", 1, "this is CoNLL-U"),
    ("train lpcfg {trees.ptb} --out OUT --dev missing.ptb", 1, "no such file"),
    ("train lpcfg {trees.ptb} --out {trees.ptb}", 1, "would replace"),
    ("train lpcfg {trees.ptb} --out {nothing}", 1, "is a directory"),
    ("train lpcfg no/such/*.ptb --out OUT", 1, "no such file"),
    ("train rhmm {text.txt} --out OUT", 1, "this is plain text"),
    ("train rhmm {data.json} --out OUT", 1, "this is JSON"),
    ("train rhmm {columns.txt} --label nothing --out OUT", 1, "nothing"),
    ("train hmm {trees.ptb} --out OUT", 1, "this is bracketed trees"),
    ("train hmm {page.html} --out OUT", 1, "this is HTML"),
    ("train hmm {columns.txt} --out OUT", 1, "this is columns"),
    ("train phones {sound.wav} --out OUT", 1, "is a file; name a folder"),
    ("train phones {nothing} --out OUT", 1, "no recording"),
    ("train phones missing --out OUT", 1, "no such folder"),
    ("train reranker {tree.conllu} --out OUT", 1, "--parser"),
    ("train reranker {tree.conllu} --parser {lpcfg} --out OUT", 1, "holds a"),
    ("embed {trees.ptb} --out OUT", 1, "this is bracketed trees"),
    ("embed {sound.wav} --out OUT", 1, "this is audio"),
    ("embed {tokens.txt} --out OUT", 1, "cannot have 50 dimensions"),
    ("embed {tokens.txt} --near dog", 1, "not a file of vectors"),
    ("perplexity {hmm} {tree.conllu}", 1, "this is CoNLL-U"),
    ("transcribe {phones} {text.txt}", 1, "not a recording"),
    ("transcribe {phones} {lpcfg}", 1, "not a recording"),
    ("transcribe {phones} missing.wav", 1, "missing.wav"),
    ("evaluate {trees.ptb} {tree.conllu}", 1, "this is CoNLL-U"),
    ("evaluate {trees.ptb} {text.txt}", 1, "this is plain text"),
    ("evaluate {trees.ptb} {lpcfg}", 1, "this is a model file"),
    ("evaluate {text.txt} {trees.ptb}", 1, "this is plain text"),
    ("evaluate {empty.txt} {trees.ptb}", 1, "--format"),
    ("evaluate {columns.txt} {trees.ptb}", 1, "its tokens are not those"),
    ("evaluate {trees.ptb} {trees.ptb} --format xml", 1, "format must be one of"),
    ("evaluate {trees.ptb} {trees.ptb} --params missing.prm", 1, "missing.prm"),
    ("evaluate {trees.ptb} {trees.ptb} --cutoff -1", 1, "cutoff must be"),
    ("evaluate {trees.ptb}", 2, "Missing argument"),
    ("compare {trees.ptb} {tree.conllu} --out OUT", 1, "this is CoNLL-U"),
    ("merge {lpcfg} {lpcfg} --out OUT", 1, "cannot be merged"),
    ("merge {hmm} {hmm} --out OUT", 1, "--keep-statistics"),
    ("draw {text.txt}", 1, "this is plain text"),
    ("draw {lpcfg}", 1, "this is a model file"),
    ("plot {trees.ptb} --out OUT", 1, "but bracketed trees"),
    ("plot {data.json} --out OUT", 1, "not a report"),
    ("rerank {dependency} {tree.conllu}", 1, "cannot rerank"),
    ("serve {rhmm} --port 0", 1, "holds a tagger"),
    ("serve missing.model --port 0", 1, "no such file"),
    ("convert {trees.ptb} --rules {text.txt}", 1, "text.txt"),
    ("normalise {trees.ptb} --binarise up", 2, "--binarise"),
    ("sample {lpcfg} -n -1", 2, "--number"),
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """Files and models by name."""
    return make_files(tmp_path_factory.mktemp("wrong"))


def test_there_are_many() -> None:
    assert len({case[0] for case in CASES}) == len(CASES) > 100


@pytest.mark.parametrize(("words", "code", "said"), CASES, ids=[case[0] for case in CASES])
def test_a_mistake_is_named(
    files: dict[str, pathlib.Path], tmp_path: pathlib.Path, words: str, code: int, said: str
) -> None:
    given = [
        str(files[word[1:-1]]) if word.startswith("{") else word.replace("OUT", str(tmp_path / "out"))
        for word in words.split()
    ]
    done = call(*given)
    assert done.code == code, done.err or done.out
    assert said in " ".join(done.err.split()), done.err
    assert "Traceback" not in done.err
    if code == 1:
        assert done.err.count("\n") <= 2, "one sentence, after at most one line about the input"
        assert any(mark in done.err for mark in (";", "must be", "use ")), "the sentence has a remedy"
        assert done.out == ""
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words", [("parse", ""), ("info", ""), ("train", "lpcfg", "", "--out", "x"), ("parse", "en", " ")]
)
def test_an_empty_argument_is_no_folder(words: tuple[str, ...]) -> None:
    done = call(*words)
    assert (done.code, done.out) == (1, "")
    assert "is empty; give a file or a text there" in done.err


EXTRAS = [
    ("eigenparse.serve", "create_app", "fastapi", "eigenparse[serve]"),
    ("eigenparse.integrations.spacy", "make_component", "spacy", "eigenparse[spacy]"),
    ("eigenparse.integrations.nltk", "EigenParser", "nltk", "eigenparse[nltk]"),
]


@pytest.mark.parametrize(("module", "name", "missing", "extra"), EXTRAS)
def test_a_missing_extra_is_named(
    module: str, name: str, missing: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [loaded for loaded in sys.modules if loaded.startswith(module)]:
        monkeypatch.delitem(sys.modules, loaded)
    for absent in [missing, *(loaded for loaded in sys.modules if loaded.startswith(f"{missing}."))]:
        monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(ImportError, match="pip install") as caught:
        getattr(importlib.import_module(module), name)
    assert extra in str(caught.value)
