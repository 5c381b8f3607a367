"""The steps of a claimed job but its completion: analyse, fail, release, extend, retry, reopen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lwc import wire
from lwc.domain.ingest import Job, JobEvent, JobState, Outcome, permits, refusal
from lwc.domain.keepable import kept_bytes
from lwc.domain.reason import checked, checked_if_given
from lwc.errors import (
    ATTEMPTS_EXHAUSTED,
    BLANK,
    REASON_REQUIRED,
)
from lwc.services import holder
from lwc.services.job_views import JobMoved, view
from lwc.store import attempts, jobs, settings
from lwc.wiki import Call, Change, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyzed(JobMoved):
    """A job with a new version of its analysis."""

    analysis_version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseExtended(JobMoved):
    """A claim that goes on until `lease_expires_at`."""

    lease_expires_at: datetime


@replayable(Analyzed)
def analyze(
    wiki: Wiki, call: Call, source_id: int, *, text: str, token: str | None = None
) -> Analyzed:
    """Hand in the analysis of a claimed source; every version is kept."""
    if not text.strip():
        raise BLANK(field="The analysis")
    size = kept_bytes(text, field="The analysis")
    digest = wire.text_digest(text)
    with wiki.claiming(call) as change:
        job = holder.held(change, source_id, JobEvent.ANALYZE, token=token)
        version = attempts.add_analysis(
            change.conn,
            source_id,
            job.attempt,
            agent=change.agent,
            text=text,
            digest=digest,
            size=size,
            now=change.now,
        )
        job = jobs.move(
            change.conn, job, JobEvent.ANALYZE, now=change.now, changes={"failure": None}
        )
        change.record("ingest_analyze", source_id, attempt=job.attempt, version=version)
        return change.finish(
            Analyzed(
                **wiki.label(),
                revision=change.revision,
                job=view(job, now=change.now),
                analysis_version=version,
            )
        )


@replayable(JobMoved)
def fail(
    wiki: Wiki, call: Call, source_id: int, *, message: str, token: str | None = None
) -> JobMoved:
    """Give a claimed job up, saying why."""
    message = checked(message, field="The message")
    with wiki.claiming(call) as change:
        job = holder.held(change, source_id, JobEvent.FAIL, token=token)
        return _ended(
            change,
            job,
            JobEvent.FAIL,
            outcome=Outcome.FAILED,
            error=message,
            changes={"failure": message},
            detail={"message": message},
        )


@replayable(JobMoved)
def release(
    wiki: Wiki, call: Call, source_id: int, *, reason: str | None = None, token: str | None = None
) -> JobMoved:
    """Hand a claimed job back without a failure."""
    reason = checked_if_given(reason, field="The reason")
    with wiki.claiming(call) as change:
        job = holder.held(change, source_id, JobEvent.RELEASE, token=token)
        return _ended(
            change,
            job,
            JobEvent.RELEASE,
            outcome=Outcome.RELEASED,
            error=reason,
            detail={"reason": reason},
        )


@replayable(LeaseExtended)
def heartbeat(wiki: Wiki, call: Call, source_id: int, *, token: str | None = None) -> LeaseExtended:
    """Extend the lease of a claim by its length, also when it ran out and nobody took the job.

    The wiki's revision does not move.
    """
    with wiki.claiming(call) as change:
        job = holder.held(change, source_id, JobEvent.HEARTBEAT, token=token)
        job = jobs.renew(change.conn, job, now=change.now)
        assert job.lease_until is not None, "a claimed job has a lease"
        return change.finish(
            LeaseExtended(
                **wiki.label(),
                revision=change.revision,
                job=view(job, now=change.now),
                lease_expires_at=job.lease_until,
            )
        )


@replayable(JobMoved)
def retry(
    wiki: Wiki,
    call: Call,
    source_id: int,
    *,
    reset: bool = False,
    force: bool = False,
    reason: str | None = None,
    token: str | None = None,
) -> JobMoved:
    """Put a job back in the queue.

    From failed it is free. A claimed job needs its claim, an expired lease, or `force` with a
    reason. The count of attempts is kept: a job at the limit (`max_attempts`) is refused with
    `attempts_exhausted`, and only `reset` with a reason starts the count anew. So whatever is
    pending can be claimed. The history keeps all attempts either way.
    """
    reason = checked_if_given(reason, field="The reason")
    for option, given in (("--reset", reset), ("--force", force)):
        if given and reason is None:
            raise REASON_REQUIRED(option=option)
    with wiki.claiming(call) as change:
        job = jobs.find(change.conn, source_id)
        _check_retry(change, job, reset=reset, force=force, token=token)
        expired = job.claimed and job.expired(change.now)
        return _ended(
            change,
            job,
            JobEvent.RETRY,
            outcome=Outcome.EXPIRED if expired else Outcome.RETRIED,
            error=reason,
            changes={"failure": None, **({"attempts": 0} if reset else {})},
            detail={
                "from": job.state,
                "reset": reset,
                "force": force,
                "reason": reason,
            },
        )


def _check_retry(change: Change, job: Job, *, reset: bool, force: bool, token: str | None) -> None:
    if not permits(job, JobEvent.RETRY):
        raise refusal(job, JobEvent.RETRY)
    holder.refuse_pinned(change.conn, job)
    if job.claimed and not force and not job.expired(change.now):
        lost = holder.claim_refusal(change.conn, job, token=token, agent=change.agent)
        if lost is not None:
            raise lost
    if not reset and job.attempts >= settings.load(change.conn).number("max_attempts"):
        raise ATTEMPTS_EXHAUSTED(job=job.source_id, attempts=job.attempts)


@replayable(JobMoved)
def reopen(wiki: Wiki, call: Call, source_id: int, *, reason: str) -> JobMoved:
    """Take a completed job up again: it is pending, and its count of attempts starts anew.

    What the completion rested on stays in the journal.
    """
    reason = checked(reason, field="The reason")
    with wiki.claiming(call) as change:
        job = jobs.find(change.conn, source_id)
        if job.state is not JobState.COMPLETED:
            raise refusal(job, JobEvent.REOPEN)
        changes = {
            "attempts": 0,
            "evidence": None,
            "no_derived_pages_reason": None,
            "unread_reason": None,
        }
        job = jobs.move(change.conn, job, JobEvent.REOPEN, now=change.now, changes=changes)
        change.record("ingest_reopen", source_id, reason=reason)
        return _moved(change, job)


def _ended(
    change: Change,
    job: Job,
    event: JobEvent,
    *,
    outcome: Outcome,
    error: str | None,
    detail: dict[str, Any],
    changes: dict[str, Any] | None = None,
) -> JobMoved:
    """Take a step that ends the attempt, and journal it under the event's name."""
    moved = jobs.move(change.conn, job, event, now=change.now, changes=changes)
    attempts.end(change.conn, job.source_id, outcome=outcome, now=change.now, error=error)
    change.record(f"ingest_{event}", job.source_id, **detail)
    return _moved(change, moved)


def _moved(change: Change, job: Job) -> JobMoved:
    return change.finish(
        JobMoved(**change.wiki.label(), revision=change.revision, job=view(job, now=change.now))
    )
