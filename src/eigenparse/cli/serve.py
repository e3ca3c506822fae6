"""eigenparse serve: a model in, a web page and an HTTP service out."""

import re
from pathlib import Path
from typing import Annotated

import typer

from eigenparse.cli.app import READ, app, verb

EXAMPLES = """
Examples:

  eigenparse serve english.model

  eigenparse serve english.model --port 9000 --workers 4
"""


Model = Annotated[
    str, typer.Argument(metavar="[MODEL]", help="A grammar written by `train lpcfg`, or en."), READ
]
Universal = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL", help="A model written by `train dependency`; its arcs are shown beside the tree."
    ),
    READ,
]
PerClient = Annotated[
    int,
    typer.Option(min=0, help="Concurrent requests per address; further ones get status 429; 0: no limit."),
]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for other machines.")]


@verb(app, epilog=EXAMPLES)
def serve(
    model: Model = "en",
    dependencies: Universal = None,
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free port.")] = 8000,
    workers: Annotated[int, typer.Option(min=0, help="Number of parser processes; 0 for all cores.")] = 0,
    queue: Annotated[
        int, typer.Option(min=0, help="Maximum number of waiting requests; further ones get status 503.")
    ] = 128,
    per_client: PerClient = 0,
    seconds: Annotated[float, typer.Option(min=0.01, help="Time limit for answering a request.")] = 20.0,
    body_seconds: Annotated[float, typer.Option(min=0.01, help="Time limit for receiving a request.")] = 10.0,
    write_seconds: Annotated[float, typer.Option(min=0.01, help="Time limit for reading the answer.")] = 10.0,
    max_words: Annotated[int, typer.Option(min=1, help="Maximum number of words per sentence.")] = 200,
    max_sentences: Annotated[int, typer.Option(min=1, help="Maximum number of sentences per request.")] = 100,
    max_bytes: Annotated[int, typer.Option(min=1, help="Maximum size of a request in bytes.")] = 262_144,
    memory: Annotated[int, typer.Option(min=1, metavar="MB", help="Memory limit per sentence.")] = 500,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Host name to accept in requests besides localhost; may be repeated."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not log requests.")] = False,
) -> None:
    """Serve a grammar over HTTP, with a web page to explore its trees."""
    from eigenparse.errors import OptionError

    try:
        from eigenparse.serve.app import create_app
        from eigenparse.serve.run import listen
        from eigenparse.serve.run import serve as run
    except ImportError as missing:
        if (missing.name or "").startswith("eigenparse"):
            raise
        raise OptionError(str(missing)) from None
    from eigenparse.serve.settings import LOOPBACK, Settings
    from eigenparse.work.work import Where

    for one in allow_host or ():
        if not re.fullmatch(r"[\w.-]+|[0-9a-fA-F:]+", one):
            raise OptionError(
                f"--allow-host must be a host name such as parser.example.org, got {one!r} instead"
            )
    own = LOOPBACK if host in LOOPBACK else ()
    settings = Settings(
        workers=Where(workers).workers, queue=queue, per_client=per_client, seconds=seconds, body_seconds=body_seconds,
        write_seconds=write_seconds, max_words=max_words, max_sentences=max_sentences, max_bytes=max_bytes,
        memory=memory * 1_000_000, hosts=tuple(name.lower() for name in (*own, *(allow_host or ()))),
    )  # fmt: skip
    with listen("127.0.0.1" if host == "localhost" else host, port) as sock:
        address = f"[{host}]" if ":" in host else host
        name = Path(model).stem
        service = create_app(model, name=name, settings=settings, universal=dependencies)
        typer.echo(f"serving {name} at http://{address}:{sock.getsockname()[1]}/ (Ctrl-C ends it)", err=True)
        run(service, sock=sock, settings=settings, log=not quiet)
    typer.echo("stopped", err=True)
