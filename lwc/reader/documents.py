"""A document, read once from a descriptor: its text, its digest, and what file it was."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from io import FileIO
from pathlib import Path

from lwc.errors import (
    EMPTY_SOURCE,
    HARD_LINK_REFUSED,
    NOT_A_REGULAR_FILE,
    SOURCE_CHANGED,
    SOURCE_TOO_LARGE,
    STORE_FILE_REFUSED,
    SYMLINK_REFUSED,
)
from lwc.reader.kinds import is_link, is_open_here, is_plain, kind
from lwc.reader.places import Place, opened_folder, place, refusal
from lwc.reader.texts import LARGEST, decoded

_TEXT = re.compile(r"[^\s\ufeff]")
# O_NONBLOCK: a FIFO that slips in after the look must not hang the open.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file as it was at one moment; `text` is exact, a byte order mark and CRLF included.

    `path` is absolute, `tracked` is relative to the project root when below it.
    """

    path: Path
    tracked: str
    text: str = field(repr=False)
    digest: str
    bytes: int
    mtime_ns: int
    inode: int


def read_document(
    path: str | Path,
    *,
    root: Path | None,
    base: Path,
    allow_external: bool = False,
    most: int = LARGEST,
) -> Document:
    """The document at a path, or the reason why it is not taken.

    Relative paths start at `base`. With a `root`, a file outside it or with a second name (a hard
    link) needs `allow_external`. No link is followed below the root, nor in the last part anywhere.
    """
    here = place(path, root=root, base=base, allow_external=allow_external)
    with _opened(here, may_be_linked=allow_external or not here.inside) as file:
        return _read(file, here, most)


@contextmanager
def _opened(here: Place, *, may_be_linked: bool) -> Iterator[FileIO]:
    if not here.parts:
        raise NOT_A_REGULAR_FILE(path=here.shown, kind="folder")
    *folders, name = here.parts
    with ExitStack() as stack:
        folder = stack.enter_context(opened_folder(here, tuple(folders)))
        try:
            # Looked at before it is opened: opening a device acts on it, opening the database
            # under another name would cost its locks.
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
            _judge(seen, here, may_be_linked=may_be_linked)
            file = stack.enter_context(
                FileIO(name, opener=lambda name, _: os.open(name, _FILE, dir_fd=folder))
            )
        except OSError as error:
            raise refusal(error, here) from error
        found = os.fstat(file.fileno())
        if not is_plain(found) or not os.path.samestat(seen, found):
            raise SOURCE_CHANGED(path=here.shown)
        yield file


def _judge(seen: os.stat_result, here: Place, *, may_be_linked: bool) -> None:
    if is_link(seen):
        raise SYMLINK_REFUSED(path=here.shown)
    if not is_plain(seen):
        raise NOT_A_REGULAR_FILE(path=here.shown, kind=kind(seen))
    if seen.st_nlink > 1 and is_open_here(seen):
        raise STORE_FILE_REFUSED(path=here.shown)
    if seen.st_nlink > 1 and not may_be_linked:
        raise HARD_LINK_REFUSED(path=here.shown)


def _read(file: FileIO, here: Place, most: int) -> Document:
    before = os.fstat(file.fileno())
    if before.st_size > most:
        raise SOURCE_TOO_LARGE(path=here.shown, most=most)
    content = _content(file, before.st_size, here)
    after = os.fstat(file.fileno())
    if len(content) > most:
        raise SOURCE_TOO_LARGE(path=here.shown, most=most)
    if _stamp(before) != _stamp(after) or len(content) != after.st_size:
        raise SOURCE_CHANGED(path=here.shown)
    text = decoded(content, shown=here.shown)
    if _TEXT.search(text) is None:
        raise EMPTY_SOURCE(path=here.shown)
    return Document(
        path=here.path,
        tracked=here.tracked,
        text=text,
        # Of the bytes at hand: they are the text's UTF-8, and 64 MiB are not encoded once more.
        digest=sha256(content).hexdigest(),
        bytes=len(content),
        mtime_ns=after.st_mtime_ns,
        inode=after.st_ino,
    )


def _content(file: FileIO, size: int, here: Place) -> memoryview:
    """The bytes of a file that had this size, and one more if it has grown."""
    room = memoryview(bytearray(size + 1))
    filled = 0
    try:
        while filled < len(room) and (count := file.readinto(room[filled:])):
            filled += count
    except OSError as error:
        raise refusal(error, here) from error
    return room[:filled].toreadonly()


def _stamp(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
