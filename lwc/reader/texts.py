"""Texts that a command takes with `--file F|-`: the agent's own, from a file or standard input."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from lwc.errors import (
    BINARY_SOURCE,
    FILE_NOT_FOUND,
    FILE_UNREADABLE,
    INPUT_TOO_LARGE,
    INVALID_ENCODING,
    NOT_A_REGULAR_FILE,
    STORE_FILE_REFUSED,
)
from lwc.reader.kinds import is_open_here, is_plain, kind
from lwc.reader.places import STORE_FILES, STORE_FOLDER, recordable, said

LARGEST = 64 * 1024 * 1024

_PIECE = 1024 * 1024
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
# Where a shell puts what `--file <(command)` is to read.
_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def read_text_argument(
    path: str | Path, *, base: Path, stdin: BinaryIO, most: int = LARGEST, what: str
) -> str:
    """The text a command was given: `-` is `stdin`, another path a file that links may lead to.

    At most `most` bytes of UTF-8 without NUL; `what` names it when it is larger ("The page body").
    Whether it may be empty is for the command to judge.
    """
    shown = recordable(os.fspath(path))
    if shown == "-":
        shown = "standard input"
        return decoded(_drained(stdin.read, shown=shown, most=most, what=what), shown=shown)
    with _opened(os.path.join(base, path), shown=shown) as file:
        return decoded(_drained(file.read, shown=shown, most=most, what=what), shown=shown)


def decoded(content: bytearray | memoryview, *, shown: str) -> str:
    """The bytes as strict UTF-8 without NUL; refusals count bytes."""
    try:
        text = str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise INVALID_ENCODING(path=shown, offset=error.start) from error
    if (nul := text.find("\0")) >= 0:
        raise BINARY_SOURCE(path=shown, offset=len(text[:nul].encode()))
    return text


def _drained(read: Callable[[int], bytes | None], *, shown: str, most: int, what: str) -> bytearray:
    """All there is to read, after at most one byte more than is allowed."""
    content = bytearray()
    try:
        while piece := read(min(_PIECE, most + 1 - len(content))):
            content += piece
            if len(content) > most:
                raise INPUT_TOO_LARGE(what=what, most=most)
    except OSError as error:
        raise FILE_UNREADABLE(path=shown, what=said(error)) from error
    return content


def _opened(path: str, *, shown: str) -> FileIO:
    _refuse_store(os.path.realpath(path), shown=shown)
    try:
        _judge(os.stat(path), path, shown=shown)
        descriptor = os.open(path, _FILE)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FILE_NOT_FOUND(path=shown) from error
    except OSError as error:
        raise FILE_UNREADABLE(path=shown, what=said(error)) from error
    os.set_blocking(descriptor, True)
    return FileIO(descriptor)


def _judge(seen: os.stat_result, path: str, *, shown: str) -> None:
    if kind(seen) == "FIFO" and os.path.normpath(path).startswith(_DESCRIPTORS):
        return
    if not is_plain(seen):
        raise NOT_A_REGULAR_FILE(path=shown, kind=kind(seen))
    if seen.st_nlink > 1 and is_open_here(seen):
        raise STORE_FILE_REFUSED(path=shown)


def _refuse_store(real: str, *, shown: str) -> None:
    # Schema and pages below `.lwc` are texts to take back; a database there is never opened.
    *folders, name = real.casefold().split("/")
    if name in STORE_FILES or (STORE_FOLDER in folders and ".db" in name):
        raise STORE_FILE_REFUSED(path=shown)
