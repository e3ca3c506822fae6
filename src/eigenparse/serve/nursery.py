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
from typing import Any

from eigenparse.api.grammar import Grammar, load
from eigenparse.decode.grammar.objective import Objective
from eigenparse.decode.grammar.parser import ParserOptions, glued, word_choices
from eigenparse.errors import EigenparseError
from eigenparse.inference.grammar.forest import Pruning, unconstrained
from eigenparse.inference.grammar.typical import state_profiles
from eigenparse.models.dependency.kind import ARCS
from eigenparse.models.registry import load_model
from eigenparse.serve import frames
from eigenparse.serve.facts import label_facts
from eigenparse.serve.jobs import Bench, answered
from eigenparse.serve.limits import Limits

WARM = "The service is ready ."
TREE = "(TOP (S (NP (PRP She)) (VP (VBD slept))))"
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
    arcs = None if universal is None else load_model(universal, ARCS.name)
    bench = Bench.of(grammar, Limits(**limits), arcs)
    _warm_up(bench)
    return bench


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
        *(
            {"task": "parse", "item": tokens[:n], "wishes": [2, True, True, True]}
            for n in range(1, len(tokens) + 1)
        ),
        {"task": "parse", "item": limited, "wishes": [1, False, False, False]},
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
        bench = make_bench(**json.loads(sys.argv[2]))
        facts = {"facts": bench.grammar.summary(), "labels": label_facts(bench.grammar)}
    except EigenparseError as problem:
        told = json.dumps([type(problem).__name__, str(problem)]).encode()
        control.sendall(frames.Message(frames.REFUSED, told).packed())
        return
    _tidy()
    control.sendall(frames.Message(frames.READY, json.dumps(facts, ensure_ascii=False).encode()).packed())
    children: set[int] = set()
    try:
        while _obeyed(control, bench, children):
            _bury(children)
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


def _obeyed(control: socket.socket, bench: Bench, children: set[int]) -> bool:
    """Execute one order; False at the end of the socket."""
    order, handles, _, _ = socket.recv_fds(control, frames.ORDER.size, 1)
    if not order:
        return False
    _bury(children)
    what, number = frames.ORDER.unpack(order)
    if what == frames.END and number in children:
        os.kill(number, signal.SIGKILL)
    if what == frames.FORK:
        channel = socket.socket(fileno=handles[0])
        parent, pid = os.getpid(), os.fork()
        if pid == 0:
            control.close()
            work(channel, bench, parent)
        children.add(pid)
        channel.close()
    return True


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
