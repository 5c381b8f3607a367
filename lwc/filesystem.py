"""The disk files are on: its kind, for locks depend on it, and what it refuses."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lwc.errors import DATABASE_ERROR, DATABASE_FULL, STORE_READONLY

# What the folder of a wiki is called.
STORE_FOLDER = ".lwc"
# Rights are those the process acts with, not those it was started with; not every system can say.
EFFECTIVE_RIGHTS = os.access in os.supports_effective_ids

# File systems of other machines, or of programs: POSIX locks there are a promise at best.
UNSAFE = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "sshfs", "glusterfs"}
)


def unsafe_for_locks(folder: Path) -> str | None:
    """The kind of the folder's file system when its locks cannot be trusted, else none.

    Reads the kernel's mount table; where there is none (not Linux), nothing is known and none is
    answered.
    """
    kind = kind_of(folder)
    if kind is None:
        return None
    return kind if kind in UNSAFE or kind == "fuse" or kind.startswith("fuse.") else None


def kind_of(folder: Path) -> str | None:
    """The file system that `folder` is on, as the kernel names it."""
    return kind_of_device(os.stat(folder).st_dev)


def kind_of_device(device: int) -> str | None:
    """The file system of a device: `36 35 98:0 / /mnt rw - ext3 /dev/root rw` says `ext3`."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return None
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        before, _, after = line.partition(" - ")
        if before.split(" ")[2:3] == [wanted]:
            return after.split(" ")[0]
    return None


def settle(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the folder may be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return  # who may enter a folder need not be one who may list it
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def give_name(made: Path, name: Path) -> None:
    """Rename a whole file to a name that nothing has yet (FileExistsError), and let that last."""
    try:
        os.link(made, name, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # A disk without hard links: the name is taken first, and then filled in one step.
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        os.rename(made, name)
    else:
        with suppress(FileNotFoundError):
            os.unlink(made)
    settle(name.parent)


@contextmanager
def errors_told() -> Iterator[None]:
    """What the disk refuses while a store's files are made, as refusals of ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise STORE_READONLY(path=STORE_FOLDER) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DATABASE_FULL() from error
        raise DATABASE_ERROR(what=error.strerror or type(error).__name__) from error
