"""Files are recognised by how they begin."""

import pathlib

import numpy as np
import pytest

from eigenparse.corpus.recognise import NAMES, recognise
from eigenparse.models.container import write_container

CASES = {
    "name: a model\nstates: 8\nfeatures:\n  - words\n  - tags\n": "config",
    "[train]\nstates = 8\nseed = 0\n": "config",
    "2026-01-05 10:00:00 INFO started\n2026-01-05 10:00:01 ERROR stopped\n": "log",
    "# A title\n\nSome words here.\n\n- one item\n- another item\n": "markdown",
    "From: a@example.org\nTo: b@example.org\nSubject: rain\n\nIt rains.\n": "mail",
    "(NP the dog saw it\n": "unclosed",
    "(ROOT (S (NP (NN rain)) (VP (VBZ falls))))\n": "trees",
    "( (S (NP (NN rain))\n     (VP (VBZ falls))) )\n": "trees",
    "(\n (S (NN rain)))": "trees",
    "(TOP (UH Yes))": "trees",
    "(ROOT\n  (S\n    (NP (NN rain))\n    (VP (VBZ falls))))\n": "trees",
    "( ( O\nthe DT O\n": "tokens",
    "# sent_id = 1\n# text = Rain\n1\tRain\train\tNOUN\tNN\t_\t0\troot\t_\t_\n\n": "conllu",
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n": "conllu",
    "Rain NN B-NP\nfalls VBZ B-VP\n\nSo RB O\n": "columns",
    "(NP the old man) the boats\nthe dog (VP saw (NP the cat))\n": "partial",
    "(S (NP the old man) (VP the boats))\n": "partial",
    "(NP (DT the) (NN dog))\n": "trees",
    "The UN (UN Charter) said so.\n": "text",
    "He left (PP).\nThe vitamin (VP) was high.\n": "text",
    "import os\n\n\ndef main(argv):\n    return f(argv)\n": "code",
    '#include <stdio.h>\nint main(void) {\n  printf("hi");\n}\n': "code",
    "const a = require('b');\nfunction c() {\n  return a;\n}\n": "code",
    "tPA = tissue plasminogen activator\nuPA = urokinase plasminogen activator\n": "tokens",
    "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nBye.\n": "subtitles",
    '{"words": ["a"]}\n{"words": ["b"]}\n': "json",
    '[\n {"a": 1}\n]': "json",
    "<!doctype html>\n<p>x</p>": "markup",
    "I can't believe it's you.\nWhere are my keys?\n": "text",
    "Dogs bark.": "text",
    "Hello, world!": "text",
    "I ca n't believe it 's you .\nWhere are my keys ?\n": "tokens",
    "The old man the boats": "tokens",
    "Mr. Smith left at 5 p.m. yesterday .": "tokens",
    "( he said ) no .": "tokens",
    "[ 1 ] see below .": "tokens",
    "The cat sat .\nIt saw a dog .\n\nThen it ran .\n": "tokens",
    "0 10 h#\n10 30 sh\n": "phones",
    "the_DT dog_NN barks_VBZ ._.\n": "tagged",
    "-LRB-/-LRB- the/DT dog/NN 's/POS 1/2/CD ./.\n": "tagged",
    "and/or is a_b c": "tokens",
    "1 dogs _ NOUN N _ 2 nsubj _ _\n2 bark _ VERB V _ 0 root _ _\n\n": "spaced",
    "[S [NP the dog] [VP barks]]\n": "square",
    "id,text\n1,The dog barks.\n2,It sees.\n": "table",
    "Yes, we can.\nNo, we can't.\nWell, perhaps.\n": "text",
    "id\ttext\n1\tA dog.\n2\tA cat.\n": "table",
    "the 0.1 0.2\ndog 0.3 -0.4\n": "numbers",
    "It was 5 .\nPi 3.14 2.71 1.41\nno numbers here\n": "tokens",
    "": "empty",
    " \n\n": "empty",
}


@pytest.mark.parametrize("content", CASES)
def test_text_is_recognised(content: str) -> None:
    assert recognise(content.encode()) == CASES[content]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"RIFF\x24\0\0\0WAVEfmt ", "audio"),
        (b"fLaC\0\0", "audio"),
        (b"\x1f\x8b\x08", "packed"),
        (b"\0\1\2\3", "binary"),
        (b"%PDF-1.4\n", "document"),
        (b"PK\x03\x04" + b"[Content_Types].xml", "document"),
        (b"PK\x03\x04" + b"a.txt", "packed"),
    ],
)
def test_bytes_are_recognised(content: bytes, kind: str) -> None:
    assert recognise(content) == kind


def test_a_model_is_recognised(tmp_path: pathlib.Path) -> None:
    write_container(tmp_path / "m", kind="hmm", header={}, arrays={"a": np.zeros(3)})
    assert recognise((tmp_path / "m").read_bytes()) == "model"


def test_every_answer_has_a_name() -> None:
    assert set(CASES.values()) | {"audio", "packed", "document", "binary", "model"} == set(NAMES)
