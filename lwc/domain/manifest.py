"""A manifest: a JSON list of the files to add, read before any of them is opened."""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import Any

from lwc.domain import strict_json
from lwc.domain.strict_json import JsonTooLarge, StrictJsonError
from lwc.errors import (
    DUPLICATE_KEY,
    EMPTY_MANIFEST,
    INVALID_MANIFEST,
    MANIFEST_ENTRY_REFUSED,
    MANIFEST_TOO_LARGE,
)

LARGEST_MANIFEST = 16 * 1024 * 1024
MOST_ENTRIES = 100_000

_LONGEST_PATH = 4096
_LONGEST_PART = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """A file to add, its path as written: relative to the manifest's folder, or absolute."""

    path: str
    title: str | None = None


def parse_manifest(text: str, *, path: str) -> tuple[ManifestEntry, ...]:
    """The entries of a manifest, in its order and at least one; `path` names it in refusals.

    Whether a path leads out of the project (`..`, an absolute one) is judged by who opens it.
    """
    try:
        return _entries(strict_json.parse(text, most_bytes=LARGEST_MANIFEST), path=path)
    except JsonTooLarge as error:
        raise MANIFEST_TOO_LARGE(path=path, what="more than 16 MiB") from error
    except StrictJsonError as error:
        if error.key is not None:
            raise DUPLICATE_KEY(path=path, key=error.key) from error
        raise INVALID_MANIFEST(path=path, what=str(error), details=error.place) from error


def _entries(value: Any, *, path: str) -> tuple[ManifestEntry, ...]:
    top = strict_json.members(value, required={"sources": (list,)}, optional={}, called="it")
    listed = top["sources"]
    if not listed:
        raise EMPTY_MANIFEST(path=path)
    if len(listed) > MOST_ENTRIES:
        raise MANIFEST_TOO_LARGE(path=path, what=f"{len(listed):,} entries")
    return tuple(_entry(written, index=index) for index, written in enumerate(listed))


def _entry(written: Any, *, index: int) -> ManifestEntry:
    fields = strict_json.members(
        written,
        required={"path": (str,)},
        optional={"title": (str, NoneType)},
        called=f"entry {index + 1}",
    )
    if what := _flaw(fields["path"]):
        raise MANIFEST_ENTRY_REFUSED(entry=index + 1, what=what, details={"index": index})
    title = fields.get("title")
    return ManifestEntry(path=fields["path"], title=title if title and title.strip() else None)


def _flaw(path: str) -> str | None:
    """What is wrong with a path whatever the disk holds."""
    parts = path.removeprefix("/").split("/")
    if not path:
        return "it is empty"
    if "\0" in path:
        return "it holds a NUL character"
    if "\\" in path:
        return "it holds a backslash"
    if path.casefold().startswith(("http://", "https://")):
        return "it is a web address"
    if not all(parts):
        return "it has an empty part"
    if len(path.encode()) > _LONGEST_PATH or any(len(p.encode()) > _LONGEST_PART for p in parts):
        return "it is too long"
    return None
