"""Upkeep an operator asks for by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lwc import workspace
from lwc.store import migrate as migrations
from lwc.store import search
from lwc.wiki import Answer, Call, Changed, Wiki, replayable
from lwc.workspace import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationReport(Answer):
    """The schema before and after; `backup` names the checkpoint from before."""

    before: int
    after: int
    migrated: bool
    backup: str | None


def migrate(start: Path, *, scope: Scope, environ: Mapping[str, str]) -> MigrationReport:
    """Bring the wiki to this version's schema, after a backup; all of it happens or nothing."""
    place = workspace.find(start, scope=scope, environ=environ)
    done = migrations.bring_up(place.database)
    return MigrationReport(
        scope=place.scope.value,
        database=str(place.database),
        before=done.before,
        after=done.after,
        migrated=done.after != done.before,
        backup=done.backup,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed(Changed):
    """How many pages and sources the new search index holds."""

    pages: int
    sources: int


@replayable(Reindexed)
def reindex(wiki: Wiki, call: Call) -> Reindexed:
    """Make the search index anew from what the wiki holds; nobody else can write meanwhile."""
    with wiki.writing(call) as change:
        pages, sources = search.rebuild(change.conn)
        change.record("reindex", pages=pages, sources=sources)
        return change.finish(
            Reindexed(**wiki.label(), revision=change.revision, pages=pages, sources=sources)
        )
