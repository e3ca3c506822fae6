"""Warming up parses, learns and uses models, and says how long each took."""

import pytest

from eigenparse.batch import warm_up


def test_models_are_learnt_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "MODELS", {})
    monkeypatch.setattr(warm_up, "N_TREES", 60)
    monkeypatch.setattr(warm_up, "LEARNT", {"hmm": "words.txt"})
    told = list(warm_up.warm_up(learning=True))
    assert [line.split()[0] for line in told] == ["hmm"]
    assert list(warm_up.warm_up(learning=False)) == []
