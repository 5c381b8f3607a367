"""Ingest jobs: their states, their events, and the one table of transitions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lwc import clock
from lwc.domain.machine import Step, allowed, step_of
from lwc.errors import CLAIM_REQUIRED, ILLEGAL_TRANSITION, LwcError


class JobState(StrEnum):
    PENDING = "pending"
    ANALYZING = "analyzing"
    GENERATING = "generating"
    COMPLETED = "completed"
    FAILED = "failed"


class JobEvent(StrEnum):
    CLAIM = "claim"
    TAKE_OVER = "take_over"
    READ = "read"
    HEARTBEAT = "heartbeat"
    ANALYZE = "analyze"
    COMPLETE = "complete"
    FAIL = "fail"
    RELEASE = "release"
    EXHAUST = "exhaust"
    RETRY = "retry"
    REOPEN = "reopen"


class Gate(StrEnum):
    """A named condition that must hold before a step."""

    STATE = "state"
    HELD = "claim"
    EXPIRED = "expired"
    COVERED = "covered"
    CITED = "cited"
    INTEGRATED = "integrated"
    FRESH = "fresh"
    QUOTED = "quoted"


CLAIMED = (JobState.ANALYZING, JobState.GENERATING)

STEPS: tuple[Step[JobState, JobEvent, Gate], ...] = (
    Step(JobEvent.CLAIM, (JobState.PENDING,), JobState.ANALYZING),
    Step(JobEvent.TAKE_OVER, CLAIMED, JobState.ANALYZING, gates=(Gate.EXPIRED,)),
    Step(JobEvent.READ, CLAIMED, None, gates=(Gate.HELD,)),
    Step(JobEvent.HEARTBEAT, CLAIMED, None, gates=(Gate.HELD,)),
    Step(JobEvent.ANALYZE, (JobState.ANALYZING,), JobState.GENERATING, gates=(Gate.HELD,)),
    Step(
        JobEvent.COMPLETE,
        (JobState.GENERATING,),
        JobState.COMPLETED,
        gates=(Gate.HELD, Gate.COVERED, Gate.CITED, Gate.INTEGRATED, Gate.FRESH, Gate.QUOTED),
    ),
    Step(JobEvent.FAIL, CLAIMED, JobState.FAILED, gates=(Gate.HELD,)),
    Step(JobEvent.RELEASE, CLAIMED, JobState.PENDING, gates=(Gate.HELD,)),
    Step(JobEvent.EXHAUST, CLAIMED, JobState.FAILED, gates=(Gate.EXPIRED,)),
    # Free from failed; of a claimed job it needs the claim, an expired lease or force.
    Step(JobEvent.RETRY, (JobState.FAILED, *CLAIMED), JobState.PENDING, gates=(Gate.HELD,)),
    Step(JobEvent.REOPEN, (JobState.COMPLETED,), JobState.PENDING),
)


def step(event: JobEvent) -> Step[JobState, JobEvent, Gate]:
    """The row of an event."""
    return step_of(STEPS, event)


class Outcome(StrEnum):
    """How an attempt ended; `active` while it has not."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"
    RELEASED = "released"
    EXPIRED = "expired"
    RETRIED = "retried"


LEASE_DEFAULT = 1800
LEASE_LEAST, LEASE_MOST = 60, 86_400
MAX_ATTEMPTS = 3
# A lease that ends further ahead than this was given by a clock that was wrong.
LEASE_BELIEVED = 2 * LEASE_MOST
# The failure of a job whose last permitted claim expired.
EXHAUSTED = "attempts_exhausted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The ingest of one source.

    `attempts` counts claims since the last reset and is what `max_attempts` bounds; `attempt` is
    the serial number of the latest claim and never goes back.
    """

    source_id: int
    state: JobState
    attempts: int
    attempt: int
    agent: str | None
    lease_seconds: int
    lease_until: datetime | None
    failure: str | None
    no_derived_pages_reason: str | None
    unread_reason: str | None
    updated_at: datetime
    # The SHA-256 of the claim token; the token itself is nowhere kept.
    token_hash: str | None = None
    # The journal entry of the latest claim.
    claim_operation: int | None = None
    # The draft in which its completion is staged.
    pinned: int | None = None

    @property
    def claimed(self) -> bool:
        """Whether somebody works on it, or died at it."""
        return self.state in CLAIMED

    def expired(self, now: datetime) -> bool:
        """Whether the lease ran out; one that ends absurdly far ahead counts as run out too.

        A clock that was once wrong by years must not lock a job for years. The lease of a pinned
        job stands still. The store's claim statement says the same in SQL.
        """
        if self.lease_until is None or self.pinned is not None:
            return False
        ahead = (self.lease_until - now).total_seconds()
        return ahead <= 0 or ahead > LEASE_BELIEVED


def permits(job: Job, event: JobEvent) -> bool:
    """Whether the state of the job allows the event."""
    return job.state in step(event).sources


# What only the holder of a claim does; a pending job is claimed first.
_WORK = tuple(step.event for step in STEPS if Gate.HELD in step.gates and step.event != "retry")


def refusal(job: Job, event: JobEvent) -> LwcError:
    """Why the job's state does not allow the event, and what it does allow."""
    expected = step(event).sources
    details = {
        "allowed": list(allowed(STEPS, job.state)),
        "agent": job.agent,
        "attempt": job.attempt,
        "lease_expires_at": None if job.lease_until is None else clock.stamp(job.lease_until),
    }
    if job.state is JobState.PENDING and event in _WORK:
        return CLAIM_REQUIRED(job=job.source_id, state=job.state, event=event, details=details)
    return ILLEGAL_TRANSITION(
        job=job.source_id, state=job.state, event=event, expected=list(expected), details=details
    )
