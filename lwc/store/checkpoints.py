"""Checkpoints as files: whole copies of a wiki, each with a note of its making beside it.

What a copy itself knows is read from it; the note tells the rest, and a checkpoint without one is
as good as any other. A copy that nobody has open is a plain file and may be read as one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from lwc import clock, filesystem, wire
from lwc.domain import strict_json
from lwc.domain.checkpoint import Kind, Making, is_name, kind_of
from lwc.errors import (
    CHECKPOINT_EXISTS,
    CHECKPOINT_INVALID,
    CHECKPOINT_NAME_INVALID,
    CHECKPOINT_NEWER,
    CHECKPOINT_NOT_FOUND,
    STORE_CORRUPT,
    STORE_NEWER,
    LwcError,
)
from lwc.store.dialects import sqlite_copies as copies
from lwc.store.dialects.sqlite_copies import Identity

# Unfinished copies, which no checkpoint is called like; old ones were left by stopped commands.
SCRATCH = ".scratch-"
SCRATCH_SECONDS = 3600
NOTE_BYTES = 65_536
CHUNK = 1024 * 1024
ALTERED = "its bytes are not those that were kept"
# What reading a note raises that holds something else; the last moment a year can be written of.
NOT_A_NOTE = (AttributeError, KeyError, TypeError, ValueError)
LAST_MOMENT = 253_402_300_799
LOGS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A copy in the folder of checkpoints, and what is told of its making."""

    name: str
    path: Path
    bytes: int
    making: Making


def make(live: Path, folder: Path, name: str, *, making: Making) -> Checkpoint:
    """Keep the wiki as it is at this moment, under a name that no checkpoint has.

    One made by hand is proved; those that lwc makes itself are made of a damaged wiki, too.
    """
    with filesystem.errors_told(), scratch(folder) as copy:
        copies.back_up(live, copy)
        if making.kind is Kind.MANUAL:
            copies.identity(copy)
            if (flaw := copies.flaw(copy)) is not None:
                raise STORE_CORRUPT(what=flaw)
        making = replace(making, sha256=_digest(copy))
        size = os.stat(copy).st_size
        path = folder / f"{name}.db"
        if not os.path.lexists(path):
            # Left by somebody who removed the copy alone.
            _note(path).unlink(missing_ok=True)
        try:
            filesystem.give_name(copy, path)
        except FileExistsError as error:
            raise CHECKPOINT_EXISTS(name=name) from error
        _write_note(path, making)
    return Checkpoint(name=name, path=path, bytes=size, making=making)


def find(folder: Path, name: str) -> Checkpoint:
    """The checkpoint of this name, when its file is one that can be read."""
    if not is_name(name):
        raise CHECKPOINT_NAME_INVALID(reserved=[])
    path = folder / f"{name}.db"
    found = _lstat(path)
    if found is None:
        raise CHECKPOINT_NOT_FOUND(name=name)
    what = _unreadable(path, found)
    if what is not None:
        raise CHECKPOINT_INVALID(name=name, what=what)
    return Checkpoint(name=name, path=path, bytes=found.st_size, making=_making(path, found))


def listed(folder: Path) -> list[Checkpoint]:
    """All that has a checkpoint's name, whether or not it can be used, newest first."""
    found = []
    for name in _names(folder):
        path = folder / f"{name}.db"
        seen = _lstat(path)
        if seen is not None:
            making = _making(path, seen)
            found.append(Checkpoint(name=name, path=path, bytes=seen.st_size, making=making))
    return sorted(found, key=lambda one: (one.making.made_at, one.name), reverse=True)


def _names(folder: Path) -> list[str]:
    try:
        entries = os.listdir(folder)
    except FileNotFoundError:
        return []
    stems = (entry.removesuffix(".db") for entry in entries if entry.endswith(".db"))
    return [name for name in stems if is_name(name)]


def identified(checkpoint: Checkpoint) -> Identity:
    """What the copy says of itself, or why it cannot be used."""
    find(checkpoint.path.parent, checkpoint.name)
    with told(checkpoint.name):
        return copies.identity(checkpoint.path)


def proven(checkpoint: Checkpoint) -> Identity:
    """The same, after every byte of it was read."""
    identity = identified(checkpoint)
    with filesystem.errors_told():
        digest = _digest(checkpoint.path)
    if checkpoint.making.sha256 not in (None, digest):
        raise CHECKPOINT_INVALID(name=checkpoint.name, what=ALTERED)
    with told(checkpoint.name):
        flaw = copies.flaw(checkpoint.path)
    if flaw is not None:
        raise CHECKPOINT_INVALID(name=checkpoint.name, what=flaw)
    return identity


def copy_out(checkpoint: Checkpoint, target: Path) -> None:
    """A copy of a checkpoint to work on, proved to be the bytes that were kept."""
    with filesystem.errors_told():
        out = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(out, "wb") as file:
            digest = _digest(checkpoint.path, into=file)
    if checkpoint.making.sha256 not in (None, digest):
        raise CHECKPOINT_INVALID(name=checkpoint.name, what=ALTERED)


def drop(folder: Path, name: str) -> None:
    """Remove a checkpoint, also one that cannot be used."""
    if not is_name(name):
        raise CHECKPOINT_NAME_INVALID(reserved=[])
    path = folder / f"{name}.db"
    found = _lstat(path)
    if found is None:
        raise CHECKPOINT_NOT_FOUND(name=name)
    if stat.S_ISDIR(found.st_mode):
        raise CHECKPOINT_INVALID(name=name, what="it is a folder")
    with filesystem.errors_told():
        _note(path).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        for log in LOGS:
            Path(f"{path}{log}").unlink(missing_ok=True)
        filesystem.settle(folder)


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """The path of a file to work on, which is gone when the block ends."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)  # whatever the umask took away
    _tidy(folder)
    path = folder / f"{SCRATCH}{os.getpid()}-{token_hex(4)}.db"
    try:
        yield path
    finally:
        for leftover in (path, *(Path(f"{path}{log}") for log in LOGS)):
            with suppress(OSError):
                leftover.unlink()


@contextmanager
def told(name: str) -> Iterator[None]:
    """What is wrong with a copy, said of the checkpoint and not of the wiki."""
    try:
        yield
    except LwcError as error:
        if error.problem is STORE_NEWER:
            raise CHECKPOINT_NEWER(name=name, **error.details) from error
        if error.problem.retryable:
            raise
        raise CHECKPOINT_INVALID(name=name, what=error.message.rstrip(".")) from error


def _tidy(folder: Path) -> None:
    """Remove what stopped commands left: old scratch, and what has got its name already."""
    oldest = clock.now().timestamp() - SCRATCH_SECONDS
    for path in folder.glob(f"{SCRATCH}*"):
        found = _lstat(path)
        if found is not None and (found.st_mtime < oldest or found.st_nlink > 1):
            with suppress(OSError):
                path.unlink()


def _unreadable(path: Path, found: os.stat_result) -> str | None:
    """Why a file is not even opened."""
    if stat.S_ISLNK(found.st_mode):
        return "it is a symbolic link"
    if not stat.S_ISREG(found.st_mode):
        return "it is not a plain file"
    if found.st_nlink > 1:
        _tidy(path.parent)
        again = _lstat(path)
        if again is None or again.st_nlink > 1:
            return "it has more than one name on this disk (a hard link)"
    if not found.st_size:
        return "it is empty"
    for log in ("-wal", "-journal"):
        left = _lstat(Path(f"{path}{log}"))
        if left is not None and left.st_size:
            return "another program has opened it and left a log beside it"
    return None


def _digest(path: Path, *, into: Any = None) -> str:
    """SHA-256 of a plain file, which is copied while it is read when that is wanted."""
    whole = sha256()
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        while chunk := file.read(CHUNK):
            whole.update(chunk)
            if into is not None:
                into.write(chunk)
    return whole.hexdigest()


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('.db')}.json")


def _write_note(path: Path, making: Making) -> None:
    """Whole or not at all, so that no reader finds half of it."""
    unfinished = path.with_name(f"{SCRATCH}{os.getpid()}-{token_hex(4)}.json")
    out = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    with os.fdopen(out, "w", encoding="utf-8") as file:
        file.write(wire.encode(making) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.rename(unfinished, _note(path))
    filesystem.settle(path.parent)


def _making(path: Path, found: os.stat_result) -> Making:
    """What the note tells; without one, what the name and the file's time say."""
    try:
        value = strict_json.parse(_note_text(_note(path)), most_bytes=NOTE_BYTES)
        return _as_making(value)
    except (OSError, strict_json.StrictJsonError, *NOT_A_NOTE):
        moment = datetime.fromtimestamp(min(max(found.st_mtime, 0), LAST_MOMENT), UTC)
        return Making(kind=kind_of(path.name.removesuffix(".db")), made_at=moment)


def _note_text(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(NOTE_BYTES + 1)


def _as_making(value: Any) -> Making:
    making: Making = wire.load(Making, value)
    texts = (making.by, making.why, making.request, making.sha256)
    if making.made_at.tzinfo is None or not all(isinstance(one, str | None) for one in texts):
        raise ValueError
    return making


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, ValueError):
        return None
