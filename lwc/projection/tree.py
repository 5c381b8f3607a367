"""The folder of the projection, walked by descriptors: no link is followed, nothing else met."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from hashlib import sha256
from io import FileIO
from pathlib import Path
from types import TracebackType

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_APPEND = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

# What a file is called until it is whole, with the number of the hand that writes it.
UNFINISHED = ".lwc-projecting"
HANDS = 8
_BLOCK = 1024 * 1024


class UnsafePlaceError(OSError):
    """Something stands in a file's way that is neither a plain file nor a folder of ours."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Tree:
    """Files below a folder by their paths, with `/` between parts that are names already.

    What is written survives a power cut once `settle` is done. To be closed.
    """

    def __init__(self, top: Path) -> None:
        self._descriptors = ExitStack()
        self._folders: dict[str, int] = {}
        self._changed: set[str] = set()
        self._keep("", os.open(top, _FOLDER))

    def __enter__(self) -> Tree:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._descriptors.close()

    @property
    def top(self) -> int:
        """The descriptor of the folder itself."""
        return self._folders[""]

    def digest(self, path: str) -> str | None:
        """What the file holds; none when there is none."""
        with ExitStack() as stack:
            file = self._opened(path, stack)
            if file is None:
                return None
            found = sha256()
            while block := file.read(_BLOCK):
                found.update(block)
            return found.hexdigest()

    def read(self, path: str, *, most: int | None = None, start: int = 0) -> bytes | None:
        """The file's content from `start`, `most` bytes of it; none when there is none."""
        with ExitStack() as stack:
            file = self._opened(path, stack)
            if file is None:
                return None
            file.seek(start)
            return file.read(-1 if most is None else most)

    def size(self, path: str) -> int | None:
        """How long the file is; none when there is none, or it has another name somewhere else."""
        with ExitStack() as stack:
            file = self._opened(path, stack)
            seen = None if file is None else os.fstat(file.fileno())
            return None if seen is None or seen.st_nlink != 1 else seen.st_size

    def replace(self, path: str, content: bytes, *, hand: int = 0) -> None:
        """Make the file hold this: whole, or what it held before, whatever happens.

        Several hands may write at once, each with its own number, once the folders are made.
        """
        folder, name = self._place(path, make=True)
        assert folder is not None
        self._refuse_obstacle(folder, name)
        unfinished = f"{UNFINISHED}-{hand}"
        with suppress(FileNotFoundError):
            os.unlink(unfinished, dir_fd=folder)
        try:
            with _file(folder, unfinished, _MAKE, "wb") as file:
                os.fchmod(file.fileno(), 0o600)
                _write(file, content)
                os.fsync(file.fileno())
            os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(unfinished, dir_fd=folder)
            raise
        self._changed.add(_above(path))

    def replace_all(self, files: Sequence[tuple[str, bytes]]) -> list[OSError | None]:
        """`replace` for each of these; answers what failed, in their order.

        Many are written side by side: a disk settles ten files in the time of one.
        """
        if len(files) < HANDS:
            return [self._tried(path, content) for path, content in files]
        for path, _ in files:
            with suppress(OSError):
                self._place(path, make=True)
        failed: list[OSError | None] = [None] * len(files)

        def work(hand: int) -> None:
            for at in range(hand, len(files), HANDS):
                failed[at] = self._tried(*files[at], hand=hand)

        with ThreadPoolExecutor(HANDS) as hands:
            for _ in hands.map(work, range(HANDS)):
                pass
        return failed

    def _tried(self, path: str, content: bytes, *, hand: int = 0) -> OSError | None:
        try:
            self.replace(path, content, hand=hand)
        except OSError as error:
            return error
        return None

    def append(self, path: str, content: bytes, *, at: int) -> None:
        """Add to the end of a file, which is `at`."""
        folder, name = self._place(path)
        assert folder is not None
        with _file(folder, name, _APPEND, "r+b") as file:
            file.seek(at)
            _write(file, content)
            os.fsync(file.fileno())

    def set_aside(self, path: str) -> str:
        """Give what stands there a name that is free: `page.md.edited-1`; answers its path."""
        folder, name = self._place(path)
        assert folder is not None
        number = 1
        while _lstat(folder, kept := f"{name}.edited-{number}") is not None:
            number += 1
        os.rename(name, kept, src_dir_fd=folder, dst_dir_fd=folder)
        self._changed.add(_above(path))
        return f"{_above(path)}/{kept}".lstrip("/")

    def remove(self, path: str) -> None:
        """Take the file away, and the folders that are empty without it."""
        folder, name = self._place(path)
        if folder is None:
            return
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        self._changed.add(_above(path))
        with suppress(OSError):  # the first that holds something else ends it
            while path := _above(path):
                outer, own = self._place(path)
                os.rmdir(own, dir_fd=outer)
                # Its descriptor leads to a folder that has no name any more.
                del self._folders[path]
                self._changed.add(_above(path))

    def clear_unfinished(self, folder: str) -> None:
        """Remove what a killed run left half written in a folder."""
        with suppress(FileNotFoundError, UnsafePlaceError):
            for name in os.listdir(self._folder(folder)):
                if name.startswith(UNFINISHED):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=self._folder(folder))

    def folders_in(self, folder: str) -> Iterator[str]:
        """The paths of the folders directly in a folder."""
        with suppress(FileNotFoundError, UnsafePlaceError):
            for name in os.listdir(self._folder(folder)):
                seen = _lstat(self._folder(folder), name)
                if seen is not None and stat.S_ISDIR(seen.st_mode):
                    yield f"{folder}/{name}"

    def settle(self) -> None:
        """Make all names that were given or taken survive a power cut."""
        while self._changed:
            folder = self._changed.pop()
            if (descriptor := self._folders.get(folder)) is not None:
                os.fsync(descriptor)

    def _opened(self, path: str, stack: ExitStack) -> FileIO | None:
        """The plain file of a path, for reading; none when nothing stands there."""
        try:
            folder, name = self._place(path)
            if folder is None:
                return None
            seen = self._refuse_obstacle(folder, name)
            if seen is None:
                return None
            return stack.enter_context(open(os.open(name, _READ, dir_fd=folder), "rb", buffering=0))
        except FileNotFoundError:
            return None

    def _refuse_obstacle(self, folder: int, name: str) -> os.stat_result | None:
        seen = _lstat(folder, name)
        if seen is not None and not stat.S_ISREG(seen.st_mode):
            raise UnsafePlaceError(_what(seen))
        return seen

    def _place(self, path: str, *, make: bool = False) -> tuple[int | None, str]:
        """The descriptor of a file's folder, none when there is none, and the file's name."""
        above, _, name = path.rpartition("/")
        assert name not in ("", ".", ".."), "paths of the projection are made of names"
        try:
            return self._folder(above, make=make), name
        except FileNotFoundError:
            return None, name

    def _folder(self, path: str, *, make: bool = False) -> int:
        if path in self._folders:
            return self._folders[path]
        outer = self._folder(_above(path), make=make)
        name = path.rpartition("/")[2]
        seen = _lstat(outer, name)
        if seen is None and make:
            os.mkdir(name, 0o700, dir_fd=outer)
            self._changed.add(_above(path))
        elif seen is not None and not stat.S_ISDIR(seen.st_mode):
            raise UnsafePlaceError(f"the folder {path} is {_what(seen)}")
        descriptor = self._keep(path, os.open(name, _FOLDER, dir_fd=outer))
        if seen is None:
            os.fchmod(descriptor, 0o700)  # whatever the umask took away
        return descriptor

    def _keep(self, path: str, descriptor: int) -> int:
        self._descriptors.callback(os.close, descriptor)
        self._folders[path] = descriptor
        return descriptor


def _file(folder: int, name: str, flags: int, mode: str) -> FileIO:
    def opened(name: str, _: int) -> int:
        return os.open(name, flags, 0o600, dir_fd=folder)

    return FileIO(name, mode, opener=opened)


def _write(file: FileIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _lstat(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _what(seen: os.stat_result) -> str:
    for matches, words in _KINDS:
        if matches(seen.st_mode):
            return words
    return "a special file"


_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISREG, "a file"),
)
