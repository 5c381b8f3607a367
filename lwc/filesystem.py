"""What kind of file system a folder is on, where SQLite's locks depend on it."""

from __future__ import annotations

import os
from pathlib import Path

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
    """The file system of the nearest mount above `folder`, as the kernel names it."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return None
    device = os.stat(folder).st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        before, _, after = line.partition(" - ")
        if before.split(" ")[2:3] == [wanted]:
            return after.split(" ")[0]
    return None
