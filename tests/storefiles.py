"""Who opens a wiki's database: SQLite alone, for any other open in its process loses its locks.

The guard is an audit hook, which SQLite's own opens do not pass through.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

GUARDED = ("wiki.db", "wiki.db-wal", "wiki.db-shm")

_allowed = 0
_opened: list[str] = []


def guard() -> None:
    """Watch every open of this process from now on; a hook cannot be taken away again."""
    sys.addaudithook(_watch)


def opened() -> list[str]:
    """The database files that Python code opened since this was asked last."""
    found = list(_opened)
    _opened.clear()
    return found


@contextmanager
def closed_store() -> Iterator[None]:
    """The block copies, reads or damages database files that no connection is open on."""
    global _allowed
    _allowed += 1
    try:
        yield
    finally:
        _allowed -= 1


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if event != "open" or _allowed:
        return
    path = args[0]
    if isinstance(path, str | bytes) and os.fsdecode(path).endswith(GUARDED):
        _opened.append(os.fsdecode(path))
