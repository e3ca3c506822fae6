"""Worker processes: start one, send it a job, end it."""

import asyncio
import contextlib
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenparse.errors import DataError, EigenparseError, ModelFileError, OptionError, ResourceError
from eigenparse.serve import frames
from eigenparse.serve.limits import Limits

if TYPE_CHECKING:
    from eigenparse.api.grammar import Grammar

LOG = "eigenparse.serve"
ERRORS: dict[str, type[EigenparseError]] = {
    kind.__name__: kind for kind in (DataError, ModelFileError, OptionError, ResourceError)
}
# One thread, because the process forks; and up to 64 MB of freed memory are kept for the next sentence.
ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 26),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that does one job at a time."""

    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def gone(self) -> bool:
        """Whether it has died while idle."""
        return self.reader.at_eof() or self.reader.exception() is not None

    async def ask(self, job: bytes) -> frames.Message:
        """Its answer; OSError or EOFError if it has died."""
        self.writer.write(frames.Message(frames.ANSWER, job).packed())
        await self.writer.drain()
        return await frames.read(self.reader)


@dataclass(slots=True)
class Nursery:
    """The process that forks workers, and the socket to tell it to."""

    child: "subprocess.Popen[bytes] | None" = None
    control: socket.socket | None = None

    def close(self) -> None:
        """End it; all its workers end with it."""
        control, self.control = self.control, None
        child, self.child = self.child, None
        if control is not None:
            control.close()
        if child is not None:
            try:
                child.wait(5)
            except (subprocess.TimeoutExpired, SystemExit, KeyboardInterrupt):  # late, or told twice
                child.kill()
                child.wait()


class Crew:
    """Starts the nursery, which forks workers, and starts it again if it dies."""

    def __init__(self, model: "Grammar | str | Path", limits: Limits, universal: str | None = None) -> None:
        self._settings: dict[str, Any] = {"limits": asdict(limits), "options": None, "universal": universal}
        if isinstance(model, str | Path):
            self._settings["path"] = str(model)
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="eigenparse-serve-")
            path = str(Path(self._folder.name) / "model")
            self._settings |= {"path": path, "options": asdict(model.options)}
            model.save(path, packed=False)
        self._nursery = Nursery()
        self._starting = threading.Lock()
        weakref.finalize(self, self._nursery.close)

    @property
    def ready(self) -> bool:
        """Whether workers can be hired at once."""
        return self._nursery.child is not None and self._nursery.child.poll() is None

    def start(self) -> dict[str, Any]:
        """Start the nursery and wait until it has loaded the model; what it says about the model."""
        if not hasattr(os, "fork"):
            raise OptionError("the service needs Linux or macOS; on Windows run it in WSL or in a container")
        self.close()
        ours, theirs = socket.socketpair()
        self._nursery.control = ours
        with theirs:
            self._nursery.child = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.nursery", str(theirs.fileno()), json.dumps(self._settings)],
                pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                env=os.environ | ENVIRONMENT,
            )  # fmt: skip
        said = frames.receive(ours)
        if said is not None and said.kind == frames.READY:
            found: dict[str, Any] = json.loads(said.content)
            return found
        self.close()
        if said is None:
            raise ResourceError(
                "the process that loads the model died, perhaps because memory ran out; use a smaller model"
            )
        kind, message = json.loads(said.content)
        raise ERRORS.get(kind, ModelFileError)(message)

    async def hire(self) -> Worker:
        """A new worker; the nursery is started again if it has died."""
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as undo:
            undo.callback(ours.close)
            undo.callback(theirs.close)  # should the thread never begin
            await asyncio.to_thread(self._fork, theirs)
            reader, writer = await asyncio.open_unix_connection(sock=ours)
            undo.callback(writer.close)
            hello = await frames.read(reader)
            undo.pop_all()
        return Worker(int(hello.content), reader, writer)

    def _fork(self, channel: socket.socket) -> None:
        """Have a worker forked that reads from a channel, which is its own from then on."""
        with channel:
            with self._starting:
                if not self.ready:
                    logging.getLogger(LOG).error("the process that loads the model died; it is started again")
                    self.start()
            self._tell(frames.FORK, 0, [channel.fileno()])

    def end(self, worker: Worker) -> None:
        """Kill a worker, even in the middle of a job; if the nursery has died, its workers have died too."""
        worker.writer.close()
        with contextlib.suppress(OSError):
            self._tell(frames.END, worker.pid, [])

    def load(self) -> None:
        """Have the dependency model loaded, if it is not, before the next worker is forked."""
        with contextlib.suppress(OSError):
            self._tell(frames.LOAD, 0, [])

    def _tell(self, what: bytes, pid: int, handles: list[int]) -> None:
        if self._nursery.control is not None:
            socket.send_fds(self._nursery.control, [frames.ORDER.pack(what, pid)], handles)

    def close(self) -> None:
        """End all workers."""
        self._nursery.close()
