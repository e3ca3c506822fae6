"""Limits of the service: size, number and duration of requests."""

from dataclasses import dataclass

from eigenparse.errors import OptionError
from eigenparse.serve.limits import Limits

LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits of the service.

    workers: processes that parse; one more takes short sentences only, so that they never wait behind
    long ones.  queue: requests that may wait beyond these; more are told 503.  per_client: requests of
    one address under way, more are told 429; 0 for no limit.  seconds: most time of a request, waiting
    included; then its work is stopped.  body_seconds: most time for a request to arrive.
    write_seconds: a client that reads nothing of its answer for this long is disconnected.
    max_answer: bytes of one answer.  memory: bytes that parsing one sentence may take.
    hosts: names that the service answers to; empty for any.
    """

    workers: int = 2
    queue: int = 128
    per_client: int = 0
    seconds: float = 20.0
    body_seconds: float = 10.0
    write_seconds: float = 10.0
    max_bytes: int = 262_144
    max_answer: int = 32_000_000
    max_words: int = 200
    max_word_length: int = 200
    max_sentences: int = 100
    max_trees: int = 20
    memory: int = 500_000_000
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        least = {
            "workers": 1, "queue": 0, "per_client": 0, "max_bytes": 1, "max_answer": 1, "max_words": 1,
            "max_word_length": 1, "max_sentences": 1, "max_trees": 1, "memory": 1,
        }  # fmt: skip
        for name, low in least.items():
            if getattr(self, name) < low:
                raise OptionError(f"{name} must be {low} or more, got {getattr(self, name)} instead")
        for name in ("seconds", "body_seconds", "write_seconds"):
            if not getattr(self, name) > 0:
                raise OptionError(f"{name} must be more than 0, got {getattr(self, name)} instead")

    @property
    def limits(self) -> Limits:
        """The limits that worker processes need."""
        return Limits(self.max_words, self.max_word_length, self.max_sentences, self.memory)
