"""The service under load: ordinary, silent, leaving and greedy clients on this machine.

python benchmarks/serve_load.py MODEL [--only SCENARIO ...] [--clients 50] [--seconds 60] [--workers 0]

Scenarios: ``plain`` (clients that ask again as soon as they are answered), ``hostile`` (the same beside 20
clients that never read and 20 that hang up), ``fair`` (one-sentence requests while two clients send 100
sentences of 150 words without pause), ``deadline`` (how soon workers are free after a time limit and after
clients hung up), ``memory`` (what parsing 200 words takes above the idle worker, under several limits).
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SENTENCES = (
    "The woman opened the box with a key .",
    "The men saw the dog that the girl liked .",
    "A boy in the park said that the teachers slept .",
    "The old picture on the wall of the house was sold yesterday .",
    "Nobody knew that the letter she had written was only a copy of another one .",
)
DECLARED = (200, 429, 503)
WORDS = " ".join(SENTENCES).replace(" .", "").lower().split()


@dataclass(frozen=True, slots=True)
class Server:
    """A running service."""

    pid: int
    port: int

    def family(self) -> list[int]:
        """The process ids of the service, of the process that forks, and of the workers."""
        found, todo = [], [self.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            for path in Path(f"/proc/{pid}/task").glob("*/children"):
                with contextlib.suppress(OSError):
                    todo += map(int, path.read_text().split())
        return found

    def megabytes(self) -> float:
        """Memory of all processes; pages that several share are counted once."""
        return sum(_kilobytes(pid, "smaps_rollup", "Pss") for pid in self.family()) / 1024

    def cpu_seconds(self) -> float:
        """CPU time of all processes so far, of those that have ended too."""
        total = 0
        for pid in self.family():
            with contextlib.suppress(OSError):
                total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        return total / os.sysconf("SC_CLK_TCK")

    def workers(self) -> list[int]:
        """The process ids of the workers."""
        return self.family()[2:]


def _kilobytes(pid: int, file: str, name: str) -> int:
    with contextlib.suppress(OSError):
        found = re.search(rf"^{name}:\s+(\d+)", Path(f"/proc/{pid}/{file}").read_text(), re.MULTILINE)
        return int(found[1]) if found else 0
    return 0


@contextlib.contextmanager
def server(model: str, *options: object) -> Iterator[Server]:
    """A server process, warm."""
    code = "from eigenparse.cli.main import main; main()"
    command = [sys.executable, "-c", code, "serve", model, "--port", "0", "--quiet", *map(str, options)]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    said, found = "", None
    while found is None:  # a first use says that it compiles before it says where it listens
        line = child.stderr.readline()
        if not line:
            raise SystemExit(said)
        said, found = said + line, re.search(r"http://\S+:(\d+)/", line)
    try:
        yield Server(child.pid, int(found.group(1)))
    finally:
        child.terminate()
        said = child.stderr.read().strip()
        print(f"  the server ended with code {child.wait(60)}: {said}")


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes
) -> tuple[int, bytes]:
    """One request on a connection that is kept."""
    writer.write(written(path, body))
    await writer.drain()
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = int(re.search(r"content-length: (\d+)", answer, re.IGNORECASE)[1])  # type: ignore[index]
    return int(answer.split()[1]), await reader.readexactly(length)


def written(path: str, body: bytes) -> bytes:
    """A request as it is sent."""
    verb = "POST" if body else "GET"
    lines = [f"{verb} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


async def once(port: int, path: str, body: bytes = b"") -> tuple[int, bytes]:
    """One request on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await ask(reader, writer, path, body)
    finally:
        writer.close()


@dataclass(slots=True)
class Seen:
    """What clients saw."""

    times: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    megabytes: list[float] = field(default_factory=list)

    def told(self, what: str, seconds: float) -> None:
        """Print it."""
        times = sorted(self.times) or [float("nan")]
        share = {
            name: 1000 * times[min(int(name * len(times)), len(times) - 1)] for name in (0.5, 0.95, 0.99)
        }
        failed = {
            name: n for name, n in self.statuses.items() if not name.isdigit() or int(name) not in DECLARED
        }
        n = len(self.times)
        print(f"  {what}: {n} answers in {seconds:g} s, {n / seconds:.1f} per second")
        print("  latency ms: " + ", ".join(f"p{100 * name:g} {value:.0f}" for name, value in share.items()))
        print(f"  statuses: {dict(self.statuses)}; failed: {failed or 'none'}")
        if self.megabytes:
            print("  memory MB: " + " ".join(f"{value:.0f}" for value in self.megabytes))


async def client(number: int, port: int, end: float, seen: Seen) -> None:
    """Ask again and again until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    turn = number
    while time.monotonic() < end:
        turn += 1
        wanted = {"sentence": SENTENCES[turn % len(SENTENCES)], "k": 1 + 4 * (turn % 10 == 0)}
        begun = time.monotonic()
        try:
            status, content = await ask(reader, writer, "/parse", json.dumps(wanted).encode())
        except (OSError, asyncio.IncompleteReadError) as problem:
            seen.statuses[type(problem).__name__] += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        seen.statuses[str(status)] += 1
        if status == 200:
            seen.times.append(time.monotonic() - begun)
            if not json.loads(content)["results"][0]["parses"]:
                seen.statuses["empty answer"] += 1
        else:
            await asyncio.sleep(0.05)
    writer.close()


async def watch(service: Server, end: float, every: float, seen: Seen) -> None:
    """Memory over time."""
    while time.monotonic() < end:
        seen.megabytes.append(await asyncio.to_thread(service.megabytes))
        await asyncio.sleep(every)


async def silent(port: int, end: float) -> None:
    """Ask for much, read nothing, and come again when cut off."""
    asked = written("/openapi.json", b"") * 400
    while time.monotonic() < end:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(asked)
            await asyncio.sleep(max(min(12.0, end - time.monotonic()), 0))
            writer.transport.abort()


async def leaving(port: int, end: float) -> None:
    """Ask for much work and hang up at once."""
    body = json.dumps({"sentences": [long_sentence(k, 150) for k in range(20)]}).encode()
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(written("/parse", body))
            await asyncio.sleep(0.2)
            writer.transport.abort()
        await asyncio.sleep(1.0)


def long_sentence(seed: int, n: int) -> list[str]:
    """Words in no order: slow to parse."""
    return random.Random(seed).choices(WORDS, k=n)


async def ready(service: Server) -> None:
    """Wait until everything is loaded."""
    await once(service.port, "/health")
    await once(service.port, "/states?label=NP")


async def plain(service: Server, clients: int, seconds: float, hostile: bool = False) -> None:
    """Clients that ask again as soon as they are answered."""
    await ready(service)
    seen, end, spent = Seen(), time.monotonic() + seconds, service.cpu_seconds()
    others: list[Coroutine[Any, Any, None]] = []
    if hostile:
        others = [silent(service.port, end) for _ in range(20)] + [
            leaving(service.port, end) for _ in range(20)
        ]
    await asyncio.gather(
        watch(service, end, seconds / 12, seen),
        *(client(k, service.port, end, seen) for k in range(clients)),
        *others,
    )
    spent = (service.cpu_seconds() - spent) / max(len(seen.times), 1)
    seen.told(
        f"{clients} clients" + (" beside 20 that never read and 20 that hang up" if hostile else ""), seconds
    )
    print(f"  CPU time of the service: {1000 * spent:.1f} ms per answer")


async def fair(service: Server, seconds: float) -> None:
    """One-sentence requests while two clients send long batches without pause."""
    await ready(service)
    end = time.monotonic() + seconds
    batches: Counter[int] = Counter()

    async def greedy(number: int) -> None:
        body = json.dumps({"sentences": [long_sentence(100 * number + k, 150) for k in range(100)]}).encode()
        while time.monotonic() < end:
            status, _ = await once(service.port, "/parse", body)
            batches[status] += 1

    seen = Seen()
    greedy_ones = [asyncio.ensure_future(greedy(number)) for number in range(2)]
    await asyncio.sleep(1)
    await client(0, service.port, end, seen)
    for task in greedy_ones:
        task.cancel()
    await asyncio.gather(*greedy_ones, return_exceptions=True)
    seen.told("one client with one sentence at a time, beside two with 100 x 150 words", seconds)
    print(f"  batches by status: {dict(batches)}")


async def deadline(service: Server, limit: float) -> None:
    """How soon a short sentence is answered after workers are left with long work."""
    await ready(service)
    body = json.dumps({"sentences": [long_sentence(k, 200) for k in range(100)]}).encode()
    short = json.dumps({"sentence": SENTENCES[0]}).encode()
    begun = time.monotonic()
    statuses = Counter(
        [
            status
            for status, _ in await asyncio.gather(*(once(service.port, "/parse", body) for _ in range(8)))
        ]
    )
    print(
        f"  8 batches of 100 x 200 words, {limit:g} s allowed: {dict(statuses)} after {time.monotonic() - begun:.2f} s"
    )
    begun = time.monotonic()
    status, _ = await once(service.port, "/parse", short)
    print(f"  then one sentence: {status} after {time.monotonic() - begun:.2f} s")
    writers = []
    for _ in range(60):
        _, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(written("/parse", body))
        writers.append(writer)
    await asyncio.sleep(1)
    for writer in writers:
        writer.transport.abort()
    begun = time.monotonic()
    while json.loads((await once(service.port, "/health"))[1])["under_way"]:
        await asyncio.sleep(0.01)
    print(f"  60 clients hung up: nothing under way after {time.monotonic() - begun:.2f} s")
    begun = time.monotonic()
    status, _ = await once(service.port, "/parse", short)
    print(f"  then one sentence: {status} after {time.monotonic() - begun:.2f} s")


async def memory(service: Server, limit: int) -> None:
    """The peak of a worker above its idle state."""
    await ready(service)
    short = json.dumps({"sentence": SENTENCES[0], "k": 5, "probabilities": True}).encode()
    for _ in range(5):  # workers share pages with the process that forks until they touch them
        await asyncio.gather(*(once(service.port, "/parse", short) for _ in range(12)))
    idle = max(_kilobytes(pid, "status", "VmRSS") for pid in service.workers())
    peak, statuses = 0, Counter[str]()
    for n in (50, 100, 150, 200):
        asked = asyncio.ensure_future(
            once(
                service.port,
                "/parse",
                json.dumps({"sentence": long_sentence(n, n), "probabilities": True}).encode(),
            )
        )
        while not asked.done():
            peak = max([peak, *(_kilobytes(pid, "status", "VmHWM") for pid in service.workers())])
            await asyncio.sleep(0.005)
        status, content = asked.result()
        found = json.loads(content)
        statuses[found["results"][0]["status"] if status == 200 else str(status)] += 1
    above = (peak - idle) / 1024
    print(
        f"  --memory {limit}: {above:.0f} MB above idle, {above / limit:.2f} of the limit; {dict(statuses)}"
    )


def main() -> None:
    """Run the scenarios."""
    names = ("plain", "hostile", "fair", "deadline", "memory")
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("model")
    options.add_argument("--only", nargs="*", choices=names, default=names)
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--workers", type=int, default=0)
    options.add_argument("--limits", type=int, nargs="*", default=[10, 50, 200, 500], metavar="MB")
    chosen = options.parse_args()

    def run(scenario: Callable[[Server], Awaitable[None]], *more: object) -> None:
        with server(chosen.model, "--workers", chosen.workers, *more) as service:
            asyncio.run(scenario(service))  # type: ignore[arg-type]

    for name in chosen.only:
        print(name)
        if name in ("plain", "hostile"):
            run(lambda s, hostile=name == "hostile": plain(s, chosen.clients, chosen.seconds, hostile))  # type: ignore[misc]
        elif name == "fair":
            run(lambda s: fair(s, chosen.seconds), "--seconds", 600)
        elif name == "deadline":
            run(lambda s: deadline(s, 5.0), "--seconds", 5)
        else:
            for limit in chosen.limits:
                run(lambda s, limit=limit: memory(s, limit), "--memory", limit, "--seconds", 120)  # type: ignore[misc]


if __name__ == "__main__":
    main()
