"""Stand-ins for standard streams that a shell has closed, so that using one is an error with a sentence."""

import io
import os
import sys

from eigenparse.errors import DataError, ResourceError


class ClosedInput(io.RawIOBase):
    """Standard input of a process that has none."""

    def readable(self) -> bool:
        return True

    def readinto(self, _: object) -> int:
        raise DataError("standard input is closed; name a file, or send the text through a pipe")


class ClosedOutput(io.RawIOBase):
    """Standard output of a process that has none; what comes after the first complaint is thrown away."""

    told = False

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        if not self.told and len(data):
            self.told = True
            raise ResourceError("standard output is closed; write to a file, with an option or with >")
        return len(data)


def replace_closed_streams() -> None:
    """Put a stand-in where a standard stream is missing, and keep files from taking its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(ClosedInput()), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(ClosedOutput(), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
