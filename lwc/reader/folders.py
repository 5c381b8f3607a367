"""The documents below a folder: which files an `add-dir` takes, and in what order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lwc.errors import INVALID_SOURCE_DIRECTORY, LwcError
from lwc.reader.kinds import is_folder, kind
from lwc.reader.places import Place, is_utf8, opened_folder, place, refusal, said

MOST_DOCUMENTS = 100_000
EXTENSIONS = frozenset(
    {
        *("md", "mdx", "txt", "csv", "json", "html", "htm", "rtf"),
        *("xml", "yaml", "yml", "org", "sql", "base"),
    }
)

_LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A document: its path below the folder, as walked from where the folder was typed, in full."""

    relative: str
    origin: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A document or a folder that cannot be taken, and why."""

    relative: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What stands below a folder, in the byte order of the relative paths."""

    found: tuple[Found, ...]
    skipped: tuple[Skipped, ...]


def walk_documents(
    directory: str | Path,
    *,
    root: Path | None,
    base: Path,
    allow_external: bool = False,
    most: int = MOST_DOCUMENTS,
) -> Walk:
    """The documents below a real folder, by their extension; nothing is opened but folders.

    Links and names that begin with a dot are passed over in silence. What looks like a document
    and cannot be one, and folders that cannot be listed, are told as skipped.
    """
    top = place(directory, root=root, base=base, allow_external=allow_external)
    _refuse_unreal(top)
    found: list[str] = []
    skipped: list[Skipped] = []
    for step in _steps(top):
        if isinstance(step, Skipped):
            skipped.append(step)
        else:
            found.append(step)
        if len(found) + len(skipped) > most:
            raise INVALID_SOURCE_DIRECTORY(
                path=top.shown, what=f"it holds more than {most:,} documents"
            )
    # UTF-8 sorts as its code points do, and so as `str` does.
    return Walk(
        found=tuple(
            Found(
                relative=relative,
                origin=os.path.join(os.fspath(directory), relative),
                path=top.path / relative,
            )
            for relative in sorted(found)
        ),
        skipped=tuple(sorted(skipped, key=lambda skip: skip.relative)),
    )


def _refuse_unreal(top: Place) -> None:
    if not top.parts:
        return
    *folders, name = top.parts
    with opened_folder(top, tuple(folders)) as folder:
        try:
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            raise refusal(error, top) from error
    if not is_folder(seen):
        raise INVALID_SOURCE_DIRECTORY(path=top.shown, what=f"it is a {kind(seen)}")


def _steps(top: Place) -> Iterator[str | Skipped]:
    """Relative paths of documents and what is skipped, in no order.

    Each folder is reached anew from the top: a tree deeper than the limit of open files is walked
    like any other.
    """
    pending: list[tuple[str, ...]] = [()]
    while pending:
        parts = pending.pop()
        try:
            names = _listed(top, parts)
        except (OSError, LwcError) as error:
            if not parts:
                raise INVALID_SOURCE_DIRECTORY(path=top.shown, what=_why(error)) from error
            yield Skipped(relative="/".join(parts), what=f"the folder is unreadable: {_why(error)}")
            continue
        for name, what in names:
            relative = "/".join((*parts, name))
            if what != "folder" and not _is_document(name):
                continue
            if not is_utf8(name):
                shown = relative.encode("utf-8", "backslashreplace").decode("utf-8")
                yield Skipped(relative=shown, what="its name is not UTF-8")
            elif len(relative.encode()) > _LONGEST_PATH:
                yield Skipped(relative=relative, what="its path is too long")
            elif what == "folder":
                pending.append((*parts, name))
            elif what == "file":
                yield relative
            else:
                yield Skipped(relative=relative, what=f"it is a {what}")


def _listed(top: Place, parts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Names in a folder and what each is; without links and what begins with a dot."""
    with opened_folder(top, (*top.parts, *parts)) as folder:
        listed = os.open(".", _LISTED, dir_fd=folder)
        try:
            with os.scandir(listed) as entries:
                return [
                    (entry.name, _kind(entry))
                    for entry in entries
                    if not entry.name.startswith(".") and not entry.is_symlink()
                ]
        finally:
            os.close(listed)


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if entry.is_file(follow_symlinks=False):
        return "file"
    try:
        return kind(entry.stat(follow_symlinks=False))
    except OSError as error:
        return said(error)


def _is_document(name: str) -> bool:
    _stem, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in EXTENSIONS


def _why(error: OSError | LwcError) -> str:
    if isinstance(error, OSError):
        return said(error)
    return str(error.details.get("what", "it changed while it was walked"))
