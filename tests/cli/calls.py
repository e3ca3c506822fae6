"""Call the command line in this process, as ``main`` runs it."""

import io
import sys
from dataclasses import dataclass
from unittest import mock

from eigenparse.cli.main import main


@dataclass(frozen=True, slots=True)
class Call:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.split("\n")[:-1]


def call(*arguments: object, stdin: str | bytes = "") -> Call:
    """Run ``eigenparse`` with these arguments and this standard input."""
    content = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(part), encoding="utf-8") for part in (content, b"", b"")]
    given, out, err = streams
    with (
        mock.patch.object(sys, "argv", ["eigenparse", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", given),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return Call(code, *texts)
