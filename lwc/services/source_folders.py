"""Taking in every document below a folder."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lwc.errors import NOT_A_DOCUMENT, PARTIAL_IMPORT, LwcError
from lwc.reader import Found, read_document, walk_documents
from lwc.services.intake import (
    BYTES_TOGETHER,
    FILES_TOGETHER,
    Arrival,
    Progress,
    Shelf,
    take_in,
)
from lwc.store import sources
from lwc.wiki import Call, Change, Changed, Wiki, replayable

SKIPPED_TOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderEntry:
    """A file of the folder, by its path below it, and its source."""

    path: str
    source_id: int
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """A file that could not be added, and why."""

    path: str
    code: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderAdded(Changed):
    """The documents of a folder."""

    discovered: int
    created: int
    duplicates: int
    skipped: int
    sources: tuple[FolderEntry, ...]
    skipped_files: tuple[SkippedFile, ...]


def add_dir(
    wiki: Wiki,
    call: Call,
    *,
    path: str,
    base: Path,
    allow_external: bool = False,
    acknowledge_sensitive: bool = False,
    progress: Progress | None = None,
) -> FolderAdded:
    """Take in every document below a folder.

    Up to 2,000 files or 64 MiB are one transaction; a larger folder is several, each whole, and the
    same command goes on where an interrupted one stopped. When a file could not be taken the others
    are, and `partial_import` tells which are in and which are not.
    """
    added = _add_dir(
        wiki,
        call,
        path=path,
        base=base,
        allow_external=allow_external,
        acknowledge_sensitive=acknowledge_sensitive,
        progress=progress,
    )
    if added.skipped:
        raise PARTIAL_IMPORT(
            skipped=added.skipped,
            discovered=added.discovered,
            committed=True,
            details={
                "created": added.created,
                "duplicates": added.duplicates,
                "created_ids": [entry.source_id for entry in added.sources if entry.created],
                "skipped_files": list(added.skipped_files[:SKIPPED_TOLD]),
                "revision": added.revision,
                "replayed": added.replayed,
            },
        )
    return added


@replayable(FolderAdded)
def _add_dir(
    wiki: Wiki,
    call: Call,
    *,
    path: str,
    base: Path,
    allow_external: bool,
    acknowledge_sensitive: bool,
    progress: Progress | None,
) -> FolderAdded:
    root = wiki.workspace.project_root
    walk = walk_documents(path, root=root, base=base, allow_external=allow_external)
    entries: list[FolderEntry] = []
    skipped = [
        _skipped(skip.relative, NOT_A_DOCUMENT(path=skip.relative, what=skip.what))
        for skip in walk.skipped
    ]
    waiting = deque(walk.found)

    def read(found: Found, shelf: Shelf) -> Arrival | None:
        if progress is not None:
            progress(len(walk.found) - len(waiting), len(walk.found))
        try:
            document = read_document(
                found.origin, root=root, base=base, allow_external=allow_external
            )
        except LwcError as error:
            skipped.append(_skipped(found.relative, error))
            return None
        return shelf.put(document, origin=found.origin, title=found.relative)

    with wiki.reading() as conn:
        known = sources.digests(conn)
    while True:
        with Shelf(wiki.workspace.store, known=known) as shelf:
            arrivals = _filled(shelf, waiting, read)
            with wiki.staging(call) as change:
                taken = take_in(change, arrivals)
                entries += [
                    FolderEntry(path=arrival.title, source_id=took.source.id, created=took.created)
                    for arrival, took in zip(arrivals, taken, strict=True)
                ]
                if any(took.is_news for took in taken):
                    change.record(
                        "source_add_dir",
                        path,
                        created=[took.source.id for took in taken if took.created],
                        advanced_paths=sum(took.advanced for took in taken),
                        acknowledged_sensitive=acknowledge_sensitive,
                    )
                if not waiting:
                    answer = _answer(wiki, change, entries=entries, skipped=skipped)
                    return change.finish(answer)
        # What the wiki was seen at binds the whole command, and so its first transaction.
        call = replace(call, if_revision=None)


def _filled(
    shelf: Shelf, waiting: deque[Found], read: Callable[[Found, Shelf], Arrival | None]
) -> list[Arrival]:
    """As many of the waiting files as one transaction may hold, read in their order."""
    arrivals: list[Arrival] = []
    size = 0
    while waiting and len(arrivals) < FILES_TOGETHER and size < BYTES_TOGETHER:
        arrival = read(waiting.popleft(), shelf)
        if arrival is not None:
            arrivals.append(arrival)
            size += arrival.bytes
    return arrivals


def _answer(
    wiki: Wiki, change: Change, *, entries: list[FolderEntry], skipped: list[SkippedFile]
) -> FolderAdded:
    created = sum(entry.created for entry in entries)
    return FolderAdded(
        **wiki.label(),
        revision=change.revision,
        discovered=len(entries) + len(skipped),
        created=created,
        duplicates=len(entries) - created,
        skipped=len(skipped),
        sources=tuple(entries),
        skipped_files=tuple(sorted(skipped, key=lambda skip: skip.path)),
    )


def _skipped(path: str, error: LwcError) -> SkippedFile:
    return SkippedFile(
        path=path, code=error.problem.code, reason=error.problem.name, message=error.message
    )
