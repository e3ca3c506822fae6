"""The process that has loaded the model and forks the workers: orders on a socket in, workers out.

Run as ``python -m eigenparse.serve.nursery FD SETTINGS`` by ``crew``.  It has one thread and has run every
kernel once, so a worker is ready as soon as it is forked, and replacing one is cheap.
"""

import ctypes
import gc
import json
import os
import resource
import signal
import socket
import sys
from dataclasses import replace
from typing import Any, NamedTuple

from eigenparse.api.grammar import Grammar, load
from eigenparse.batch.first_use import announce_first_use
from eigenparse.decode.grammar.objective import Objective
from eigenparse.decode.grammar.parser import ParserOptions, glued, word_choices
from eigenparse.errors import EigenparseError
from eigenparse.inference.grammar.forest import Pruning, unconstrained
from eigenparse.inference.grammar.typical import state_profiles
from eigenparse.models.dependency.kind import ARCS
from eigenparse.models.registry import kind_of, load_model
from eigenparse.serve import frames
from eigenparse.serve.facts import label_facts
from eigenparse.serve.jobs import Bench, answered
from eigenparse.serve.limits import Limits
from eigenparse.serve.words import universal_arcs

WARM = "The service is ready ."
TREE = "(TOP (S (NP (PRP She)) (VP (VBD slept))))"
EVERYTHING = {"k": 2, "probabilities": True, "dependencies": True, "states": True, "chart": True}
GROWN = 64_000_000  # a worker that has grown by more bytes is replaced
PARENT_DIED = 1  # PR_SET_PDEATHSIG
FEW_CYCLES = 100_000  # objects between two searches for cycles: answers make none


def read_back(values: dict[str, Any]) -> ParserOptions:
    """Options of a parser from JSON values."""
    parts = {"pruning": Pruning(**values["pruning"]), "objective": Objective(**values["objective"])}
    return ParserOptions(**(values | parts))


def make_bench(
    path: str, options: dict[str, Any] | None, limits: dict[str, Any], universal: str | None
) -> Bench:
    """Load the models and run every kernel once."""
    grammar = load(path)
    if options is not None:
        grammar = Grammar.of(grammar.latent, options=read_back(options))
    bench = Bench.of(grammar, Limits(**limits), universal)
    _warm_up(bench)
    return bench


def with_arcs(bench: Bench) -> Bench:
    """The same with the dependency model loaded, and its kernels run once; without it if its file is gone."""
    if bench.universal is None or bench.arcs is not None:
        return bench
    try:
        arcs = load_model(bench.universal, ARCS.name)
    except EigenparseError as problem:
        print(problem, file=sys.stderr)
        return replace(bench, universal=None)
    universal_arcs(arcs, WARM.split())
    return replace(bench, arcs=arcs)


def _warm_up(bench: Bench) -> None:
    """Do jobs of every kind, with sentences of several lengths, as a small grammar has no tree for some of them."""
    wide = replace(bench, limits=replace(bench.limits, max_words=100, max_word_length=100))
    tokens = WARM.split()[: bench.limits.max_words]
    limited = {
        "sentence": tokens,
        "require": [{"start": 0, "end": len(tokens)}],
        "tags": [None] * len(tokens),
    }
    for job in (
        *({"task": "parse", "item": tokens[:n], "wishes": EVERYTHING} for n in range(1, len(tokens) + 1)),
        {"task": "parse", "item": limited, "wishes": {}},
        {"task": "tag", "item": tokens},
        {"task": "score", "item": TREE},
        {"task": "split", "text": WARM, "lines": False},
        {"task": "compare", "item": {"gold": TREE, "guess": TREE, "unknown": True}},
    ):
        answered(wide, json.dumps(job).encode())
    parser, latent = bench.grammar.tables.parser, bench.grammar.latent
    glued(parser, word_choices(parser, tokens), unconstrained(parser.grammar.skeleton))
    state_profiles(latent, [], 0)


def main() -> None:
    """Load, say what was loaded, and fork workers until the other end of the socket is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    for number in (signal.SIGINT, signal.SIGTERM):  # handled by the service, which ends this process
        signal.signal(number, signal.SIG_IGN)
    try:
        settings = json.loads(sys.argv[2])
        announce_first_use(kind_of(settings["path"]))
        if settings["universal"] is not None:
            load_model(
                settings["universal"], ARCS.name
            )  # refused now if it cannot be used, but loaded when needed
        bench = make_bench(**settings)
        facts = {"facts": bench.grammar.summary(), "labels": label_facts(bench.grammar)}
    except EigenparseError as problem:
        told = json.dumps([type(problem).__name__, str(problem)]).encode()
        control.sendall(frames.Message(frames.REFUSED, told).packed())
        control.close()
        return
    _tidy()
    control.sendall(frames.Message(frames.READY, json.dumps(facts, ensure_ascii=False).encode()).packed())
    children: set[int] = set()
    try:
        while order := _order(control):
            _bury(children)
            bench = _obeyed(order, control, bench, children)
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)


def _tidy() -> None:
    """Free what loading has left over, and keep memory pages shared with the workers."""
    gc.collect()
    gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


class Order(NamedTuple):
    """what: FORK, END or LOAD.  pid: of the process to end.  handles: of the socket of the process to fork."""

    what: bytes
    pid: int
    handles: list[int]


def _order(control: socket.socket) -> Order | None:
    """The next order; None at the end of the socket."""
    order, handles, _, _ = socket.recv_fds(control, frames.ORDER.size, 1)
    if not order:
        return None
    what, pid = frames.ORDER.unpack(order)
    return Order(what, pid, handles)


def _obeyed(order: Order, control: socket.socket, bench: Bench, children: set[int]) -> Bench:
    """Execute an order; the bench of the workers to come."""
    if order.what == frames.LOAD:
        bench = with_arcs(bench)
        _tidy()
    if order.what == frames.END and order.pid in children:
        os.kill(order.pid, signal.SIGKILL)
    if order.what == frames.FORK:
        channel = socket.socket(fileno=order.handles[0])
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            control.close()
            work(channel, bench, parent)
        children.add(pid)
        channel.close()
    return bench


def _bury(children: set[int]) -> None:
    """Reap the children that have ended, so that no signal is sent to a reused process id."""
    for pid in list(children):
        if os.waitpid(pid, os.WNOHANG)[0]:
            children.discard(pid)


def work(channel: socket.socket, bench: Bench, parent: int) -> None:
    """Run a worker: one job after another, until there are no more or it has grown too large."""
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGKILL)
        if os.getppid() != parent:  # it died before it could be watched
            return
        gc.set_threshold(FEW_CYCLES)
        channel.sendall(frames.Message(frames.READY, str(os.getpid()).encode()).packed())
        small = peak()
        while (message := frames.receive(channel)) is not None:
            said = answered(bench, message.content)._replace(last=peak() - small > GROWN)
            channel.sendall(said.packed())
            if said.last:
                break
    finally:
        os._exit(0)


def peak() -> int:
    """The most memory that this process has held, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


if __name__ == "__main__":
    main()
