"""One moment of a wiki written into an archive, which gets its name when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex

from lwc import clock, filesystem
from lwc.errors import ARCHIVE_EXISTS, ARCHIVE_UNWRITABLE, STORE_CORRUPT
from lwc.store import archives
from lwc.store.archives import Manifest, Progress
from lwc.store.dialects import sqlite_copies as copies

# What is worked on stands beside the archive: there it has room, and one rename is enough.
UNFINISHED = ".lwc-export-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """An archive that was written: what it says, how long it is, and the digest of all of it."""

    manifest: Manifest
    bytes: int
    sha256: str


def send(
    live: Path, target: Path, *, mode: str, version: str, progress: Progress | None = None
) -> Sent:
    """Write the archive `target`, which must not exist; `mode` is how the live wiki is opened."""
    with _told(target), _beside(target) as copy, _beside(target) as unfinished:
        if os.path.lexists(target):
            raise FileExistsError
        copies.back_up(live, copy, mode=mode)
        identity, flaw = copies.identity(copy), copies.flaw(copy)
        if flaw is not None:
            raise STORE_CORRUPT(what=flaw)
        manifest = Manifest(
            store_id=identity.store_id,
            revision=identity.revision,
            schema=identity.schema,
            lwc=version,
            exported_at=clock.now(),
            sha256=_digest(copy),
            bytes=copy.stat().st_size,
        )
        out = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        with os.fdopen(out, "w+b") as file:
            archives.write(file, copy, manifest, progress=progress)
            file.flush()
            os.fsync(file.fileno())
        sent = Sent(manifest=manifest, bytes=unfinished.stat().st_size, sha256=_digest(unfinished))
        filesystem.give_name(unfinished, target)
    return sent


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """The path of a file to work on, which is gone when the block ends."""
    path = target.with_name(f"{UNFINISHED}{os.getpid()}-{token_hex(4)}")
    try:
        yield path
    finally:
        for leftover in (path, Path(f"{path}-journal"), Path(f"{path}-wal"), Path(f"{path}-shm")):
            with suppress(OSError):
                leftover.unlink()


@contextmanager
def _told(target: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise ARCHIVE_EXISTS(path=str(target)) from error
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or "that is no path"
        raise ARCHIVE_UNWRITABLE(path=str(target), what=what.lower()) from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
