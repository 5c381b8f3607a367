"""Forked children: several that begin at one moment, one that is killed, one without rights."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_NOBODY = 65534


def race(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(0)`, `work(1)` … answer (as JSON), run by processes that are let go together.

    No connection may be open here: a child would inherit what SQLite knows of its locks.
    """
    gate, opener = os.pipe()
    children = []
    for number in range(count):
        reading, writing = os.pipe()
        child = _fork()
        if child == 0:
            os.close(opener)
            os.close(reading)
            _answer(writing, lambda number=number: (os.read(gate, 1), work(number))[1])
        os.close(writing)
        children.append((child, reading))
    os.close(gate)
    os.close(opener)
    return [_answered(child, reading) for child, reading in children]


def apart(work: Callable[[], Any]) -> Any:
    """What `work()` answers in a process of its own."""
    return race(1, lambda _: work())[0]


def as_nobody(work: Callable[[], Any]) -> Any:
    """What `work()` answers in a process that root's rights are taken from."""

    def powerless() -> Any:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        return work()

    return apart(powerless)


def killed(work: Callable[[], Any]) -> bool:
    """Whether `work()`, in a process of its own, was ended by SIGKILL."""
    child = _fork()
    if child == 0:
        with suppress(BaseException):
            work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def _fork() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Newer Pythons warn of threads; those of a test runner hold no lock a child would need.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _answer(writing: int, work: Callable[[], Any]) -> None:
    status = 1
    try:
        told = json.dumps(work())
        status = 0
    except BaseException:
        told = traceback.format_exc()
    finally:
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            pipe.write(told)
        os._exit(status)


def _answered(child: int, reading: int) -> Any:
    with os.fdopen(reading, encoding="utf-8") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, told
    return json.loads(told)
