"""Completions that wait for their draft: each pins its job until the draft ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.domain.ingest import Job, JobEvent, JobState, Outcome
from lwc.store import attempts, jobs, staging
from lwc.store.layers import Draft
from lwc.store.tables.drafts import draft_completions


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A staged completion: of which attempt, by whom, and the reasons given."""

    source_id: int
    attempt: int
    agent: str
    no_derived_pages_reason: str | None
    unread_reason: str | None


def stage(
    conn: Connection,
    draft: Draft,
    job: Job,
    *,
    reasons: Mapping[str, str | None],
    evidence: Sequence[Mapping[str, Any]],
    agent: str,
    now: datetime,
) -> Job:
    """Keep a completion whose gates hold for its publication; the job as the draft holds it."""
    staging.touch(conn, Entity.COMPLETION, job.source_id)
    conn.execute(
        insert(draft_completions).values(
            changeset=draft.id,
            source_id=job.source_id,
            attempt=job.attempt,
            agent=agent,
            evidence=jobs.kept_evidence(evidence),
            staged_at=clock.stamp(now),
            **reasons,
        )
    )
    return jobs.pin(conn, job, draft.id)


def of_draft(conn: Connection, draft: int) -> tuple[Completion, ...]:
    """The completions that a draft has staged, by source."""
    rows = conn.execute(
        select(draft_completions)
        .where(draft_completions.c.changeset == draft)
        .order_by(draft_completions.c.source_id)
    )
    return tuple(as_completion(row) for row in rows)


def give_back(conn: Connection, draft: int, source_id: int, *, now: datetime) -> None:
    """Take a staged completion back: the job is pending, its attempt released."""
    conn.execute(
        delete(draft_completions).where(
            draft_completions.c.changeset == draft, draft_completions.c.source_id == source_id
        )
    )
    job = jobs.look(conn, source_id)
    if job is None or job.pinned != draft:
        return
    jobs.unpin(conn, source_id)
    if job.state is JobState.GENERATING:
        jobs.move(conn, job, JobEvent.RELEASE, now=now)
        attempts.end(conn, source_id, outcome=Outcome.RELEASED, now=now)


def as_completion(row: Row[Any]) -> Completion:
    return Completion(
        source_id=row.source_id,
        attempt=row.attempt,
        agent=row.agent,
        no_derived_pages_reason=row.no_derived_pages_reason,
        unread_reason=row.unread_reason,
    )
