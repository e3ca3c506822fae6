"""Why a request is not served: a status, a code and a sentence, and how they are written."""

import json
from typing import Any


class Refusal(Exception):  # noqa: N818  (no error of ours)
    """A request that is not served: an HTTP status, a short code and a sentence for the client.

    retry: seconds after which the client may try again.
    """

    def __init__(self, status: int, code: str, message: str, *, retry: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry = status, code, message, retry

    def as_bytes(self) -> bytes:
        """The refusal as a message between processes."""
        return json.dumps([self.status, self.code, self.message, self.retry]).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Refusal":
        """The refusal that ``as_bytes`` wrote."""
        status, code, message, retry = json.loads(content)
        return cls(status, code, message, retry=retry)


def too_slow(seconds: float) -> Refusal:
    """The refusal of a request that takes too long."""
    message = f"not done within {seconds:g} seconds; send less at a time or try again later"
    return Refusal(503, "too_slow", message, retry=5)


def busy(n: int) -> Refusal:
    """The refusal of a request for which there is no place in the queue."""
    return Refusal(503, "busy", f"{n} requests are under way; try again in a second", retry=1)


def gone() -> Refusal:
    """The log entry of a request whose client hung up."""
    return Refusal(499, "hung_up", "the client hung up before it was answered")


def internal() -> Refusal:
    """The refusal of a request that made the service fail; the log says why."""
    return Refusal(500, "internal", "the service failed; its log says why")


def problem(code: str, message: str) -> dict[str, Any]:
    """The body of every answer that is not a success."""
    return {"error": {"code": code, "message": message}}
