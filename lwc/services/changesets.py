"""Drafts: begun, renamed and thrown away; and a changeset as answers show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lwc.domain.changeset import Status, Verification, parse_name
from lwc.store import completions, discarding, drafts
from lwc.store.drafts import Changeset
from lwc.wiki import Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetView:
    """A changeset: `base_revision` is live's when it was begun, `draft_revision` its own.

    `status` committed is what was published; `verification` tells whether that was found to hold.
    """

    changeset_id: str
    name: str
    status: Status
    author: str
    base_revision: int
    draft_revision: int
    published_revision: int | None
    rollback_revision: int | None
    verification: Verification | None
    created_at: datetime
    ended_at: datetime | None
    ended_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetBegun(Changed):
    """A new draft; commands work on it with --changeset and its name."""

    changeset_id: str
    name: str
    status: Status
    base_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetRenamed(Changed):
    """A draft has another name."""

    changeset_id: str
    name: str
    renamed_from: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetDiscarded(Changed):
    """A draft is thrown away; the jobs whose completion it held are pending again."""

    changeset_id: str
    name: str
    status: Status
    staged_operation_count: int
    released_jobs: tuple[int, ...]


def view(changeset: Changeset) -> ChangesetView:
    return ChangesetView(
        changeset_id=changeset.changeset_id,
        name=changeset.name,
        status=changeset.status,
        author=changeset.author,
        base_revision=changeset.base_revision,
        draft_revision=changeset.draft_revision,
        published_revision=changeset.published_revision,
        rollback_revision=changeset.rollback_revision,
        verification=changeset.verification,
        created_at=changeset.created_at,
        ended_at=changeset.ended_at,
        ended_by=changeset.ended_by,
    )


@replayable(ChangesetBegun)
def draft(wiki: Wiki, call: Call, *, name: str) -> ChangesetBegun:
    """Begin a draft. Nobody sees what is staged in it until it is published.

    Staging does not move the wiki's revision; neither does this.
    """
    name = parse_name(name)
    with wiki.writing(call) as change:
        begun = drafts.begin(change.conn, name, author=change.agent, now=change.now)
        return change.finish(
            ChangesetBegun(
                **wiki.label(),
                revision=change.revision,
                changeset_id=begun.changeset_id,
                name=begun.name,
                status=begun.status,
                base_revision=begun.base_revision,
                draft_revision=begun.draft_revision,
            )
        )


@replayable(ChangesetRenamed)
def rename(wiki: Wiki, call: Call, *, name: str, to: str) -> ChangesetRenamed:
    """Give a draft another name."""
    to = parse_name(to)
    with wiki.writing(call) as change:
        found = drafts.find_draft(change.conn, name)
        renamed = found if found.name == to else drafts.rename(change.conn, found, to)
        return change.finish(
            ChangesetRenamed(
                **wiki.label(),
                revision=change.revision,
                changeset_id=renamed.changeset_id,
                name=renamed.name,
                renamed_from=found.name,
            )
        )


@replayable(ChangesetDiscarded)
def discard(wiki: Wiki, call: Call, *, name: str) -> ChangesetDiscarded:
    """Throw a draft away with all it has staged; live stays as it is."""
    with wiki.writing(call) as change:
        conn = change.conn
        found = drafts.find_draft(conn, name)
        count = sum(drafts.action_counts(conn, found.id).values())
        released = tuple(one.source_id for one in completions.of_draft(conn, found.id))
        discarding.discard(conn, found.id, now=change.now)
        ended = drafts.end(conn, found, Status.DISCARDED, agent=change.agent, now=change.now)
        return change.finish(
            ChangesetDiscarded(
                **wiki.label(),
                revision=change.revision,
                changeset_id=ended.changeset_id,
                name=ended.name,
                status=ended.status,
                staged_operation_count=count,
                released_jobs=released,
            )
        )
