"""Claims across a restore: one holds on only if it is held now as well, and attempts count on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from lwc import clock
from lwc.domain.ingest import CLAIMED, JobEvent, JobState, Outcome
from lwc.store import attempts, jobs
from lwc.store.tables import attempts as attempt_rows
from lwc.store.tables import jobs as job_rows

ENDED = "a checkpoint was restored"


def settle(conn: Connection, replaced: Connection, *, now: datetime) -> tuple[int, ...]:
    """End the claims that are not held in both wikis; answers the sources whose holder loses one.

    The job of a completion that is staged in a draft stays as the draft needs it.
    """
    then = {row.source_id: row for row in conn.execute(select(job_rows))}
    lost = []
    for current in replaced.execute(select(job_rows).order_by(job_rows.c.source_id)):
        mine = then.pop(current.source_id, None)
        kept = mine is not None and _is_same_claim(mine, current)
        if current.state in CLAIMED and not kept:
            lost.append(current.source_id)
        if mine is None or mine.pinned is not None:
            continue
        if kept:
            _hold_on(conn, current)
            continue
        _hand_back(conn, mine, now=now)
        # A completed job ends with the attempt that completed it.
        if current.attempt > mine.attempt and mine.state != JobState.COMPLETED:
            _count_on(conn, replaced, mine, current, now=now)
    for mine in then.values():
        # Of sources that were removed since: nobody holds those.
        if mine.pinned is None:
            _hand_back(conn, mine, now=now)
    return tuple(lost)


def _is_same_claim(mine: Row[Any], current: Row[Any]) -> bool:
    return (
        mine.state in CLAIMED
        and current.state in CLAIMED
        and (mine.attempt, mine.token_hash) == (current.attempt, current.token_hash)
    )


def _hold_on(conn: Connection, current: Row[Any]) -> None:
    """The holder has extended the lease since."""
    held = update(job_rows).where(job_rows.c.source_id == current.source_id)
    conn.execute(held.values(lease_until=current.lease_until))


def _hand_back(conn: Connection, mine: Row[Any], *, now: datetime) -> None:
    if mine.state in CLAIMED:
        jobs.move(conn, jobs.as_job(mine), JobEvent.RELEASE, now=now)
        attempts.end(conn, mine.source_id, outcome=Outcome.RELEASED, now=now, error=ENDED)


def _count_on(
    conn: Connection, replaced: Connection, mine: Row[Any], current: Row[Any], *, now: datetime
) -> None:
    """Keep the attempts there were since; the next one has a number that none had."""
    since = select(attempt_rows).where(
        attempt_rows.c.source_id == mine.source_id, attempt_rows.c.attempt > mine.attempt
    )
    ended = {"outcome": Outcome.RELEASED, "ended_at": clock.stamp(now), "error": ENDED}
    for row in replaced.execute(since):
        open_ = row.outcome == Outcome.ACTIVE
        conn.execute(insert(attempt_rows), {**row._mapping, **(ended if open_ else {})})
    counted = update(job_rows).where(job_rows.c.source_id == mine.source_id)
    conn.execute(counted.values(attempt=current.attempt))
