"""What is fuzzed: good inputs, ways to spoil them, and readers that must answer or refuse with a sentence."""

import copy
import io
import json
import pathlib
import random
import struct
import wave
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from eigenparse.corpus.audio import read_audio
from eigenparse.corpus.brackets import format_trees, parse_trees
from eigenparse.corpus.columns import check_trees
from eigenparse.corpus.conllu import read_conllu
from eigenparse.corpus.heads import load_rules
from eigenparse.corpus.label_sources import read_labelled
from eigenparse.corpus.normalise import normalise
from eigenparse.corpus.phones import frame_phones, parse_phn, read_alignment, read_phn
from eigenparse.corpus.transform import Binarisation, binarise, unbinarise
from eigenparse.errors import EigenparseError
from eigenparse.evaluate.evalb_params import read_params
from eigenparse.models import container
from eigenparse.models.grammar import packed

TREES = (
    b"( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks) (NP (-NONE- *T*-1))) (. .)) )\n(ROOT\n  (X (Y z)))\n"
)
CONLLU = (
    "# text = Dogs don't bark\n1\tDogs\tdog\tNOUN\tNNS\t_\t4\tnsubj\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_\n3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_\n"
    "4\tbark\tbark\tVERB\tVB\t_\t0\troot\t_\t_\n4.1\tx\tx\tX\tX\t_\t_\t_\t0:root\t_\n\n"
    "1\tHé\thé\tINTJ\tUH\t_\t0\troot\t_\t_\n\n"
).encode()
NBEST = "".join(
    f"# rank = {rank}\n# score = {-rank}.5\n1\tDogs\t_\tNOUN\t_\t_\t{first}\tdep\t_\t_\n"
    f"2\tbark\t_\tVERB\t_\t_\t{second}\tdep\t_\t_\n\n"
    for rank, first, second in ((1, 2, 0), (2, 0, 1))
)
COLUMNS = "Dogs NNS B-NP\nbark VBP B-VP\n. . O\n\nHé UH O\n\n".encode()
TAGGED = "Dogs_NNS bark_VBP ._.\nHé_UH\n".encode()
PARAMS = (
    b"DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\nDELETE_LABEL TOP\nEQ_LABEL ADVP PRT\nEQ_WORD a b\n"
)
PIECES = [
    b"(", b")", b" ", b"\n", b"\t", b"\r", b"\r\n", b"_", b"-", b".", b"0", b"1", b"9" * 30, b"-1", b"#", b"%", b"/*",
    b"\xff", b"\xe2\x82", "é".encode(), "\u202e".encode(), "\u2028".encode(), "\u0085".encode(), b"\x00", b"\x1b[2J",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b"\xed\xa0\x80", b"(" * 500, b"a" * 5000,
    b'"', b"[", b"{", b"]", b"}", b",", b":", b"[" * 3000, b'{"sentence":' * 300, b"1e999", b'"\\ud800"', b"null",
    b"true", b"\\u0000", b"TOP", b"-NONE-", b"\t_" * 9, b"NaN", b"DELETE_LABEL ", b"EQ_WORD ",
]  # fmt: skip
Edit = tuple[int, int, int]  # what to do, where (of 65,536 places), with what


def spoil(content: bytes, edits: list[Edit]) -> bytes:
    """A content after some edits; the same edits do the same."""
    text = bytearray(content)
    for kind, where, what in edits:
        at = where * (len(text) + 1) >> 16
        if kind == 0:
            del text[at : at + what % 40]
        elif kind == 1:
            text[at:at] = PIECES[what % len(PIECES)]
        elif kind == 2:
            text[at : at + 1] = bytes([what % 256])
        elif kind == 3:
            text[at:at] = text[max(at - what % 200, 0) : at]
        else:
            del text[at:]
    return bytes(text)


def random_edits(draw: random.Random, most: int = 8, *, tamper: bool = False) -> list[Edit]:
    """Edits for runs without hypothesis; cutting the rest off is rare, values of arrays change often."""
    kinds = [0, 0, 2, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 7, 7] if tamper else [0, 1, 2, 3] * 5 + [4]
    return [
        (draw.choice(kinds), draw.randrange(1 << 16), draw.randrange(1 << 16))
        for _ in range(draw.randint(1, most))
    ]


def read_brackets(path: pathlib.Path) -> None:
    """Read, clean, make binary, write: what is read must survive the whole way."""
    content = path.read_bytes()
    for skip_broken in (False, True):
        treebank = normalise(parse_trees(content, skip_broken=skip_broken))
        if not len(treebank):
            continue
        for factor in ("head", "left"):
            trees = check_trees(binarise(treebank, Binarisation(factor=factor)))
            assert len(unbinarise(trees)) == len(treebank)
        format_trees(treebank)


def read_phones(path: pathlib.Path) -> None:
    segments = read_phn(path)
    frame_phones(segments, 5, 400, 160)
    rows = zip(segments.start.tolist(), segments.end.tolist(), segments.phones, strict=True)
    written = "".join(f"{start} {end} {phone}\n" for start, end, phone in rows)
    assert read_phn_text(written).phones == segments.phones


def read_phn_text(text: str) -> Any:
    return parse_phn(text.splitlines())


def read_lists(path: pathlib.Path) -> None:
    from eigenparse.corpus.files import read_text
    from eigenparse.decode.dependency.rerank import candidates, read_nbest

    corpus, groups, scores = read_nbest(read_text(path).split("\n"), source="lists")
    candidates(corpus.trees, groups, scores, ())


def tone(form: bytes) -> bytes:
    """A short recording."""
    samples = (8000 * np.sin(np.arange(2400) / 5)).astype("<i2").tobytes()
    if form == b"RIFF":
        stream = io.BytesIO()
        with wave.open(stream, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(16000)
            out.writeframes(samples)
        return stream.getvalue()
    head = (
        "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 2400\nsample_rate -i 16000\nsample_n_bytes -i 2\n"
        "sample_byte_format -s2 01\nsample_coding -s3 pcm\nend_head\n"
    )
    return head.encode().ljust(1024) + samples


def read_vectors(path: pathlib.Path) -> None:
    from eigenparse.models.vectors.word2vec import load_vectors

    load_vectors(path)


REPORT = """{"format": "eigenparse-report-1", "report": {"title": "t", "intro": "i", "sections": [{"title": "s",
 "text": "x", "items": [{"kind": "table", "title": "t", "header": ["a", "b"], "rows": [["x", 1.5], [null, 2]],
 "note": ""}, {"kind": "curves", "title": "c", "x_label": "x", "y_label": "y", "note": "", "x_log": false,
 "y_log": true, "series": [{"name": "n", "x": [1, 2], "y": [3.0, 4.5], "low": [], "high": []}]}]}]}}"""
TRAINING = """{"options": {"states": 2}, "seconds": {"EM": 1.5, "counts": 0.5}, "labels": ["NP", "VP"],
 "states": [2, 1], "report": {"n_words": 9, "label_counts": [3, 2], "members": [
 {"singular": {"0": [0.5, 0.25], "1": [0.125]},
 "log_likelihood": [-9.5, -8.25]}]}}"""
TEXTGRID = """File type = "ooTextFile"
Object class = "TextGrid"
xmin = 0
xmax = 0.1
tiers? <exists>
size = 1
item []:
    item [1]:
        class = "IntervalTier"
        name = "phones"
        xmin = 0
        xmax = 0.1
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.05
            text = "a"
        intervals [2]:
            xmin = 0.05
            xmax = 0.1
            text = "n x"
"""
KNOWN = b"""(NP the old man) the boats
{"sentence": ["the", "old", "man"], "tags": [null, "NN", "NN"], "require": [[0, 2, "NP"], {"start": 1, "end": 3}]}
{"sentence": "the old man", "forbid": [[0, 2]]}
"""


def read_plot(path: pathlib.Path) -> None:
    """Curves of a report, or of a training."""
    from eigenparse.batch.plot import plot

    source = path.with_suffix(".json")
    source.write_bytes(path.read_bytes())
    plot(source, path.with_suffix(".svg"), None, most=10, n_labels=3)


def read_constraints(path: pathlib.Path) -> None:
    """Constraints of a file, and what they mean to a small grammar."""
    from tests.api.small import english

    from eigenparse.batch.parse_grammar import read_requests
    from eigenparse.batch.requests import ParseRequest

    asked = ParseRequest(source=pathlib.Path("-"), constraints=path, form="brackets", max_length=40)
    list(read_requests(english(), asked))


@dataclass(frozen=True, slots=True)
class Target:
    """Good inputs and the reader that is to be broken.  tamper: changes what an input says, not how."""

    name: str
    seeds: tuple[bytes, ...]
    read: Callable[[pathlib.Path], Any]
    tamper: Callable[[bytes, list[Edit]], bytes] | None = None


def refused_or_read(read: Callable[[pathlib.Path], Any], path: pathlib.Path) -> bool:
    """Whether an input was read; a refusal must be one printable sentence of ours."""
    try:
        read(path)
    except EigenparseError as problem:
        told = str(problem)
        assert told
        assert len(told) < 20_000
        return False
    return True


def spoil_model(content: bytes, edits: list[Edit]) -> bytes:
    """A model file with a valid checksum whose header values and arrays were tampered with.

    Edits 0 and 1 change the header, 2 to 4 one array, 5 two arrays at the same place, 6 what the container says
    about types, shapes and places of arrays, and 7 one array to values that it could have.
    """
    document, arrays = _opened(content)
    header = document["header"]
    if "packing" in header and edits[0][1] % 4:
        header, arrays = _spoilt_inside(header, arrays, edits)
    else:
        _tamper(header, arrays, edits)
    spoilt = _file(document["kind"], header, arrays)
    return _lying(spoilt, *lie[0][1:]) if (lie := [edit for edit in edits if edit[0] == 6]) else spoilt


def _opened(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON document and the arrays of a sound file."""
    length = struct.unpack("<Q", content[:8])[0]
    layout = json.loads(content[8 : 8 + length])
    return json.loads(layout["__metadata__"]["eigenparse"]), dict(load(content))


def _tamper(header: Any, arrays: dict[str, Any], edits: list[Edit]) -> None:
    for kind, where, what in edits:
        names = sorted(arrays)
        if kind in (0, 1) or not names:
            _tamper_header(header, where, what)
        elif kind != 6:
            for name in {names[where % len(names)], names[(where // 7 if kind == 5 else where) % len(names)]}:
                arrays[name] = (_altered if kind == 7 else _tampered)(arrays[name], kind, where, what)
                if kind == 4 and what % 5 == 0:
                    del arrays[name]


def _spoilt_inside(header: Any, arrays: dict[str, Any], edits: list[Edit]) -> tuple[Any, dict[str, Any]]:
    """A packed grammar of which the parts were tampered with before they were compressed."""
    parts = dict(packed._parts(header, arrays["packed"].tobytes()))
    inner = json.loads(parts.pop("header").tobytes())
    _tamper(inner, parts, edits)
    layout, pieces = [], []
    parts["header"] = np.frombuffer(json.dumps(inner).encode(), np.uint8)
    for name, array in parts.items():
        piece = zlib.compress(np.ascontiguousarray(array).tobytes(), 1)
        layout.append([name, array.dtype.str, list(array.shape), "zlib", len(piece)])
        pieces.append(piece)
    return {**header, "layout": layout}, {"packed": np.frombuffer(b"".join(pieces), np.uint8)}


def _lying(content: bytes, where: int, what: int) -> bytes:
    """A file whose container announces another type, shape or place of an array than it has."""
    length = struct.unpack("<Q", content[:8])[0]
    layout = json.loads(content[8 : 8 + length])
    names = sorted(layout.keys() - {"__metadata__"})
    if names:
        _tamper_header(layout[names[where % len(names)]], where // 5, what)
    text = json.dumps(layout).encode()
    return struct.pack("<Q", len(text) if what % 9 else what << 40) + text + content[8 + length :]


def spoil_json(content: bytes, edits: list[Edit]) -> bytes:
    """A JSON document of which some values were replaced, removed or repeated."""
    document = json.loads(content)
    for _, where, what in edits:
        _tamper_header(document, where, what)
    return json.dumps(document).encode()


def _file(kind: str, header: Any, arrays: dict[str, Any]) -> bytes:
    """A model file; unlike ours, it may hold text that is no text."""
    document = {
        "version": container.FORMAT_VERSION, "kind": kind, "sha256": container.digest(arrays), "header": header,
    }  # fmt: skip
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(contiguous, metadata={"eigenparse": json.dumps(document)})


VALUES: tuple[Any, ...] = (
    -1, 0, 1, 2**31, 2**63, 10**30, 1e300, True, None, "", "x", "\u202e", [], [[]], {}, ["a", 1], {"a": {}}, [None] * 3,
    "\ud800", "(" * 2000, "a " * 500, " ", "\x00", 2.5, ["x"] * 300, float("nan"), float("-inf"), 10**400, -(2**63),
    "\x1b[2J\x07", "<script>", [[[[[[[[]]]]]]]], 1e-300, -0.5, 7, "\t\n",
)  # fmt: skip


WHOLE = (-1, 0, 1, 2, 127, 2**20, 2**31 - 1, -(2**31), 2**31, 2**32, 2**32 + 1, 2**62, 2**63 - 1, -(2**63))


def _tamper_header(header: Any, where: int, what: int) -> None:
    """Replace, remove or repeat one value somewhere below."""
    place = header
    for step in range(1 + where % 4):
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = keys[(where >> step) % len(keys)]
        below = place[key]
        if step == where % 4 or not isinstance(below, dict | list) or not below:
            if what % 7 == 0:
                del place[key]
            elif what % 7 == 1 and isinstance(place, list):
                place.append(copy.deepcopy(below))
            else:
                place[key] = copy.deepcopy(VALUES[what % len(VALUES)])
            return
        place = below


def _altered(array: Any, kind: int, where: int, what: int) -> Any:
    """Other values that pass for sound: those of other places, another order, other numbers near by."""
    flat = array.copy().reshape(-1)
    if not flat.size:
        return array
    at, other = where % flat.size, what % flat.size
    with np.errstate(all="ignore"):
        if what % 8 == 0:
            flat = flat[::-1]
        elif what % 8 == 1:
            flat[at:] = flat[other]
        elif what % 8 == 2:
            flat[at], flat[other] = flat[other], flat[at]
        elif what % 8 == 3:
            flat[:] = 0
        elif flat.dtype.kind == "f":
            flat[at] *= (0.0, -1.0, 1e3, 1e-30, 0.5)[what % 5]
        else:
            flat[at] = flat[other]
    return np.ascontiguousarray(flat.reshape(array.shape))


def _tampered(array: Any, kind: int, where: int, what: int) -> Any:
    """Another type, shape or value."""
    if kind == 2:
        types = ("i4", "i8", "u4", "f4", "f8", "?", "u1")
        with np.errstate(all="ignore"):
            return array.astype(types[what % len(types)])
    if kind == 3:
        shapes = (array.ravel(), array[:-1] if array.ndim and array.size else array, array[None],
                  np.concatenate([array, array]) if array.ndim else array, array.reshape(-1)[:0])  # fmt: skip
        return np.ascontiguousarray(shapes[what % len(shapes)])
    changed = array.copy().reshape(-1)
    if changed.size:
        with np.errstate(all="ignore"):
            if changed.dtype.kind == "f":
                value = (-1.0, 0.0, 1e30, -1e30, 1e-30, 1.0, 7.0, -0.0, 1e300, np.nan, np.inf)[what % 11]
            else:
                near = (array.size - 1, array.size, array.size + 1, int(changed[0]) + 1, int(changed[-1]) - 1)
                value = np.array((*WHOLE, *near)[what % (len(WHOLE) + len(near))] % 2**64, np.uint64).astype(
                    array.dtype
                )
            part = slice(where % changed.size, None if what % 3 == 0 else where % changed.size + 1)
            changed[part] = value
    return changed.reshape(array.shape)


TEXTS = (
    Target("brackets", (TREES, TREES * 5), read_brackets),
    Target("conllu", (CONLLU,), read_conllu),
    Target("conllu without heads", (CONLLU,), partial(read_conllu, heads=False, skip_broken=True)),
    Target("columns", (COLUMNS, TAGGED, CONLLU, TREES), read_labelled),
    Target("prm", (PARAMS,), read_params),
    Target("phn", (b"0 400 pau\n400 1200 a\n1200 1600 n\n",), read_phones),
    Target("wav", (tone(b"RIFF"), tone(b"NIST")), read_audio),
    Target("nbest", (NBEST.encode(),), read_lists),
    Target("report", (REPORT.encode(), TRAINING.encode()), read_plot, spoil_json),
    Target("textgrid", (TEXTGRID.encode(),), partial(read_alignment, rate=16000)),
    Target("constraints", (KNOWN,), read_constraints),
    Target("one constraint", (KNOWN.split(b"\n")[1],), read_constraints, spoil_json),
    Target("rules", (b"NP right NN NNS\n# x\nVP left VB/VBD VP\n",), load_rules),
    Target("word2vec", (b"2 3\nthe 1 2 3\ndog 0.5 -1e3 4\n",), read_vectors),
)
