"""A whole wiki as one file: written for another place or time, and made a wiki of again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from lwc import __version__, workspace
from lwc.errors import (
    CHANGESET_COMMAND_UNSUPPORTED,
    DATABASE_FULL,
    STALE_REVISION,
    STORE_EXISTS,
    LwcError,
    Typed,
)
from lwc.services import git_exclude
from lwc.services.git_exclude import GitExclude
from lwc.services.new_wiki import bound, made_once, refuse_unsafe_disk
from lwc.services.restore import project_anew
from lwc.store import comparing, incoming, meta, outgoing
from lwc.store.archives import Progress
from lwc.store.database import Database
from lwc.store.incoming import Incoming
from lwc.wiki import NOT_CONTENT, Answer, Call, Changed, Wiki, open_wiki, replayable
from lwc.workspace import Scope, Workspace

# Left free on a disk that a wiki is written to: it has to be opened there, too.
ROOM = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported(Answer):
    """An archive was written: `sha256` is of the whole file, `database_sha256` of what it holds."""

    path: str
    bytes: int
    sha256: str
    database_bytes: int
    database_sha256: str
    store_id: str
    revision: int
    schema: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported(Changed):
    """A wiki was made of an archive or a checkpoint, which was at `imported_revision`.

    `store_id` is the one it had, or one of its own when it was imported as a new wiki.
    """

    path: str
    store_id: str
    imported_revision: int
    imported_schema: int
    pages: int
    sources: int
    git_exclude: GitExclude


def export(wiki: Wiki, *, path: Path, progress: Progress | None = None) -> Exported:
    """Write one moment of the whole wiki into an archive, which must not exist; all of it or none.

    The wiki may be worked on meanwhile.
    """
    if wiki.changeset is not None:
        raise CHANGESET_COMMAND_UNSUPPORTED(command=Typed("export"), why=NOT_CONTENT)
    sent = outgoing.send(
        wiki.database.path, path, mode=wiki.database.mode, version=__version__, progress=progress
    )
    return Exported(
        **wiki.label(),
        path=str(path),
        bytes=sent.bytes,
        sha256=sent.sha256,
        database_bytes=sent.manifest.bytes,
        database_sha256=sent.manifest.sha256,
        store_id=sent.manifest.store_id,
        revision=sent.manifest.revision,
        schema=sent.manifest.schema,
    )


def import_(
    start: Path,
    *,
    path: Path,
    scope: Scope = Scope.PROJECT,
    environ: Mapping[str, str],
    call: Call | None = None,
    as_new: bool = False,
    exclude_from_git: bool = True,
    progress: Progress | None = None,
) -> Imported:
    """Make the wiki of a folder that has none, of an archive or a checkpoint's file.

    Every checksum is compared before anything is made, and the wiki has no name before it is
    sound. With `as_new` it is a wiki of its own from here on, and not the same one elsewhere.
    """
    call = call or Call()
    place = workspace.place(start, scope=scope, environ=environ)
    if os.path.lexists(place.database):
        return _imported_before(place, call, environ)
    refuse_unsafe_disk(place, environ)
    if call.if_revision not in (None, 0):
        raise STALE_REVISION(expected=call.if_revision, found=0)
    with incoming.reading(path, name=str(path), progress=progress) as found:
        _refuse_full_disk(place, found)
        excluded = (
            git_exclude.exclude(place, environ=environ)
            if exclude_from_git
            else GitExclude(status="disabled")
        )

        def make(making: Path) -> Imported:
            return _make(place, call, making, found, path=path, as_new=as_new, excluded=excluded)

        made = made_once(place, make)
    if made is None:
        return _imported_before(place, call, environ)
    _project(place, environ)
    return made


def _refuse_full_disk(place: Workspace, found: Incoming) -> None:
    if shutil.disk_usage(place.root).free < found.bytes + ROOM:
        raise DATABASE_FULL()


def _make(
    place: Workspace,
    call: Call,
    making: Path,
    found: Incoming,
    *,
    path: Path,
    as_new: bool,
    excluded: GitExclude,
) -> Imported:
    """Write the database out and prove it; it gets its name when that is done."""
    found.extract(making)
    was = incoming.make_ours(making, name=str(path), as_new=as_new)
    unbound = replace(call, if_revision=None)
    with Wiki(place, Database(making)) as wiki, wiki.writing(unbound) as change:
        store_id = meta.value(change.conn, "store_id") or ""
        change.record("import", store_id, revision=was.revision, schema=was.schema, new=as_new)
        holds = comparing.counts(change.conn)
        return change.finish(
            Imported(
                **wiki.label(),
                revision=change.revision,
                path=str(path),
                store_id=store_id,
                imported_revision=was.revision,
                imported_schema=was.schema,
                pages=holds["pages"],
                sources=holds["sources"],
                git_exclude=excluded,
            )
        )


def _imported_before(place: Workspace, call: Call, environ: Mapping[str, str]) -> Imported:
    """The answer of this very request, when it made the wiki that is here."""
    with open_wiki(place.root, scope=place.scope.value, environ=bound(environ, place)) as wiki:
        return _refuse_existing(wiki, call)


@replayable(Imported)
def _refuse_existing(wiki: Wiki, call: Call) -> Imported:
    raise STORE_EXISTS()


def _project(place: Workspace, environ: Mapping[str, str]) -> None:
    with (
        suppress(LwcError),
        open_wiki(place.root, scope=place.scope.value, environ=bound(environ, place)) as wiki,
    ):
        project_anew(wiki)
