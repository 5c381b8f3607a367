"""The files of a store as its doctor looks at them: who may reach them, and what was left behind.

They are asked after by name and never opened: SQLite loses its locks when anything else does.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from lwc import clock, filesystem
from lwc.domain.doctor import Flaw
from lwc.projection import lock, manifest, tree
from lwc.store import checkpoints, derived
from lwc.workspace import CHECKPOINTS, DATABASE_NAME, FILES, STORE_FOLDER, Workspace

# Commands make files under such names and give them their own when they are whole.
MAKING = "making-"
UNFINISHED = (MAKING, checkpoints.SCRATCH, tree.UNFINISHED)
LEFT_SECONDS = 3600
# A log is shortened by the change after it grew; this much no change of ours leaves.
LOG_MOST = 256 * 1024 * 1024


def flaws(place: Workspace) -> Iterator[Flaw]:
    """What is not as lwc makes it in the store's folder and on the disk it is on."""
    for path in _ours(place):
        found = _lstat(path)
        if found is None:
            continue
        key = str(path.relative_to(place.root))
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            yield _flaw("file_unexpected", key, what="no plain file")
        elif path.name.startswith(UNFINISHED):
            if clock.now().timestamp() - found.st_mtime > LEFT_SECONDS:
                since = clock.stamp(datetime.fromtimestamp(found.st_mtime, UTC))
                yield _flaw("file_leftover", key, since=since)
        elif found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield _flaw("file_exposed", key, mode=f"{stat.S_IMODE(found.st_mode):04o}")
    if (log := derived.log_bytes(place.database)) > LOG_MOST:
        yield _flaw("log_long", f"{STORE_FOLDER}/{DATABASE_NAME}-wal", bytes=log)
    kind = filesystem.unsafe_for_locks(place.root)
    if kind is not None:
        yield _flaw("filesystem_unsafe", STORE_FOLDER, kind=kind)


def mend(place: Workspace, flaw: Flaw) -> bool:
    """Take a leftover or rights away; answers whether that could be done."""
    path = place.root / flaw.key
    found = _lstat(path)
    if found is None or stat.S_ISLNK(found.st_mode):
        return False
    with suppress(OSError):
        if flaw.code == "file_leftover":
            path.unlink()
            return True
        if flaw.code == "file_exposed":
            path.chmod(0o700 if stat.S_ISDIR(found.st_mode) else 0o600)
            return True
    return False


def _ours(place: Workspace) -> Iterator[Path]:
    """The store's folder and what lwc keeps in it; files of readers may stand beside."""
    yield place.store
    yield from (place.store / name for name in (*FILES, manifest.NAME, lock.NAME))
    yield from sorted(place.store.glob(f"{MAKING}*"))
    yield place.store / CHECKPOINTS
    with suppress(OSError):
        yield from sorted((place.store / CHECKPOINTS).iterdir())
    for folder in ("", "raw/sources", ".obsidian", "wiki", "wiki/*"):
        yield from place.store.glob(f"{folder}/{tree.UNFINISHED}*".lstrip("/"))


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def _flaw(code: str, key: str, **facts: object) -> Flaw:
    return Flaw(code=code, entity="file", key=key, facts=facts)
