"""Ingest jobs in the database; one statement decides a claim, and every state change is guarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
    union_all,
    update,
)

from lwc import clock, wire
from lwc.domain.ingest import (
    CLAIMED,
    EXHAUSTED,
    LEASE_BELIEVED,
    LEASE_DEFAULT,
    Job,
    JobEvent,
    JobState,
    refusal,
    step,
)
from lwc.errors import JOB_NOT_FOUND
from lwc.store import cells
from lwc.store.tables import analyses, jobs, sources

# What a job has exactly while it is claimed.
UNHELD: Mapping[str, Any] = {"agent": None, "token_hash": None, "lease_until": None}
# A claim fails at most so many exhausted jobs on its way; the rest is met by the next one.
EXHAUST_AT_ONCE = 100


def open_job(conn: Connection, source_id: int, now: datetime) -> None:
    """Make the pending job of a source; nothing happens when there is one."""
    if conn.execute(select(jobs.c.source_id).where(jobs.c.source_id == source_id)).first():
        return
    job = {
        "source_id": source_id,
        "state": JobState.PENDING,
        "attempts": 0,
        "attempt": 0,
        "lease_seconds": LEASE_DEFAULT,
        "updated_at": clock.stamp(now),
    }
    conn.execute(insert(jobs), job)


def find(conn: Connection, source_id: int) -> Job:
    """The job of a source, which is live or in the draft at hand."""
    found = select(jobs).where(jobs.c.source_id == source_id, is_in_sight())
    row = conn.execute(found).one_or_none()
    if row is None:
        raise JOB_NOT_FOUND(job=source_id)
    return as_job(row)


def look(conn: Connection, source_id: int) -> Job | None:
    """The job of a source, also of one that is only staged somewhere; none when there is none."""
    row = conn.execute(select(jobs).where(jobs.c.source_id == source_id)).one_or_none()
    return None if row is None else as_job(row)


def claim(
    conn: Connection,
    source_id: int | None = None,
    *,
    agent: str,
    token_hash: str,
    lease_seconds: int,
    max_attempts: int,
    now: datetime,
) -> Job | None:
    """Take the lowest claimable job, or the one named; none when there is nothing to take.

    Claimable is what is pending, and what is held by a lease that ran out with attempts left. One
    guarded UPDATE decides, whoever else is claiming.
    """
    claimable = and_(
        is_in_sight(),
        or_(
            jobs.c.state == JobState.PENDING,
            and_(jobs.c.state.in_(CLAIMED), expired(now), jobs.c.attempts < max_attempts),
        ),
    )
    candidate = _lowest(now, max_attempts) if source_id is None else source_id
    row = conn.execute(
        update(jobs)
        .where(jobs.c.source_id == candidate, claimable)
        .values(
            state=step(JobEvent.CLAIM).target,
            attempts=jobs.c.attempts + 1,
            attempt=jobs.c.attempt + 1,
            agent=agent,
            token_hash=token_hash,
            lease_seconds=lease_seconds,
            lease_until=clock.stamp(clock.later(now, lease_seconds)),
            failure=None,
            updated_at=clock.stamp(now),
        )
        .returning(jobs)
    ).one_or_none()
    return None if row is None else as_job(row)


def _lowest(now: datetime, max_attempts: int) -> Any:
    """The lowest pending id or that of the lease that ran out first, whichever is lower.

    Each kind of claimable job is found by its own index: one condition over all would walk through
    every finished job. SQLite drops the locking clause, for BEGIN IMMEDIATE has locked already.
    """
    low, high = _believed(now)
    pending = select(jobs.c.source_id).where(jobs.c.state == JobState.PENDING, is_in_sight())
    kinds = (
        pending.order_by(jobs.c.source_id),
        _by_lease(max_attempts).where(jobs.c.lease_until <= low),
        _by_lease(max_attempts).where(jobs.c.lease_until > high),
    )
    firsts = [kind.limit(1).with_for_update(skip_locked=True).scalar_subquery() for kind in kinds]
    found = union_all(*(select(first.label("source_id")) for first in firsts)).subquery()
    return select(func.min(found.c.source_id)).scalar_subquery()


def _by_lease(max_attempts: int) -> Select[tuple[int]]:
    # In the order of the index: by id, SQLite would rather walk the whole table than sort.
    permitted = select(jobs.c.source_id).where(
        jobs.c.attempts < max_attempts, jobs.c.pinned.is_(None), is_in_sight()
    )
    return permitted.order_by(jobs.c.lease_until)


def expired(now: datetime) -> ColumnElement[bool]:
    """`Job.expired` in SQL: a claim whose lease ran out."""
    low, high = _believed(now)
    return and_(jobs.c.pinned.is_(None), or_(jobs.c.lease_until <= low, jobs.c.lease_until > high))


def is_in_sight() -> ColumnElement[bool]:
    """Whether the source of a job is there: the job of one that is only staged is the draft's."""
    return exists().where(sources.c.id == jobs.c.source_id)


def _believed(now: datetime) -> tuple[str, str]:
    """A lease holds when it ends after the first stamp and not after the second."""
    return clock.stamp(now), clock.stamp(clock.later(now, LEASE_BELIEVED))


def mark_claim(conn: Connection, source_id: int, operation: int) -> None:
    """Keep which journal entry the claim is."""
    conn.execute(
        update(jobs).where(jobs.c.source_id == source_id).values(claim_operation=operation)
    )


def exhaust(
    conn: Connection, source_id: int | None = None, *, max_attempts: int, now: datetime
) -> tuple[Job, ...]:
    """Fail expired claims that were the last permitted ones; answers the failed jobs."""
    spent = [expired(now), jobs.c.attempts >= max_attempts, is_in_sight()]
    if source_id is not None:
        spent.append(jobs.c.source_id == source_id)
    # Looked for first: there hardly ever are any, and every claim asks.
    found = conn.execute(select(jobs.c.source_id).where(*spent).limit(EXHAUST_AT_ONCE))
    ids = sorted(found.scalars())
    return tuple(_exhausted(conn, number, spent, now=now) for number in ids)


def _exhausted(
    conn: Connection, source_id: int, spent: Sequence[ColumnElement[bool]], *, now: datetime
) -> Job:
    failing = step(JobEvent.EXHAUST)
    row = conn.execute(
        update(jobs)
        .where(jobs.c.source_id == source_id, jobs.c.state.in_(failing.sources), *spent)
        .values(**UNHELD, state=failing.target, failure=EXHAUSTED, updated_at=clock.stamp(now))
        .returning(jobs)
    ).one()
    return as_job(row)


def move(
    conn: Connection,
    job: Job,
    event: JobEvent,
    *,
    now: datetime,
    changes: Mapping[str, Any] | None = None,
) -> Job:
    """Take a step of the table; refuses when the job is in no state that allows it.

    `job` is the row the caller has checked: the step is taken in no other attempt. A step that
    leaves the claimed states drops token, agent and lease; one that stays in them renews the lease.
    """
    taken = step(event)
    after = taken.after(job.state)
    row = conn.execute(
        update(jobs)
        .where(
            jobs.c.source_id == job.source_id,
            jobs.c.attempt == job.attempt,
            jobs.c.state.in_(taken.sources),
        )
        .values(
            **({"lease_until": _renewed(job, now)} if after in CLAIMED else UNHELD),
            **(changes or {}),
            state=after,
            updated_at=clock.stamp(now),
        )
        .returning(jobs)
    ).one_or_none()
    if row is None:
        raise refusal(find(conn, job.source_id), event)
    return as_job(row)


def _renewed(job: Job, now: datetime) -> str:
    return clock.stamp(clock.later(now, job.lease_seconds))


def renew(conn: Connection, job: Job, *, now: datetime, token_hash: str | None = None) -> Job:
    """Extend the lease by its length from now, and put a new token in the old one's place."""
    values: dict[str, Any] = {"lease_until": _renewed(job, now)}
    if token_hash is not None:
        values["token_hash"] = token_hash
    row = conn.execute(
        update(jobs)
        .where(
            jobs.c.source_id == job.source_id,
            jobs.c.attempt == job.attempt,
            jobs.c.state.in_(CLAIMED),
        )
        .values(**values)
        .returning(jobs)
    ).one()
    return as_job(row)


def pin(conn: Connection, job: Job, draft: int) -> Job:
    """Hold a job for a draft in which its completion is staged."""
    held = update(jobs).where(jobs.c.source_id == job.source_id, jobs.c.attempt == job.attempt)
    return as_job(conn.execute(held.values(pinned=draft).returning(jobs)).one())


def unpin(conn: Connection, source_id: int) -> None:
    """Let go of a job that a draft has held."""
    conn.execute(update(jobs).where(jobs.c.source_id == source_id).values(pinned=None))


def analyses_of(conn: Connection, source_id: int) -> set[str]:
    """The digests of the analyses of a job."""
    wanted = select(analyses.c.text_digest).where(analyses.c.source_id == source_id)
    return set(conn.execute(wanted).scalars())


def drop_unowned(conn: Connection, source_id: int) -> None:
    """Forget the job of a source that is neither live nor in any draft, with its history."""
    # Only here are there drafts to look at.
    from lwc.store.dialects import sqlite_layers
    from lwc.store.tables.drafts import draft_sources

    live, drafted = sqlite_layers.beneath(sources), sqlite_layers.beneath(draft_sources)
    conn.execute(
        delete(jobs).where(
            jobs.c.source_id == source_id,
            not_(exists().where(live.c.id == source_id)),
            not_(exists().where(drafted.c.id == source_id)),
        )
    )


def kept_evidence(pages: Sequence[Mapping[str, Any]]) -> str:
    """Evidence as the column `evidence` holds it."""
    return wire.encode(pages, compact=True)


def as_job(row: Row[Any]) -> Job:
    return Job(
        source_id=row.source_id,
        state=cells.member(JobState, row.state),
        attempts=row.attempts,
        attempt=row.attempt,
        agent=row.agent,
        lease_seconds=row.lease_seconds,
        lease_until=cells.moment_if_any(row.lease_until),
        failure=row.failure,
        no_derived_pages_reason=row.no_derived_pages_reason,
        unread_reason=row.unread_reason,
        updated_at=cells.moment(row.updated_at),
        token_hash=row.token_hash,
        claim_operation=row.claim_operation,
        pinned=row.pinned,
    )
