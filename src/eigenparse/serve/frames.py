"""Messages between the service and its worker processes, as bytes on a socket.

A message is a kind, a flag that says whether the sender ends after it, and the content.
"""

import asyncio
import socket
import struct
from typing import NamedTuple

ANSWER, REFUSED, FAILED, READY = b"A", b"R", b"F", b"Y"
LACKS = b"L"  # the worker was forked before the dependency model was loaded
FORK, END, LOAD = b"f", b"e", b"l"  # what the nursery is told
HEAD = struct.Struct("!c?Q")
ORDER = struct.Struct("!cQ")  # to the nursery: what to do, and the process id that it is about


class Message(NamedTuple):
    """kind: one of the constants above.  last: the sender ends after this message."""

    kind: bytes
    content: bytes
    last: bool = False

    def packed(self) -> bytes:
        """The bytes to send."""
        return HEAD.pack(self.kind, self.last, len(self.content)) + self.content


def receive(channel: socket.socket) -> Message | None:
    """The next message of a socket, None at its end; waits."""
    head = _exactly(channel, HEAD.size)
    if head is None:
        return None
    kind, last, size = HEAD.unpack(head)
    content = _exactly(channel, size)
    return None if content is None else Message(kind, content, last)


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    """Exactly this many bytes, None if the socket ends before."""
    parts, left = [], size
    while left:
        part = channel.recv(min(left, 1 << 20))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


async def read(reader: asyncio.StreamReader) -> Message:
    """The next message; IncompleteReadError if the other side is gone."""
    kind, last, size = HEAD.unpack(await reader.readexactly(HEAD.size))
    return Message(kind, await reader.readexactly(size), last)
