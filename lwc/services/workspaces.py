"""Making a wiki in a folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lwc import filesystem, workspace
from lwc.domain.charter import DEFAULTS
from lwc.errors import (
    DATABASE_ERROR,
    STALE_REVISION,
    UNSUPPORTED_FILESYSTEM,
    LwcError,
)
from lwc.services import git_exclude
from lwc.services.git_exclude import GitExclude
from lwc.store import charter, journal, migrate, settings
from lwc.store.database import Database
from lwc.wiki import Call, Change, Changed, Wiki, open_wiki, replayable
from lwc.workspace import INIT_LOCK, STORE_FOLDER, Scope, Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised(Changed):
    """The wiki of a folder; `created` is false when it was there already."""

    created: bool
    git_exclude: GitExclude
    policy: str


def init(
    start: Path,
    *,
    scope: Scope = Scope.PROJECT,
    environ: Mapping[str, str],
    call: Call | None = None,
    strict: bool = False,
    exclude_from_git: bool = True,
) -> Initialised:
    """Make the wiki of a folder, or find it made.

    Repeating it changes nothing but what is missing: `strict` turns the strict policy on, never
    off. Several processes at once make one wiki.
    """
    call = call or Call()
    place = workspace.place(start, scope=scope, environ=environ)
    _refuse_unsafe_disk(place, environ)
    if exclude_from_git:
        excluded = git_exclude.exclude(place, environ=environ)
    else:
        excluded = GitExclude(status="disabled")
    # It gets its name when it is whole: what is there needs no lock.
    if not os.path.lexists(place.database):
        with filesystem.errors_told(), _one_at_a_time(place):
            if not os.path.lexists(place.database):
                return _make(place, call, excluded=excluded, strict=strict)
    with open_wiki(place.root, scope=scope.value, environ=_bound(environ, place)) as wiki:
        return _find(wiki, call, excluded=excluded, strict=strict)


def _refuse_unsafe_disk(place: Workspace, environ: Mapping[str, str]) -> None:
    kind = filesystem.unsafe_for_locks(place.root)
    if kind is not None and environ.get("LWC_ALLOW_FILESYSTEM") != kind:
        raise UNSUPPORTED_FILESYSTEM(path=STORE_FOLDER, kind=kind)


@contextmanager
def _one_at_a_time(place: Workspace) -> Iterator[None]:
    """Hold the folder's lock; the kernel drops it with the process, so none is ever left behind."""
    with suppress(FileExistsError):
        place.store.mkdir(mode=0o700)
        place.store.chmod(0o700)  # whatever the umask took away
    descriptor = os.open(
        place.store / INIT_LOCK,
        os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
    )
    try:
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(place: Workspace, call: Call, *, excluded: GitExclude, strict: bool) -> Initialised:
    """Make the database under another name, whole, and give it its own by one rename.

    So a file called wiki.db is never half made, whatever kills the command.
    """
    if call.if_revision not in (None, 0):
        raise STALE_REVISION(expected=call.if_revision, found=0)
    _clear(place)
    making = place.store / f"making-{os.getpid()}.db"
    try:
        answer = _made(place, making, call, excluded=excluded, strict=strict)
        os.rename(making, place.database)
    except BaseException as error:
        # Nothing has the wiki's name yet, whatever became of the file.
        _clear(place)
        if isinstance(error, LwcError):
            error.committed = False
        raise
    _settle(place.store)
    _settle(place.root)
    return answer


def _made(
    place: Workspace, making: Path, call: Call, *, excluded: GitExclude, strict: bool
) -> Initialised:
    migrate.make(making)
    with Wiki(place, Database(making)) as wiki, wiki.writing(call) as change:
        for name, text in DEFAULTS.items():
            charter.put(change.conn, name, text, author=change.agent, now=change.now)
        change.record("init", scope=place.scope.value)
        answer = _answer(wiki, change, created=True, excluded=excluded, strict=strict)
    if os.path.lexists(f"{making}-wal"):
        # Closing moves the log into the database; where that failed, the rename would lose it.
        raise DATABASE_ERROR(what="the new wiki could not be closed")
    return answer


def _clear(place: Workspace) -> None:
    """Remove what a command left that was stopped while it made a wiki."""
    for leftover in place.store.glob("making-*"):
        with suppress(OSError):
            leftover.unlink()


def _settle(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the folder may be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return  # who may enter a folder need not be one who may list it
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _bound(environ: Mapping[str, str], place: Workspace) -> dict[str, str]:
    """The environment in which `place` itself is found, not a wiki above it."""
    if place.scope is Scope.GLOBAL:
        return dict(environ)
    return {**environ, "LWC_PROJECT_ROOT": str(place.root)}


@replayable(Initialised)
def _find(wiki: Wiki, call: Call, *, excluded: GitExclude, strict: bool) -> Initialised:
    """The answer for a wiki that is there; a strict one is made of it where that is asked for."""
    with wiki.reading() as conn:
        policy = settings.load(conn).word("policy")
        revision = journal.revision(conn)
    unbound = call.request_id is None and call.if_revision is None
    if unbound and (policy == "strict" or not strict):
        # Nothing to write: it may be a wiki that can only be read.
        return Initialised(
            **wiki.label(),
            revision=revision,
            created=False,
            git_exclude=excluded,
            policy=policy,
        )
    with wiki.writing(call) as change:
        return _answer(wiki, change, created=False, excluded=excluded, strict=strict)


def _answer(
    wiki: Wiki, change: Change, *, created: bool, excluded: GitExclude, strict: bool
) -> Initialised:
    policy = settings.load(change.conn).word("policy")
    if strict and policy != "strict":
        policy = "strict"
        settings.put(change.conn, "policy", policy, now=change.now)
        change.record("config_set", "policy", value=policy)
    return change.finish(
        Initialised(
            **wiki.label(),
            revision=change.revision,
            created=created,
            git_exclude=excluded,
            policy=policy,
        )
    )
