"""The journal: an append-only log of changes whose end is the wiki's revision; and request ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select

from lwc import clock, wire
from lwc.store import cells, layers
from lwc.store.tables import operations, requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One entry of the journal."""

    id: int
    action: str
    target: str | None
    detail: Mapping[str, Any]
    agent: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a request id stands for: the command it was used with and what that answered.

    `undone` is the restore of a checkpoint that took back what was done.
    """

    command: str
    arguments_digest: str
    answer: Any
    undone: int | None


def revision(conn: Connection) -> int:
    """The id of the last live operation; 0 for a wiki that has none. Staging does not move it."""
    return layers.live_revision(conn)


def record(
    conn: Connection,
    action: str,
    *,
    target: str | None,
    detail: Mapping[str, Any],
    agent: str,
    request_id: str | None,
    now: datetime,
) -> int:
    """Append one operation; answers its id, which is the wiki's new revision."""
    made = conn.execute(
        insert(operations)
        .values(
            action=action,
            target=target,
            detail=wire.encode(detail, compact=True),
            agent=agent,
            request_id=request_id,
            created_at=clock.stamp(now),
        )
        .returning(operations.c.id)
    )
    return int(made.scalar_one())


def recent(
    conn: Connection,
    *,
    limit: int,
    offset: int = 0,
    action: str | None = None,
    target: str | None = None,
    since: datetime | None = None,
) -> tuple[Operation, ...]:
    """The newest operations first."""
    chosen = _filtered(select(operations), action=action, target=target, since=since)
    rows = conn.execute(chosen.order_by(operations.c.id.desc()).limit(limit).offset(offset))
    return tuple(as_operation(row) for row in rows)


def count(
    conn: Connection,
    *,
    action: str | None = None,
    target: str | None = None,
    since: datetime | None = None,
) -> int:
    """How many operations there are."""
    all_ = select(func.count()).select_from(operations)
    chosen = _filtered(all_, action=action, target=target, since=since)
    return int(conn.execute(chosen).scalar_one())


def _filtered(
    chosen: Select[Any], *, action: str | None, target: str | None, since: datetime | None
) -> Select[Any]:
    if action is not None:
        chosen = chosen.where(operations.c.action == action)
    if target is not None:
        chosen = chosen.where(operations.c.target == target)
    if since is not None:
        chosen = chosen.where(operations.c.created_at >= clock.stamp(since))
    return chosen


def as_operation(row: Row[Any]) -> Operation:
    return Operation(
        id=row.id,
        action=row.action,
        target=row.target,
        detail=cells.loaded(row.detail),
        agent=row.agent,
        created_at=cells.moment(row.created_at),
    )


def kept(conn: Connection, request_id: str) -> Kept | None:
    """What was answered under a request id; none when it was never used."""
    row = conn.execute(select(requests).where(requests.c.request_id == request_id)).one_or_none()
    if row is None:
        return None
    return Kept(
        command=row.command,
        arguments_digest=row.arguments_digest,
        answer=cells.loaded(row.answer),
        undone=row.undone,
    )


def keep(
    conn: Connection,
    request_id: str,
    *,
    command: str,
    arguments_digest: str,
    answer: Any,
    now: datetime,
) -> None:
    """Store an answer under its request id, in the transaction of the change itself."""
    conn.execute(
        insert(requests).values(
            request_id=request_id,
            command=command,
            arguments_digest=arguments_digest,
            answer=wire.encode(answer, compact=True),
            created_at=clock.stamp(now),
        )
    )
