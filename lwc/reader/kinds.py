"""What a name on the disk is, judged from its status before anything is opened."""

from __future__ import annotations

import os
import stat
from functools import lru_cache

from lwc.filesystem import kind_of_device

# Their files say that they are regular, and are answers of the kernel.
_KERNEL_FILESYSTEMS = frozenset(
    {
        *("proc", "sysfs", "debugfs", "tracefs", "securityfs", "configfs", "cgroup", "cgroup2"),
        *("bpf", "pstore", "efivarfs", "binfmt_misc", "selinuxfs", "fusectl", "devpts", "nsfs"),
    }
)


def kind(seen: os.stat_result) -> str:
    """What the thing is, in one or two words."""
    if stat.S_ISREG(seen.st_mode):
        return "kernel file" if _is_kernel_device(seen.st_dev) else "file"
    for matches, word in _KINDS:
        if matches(seen.st_mode):
            return word
    return "special file"


def is_link(seen: os.stat_result) -> bool:
    return stat.S_ISLNK(seen.st_mode)


def is_folder(seen: os.stat_result) -> bool:
    return stat.S_ISDIR(seen.st_mode)


def is_plain(seen: os.stat_result) -> bool:
    """Whether it is a regular file of a real file system."""
    return kind(seen) == "file"


def is_open_here(seen: os.stat_result) -> bool:
    """Whether this process has the file open already.

    A hard link may be another name of the open database, and closing a second descriptor of it
    would drop SQLite's locks.
    """
    try:
        open_now = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        return False
    return any(_is_same(descriptor, seen) for descriptor in open_now)


_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISLNK, "symbolic link"),
    (stat.S_ISFIFO, "FIFO"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


def _is_same(descriptor: int, seen: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), seen)
    except OSError:
        return False  # the descriptor that listed the folder is closed by now


@lru_cache(maxsize=64)
def _is_kernel_device(device: int) -> bool:
    return kind_of_device(device) in _KERNEL_FILESYSTEMS
