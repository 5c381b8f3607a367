"""Where a typed path leads, and descriptors that lead there without following a link.

A path checked by name and opened by name loses the race against whoever swaps a part of it. So a
path is resolved by its letters once, and then walked part by part from an open folder.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lwc.errors import (
    FILE_NOT_FOUND,
    FILE_UNREADABLE,
    INVALID_SOURCE_PATH,
    PATH_OUTSIDE_ROOT,
    STDIN_REFUSED,
    STORE_FILE_REFUSED,
    SYMLINK_REFUSED,
    URL_REFUSED,
    LwcError,
)
from lwc.reader.kinds import is_folder, is_link

STORE_FOLDER = ".lwc"
STORE_FILES = frozenset({"wiki.db", "wiki.db-wal", "wiki.db-shm", "wiki.db-journal"})

# O_PATH walks through folders that may be entered but not listed (a /home of mode 711).
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_WEB_ADDRESS = re.compile(r"https?:/", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A path resolved by its letters: `parts` below `anchor`, the project root or `/`.

    `shown` is the path as it was typed: what refusals name, so that none tells an absolute path
    which its reader did not know.
    """

    shown: str
    anchor: str
    parts: tuple[str, ...]
    inside: bool

    @property
    def path(self) -> Path:
        return Path(self.anchor, *self.parts)

    @property
    def tracked(self) -> str:
        """The path relative to the root with `/` when below it, else absolute."""
        return "/".join(self.parts) if self.inside else str(self.path)


def place(path: str | Path, *, root: Path | None, base: Path, allow_external: bool) -> Place:
    """Where the path leads: relative ones from `base`; outside `root` only when that is allowed.

    `..` is resolved by its letters. Root, base and what lies outside the root are taken by their
    real names; below the root nothing is followed, neither here nor by who opens the place.
    """
    typed = os.fspath(path)
    shown = recordable(typed)
    if typed == "-":
        raise STDIN_REFUSED()
    if _WEB_ADDRESS.match(typed):
        raise URL_REFUSED(path=shown)
    anchor = None if root is None else os.path.realpath(root)
    absolute = _normal(os.path.join(os.path.realpath(base), typed))
    parts = _below(absolute, anchor)
    if parts is None:
        folder, name = os.path.split(absolute)
        absolute = os.path.join(os.path.realpath(folder), name)
        parts = _below(absolute, anchor)
    if parts is None and anchor is not None and not allow_external:
        raise PATH_OUTSIDE_ROOT(path=shown)
    if parts is None or anchor is None:
        here = Place(shown=shown, anchor="/", parts=_split(absolute), inside=False)
    else:
        here = Place(shown=shown, anchor=anchor, parts=parts, inside=True)
    _refuse_store(here)
    return here


def recordable(typed: str) -> str:
    """The path as refusals may show it; refuses one that no database can keep."""
    shown = typed.encode("utf-8", "backslashreplace").decode("utf-8")
    if not typed:
        raise INVALID_SOURCE_PATH(path="''", what="it is empty")
    if "\0" in typed:
        raise INVALID_SOURCE_PATH(path=shown, what="it holds a NUL character")
    if not is_utf8(typed):
        raise INVALID_SOURCE_PATH(path=shown, what="its name is not UTF-8")
    return shown


def is_utf8(name: str) -> bool:
    """Whether the name was UTF-8 on the disk (other bytes arrive as lone surrogates)."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


@contextmanager
def opened_folder(here: Place, parts: tuple[str, ...]) -> Iterator[int]:
    """A descriptor of the folder `parts` below the anchor, reached without following a link."""
    try:
        folder = os.open(here.anchor, _FOLDER)
    except OSError as error:
        raise refusal(error, here) from error
    try:
        for part in parts:
            # Never hold what is closed: a signal in between would have it closed a second time.
            outer, folder = folder, _inner_folder(here, folder, part)
            os.close(outer)
        yield folder
    finally:
        os.close(folder)


def refusal(error: OSError, here: Place) -> LwcError:
    """What an error of the operating system means for the place."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return FILE_NOT_FOUND(path=here.shown)
        case errno.ELOOP:
            return SYMLINK_REFUSED(path=here.shown)
        case errno.ENAMETOOLONG:
            return INVALID_SOURCE_PATH(path=here.shown, what="it is too long")
    return FILE_UNREADABLE(path=here.shown, what=said(error))


def said(error: OSError) -> str:
    """The system's words for an error, without the path that `str(error)` tells."""
    return os.strerror(error.errno).lower() if error.errno else "input/output error"


def _inner_folder(here: Place, folder: int, part: str) -> int:
    try:
        return os.open(part, _FOLDER, dir_fd=folder)
    except NotADirectoryError as error:
        # Linux says ENOTDIR, not ELOOP, for a link met with O_DIRECTORY.
        if _was_link(folder, part):
            raise SYMLINK_REFUSED(path=here.shown) from error
        raise refusal(error, here) from error
    except OSError as error:
        raise refusal(error, here) from error


def _was_link(folder: int, part: str) -> bool:
    try:
        seen = os.stat(part, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return is_link(seen) or is_folder(seen)  # a folder again: it is being swapped


def _refuse_store(here: Place) -> None:
    # Closing any descriptor of the database drops SQLite's locks in this process: never open one.
    # Folded, because a disk may not tell `.LWC` from `.lwc`.
    folded = tuple(part.casefold() for part in here.parts)
    if STORE_FOLDER in folded or (folded and folded[-1] in STORE_FILES):
        raise STORE_FILE_REFUSED(path=here.shown)


def _below(absolute: str, anchor: str | None) -> tuple[str, ...] | None:
    """The parts of a path below the anchor; None when it is not below."""
    if anchor is None:
        return None
    if absolute == anchor:
        return ()
    prefix = anchor.rstrip("/") + "/"
    return _split(absolute.removeprefix(prefix)) if absolute.startswith(prefix) else None


def _normal(absolute: str) -> str:
    # POSIX lets `//` at the head mean something else, and normpath keeps it.
    return "/" + os.path.normpath(absolute).lstrip("/")


def _split(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.split("/") if part)
