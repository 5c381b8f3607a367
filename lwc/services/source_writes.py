"""Taking files in as sources, one or those of a manifest, and removing sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path

from lwc import clock
from lwc.domain.graph import GraphState
from lwc.domain.manifest import LARGEST_MANIFEST, ManifestEntry, parse_manifest
from lwc.domain.source import Source, checked_title
from lwc.errors import (
    INPUT_TOO_LARGE,
    MANIFEST_TOO_LARGE,
    SOURCE_CLAIMED,
    SOURCE_IN_USE,
    STDIN_REFUSED,
    LwcError,
)
from lwc.reader import read_document, read_text_argument
from lwc.services.intake import Arrival, Progress, Shelf, Taken, take_in
from lwc.services.source_views import SourceView, view
from lwc.store import jobs, pages, search, sources, texts
from lwc.store.database import Connection
from lwc.wiki import Call, Change, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceAdded(Changed):
    """The source of a file; `created` is false when its text was a source already.

    `path_advanced` tells whether the file's path holds another source than before.
    """

    source: SourceView
    created: bool
    tracked_path: str
    path_revision: int
    path_advanced: bool
    graph: GraphState = field(default_factory=GraphState)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntryAdded:
    """A file of the manifest, by its path as written, and its source."""

    path: str
    source: SourceView
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestAdded(Changed):
    """The files of a manifest, in its order."""

    created: int
    duplicates: int
    sources: tuple[ManifestEntryAdded, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRemoved(Changed):
    """A source that is gone; its id is never given to another text."""

    source_id: int
    removed: bool
    removed_path_revisions: int
    untracked_paths: tuple[str, ...]


@replayable(SourceAdded)
def add(
    wiki: Wiki,
    call: Call,
    *,
    path: str,
    title: str | None = None,
    base: Path,
    allow_external: bool = False,
    acknowledge_sensitive: bool = False,
) -> SourceAdded:
    """Take a file in as an immutable source with a pending job.

    A text that is a source already stays as it was first added; only the path of the file may
    advance to it. When nothing is new the journal says nothing.
    """
    title = None if title is None else checked_title(title)

    def read(shelf: Shelf) -> Arrival:
        document = read_document(
            path, root=wiki.workspace.project_root, base=base, allow_external=allow_external
        )
        with wiki.reading() as conn:
            shelf.known.update(sources.by_digest(conn, (document.digest,)))
        return shelf.put(document, origin=path, title=title)

    with Shelf(wiki.workspace.store) as shelf:
        arrival = read(shelf)
        with wiki.staging(call) as change:
            (taken,) = take_in(change, [arrival])
            if taken.is_news:
                change.record(
                    "source_add",
                    path,
                    source_id=taken.source.id,
                    created=taken.created,
                    tracked_path=taken.head.tracked_path,
                    path_revision=taken.head.revision,
                    path_advanced=taken.advanced,
                    acknowledged_sensitive=acknowledge_sensitive,
                )
            return change.finish(
                SourceAdded(
                    **wiki.label(),
                    revision=change.revision,
                    source=view(taken.source),
                    created=taken.created,
                    tracked_path=taken.head.tracked_path,
                    path_revision=taken.head.revision,
                    path_advanced=taken.advanced,
                )
            )


@replayable(ManifestAdded)
def add_manifest(
    wiki: Wiki,
    call: Call,
    *,
    path: str,
    base: Path,
    allow_external: bool = False,
    acknowledge_sensitive: bool = False,
    progress: Progress | None = None,
) -> ManifestAdded:
    """Take in the files that a manifest lists, all of them or none.

    Relative paths start at the manifest's folder. A refusal tells in its details which entry it is
    about: `entry` counts from 1, `index` from 0.
    """
    entries = parse_manifest(_manifest_text(path, base=base), path=path)

    def read(entry: ManifestEntry, shelf: Shelf) -> Arrival:
        document = read_document(
            entry.path,
            root=wiki.workspace.project_root,
            base=(base / path).parent,
            allow_external=allow_external,
        )
        title = None if entry.title is None else checked_title(entry.title)
        return shelf.put(document, origin=entry.path, title=title)

    with wiki.reading() as conn:
        known = sources.digests(conn)
    with Shelf(wiki.workspace.store, known=known) as shelf:
        arrivals = []
        for index, entry in enumerate(entries):
            with _naming(index):
                arrivals.append(read(entry, shelf))
            if progress is not None:
                progress(index + 1, len(entries))
        with wiki.staging(call) as change:
            taken = take_in(change, arrivals)
            if any(took.is_news for took in taken):
                change.record(
                    "source_add_manifest",
                    path,
                    created=[took.source.id for took in taken if took.created],
                    advanced_paths=sum(took.advanced for took in taken),
                    acknowledged_sensitive=acknowledge_sensitive,
                )
            return change.finish(_manifest_answer(change, entries, taken))


def _manifest_answer(
    change: Change, entries: Sequence[ManifestEntry], taken: Sequence[Taken]
) -> ManifestAdded:
    created = sum(took.created for took in taken)
    return ManifestAdded(
        **change.wiki.label(),
        revision=change.revision,
        created=created,
        duplicates=len(taken) - created,
        sources=tuple(
            ManifestEntryAdded(path=entry.path, source=view(took.source), created=took.created)
            for entry, took in zip(entries, taken, strict=True)
        ),
    )


def _manifest_text(path: str, *, base: Path) -> str:
    if path == "-":
        raise STDIN_REFUSED()
    try:
        return read_text_argument(
            path, base=base, stdin=BytesIO(), most=LARGEST_MANIFEST, what="The manifest"
        )
    except LwcError as error:
        if error.problem is INPUT_TOO_LARGE:
            raise MANIFEST_TOO_LARGE(path=path, what="more than 16 MiB") from error
        raise


@contextmanager
def _naming(index: int) -> Iterator[None]:
    """Say in a refusal which entry of the manifest it is about."""
    try:
        yield
    except LwcError as error:
        error.details |= {"entry": index + 1, "index": index}
        raise


@replayable(SourceRemoved)
def remove(wiki: Wiki, call: Call, *, source_id: int) -> SourceRemoved:
    """Take a source out, with its job and its text, when no page cites it and nobody ingests it.

    A path that holds it is no longer tracked. Its id stays bound to its text: added again, it is
    the same source.
    """
    with wiki.reading() as conn:
        seen = _removable(conn, source_id, clock.now())
        text = texts.whole(conn, seen.digest)
    terms = tuple(search.analyse_source(title=seen.title, path=seen.path, text=text))
    with wiki.staging(call) as change:
        source = _removable(change.conn, source_id, change.now)
        # It may have been removed and added under another name meanwhile.
        forgotten = sources.remove(change.conn, source, terms=terms if source == seen else None)
        change.record(
            "source_remove",
            source_id,
            title=source.title,
            origin=source.origin,
            removed_path_revisions=forgotten.removed_path_revisions,
            untracked_paths=forgotten.untracked_paths,
            affected_paths=forgotten.affected_paths,
        )
        return change.finish(
            SourceRemoved(
                **wiki.label(),
                revision=change.revision,
                source_id=source_id,
                removed=True,
                removed_path_revisions=forgotten.removed_path_revisions,
                untracked_paths=forgotten.untracked_paths,
            )
        )


def _removable(conn: Connection, source_id: int, now: datetime) -> Source:
    """The source, when nothing stands in the way of its removal; or the refusal."""
    source = sources.find(conn, source_id)
    citing = [page.slug for page in pages.citing(conn, source_id)]
    if citing:
        raise SOURCE_IN_USE(source=source_id, pages=citing)
    job = jobs.find(conn, source_id)
    if job.claimed and not job.expired(now):
        raise SOURCE_CLAIMED(source=source_id, agent=job.agent)
    return source
