"""The outermost layer: every connection in; bodies of bounded size that arrive in time, headers and a log out."""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from eigenparse.serve.crew import LOG
from eigenparse.serve.metrics import Metrics
from eigenparse.serve.refusal import Refusal, gone, internal, problem
from eigenparse.serve.settings import Settings

MUCH = 1 << 14  # bytes; larger bodies take a while to parse
MOST_READ = 1 << 26  # bytes; larger bodies are not read to their end
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        b"img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
)


class Guard:
    """Wraps an application; refuses what is too large, too slow, too much or meant for another host."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.under_way: Counter[str] = Counter()
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, seen = time.perf_counter(), {"status": 0, "bytes": 0}
        client = str(scope["client"][0]) if scope.get("client") else "-"
        answer = _noting(send, seen)
        self.under_way[client] += scope["method"] == "POST"  # pages and facts are free
        try:
            self._check(scope, client)
            body = await self._body(receive)
            if len(body) > MUCH:  # one at a time, so that hang-ups are noticed between two of them
                async with self._turn:
                    if await _has_left(receive):
                        raise gone()
            await self.app(scope, _replayed(body, receive), answer)
        except Refusal as refusal:
            await refuse(refusal, answer)
        except Exception:
            logging.getLogger(LOG).exception("%s %s failed", scope["method"], scope["path"])
            if not seen["status"]:
                await refuse(internal(), answer)
        finally:
            self.under_way[client] -= scope["method"] == "POST"
            self.under_way += Counter()  # forget addresses without requests
            seconds = time.perf_counter() - begun
            self.metrics.note(scope["method"], scope["path"], seen["status"], seconds)
            _log(scope, client, seen, seconds)

    def _check(self, scope: Scope, client: str) -> None:
        """Refuse a request by its headers."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = host.rsplit(":", 1)[0] if host.rsplit(":", 1)[-1].isdigit() else host
        if self.settings.hosts and name not in self.settings.hosts:
            raise Refusal(421, "wrong_host", "this service does not answer to that host name")
        most = self.settings.per_client
        if most and scope["method"] == "POST" and self.under_way[client] > most:
            raise Refusal(
                429, "too_many_requests", f"more than {most} requests of yours are under way", retry=1
            )
        size = headers.get(b"content-length", b"0")
        most = self.settings.max_bytes if b"expect" in headers else max(MOST_READ, self.settings.max_bytes)
        if not size.isdigit() or int(size) > most:
            raise self._too_large()

    async def _body(self, receive: Receive) -> bytes:
        """The whole body, or a refusal if it is too large or arrives too slowly.

        What is too large is thrown away but read to its end: a client that is still sending when the
        connection closes would not see the answer.
        """
        parts: list[bytes] = []
        total, more = 0, True
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                while more and total <= max(MOST_READ, self.settings.max_bytes):
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(400, "gone", "the connection was closed before the request was whole")
                    part = message.get("body", b"")
                    total += len(part)
                    more = message.get("more_body", False)
                    if total <= self.settings.max_bytes:
                        parts.append(part)
                    else:
                        parts.clear()
        except TimeoutError:
            if total <= self.settings.max_bytes:
                raise Refusal(
                    408, "slow", f"the request was not whole after {self.settings.body_seconds:g} seconds"
                ) from None
        if total > self.settings.max_bytes:
            raise self._too_large()
        return b"".join(parts)

    def _too_large(self) -> Refusal:
        return Refusal(413, "too_large", f"the body is larger than {self.settings.max_bytes} bytes")


async def _has_left(receive: Receive) -> bool:
    """Whether the client has hung up already; it takes the event loop a few turns to notice."""
    message = asyncio.ensure_future(receive())
    for _ in range(3):
        await asyncio.sleep(0)
    message.cancel()
    return message.done() and not message.cancelled() and message.result()["type"] == "http.disconnect"


def _noting(send: Send, seen: dict[str, int]) -> Send:
    """A ``send`` that adds headers and records status and size."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            seen["status"] = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        elif message["type"] == "http.response.body":
            seen["bytes"] += len(message.get("body", b""))
        await send(message)

    return sent


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the body once and then waits for the connection to end."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def refuse(refusal: Refusal, send: Send) -> None:
    """Answer with a problem; connections whose body was not read are closed."""
    content = json.dumps(problem(refusal.code, refusal.message)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    if refusal.retry is not None:
        headers.append((b"retry-after", str(refusal.retry).encode()))
    if refusal.status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _log(scope: Scope, client: str, seen: dict[str, int], seconds: float) -> None:
    """One line per request; what was asked stays private."""
    write: Callable[..., None] = logging.getLogger(LOG).info
    write(
        "%s %s %s %d %dB %.1fms",
        client,
        scope["method"],
        scope["path"][:200].encode("unicode_escape").decode("ascii"),
        seen["status"],
        seen["bytes"],
        1000 * seconds,
    )
