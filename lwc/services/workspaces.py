"""Making a wiki in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lwc import workspace
from lwc.domain.charter import DEFAULTS
from lwc.errors import STALE_REVISION
from lwc.services import git_exclude
from lwc.services.git_exclude import GitExclude
from lwc.services.new_wiki import bound, made_once, refuse_unsafe_disk
from lwc.store import charter, journal, migrate, settings
from lwc.store.database import Database
from lwc.wiki import Call, Change, Changed, Wiki, open_wiki, replayable
from lwc.workspace import Scope, Workspace


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
    refuse_unsafe_disk(place, environ)
    if exclude_from_git:
        excluded = git_exclude.exclude(place, environ=environ)
    else:
        excluded = GitExclude(status="disabled")

    def make(making: Path) -> Initialised:
        return _make(place, call, making, excluded=excluded, strict=strict)

    made = made_once(place, make)
    if made is not None:
        return made
    with open_wiki(place.root, scope=scope.value, environ=bound(environ, place)) as wiki:
        return _find(wiki, call, excluded=excluded, strict=strict)


def _make(
    place: Workspace,
    call: Call,
    making: Path,
    *,
    excluded: GitExclude,
    strict: bool,
) -> Initialised:
    """Fill a new database; it gets its name when that is done."""
    if call.if_revision not in (None, 0):
        raise STALE_REVISION(expected=call.if_revision, found=0)
    migrate.make(making)
    with Wiki(place, Database(making)) as wiki, wiki.writing(call) as change:
        for name, text in DEFAULTS.items():
            charter.put(change.conn, name, text, author=change.agent, now=change.now)
        change.record("init", scope=place.scope.value)
        return _answer(wiki, change, created=True, excluded=excluded, strict=strict)


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
