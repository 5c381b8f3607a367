"""Both sides of a changeset: of a draft live and drafted, of a publication before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lwc.domain.changeset import Entity, Status
from lwc.domain.sides import Comparison, compare
from lwc.errors import CHANGESET_ENDED
from lwc.store import completions, drafts, faces, inverses, layers, publications, standing
from lwc.store.database import Connection
from lwc.store.drafts import Changeset


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDifference:
    """A job that is completed, and why something is not there that completion asks for."""

    job: int
    title: str | None
    no_derived_pages_reason: str | None
    unread_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BothSides:
    """What is compared; `named` says how a diff calls a revision of either side."""

    comparison: Comparison
    jobs: tuple[JobDifference, ...]
    named: tuple[str, str]


def both(conn: Connection, changeset: Changeset) -> BothSides:
    """What a changeset does; of one that was discarded nothing is kept, and that is refused."""
    if changeset.status is Status.DRAFT:
        return _of_draft(conn, changeset)
    if changeset.published is None:
        raise CHANGESET_ENDED(
            name=changeset.name, status=changeset.status, changeset=changeset.changeset_id
        )
    return _of_publication(conn, changeset, changeset.published)


def _of_draft(conn: Connection, changeset: Changeset) -> BothSides:
    draft = drafts.draft_of(conn, changeset)
    standings = standing.of_draft(conn, draft)
    keys = [(one.staged.entity, one.key) for one in standings]
    moved = {(one.staged.entity, one.key) for one in standings if one.moved and not one.agreed}
    completed = completions.of_draft(conn, draft.id)
    live = faces.read(conn, keys)
    with layers.laid(conn, draft, reading=True):
        drafted = faces.read(conn, keys)
        titles = faces.of_sources(conn, [one.source_id for one in completed])
    return BothSides(
        comparison=compare(live, drafted, moved=moved),
        jobs=tuple(
            JobDifference(
                job=one.source_id,
                title=titles[one.source_id].title if one.source_id in titles else None,
                no_derived_pages_reason=one.no_derived_pages_reason,
                unread_reason=one.unread_reason,
            )
            for one in completed
        ),
        named=("live revision", "draft revision"),
    )


def _of_publication(
    conn: Connection, changeset: Changeset, published: Mapping[str, Any]
) -> BothSides:
    count = sum(published["action_counts"].values())
    kept = inverses.of_changeset(conn, changeset.id, name=changeset.name)
    completed = sorted(int(one.key) for one in kept if one.entity is Entity.COMPLETION)
    titles = faces.of_sources(conn, completed)
    told = {
        entry.target: entry.detail
        for entry in reversed(publications.operations(conn, changeset, count=count))
        if entry.action == "ingest_complete"
    }
    return BothSides(
        comparison=compare(
            publications.before(conn, kept),
            publications.after(conn, changeset, kept, count=count),
        ),
        jobs=tuple(
            JobDifference(
                job=job,
                title=titles[job].title if job in titles else None,
                no_derived_pages_reason=told.get(str(job), {}).get("no_derived_pages_reason"),
                unread_reason=told.get(str(job), {}).get("unread_reason"),
            )
            for job in completed
        ),
        named=("revision", "revision"),
    )
