"""SIGINT and SIGTERM as exceptions that a command cannot miss: it rolls back and says so."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Long enough for a finaliser to end, short enough for nobody to notice.
AGAIN_SECONDS = 0.001


class Terminated(BaseException):
    """SIGTERM, as an exception: transactions roll back and files close on its way out."""


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGTERM raises `Terminated` once, as SIGINT raises `KeyboardInterrupt`; neither is lost.

    An exception that comes while Python runs a finaliser is printed and dropped: such a one is
    raised again a moment later. What was set before is put back.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield
        return
    with _termination_raised(), _dropped_ones_raised():
        yield


@contextmanager
def _termination_raised() -> Iterator[None]:
    def terminate(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, before)  # a second one must end the process
        raise Terminated

    before = signal.getsignal(signal.SIGTERM)
    if before in (None, signal.SIG_IGN):
        yield
        return
    signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _dropped_ones_raised() -> Iterator[None]:
    def dropped(args: UnraisableHookArgs) -> None:
        if not isinstance(args.exc_value, KeyboardInterrupt | Terminated):
            before(args)
            return
        # Raised here it would be dropped once more; so it is by the code that runs next.
        waiting.append(type(args.exc_value))
        if len(waiting) == 1:
            alarmed.append(signal.signal(signal.SIGALRM, again))
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)

    def again(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, alarmed.pop())
        raise waiting.pop()

    waiting: list[type[BaseException]] = []
    alarmed: list[Any] = []
    before = sys.unraisablehook
    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = before
        if waiting:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, alarmed.pop())
