"""Making a wiki where none is: beside its name, whole, and named by one rename."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from lwc import filesystem
from lwc.errors import DATABASE_ERROR, STORE_LOG_LEFT, UNSUPPORTED_FILESYSTEM, LwcError
from lwc.workspace import INIT_LOCK, STORE_FOLDER, Scope, Workspace

A = TypeVar("A")


def refuse_unsafe_disk(place: Workspace, environ: Mapping[str, str]) -> None:
    """Refuse a disk whose locks cannot be trusted, unless it is named as wanted."""
    kind = filesystem.unsafe_for_locks(place.root)
    if kind is not None and environ.get("LWC_ALLOW_FILESYSTEM") != kind:
        raise UNSUPPORTED_FILESYSTEM(path=STORE_FOLDER, kind=kind)


def made_once(place: Workspace, make: Callable[[Path], A]) -> A | None:
    """What `make` answers of the database it made at a path it is given; none when there is one.

    So a file called wiki.db is never half made, whatever kills the command, and of several
    commands that come together one makes it.
    """
    # It gets its name when it is whole: what is there needs no lock.
    if os.path.lexists(place.database):
        return None
    with filesystem.errors_told(), _one_at_a_time(place):
        if os.path.lexists(place.database):
            return None
        return _made(place, make)


def bound(environ: Mapping[str, str], place: Workspace) -> dict[str, str]:
    """The environment in which `place` itself is found, not a wiki above it."""
    if place.scope is Scope.GLOBAL:
        return dict(environ)
    return {**environ, "LWC_PROJECT_ROOT": str(place.root)}


@contextmanager
def _one_at_a_time(place: Workspace) -> Iterator[None]:
    """Hold the folder's lock; the kernel drops it with the process, so none is ever left behind."""
    with suppress(FileExistsError):
        place.store.mkdir(mode=0o700)
        place.store.chmod(0o700)  # whatever the umask took away
    descriptor = os.open(
        place.store / INIT_LOCK,
        os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
    )
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _made(place: Workspace, make: Callable[[Path], A]) -> A:
    _clear(place)
    _refuse_left_log(place)
    making = place.store / f"making-{os.getpid()}.db"
    try:
        answer = make(making)
        if os.path.lexists(f"{making}-wal"):
            # Closing moves the log into the database; where that failed, the rename would lose it.
            raise DATABASE_ERROR(what="the new wiki could not be closed")
        os.rename(making, place.database)
    except BaseException as error:
        # Nothing has the wiki's name yet, whatever became of the file.
        _clear(place)
        if isinstance(error, LwcError):
            error.committed = False
        raise
    filesystem.settle(place.store)
    filesystem.settle(place.root)
    return answer


def _refuse_left_log(place: Workspace) -> None:
    """A log without its database would be taken for the new one's, and read as what it says."""
    log = Path(f"{place.database}-wal")
    if os.path.lexists(log) and os.lstat(log).st_size:
        raise STORE_LOG_LEFT(path=f"{STORE_FOLDER}/{log.name}")


def _clear(place: Workspace) -> None:
    """Remove what a command left that was stopped while it made a wiki."""
    for leftover in place.store.glob("making-*"):
        with suppress(OSError):
            leftover.unlink()
