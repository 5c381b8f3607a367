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
from lwc.errors import DATABASE_ERROR, UNSUPPORTED_FILESYSTEM
from lwc.services import git_exclude
from lwc.services.git_exclude import GitExclude
from lwc.store import charter, migrate, settings
from lwc.store.database import Database
from lwc.wiki import Call, Changed, Wiki, open_wiki
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
    with _one_at_a_time(place):
        created = not os.path.lexists(place.database)
        if created:
            _make(place, call)
    with open_wiki(place.root, scope=scope.value, environ=_bound(environ, place)) as wiki:
        policy = _policy(wiki, call, strict=strict)
        return Initialised(
            **wiki.label(),
            revision=wiki.revision(),
            created=created,
            git_exclude=excluded,
            policy=policy,
        )


def _refuse_unsafe_disk(place: Workspace, environ: Mapping[str, str]) -> None:
    kind = filesystem.unsafe_for_locks(place.root)
    if kind is not None and environ.get("LWC_ALLOW_FILESYSTEM") != kind:
        raise UNSUPPORTED_FILESYSTEM(path=STORE_FOLDER, kind=kind)


@contextmanager
def _one_at_a_time(place: Workspace) -> Iterator[None]:
    """Hold the folder's lock; the kernel drops it with the process, so none is ever left behind."""
    place.store.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(
        place.store / INIT_LOCK,
        os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC,
        0o600,
    )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(place: Workspace, call: Call) -> None:
    """Make the database under another name, whole, and give it its own by one rename.

    So a file called wiki.db is never half made, whatever kills the command.
    """
    for leftover in place.store.glob("making-*"):
        with suppress(OSError):
            leftover.unlink()
    making = place.store / f"making-{os.getpid()}.db"
    migrate.make(making)
    with Wiki(place, Database(making)) as wiki, wiki.writing(Call(agent=call.agent)) as change:
        for name, text in DEFAULTS.items():
            charter.put(change.conn, name, text, author=change.agent, now=change.now)
        change.record("init", scope=place.scope.value)
    if os.path.lexists(f"{making}-wal"):
        # Closing moves the log into the database; where that failed, the rename would lose it.
        raise DATABASE_ERROR(what="the new wiki could not be closed")
    os.rename(making, place.database)
    _settle(place.store)
    _settle(place.root)


def _settle(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _bound(environ: Mapping[str, str], place: Workspace) -> dict[str, str]:
    """The environment in which `place` itself is found, not a wiki above it."""
    if place.scope is Scope.GLOBAL:
        return dict(environ)
    return {**environ, "LWC_PROJECT_ROOT": str(place.root)}


def _policy(wiki: Wiki, call: Call, *, strict: bool) -> str:
    with wiki.reading() as conn:
        policy = settings.load(conn).word("policy")
    if not strict or policy == "strict":
        return policy
    with wiki.writing(Call(agent=call.agent)) as change:
        settings.put(change.conn, "policy", "strict", now=change.now)
        change.record("config_set", "policy", value="strict")
    return "strict"
