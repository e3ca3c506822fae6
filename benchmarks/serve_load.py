"""The service under load: clients that ask again and again, on this machine; latency, failures and memory.

python benchmarks/serve_load.py MODEL [--clients 50] [--seconds 60] [--workers 0] [--pause 0]
"""

import argparse
import asyncio
import contextlib
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SENTENCES = (
    "The woman opened the box with a key .",
    "The men saw the dog that the girl liked .",
    "A boy in the park said that the teachers slept .",
    "The old picture on the wall of the house was sold yesterday .",
    "Nobody knew that the letter she had written was only a copy of another one .",
)
DECLARED = (200, 429, 503)


@contextlib.contextmanager
def server(model: str, workers: int, queue: int) -> Iterator[tuple[int, int]]:
    """A server process; its process id and port."""
    code = "from eigenparse.cli.main import main; main()"
    options = ["--port", "0", "--quiet", "--workers", str(workers), "--queue", str(queue)]
    child = subprocess.Popen(
        [sys.executable, "-c", code, "serve", model, *options], stderr=subprocess.PIPE, text=True
    )
    assert child.stderr is not None
    found = re.search(r":(\d+)/", child.stderr.readline())
    if found is None:
        raise SystemExit(child.stderr.read())
    try:
        yield child.pid, int(found.group(1))
    finally:
        child.terminate()
        print(f"server ended with code {child.wait(60)}: {child.stderr.read().strip()}")


def megabytes(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes
) -> tuple[int, bytes]:
    """One request on a connection that is kept."""
    verb = "POST" if body else "GET"
    lines = [f"{verb} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
    answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = int(re.search(r"content-length: (\d+)", answer, re.IGNORECASE)[1])  # type: ignore[index]
    return int(answer.split()[1]), await reader.readexactly(length)


async def client(
    number: int, port: int, end: float, pause: float, times: list[float], statuses: Counter[str]
) -> None:
    """Ask, with a pause after each answer, until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    turn = number
    while time.monotonic() < end:
        turn += 1
        body = json.dumps(
            {"sentence": SENTENCES[turn % len(SENTENCES)], "k": 1 + 4 * (turn % 10 == 0)}
        ).encode()
        begun = time.monotonic()
        try:
            status, content = await ask(reader, writer, "/parse", body)
        except (OSError, asyncio.IncompleteReadError) as problem:
            statuses[type(problem).__name__] += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        statuses[str(status)] += 1
        if status == 200:
            times.append(time.monotonic() - begun)
            if not json.loads(content)["results"][0]["parses"]:
                statuses["empty answer"] += 1
        await asyncio.sleep(pause if status == 200 else max(pause, 0.05))
    writer.close()


async def watch(pid: int, end: float, every: float, seen: list[float]) -> None:
    """Memory over time."""
    while time.monotonic() < end:
        seen.append(megabytes(pid))
        await asyncio.sleep(every)


async def load(pid: int, port: int, clients: int, seconds: float, pause: float) -> None:
    """Run all clients and print what they saw."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await ask(reader, writer, "/health", b"")
    await ask(reader, writer, "/states?label=NP", b"")
    writer.close()
    times: list[float] = []
    seen: list[float] = []
    statuses: Counter[str] = Counter()
    end = time.monotonic() + seconds
    await asyncio.gather(
        watch(pid, end, seconds / 12, seen),
        *(client(i, port, end, pause, times, statuses) for i in range(clients)),
    )
    times.sort()
    share = {name: 1000 * times[min(int(name * len(times)), len(times) - 1)] for name in (0.5, 0.95, 0.99)}
    failed = {name: n for name, n in statuses.items() if not name.isdigit() or int(name) not in DECLARED}
    print(f"{clients} clients for {seconds:g} s: {len(times)} answers, {len(times) / seconds:.1f} a second")
    print("latency ms: " + ", ".join(f"p{100 * name:g} {value:.0f}" for name, value in share.items()))
    print(f"statuses: {dict(statuses)}; failed: {failed or 'none'}")
    print("memory MB: " + " ".join(f"{value:.0f}" for value in seen))


def main() -> None:
    """Start a server and load it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model")
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--workers", type=int, default=0)
    options.add_argument("--pause", type=float, default=0.0)
    options.add_argument("--queue", type=int, default=64)
    chosen = options.parse_args()
    with server(chosen.model, chosen.workers, chosen.queue) as (pid, port):
        asyncio.run(load(pid, port, chosen.clients, chosen.seconds, chosen.pause))


if __name__ == "__main__":
    main()
