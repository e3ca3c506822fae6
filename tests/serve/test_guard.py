"""Large bodies are understood one at a time, so that clients that have left cost nothing."""

import asyncio
from typing import Any

from eigenparse.serve.guard import MUCH, Guard
from eigenparse.serve.metrics import Metrics
from eigenparse.serve.settings import Settings

CLIENTS = 20


def test_bodies_of_clients_that_left_are_not_looked_at() -> None:
    understood = []
    left = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        understood.append(await receive())
        left.set()  # all clients hang up while the first body is looked at

    async def request(guard: Guard) -> None:
        body = [{"type": "http.request", "body": b" " * (MUCH + 1), "more_body": False}]

        async def receive() -> Any:
            if body:
                return body.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            pass

        scope = {"type": "http", "method": "POST", "path": "/parse", "headers": []}
        await guard(scope, receive, send)

    async def run() -> None:
        guard = Guard(app, Settings(), Metrics())
        await asyncio.gather(*(request(guard) for _ in range(CLIENTS)))

    asyncio.run(run())
    assert 1 <= len(understood) < CLIENTS // 2
