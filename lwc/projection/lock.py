"""One process projects at a time: an advisory lock that the kernel drops with its process."""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lwc.projection.tree import Tree, UnsafePlaceError

NAME = "projection.lock"
_BETWEEN_LOOKS = 0.01


@contextmanager
def held(tree: Tree, *, patience: float) -> Iterator[bool]:
    """Whether the lock is held in the block: it is waited for at most `patience` seconds."""
    descriptor = os.open(
        NAME,
        os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
        0o600,
        dir_fd=tree.top,
    )
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsafePlaceError("no plain file")
        yield _taken(descriptor, until=time.monotonic() + patience)
    finally:
        os.close(descriptor)


def _taken(descriptor: int, *, until: float) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_BETWEEN_LOOKS)
        else:
            return True
