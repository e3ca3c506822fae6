"""Finished trials on disk: each result is added when it is ready, so that an interrupted run can continue."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from eigenparse.corpus.columns import Treebank
from eigenparse.corpus.files import read_text
from eigenparse.errors import DataError
from eigenparse.experiments.trials import Outcome, Trial, run_groups


def trial_keys(trials: Sequence[Trial]) -> list[str]:
    """For each trial a digest of everything that its result depends on."""
    banks = {id(bank): bank for trial in trials for bank in (trial.source, trial.gold)}
    digests = {name: _treebank_digest(bank) for name, bank in banks.items()}
    keys = []
    for trial in trials:
        place = (trial.part, trial.setting, trial.x, trial.run, trial.tagged)
        digest = hashlib.sha256(f"{place!r} {trial.options!r}".encode())
        for bank, chosen in ((trial.source, trial.train), (trial.gold, trial.test)):
            digest.update(np.ascontiguousarray(chosen, dtype=np.int64).tobytes() + digests[id(bank)])
        keys.append(digest.hexdigest())
    return keys


def _treebank_digest(treebank: Treebank) -> bytes:
    digest = hashlib.sha256("\n".join((*treebank.labels, "", *treebank.words)).encode("utf-8", "replace"))
    for column in (treebank.label, treebank.parent, treebank.word, treebank.offsets):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.digest()


def read_journal(path: Path) -> dict[str, Outcome]:
    """Results by key; lines that were cut short when a run was killed are ignored."""
    found: dict[str, Outcome] = {}
    for line in read_text(path).split("\n") if path.exists() else ():
        try:
            content = json.loads(line)
            found[content["key"]] = Outcome(**content["outcome"])
        except (ValueError, KeyError, TypeError):
            continue
    return found


def journalled(
    trials: Sequence[Trial], path: Path, *, jobs: int, resume: bool
) -> Iterator[tuple[int, Outcome]]:
    """Place and outcome of every trial as it is done; with ``resume``, those in the journal are not run again."""
    known = read_journal(path) if resume else {}
    keys = trial_keys(trials)
    todo = [place for place, key in enumerate(keys) if key not in known]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("a" if resume else "w", encoding="utf-8")
    except OSError as problem:
        raise DataError(f"{path}: cannot be written ({problem.strerror}); name another --out") from None
    with stream:
        stream.write("\n" if resume else "")  # ends a line that was cut short
        yield from ((place, known[key]) for place, key in enumerate(keys) if key in known)
        for number, outcome in run_groups([trials[place] for place in todo], jobs=jobs):
            entry = {"key": keys[todo[number]], "outcome": asdict(outcome)}
            stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
            stream.flush()
            yield todo[number], outcome
