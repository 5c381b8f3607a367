from __future__ import annotations

import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable

import pytest

from lwc.cli.interruption import Terminated, interruptible

SIGNALS = [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]


class Thing:
    """Something whose end can be watched."""


def run(act: Callable[[], None]) -> None:
    """Act as a command does, and go on until the signal is felt."""
    with interruptible():
        act()
        signal.sigtimedwait([], 5)


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def in_a_finaliser(act: Callable[[], None]) -> None:
    """Python drops what a callback of a weak reference raises."""
    thing = Thing()
    kept = weakref.ref(thing, lambda _: act())
    del thing
    assert kept() is None


@pytest.mark.parametrize("number, kind", SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_a_signal_is_an_exception(number: int, kind: type[BaseException]) -> None:
    with pytest.raises(kind):
        run(lambda: send(number))


@pytest.mark.parametrize("number, kind", SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_one_that_comes_in_a_finaliser_is_not_lost(
    number: int, kind: type[BaseException], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(kind):
        run(lambda: in_a_finaliser(lambda: send(number)))
    assert capfd.readouterr().err == ""


def test_what_else_a_finaliser_raises_is_told_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(args.exc_type))
    with interruptible():
        in_a_finaliser(lambda: [][0])
    assert told == [IndexError]


def test_all_is_put_back() -> None:
    def settings() -> tuple[object, ...]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
        return (sys.unraisablehook, *map(signal.getsignal, numbers))

    before = settings()
    with interruptible():
        assert settings() != before
    assert settings() == before
    with pytest.raises(KeyboardInterrupt):
        run(lambda: in_a_finaliser(lambda: send(signal.SIGINT)))
    assert settings() == before


def test_a_terminated_process_can_be_ended_by_a_second_signal() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated):
        run(lambda: send(signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) == before


def test_in_a_thread_nothing_is_touched() -> None:
    seen: list[bool] = []

    def work() -> None:
        before = sys.unraisablehook
        with interruptible():
            seen.append(sys.unraisablehook is before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]
