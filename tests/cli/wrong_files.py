"""One small file of each kind that a user may have, and one small model of each kind, made once."""

import gzip
import io
import pathlib
import wave
import zipfile

import numpy as np
from tests.cli.calls import call

from eigenparse.corpus.brackets import write_trees
from eigenparse.synthetic import sample_treebank

TEXT = "The man can't see the dog.\nWhere is the dog?\nShe saw a cat, didn't she?\n"
TOKENS = "the man sees the dog .\nshe saw a cat .\n"
TREES = "(TOP (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NN cat)))))\n" * 4
WORDS = (("dogs", "NOUN", 2, "nsubj"), ("see", "VERB", 0, "root"), ("cats", "NOUN", 2, "obj"))
ROWS = "".join(f"{i}\t{w}\t_\t{t}\t{t}\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(WORDS, 1))
SCRIPT = "import os\n\n\ndef main(argv):\n    print('hello', argv[0])\n    return f(x)(y)\n"
COLUMNS = "the DT\ndog NN\nsaw VBD\ncats NNS\n\ncats NNS\nsaw VBD\nthe DT\ndog NN\n\n"


def sound(seconds: float = 0.5, rate: int = 16_000) -> bytes:
    """A tone as a WAV file."""
    samples = (8000 * np.sin(np.arange(int(seconds * rate)) * 0.1)).astype("<i2")
    stream = io.BytesIO()
    with wave.open(stream, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(samples.tobytes())
    return stream.getvalue()


def make_files(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Files by their kind."""
    packed, office = io.BytesIO(), io.BytesIO()
    for stream, name in ((packed, "a.txt"), (office, "[Content_Types].xml")):
        with zipfile.ZipFile(stream, "w") as archive:
            # The time at which it is packed puts the byte of a line's end before the name of its first member.
            archive.writestr(zipfile.ZipInfo(name, date_time=(2020, 1, 1, 12, 0, 20)), TEXT)
    contents: dict[str, bytes] = {
        "text.txt": TEXT.encode(), "tokens.txt": TOKENS.encode(), "trees.ptb": TREES.encode(),
        "broken.ptb": b"(TOP (S (NN dog)\n", "tree.conllu": (ROWS + "\n").encode() * 6,
        "columns.txt": COLUMNS.encode() * 5,
        "data.json": b'{"a": [1, 2]}\n', "page.html": b"<!doctype html>\n<p>x</p>\n", "sound.wav": sound(),
        "archive.zip": packed.getvalue(), "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "empty.txt": b"",
        "latin.txt": "caf\xe9 noir\n".encode("latin-1"), "wide.txt": "a dog".encode("utf-16"),
        "phones.phn": b"0 4000 a\n4000 8000 b\n",
        # What somebody in a hurry may have at hand.
        "letter.docx": office.getvalue(), "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n",
        "old.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "note.rtf": b"{\\rtf1\\ansi hello}",
        "utf32.txt": TEXT.encode("utf-32-le"), "unmarked.txt": TEXT.encode("utf-16-be"),
        "blank.txt": b"\n\n  \n", "tagged.txt": b"the_DT dog_NN barks_VBZ ._.\na_DT cat_NN saw_VBD it_PRP ._.\n",
        "slash.txt": b"the/DT dog/NN barks/VBZ ./.\n", "lines.jsonl": b'{"text": "a b"}\n{"text": "c d"}\n',
        "table.csv": b"id,text\n1,The dog barks.\n2,The cat sees.\n", "table.tsv": b"id\ttext\n1\tA dog.\n2\tA cat.\n",
        "page.xml": b'<?xml version="1.0"?>\n<s>x</s>\n', "square.ptb": b"[S [NP the dog] [VP barks]]\n",
        "numbers.txt": b"2 3\nthe 0.1 0.2 0.3\ndog 0.2 0.1 0.4\n", "song.mp3": b"ID3\x03" + bytes(60),
        "spaces.conllu": b"1 dogs _ NOUN N _ 2 nsubj _ _\n2 bark _ VERB V _ 0 root _ _\n\n",
        "wide.conllu": b"1\tdogs\t_\t_\tNNS\tNNS\t_\t_\t2\t2\tSBJ\tSBJ\t_\t_\n\n",
        "roots.conllu": b"1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2\tb\t_\tX\tX\t_\t0\troot\t_\t_\n\n",
        "cycle.conllu": b"1\ta\t_\tX\tX\t_\t2\tx\t_\t_\n2\tb\t_\tX\tX\t_\t1\tx\t_\t_\n\n",
        "headless.conllu": b"1\ta\t_\tX\tX\t_\t_\t_\t_\t_\n\n", "bare.ptb": b"(TOP (S NP VP))\n",
        "cut.ptb.gz": gzip.compress(TREES.encode() * 50)[:-20], "packed.ptb": gzip.compress(TREES.encode()),
        "latin.ptb": TREES.replace("dog", "d\xf6g").encode("latin-1"),
        "german.txt": b"Der alte Mann sah den Hund im Garten.\nDie Frau schlief.\n",
        "partial.txt": b"(NP the old man) the boats\nthe dog (VP saw (NP the cat))\n", "script.py": SCRIPT.encode(),
        "code.c": b'#include <stdio.h>\nint main(void) {\n    printf("hi\\n");\n    return (0);\n}\n',
        "film.srt": b"1\n00:00:01,000 --> 00:00:02,000\nHello there.\n\n2\n00:00:03,000 --> 00:00:04,000\nBye.\n",
        "set.yaml": b"# settings\nname: dogs\nweb:\n  image: dog\n  ports:\n    - 80\n",
        "set.toml": b'title = "dogs"\n\n[tool]\nname = "dog"\nlist = ["a"]\n',
        "set.ini": b"[core]\n\teditor = vim\n\tbare = false\n",
        "run.log": b"2026-01-01 12:00:00 INFO: started\n2026-01-01 12:00:01 ERROR: no dog\n",
        "notes.md": b"# A dog\n\nThe dog *barks*. It sees us.\n\n- first\n- second\n\n```\nx = 1\n```\n",
        "letter.eml": b"From: Ann <a@b.org>\nTo: Bob <b@b.org>\nSubject: dogs\n\nDear Bob,\n\nthe dog barks.\n",
        "open.txt": b"(NP the dog\n", "null.txt": b"the dog\0 barks .\n", "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"></svg>\n',
        "tags.jsonl": b'{"sentence": "a b", "tags": ["D T", null]}\n',
        "label.jsonl": b'{"sentence": "a b", "require": [[0, 2, "N P"]]}\n',
        "number.jsonl": b'{"sentence": 5}\n', "list.json": b"[1, 2, 3]\n",
        "other.ptb": TREES.replace("dog", "cow").encode(),
        "untagged.conllu": b"1\tdogs\t_\t_\t_\t_\t0\troot\t_\t_\n\n" * 6,
        "marked.ptb": b"\xef\xbb\xbf" + TREES.replace("\n", "\r\n").encode(), "giant.txt": b"the dog " * 2000,
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "speech").mkdir()
    for k in range(4):
        (folder / "speech" / f"u{k}.wav").write_bytes(sound())
        (folder / "speech" / f"u{k}.phn").write_bytes(contents["phones.phn"])
    (folder / "silent").mkdir()
    (folder / "silent" / "a.wav").write_bytes(sound())
    (folder / "nothing").mkdir()
    (folder / "prose").mkdir()
    (folder / "prose" / "README.txt").write_bytes(contents["text.txt"])
    (folder / "dangling").symlink_to(folder / "gone")
    (folder / "loop").symlink_to(folder / "loop")
    files = {
        name: folder / name
        for name in [*contents, "speech", "silent", "nothing", "prose", "dangling", "loop"]
    }
    return files | make_models(folder, files)


def make_models(folder: pathlib.Path, files: dict[str, pathlib.Path]) -> dict[str, pathlib.Path]:
    """Models by their kind."""
    write_trees(sample_treebank(60, 0), folder / "train.ptb")
    orders = {
        "lpcfg": ("train", "lpcfg", folder / "train.ptb", "--states", 2, "--span-loss", 0),
        "rhmm": ("train", "rhmm", files["columns.txt"], "--states", 2),
        "hmm": ("train", "hmm", files["tokens.txt"], "--states", 2, "--method", "em"),
        "dependency": ("train", "dependency", files["tree.conllu"]),
        "deptree": ("train", "deptree", files["tree.conllu"], "--states", 1),
        "vectors": ("embed", files["tokens.txt"], "--dim", 2, "--min-count", 1),
        "phones": ("train", "phones", files["speech"], "--method", "hmm", "--codes", 4),
    }
    made = {}
    for kind, order in orders.items():
        done = call(*order, "--out", folder / f"{kind}.model")
        assert done.code == 0, (order, done.err)
        made[kind] = folder / f"{kind}.model"
    made["half"] = folder / "half.model"
    made["half"].write_bytes(made["lpcfg"].read_bytes()[:500])
    return made
