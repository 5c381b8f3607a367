"""A job as answers show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lwc.domain.ingest import Job, JobState
from lwc.wiki import Changed


class Lease(StrEnum):
    """Whether the lease of a claimed job still runs."""

    LIVE = "live"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """A job. `attempts` counts claims since the last reset, `attempt` is the latest one's number.

    `lease` is live or expired while the job is claimed, and null otherwise.
    """

    source_id: int
    status: JobState
    attempts: int
    attempt: int
    agent: str | None
    lease: Lease | None
    lease_expires_at: datetime | None
    last_error: str | None
    no_derived_pages_reason: str | None
    unread_reason: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMoved(Changed):
    """A job after a step."""

    job: JobView


def view(job: Job, *, now: datetime) -> JobView:
    return JobView(
        source_id=job.source_id,
        status=job.state,
        attempts=job.attempts,
        attempt=job.attempt,
        agent=job.agent,
        lease=lease(job, now=now),
        lease_expires_at=job.lease_until,
        last_error=job.failure,
        no_derived_pages_reason=job.no_derived_pages_reason,
        unread_reason=job.unread_reason,
        updated_at=job.updated_at,
    )


def lease(job: Job, *, now: datetime) -> Lease | None:
    if not job.claimed:
        return None
    return Lease.EXPIRED if job.expired(now) else Lease.LIVE
