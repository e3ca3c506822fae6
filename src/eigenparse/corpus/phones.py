"""Folders of recordings with phone alignments in, utterances of train, dev and test out; phone segments in,
frame labels out.

Two layouts: TIMIT's (TRAIN and TEST, dialect regions, speakers) with its customary parts by speaker, and any
folder of recordings with a ``.phn`` file beside each, cut by sub-folders ``train``, ``dev`` and ``test``.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eigenparse.arrays import IntVector, LongVector, as_ids, as_offsets, frozen
from eigenparse.corpus.audio import AUDIO_SUFFIXES
from eigenparse.corpus.files import read_text
from eigenparse.errors import DataError, FormatError

PARTS = ("train", "dev", "test")

# The 24 speakers of TIMIT's core test set, and the 50 test speakers that the literature develops on.
CORE_NAMES = (
    "mdab0 mwbt0 felc0 mtas1 mwew0 fpas0 mjmp0 mlnt0 fpkt0 mlll0 mtls0 fjlm0 "
    "mbpm0 mklt0 fnlp0 mcmj0 mjdh0 fmgd0 mgrt0 mnjm0 fdhc0 mjln0 mpam0 fmld0"
)
DEVELOPMENT_NAMES = (
    "faks0 fdac1 fjem0 mgwt0 mjar0 mmdb1 mmdm2 mpdf0 fcmh0 fkms0 mbdg0 mbwm0 mcsh0 fadg0 fdms0 fedw0 mgjf0 "
    "mglb0 mrtk0 mtaa0 mtdt0 mthc0 mwjg0 fnmr0 frew0 fsem0 mbns0 mmjr0 mdls0 mdlf0 mdvc0 mers0 fmah0 fdrw0 "
    "mrcs0 mrjm4 fcal1 mmwh0 fjsj0 majc0 mjsw0 mreb0 fgjd0 fjmg0 mroa0 mteb0 mjfc0 mrjr0 fmml0 mrws1"
)
CORE_TEST, DEVELOPMENT = frozenset(CORE_NAMES.split()), frozenset(DEVELOPMENT_NAMES.split())

# Lee and Hon (1989): these phones of TIMIT's 61 count as another; the glottal stop, which they delete, as silence.
FOLDED = {
    "ao": "aa", "ax": "ah", "ax-h": "ah", "axr": "er", "hv": "hh", "ix": "ih", "el": "l", "em": "m", "en": "n",
    "nx": "n", "eng": "ng", "zh": "sh", "ux": "uw", "pcl": "sil", "tcl": "sil", "kcl": "sil", "bcl": "sil",
    "dcl": "sil", "gcl": "sil", "h#": "sil", "pau": "sil", "epi": "sil", "q": "sil",
}  # fmt: skip
ALIGNMENTS = (".phn", ".textgrid")  # endings of files
SILENCE = "sil"  # what an interval without a mark counts as
_NUMBER = r"(?:xm(?:in|ax) = )?([\d.]+)\s+"
_INTERVAL = re.compile(_NUMBER + _NUMBER + r'(?:text = )?"((?:[^"]|"")*)"')
LAST_SAMPLE = 1 << 40  # two years at 16 kHz


@dataclass(frozen=True, slots=True)
class Segments:
    """The phones of one recording, in order.  start, end: (K,) samples, half-open; phones: K names."""

    start: LongVector
    end: LongVector
    phones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Utterance:
    """Where one recording and its alignment lie."""

    name: str
    audio: Path
    alignment: Path


@dataclass(frozen=True, slots=True)
class SpeechCorpus:
    """Utterances of each part, in the order of their names; ``is_timit`` calls for folding."""

    train: tuple[Utterance, ...]
    dev: tuple[Utterance, ...]
    test: tuple[Utterance, ...]
    is_timit: bool

    def part(self, name: str) -> tuple[Utterance, ...]:
        """The utterances of ``train``, ``dev`` or ``test``."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[name]


def fold_phone(phone: str) -> str:
    """TIMIT's 61 phones as 39."""
    return FOLDED.get(phone, phone)


def read_phn(path: str | Path) -> Segments:
    """A ``.phn`` file: first sample, end sample and phone per line; segments may not overlap or go back."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"{path}: cannot be read ({problem}); check the path") from None
    return parse_phn(lines, source=str(path))


def parse_phn(lines: Iterable[str], *, source: str = "phones") -> Segments:
    """The same from lines."""
    starts, ends, phones = [], [], []
    at = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        words = line.split()
        try:
            begin, end, phone = int(words[0]), int(words[1]), words[2]
        except (ValueError, IndexError):
            raise _bad(f"{line.strip()!r} is not `start end phone`", source, number) from None
        if end > LAST_SAMPLE:
            raise _bad(f"segment {begin} to {end} ends beyond any recording", source, number)
        if begin < at or end < begin:
            raise _bad(f"segment {begin} to {end} overlaps or goes back", source, number)
        if end > begin:
            starts.append(begin)
            ends.append(end)
            phones.append(phone)
        at = end
    if not phones:
        raise _bad("no phone in the file", source, 1)
    return Segments(frozen(as_offsets(starts)), frozen(as_offsets(ends)), tuple(phones))


def _bad(problem: str, source: str, line: int) -> FormatError:
    return FormatError(
        problem, source=source, line=line, remedy="write sample, sample, phone per line, in order"
    )


def read_alignment(path: str | Path, rate: int) -> Segments:
    """A ``.phn`` file or a TextGrid; times of a TextGrid become samples at ``rate``."""
    path = Path(path)
    head = path.read_bytes()[:200] if path.is_file() else b""
    return (
        parse_textgrid(read_text(path), rate, source=str(path)) if b"ooTextFile" in head else read_phn(path)
    )


def parse_textgrid(text: str, rate: int, *, source: str = "TextGrid") -> Segments:
    """The intervals of the first interval tier of a Praat TextGrid, in the long or the short form."""
    tier = text.partition('"IntervalTier"')[2].partition('"IntervalTier"')[0]
    found = _INTERVAL.findall(tier.split('"TextTier"')[0])
    if not found:
        raise FormatError(
            "no interval tier", source=source, line=1, remedy="save intervals from Praat as a TextGrid"
        )
    try:
        rows = [
            f"{round(float(start) * rate)} {round(float(end) * rate)} {_phone_name(mark)}"
            for start, end, mark in found
        ]
    except (ValueError, OverflowError) as problem:
        raise FormatError(
            f"a time is not a number ({problem})", source=source, line=1, remedy="save it from Praat again"
        ) from None
    return parse_phn(rows, source=source)


def _phone_name(mark: str) -> str:
    """The mark of an interval as one word; none at all is silence."""
    return "_".join(mark.replace('""', '"').split()) or SILENCE


def write_textgrid(segments: Segments, rate: int) -> str:
    """The text of a Praat TextGrid with one interval tier, ``phones``."""
    end = float(segments.end[-1]) / rate
    rows = list(zip(segments.start.tolist(), segments.end.tolist(), segments.phones, strict=True))
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {end:.6f}"]
    lines += ["tiers? <exists>", "size = 1", "item []:", "    item [1]:", '        class = "IntervalTier"']
    lines += ['        name = "phones"', "        xmin = 0", f"        xmax = {end:.6f}"]
    lines.append(f"        intervals: size = {len(rows)}")
    for number, (first, last, phone) in enumerate(rows, start=1):
        lines += [f"        intervals [{number}]:", f"            xmin = {first / rate:.6f}"]
        quoted = phone.replace('"', '""')
        lines += [f"            xmax = {last / rate:.6f}", f'            text = "{quoted}"']
    return "\n".join(lines) + "\n"


def frame_phones(segments: Segments, n_frames: int, window: int, step: int) -> list[str]:
    """The phone at the middle of every frame; in gaps and beyond the alignment, the last phone before."""
    middle = np.arange(n_frames) * step + window // 2
    at = np.clip(np.searchsorted(segments.start, middle, side="right") - 1, 0, len(segments.phones) - 1)
    return [segments.phones[k] for k in at.tolist()]


def frame_segments(
    labels: Sequence[int] | IntVector, names: Sequence[str], n_samples: int, window: int, step: int
) -> Segments:
    """Runs of equal frame labels as phones: borders lie half-way between the middles of two frames."""
    ids = as_ids(labels)
    first = (
        np.concatenate([[0], np.flatnonzero(np.diff(ids)) + 1]) if ids.size else np.zeros(0, dtype=np.int64)
    )
    border = first * step + (window - step) // 2
    start = np.minimum(np.where(first == 0, 0, border), n_samples)
    end = np.append(start[1:], n_samples)
    return Segments(as_offsets(start), as_offsets(end), tuple(names[k] for k in ids[first].tolist()))


def find_speech(folder: str | Path) -> SpeechCorpus:
    """Utterances of a folder in either layout; DataError if there are none or recordings lack alignments."""
    folder = Path(folder)
    if not folder.is_dir():
        reason = "is a file" if folder.exists() else "no such folder"
        raise DataError(f"{folder}: {reason}; name a folder that holds recordings and .phn files")
    timit = _timit_root(folder)
    if timit is not None:
        return _timit(timit)
    below = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_dir()}
    parts = {part: _utterances(below[part]) if part in below else () for part in PARTS}
    if not parts["train"]:
        parts["train"] = _utterances(folder, but=[below[part] for part in PARTS if part in below])
    if not parts["train"]:
        raise DataError(f"{folder}: no recording with a .phn file beside it; put both in one folder")
    return SpeechCorpus(parts["train"], parts["dev"], parts["test"], is_timit=False)


def _utterances(folder: Path, but: Sequence[Path] = ()) -> tuple[Utterance, ...]:
    """Recordings below a folder, in order of their paths, each with its alignment."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in AUDIO_SUFFIXES or any(part in path.parents for part in but):
            continue
        alignment = next(
            (path.with_suffix(ending) for ending in (".phn", ".PHN") if path.with_suffix(ending).is_file()),
            None,
        )
        if alignment is None:
            raise DataError(f"{path}: has no .phn file beside it; add one or move the recording away")
        found.append(Utterance(path.relative_to(folder).with_suffix("").as_posix(), path, alignment))
    return tuple(found)


def _timit_root(folder: Path) -> Path | None:
    """The folder that holds TRAIN/DR1 and TEST/DR1, itself or below (``timit/TIMIT``), if any."""
    for candidate in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        names = {path.name.lower(): path for path in candidate.iterdir()} if candidate.is_dir() else {}
        if {"train", "test"} <= names.keys() and names["train"].is_dir():
            regions = {path.name.lower() for path in names["train"].iterdir()}
            if any(f"dr{k}" in regions for k in range(1, 9)):
                return candidate
    return None


def _timit(root: Path) -> SpeechCorpus:
    """TIMIT's customary parts: sx and si sentences; development and core test speakers out of TEST."""
    by_name = {path.name.lower(): path for path in sorted(root.iterdir())}
    everything = {part: [u for u in _utterances(by_name[part]) if _counts(u)] for part in ("train", "test")}
    test = everything["test"]
    return SpeechCorpus(
        tuple(everything["train"]),
        tuple(u for u in test if speaker_of(u) in DEVELOPMENT),
        tuple(u for u in test if speaker_of(u) in CORE_TEST),
        is_timit=True,
    )


def speaker_of(utterance: Utterance) -> str:
    """TIMIT's speaker: the name of the folder."""
    return utterance.audio.parent.name.lower()


def _counts(utterance: Utterance) -> bool:
    """Leave out the two sa sentences, which every speaker reads, and second copies (``.WAV.wav``)."""
    stem = utterance.audio.name.lower()
    return not stem.startswith("sa") and stem.count(".") == 1
