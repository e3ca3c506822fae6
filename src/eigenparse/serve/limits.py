"""Limits on the size of a request, and the refusals of larger ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from eigenparse.serve.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one request, as worker processes need them."""

    max_words: int = 200
    max_word_length: int = 200
    max_sentences: int = 100
    memory: int = 500_000_000


def check_words(words: Sequence[str], limits: Limits) -> None:
    """Refuse words that are too long."""
    longest = max(map(len, words), default=0)
    if longest > limits.max_word_length:
        raise Refusal(
            413,
            "long_word",
            f"a word of {longest} characters; at most {limits.max_word_length} are allowed",
        )


def check_length(n: int, limits: Limits) -> None:
    """Refuse sentences that are too long."""
    if n > limits.max_words:
        raise Refusal(413, "too_long", f"a sentence of {n} words; at most {limits.max_words} are allowed")


def check_number(n: int, limits: Limits, what: str) -> None:
    """Refuse requests with too many sentences or trees."""
    if n > limits.max_sentences:
        raise Refusal(413, "too_many", f"{n} {what} at once; send at most {limits.max_sentences}")
