"""How commands end when they are told to: by an exception that cleans up on its way out, raised where none is lost.

While a kernel runs, Python raises nothing: a thread that waits beside it then ends the process instead.
"""

import atexit
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

AGAIN = 0.02  # seconds until a signal that came at a bad moment is looked at again
PATIENCE = 2.0  # seconds that a signal may wait for a kernel to return
DELICATE = ("<frozen importlib", "/numba/", "/llvmlite/", "/ctypes/", "/weakref.py")
_pending: list[int] = []
_answered = threading.Event()


def answer_signals(last_words: Callable[[int], None] = lambda number: None) -> None:
    """Turn SIGINT into KeyboardInterrupt and SIGTERM into SystemExit.

    last_words: what to do with a signal that a kernel keeps from being answered, before the process ends.
    """
    with suppress(ValueError):  # not the main thread
        signal.signal(signal.SIGTERM, _end)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _end)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _look_again)
            atexit.register(signal.signal, signal.SIGALRM, signal.SIG_IGN)  # what has ended need not be told
            _watch(last_words)


def _watch(last_words: Callable[[int], None]) -> None:
    """Start the thread that ends the process if a signal is not answered in time."""
    received, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    if before != -1:  # somebody else is told already
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)
        os.close(received)
        os.close(told)
        return
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_end_in_time, args=(received, last_words), daemon=True).start()


def _end_in_time(received: int, last_words: Callable[[int], None]) -> None:
    """Wait for signals; end the process after one that the main thread has not looked at for a while."""
    while numbers := os.read(received, 1):
        number = numbers[0]
        if number not in (signal.SIGINT, signal.SIGTERM) or signal.getsignal(number) is not _end:
            continue  # somebody else answers
        if not _answered.wait(PATIENCE):
            threading.Timer(PATIENCE, os._exit, [128 + number]).start()  # whatever the last words wait for
            last_words(number)
            os._exit(128 + number)


def _look_again(number: int, frame: FrameType | None) -> None:
    if _pending:
        _raise_or_wait(_pending.pop(), frame)


def _end(number: int, frame: FrameType | None) -> None:
    _answered.set()
    if _pending and _pending.pop() == number:  # told twice
        _raise(number)
    _raise_or_wait(number, frame)


def _raise_or_wait(number: int, frame: FrameType | None) -> None:
    """Raise what ends the command; put it off while a module is imported or a kernel compiled or loaded.

    C code that calls back into Python there loses an exception, replaces it, or cannot go on: the command
    would wait for ever, show a traceback, or end without a word.
    """
    if hasattr(signal, "setitimer") and _is_delicate(frame):
        _pending[:] = [number]
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
    else:
        _raise(number)


def _raise(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _is_delicate(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or any(part in code.co_filename for part in DELICATE):
            return True
        frame = frame.f_back
    return False
