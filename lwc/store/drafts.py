"""Changesets in the database: begun, found by name or id, counted on, and ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, select, update

from lwc import clock, wire
from lwc.domain.changeset import Status, Verification
from lwc.errors import CHANGESET_ENDED, CHANGESET_EXISTS, CHANGESET_NOT_FOUND
from lwc.store import cells, layers
from lwc.store.journal import Operation
from lwc.store.layers import Draft
from lwc.store.tables.drafts import changesets, draft_operations, staged


@dataclass(frozen=True, slots=True, kw_only=True)
class Changeset:
    """A changeset, open or ended."""

    id: int
    changeset_id: str
    name: str
    status: Status
    author: str
    base_revision: int
    draft_revision: int
    created_at: datetime
    ended_at: datetime | None
    ended_by: str | None
    published_revision: int | None
    rollback_revision: int | None
    verification: Verification | None
    published: Mapping[str, Any] | None
    verified: Mapping[str, Any] | None


def begin(conn: Connection, name: str, *, author: str, now: datetime) -> Changeset:
    """Begin a draft; refused while there is one of this name."""
    if _newest(conn, changesets.c.name == name, changesets.c.status == Status.DRAFT):
        raise CHANGESET_EXISTS(name=name)
    made = conn.execute(
        insert(changesets)
        .values(
            changeset_id=token_hex(32),
            name=name,
            status=Status.DRAFT,
            author=author,
            base_revision=layers.live_revision(conn),
            draft_revision=0,
            created_at=clock.stamp(now),
        )
        .returning(changesets)
    )
    return as_changeset(made.one())


def find(conn: Connection, word: str) -> Changeset:
    """The changeset of an id, or of a name: the draft, else the newest that bore it."""
    row = (
        _newest(conn, changesets.c.changeset_id == word)
        or _newest(conn, changesets.c.name == word, changesets.c.status == Status.DRAFT)
        or _newest(conn, changesets.c.name == word)
    )
    if row is None:
        raise CHANGESET_NOT_FOUND(name=word)
    return as_changeset(row)


def find_draft(conn: Connection, name: str) -> Changeset:
    """The open draft of this name (or id); an ended one is refused."""
    found = find(conn, name)
    if found.status is not Status.DRAFT:
        raise CHANGESET_ENDED(name=found.name, status=found.status, changeset=found.changeset_id)
    return found


def opened(conn: Connection, name: str) -> Draft:
    """The open draft of this name, to be laid over this very connection."""
    return draft_of(conn, find_draft(conn, name))


def name_of(conn: Connection, changeset: int) -> str:
    """The name of a changeset."""
    found = select(changesets.c.name).where(changesets.c.id == changeset)
    return str(conn.execute(found).scalar_one())


def draft_of(conn: Connection, changeset: Changeset) -> Draft:
    return Draft(
        id=changeset.id,
        name=changeset.name,
        changeset_id=changeset.changeset_id,
        revision=changeset.draft_revision,
        live_revision=layers.live_revision(conn),
    )


def listed(
    conn: Connection, *, status: Status | None, limit: int, offset: int
) -> tuple[Changeset, ...]:
    """Drafts first, then the others, newest first."""
    wanted = _of_status(select(changesets), status).order_by(
        (changesets.c.status != Status.DRAFT), changesets.c.id.desc()
    )
    return tuple(as_changeset(row) for row in conn.execute(wanted.limit(limit).offset(offset)))


def count(conn: Connection, *, status: Status | None) -> int:
    wanted = _of_status(select(func.count()).select_from(changesets), status)
    return int(conn.execute(wanted).scalar_one())


def record(
    conn: Connection,
    draft: Draft,
    action: str,
    *,
    target: str | None,
    detail: Mapping[str, Any],
    agent: str,
    request_id: str | None,
    now: datetime,
) -> int:
    """Append to a draft's journal; answers the number the entry has behind the live ones."""
    sequence = next_revision(conn, draft.id)
    conn.execute(
        insert(draft_operations).values(
            changeset=draft.id,
            sequence=sequence,
            action=action,
            target=target,
            detail=wire.encode(detail, compact=True),
            agent=agent,
            request_id=request_id,
            created_at=clock.stamp(now),
            dropped=0,
        )
    )
    return draft.live_revision + sequence


def next_revision(conn: Connection, changeset: int) -> int:
    """Count on: the draft has changed."""
    moved = conn.execute(
        update(changesets)
        .where(changesets.c.id == changeset)
        .values(draft_revision=changesets.c.draft_revision + 1)
        .returning(changesets.c.draft_revision)
    )
    return int(moved.scalar_one())


def revision(conn: Connection, changeset: int) -> int:
    """How often something was staged in a draft."""
    found = select(changesets.c.draft_revision).where(changesets.c.id == changeset)
    return int(conn.execute(found).scalar_one())


def rename(conn: Connection, changeset: Changeset, name: str) -> Changeset:
    """Give a draft another name."""
    if _newest(conn, changesets.c.name == name, changesets.c.status == Status.DRAFT):
        raise CHANGESET_EXISTS(name=name)
    return _written(conn, changeset.id, {"name": name})


def end(
    conn: Connection,
    changeset: Changeset,
    status: Status,
    *,
    agent: str,
    now: datetime,
    **facts: Any,
) -> Changeset:
    """Say what became of a changeset."""
    told = {"status": status, "ended_at": clock.stamp(now), "ended_by": agent, **facts}
    return _written(conn, changeset.id, told)


def verified(
    conn: Connection, changeset: Changeset, outcome: Verification, *, report: Mapping[str, Any]
) -> Changeset:
    """Keep how a publication was found on the live wiki."""
    report_text = wire.encode(report, compact=True)
    return _written(conn, changeset.id, {"verification": outcome, "verified": report_text})


def operations_of(
    conn: Connection,
    changeset: int,
    *,
    where: ColumnElement[bool] | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> tuple[Operation, ...]:
    """What was staged and not dropped again, newest first; ids count from 1."""
    wanted = _kept(changeset).order_by(draft_operations.c.sequence.desc())
    if where is not None:
        wanted = wanted.where(where)
    if limit is not None:
        wanted = wanted.limit(limit).offset(offset)
    return tuple(
        Operation(
            id=row.sequence,
            action=row.action,
            target=row.target,
            detail=cells.loaded(row.detail),
            agent=row.agent,
            created_at=cells.moment(row.created_at),
        )
        for row in conn.execute(wanted)
    )


def action_counts(conn: Connection, changeset: int) -> dict[str, int]:
    """How often each action stands in a draft's journal."""
    kept = _kept(changeset).subquery()
    wanted = select(kept.c.action, func.count()).group_by(kept.c.action).order_by(kept.c.action)
    return {row[0]: row[1] for row in conn.execute(wanted)}


def drop_operations(conn: Connection, changeset: int, targets: list[str]) -> None:
    """Mark what was done to these targets as dropped: it will not be replayed."""
    conn.execute(
        update(draft_operations)
        .where(draft_operations.c.changeset == changeset, draft_operations.c.target.in_(targets))
        .values(dropped=1)
    )


def is_empty(conn: Connection, changeset: int) -> bool:
    """Whether nothing is staged in a draft."""
    return conn.execute(select(staged.c.id).where(staged.c.changeset == changeset)).first() is None


def _kept(changeset: int) -> Select[Any]:
    return select(draft_operations).where(
        draft_operations.c.changeset == changeset, draft_operations.c.dropped == 0
    )


def _newest(conn: Connection, *conditions: Any) -> Row[Any] | None:
    wanted = select(changesets).where(*conditions).order_by(changesets.c.id.desc()).limit(1)
    return conn.execute(wanted).one_or_none()


def _of_status(wanted: Select[Any], status: Status | None) -> Select[Any]:
    return wanted if status is None else wanted.where(changesets.c.status == status)


def _written(conn: Connection, changeset: int, values: Mapping[str, Any]) -> Changeset:
    put = update(changesets).where(changesets.c.id == changeset).values(values)
    return as_changeset(conn.execute(put.returning(changesets)).one())


def as_changeset(row: Row[Any]) -> Changeset:
    return Changeset(
        id=row.id,
        changeset_id=row.changeset_id,
        name=row.name,
        status=cells.member(Status, row.status),
        author=row.author,
        base_revision=row.base_revision,
        draft_revision=row.draft_revision,
        created_at=cells.moment(row.created_at),
        ended_at=cells.moment_if_any(row.ended_at),
        ended_by=row.ended_by,
        published_revision=row.published_revision,
        rollback_revision=row.rollback_revision,
        verification=None
        if row.verification is None
        else cells.member(Verification, row.verification),
        published=None if row.published is None else cells.loaded(row.published),
        verified=None if row.verified is None else cells.loaded(row.verified),
    )
