"""One small file of each kind that a user may have, and one small model of each kind, made once."""

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
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.txt", TEXT)
    contents: dict[str, bytes] = {
        "text.txt": TEXT.encode(), "tokens.txt": TOKENS.encode(), "trees.ptb": TREES.encode(),
        "broken.ptb": b"(TOP (S (NN dog)\n", "tree.conllu": (ROWS + "\n").encode() * 6,
        "columns.txt": COLUMNS.encode() * 5,
        "data.json": b'{"a": [1, 2]}\n', "page.html": b"<!doctype html>\n<p>x</p>\n", "sound.wav": sound(),
        "archive.zip": packed.getvalue(), "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "empty.txt": b"",
        "latin.txt": "caf\xe9 noir\n".encode("latin-1"), "wide.txt": "a dog".encode("utf-16"),
        "phones.phn": b"0 4000 a\n4000 8000 b\n",
    }  # fmt: skip
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "speech").mkdir()
    for k in range(4):
        (folder / "speech" / f"u{k}.wav").write_bytes(sound())
        (folder / "speech" / f"u{k}.phn").write_bytes(contents["phones.phn"])
    (folder / "nothing").mkdir()
    (folder / "prose").mkdir()
    (folder / "prose" / "README.txt").write_bytes(contents["text.txt"])
    files = {name: folder / name for name in [*contents, "speech", "nothing", "prose"]}
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
    return made
