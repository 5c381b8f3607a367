"""What an overview of a wiki counts and shows first."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from lwc.domain.ingest import JobState
from lwc.store.jobs import is_in_sight
from lwc.store.tables import jobs, pages


def newest_pages(conn: Connection, *, limit: int, offset: int) -> tuple[int, ...]:
    """Ids of pages, those written last first."""
    wanted = select(pages.c.id).order_by(pages.c.updated_at.desc(), pages.c.id.desc())
    return tuple(conn.execute(wanted.limit(limit).offset(offset)).scalars())


def jobs_by_state(conn: Connection) -> dict[str, int]:
    """How many jobs are in each state; every state is told."""
    counted = select(jobs.c.state, func.count().label("number"))
    counted = counted.where(is_in_sight()).group_by(jobs.c.state)
    found = {row.state: row.number for row in conn.execute(counted)}
    return {state.value: found.get(state, 0) for state in JobState}
