"""Whether sources have their jobs, and whether a job fits its attempts, windows and analyses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    exists,
    func,
    not_,
    or_,
    select,
)

from lwc.domain.changeset import Status
from lwc.domain.doctor import Flaw
from lwc.domain.ingest import CLAIMED, JobState, Outcome
from lwc.store.tables import analyses, attempts, deliveries, jobs, source_ids, sources, texts
from lwc.store.tables.drafts import changesets, draft_completions, draft_sources

_CLAIMED = jobs.c.state.in_(CLAIMED)
# What a job has just while it is claimed.
_HELD = (jobs.c.agent, jobs.c.token_hash, jobs.c.lease_until)
_STAGED = exists().where(draft_sources.c.id == jobs.c.source_id)

# What a job may not be, and how that is said.
_STATES: tuple[tuple[ColumnElement[bool], str], ...] = (
    (
        and_(_CLAIMED, or_(*(cell.is_(None) for cell in _HELD))),
        "it does not say who holds it, and until when",
    ),
    (and_(not_(_CLAIMED), or_(*(cell.is_not(None) for cell in _HELD))), "somebody holds it"),
    (and_(_CLAIMED, jobs.c.claim_operation.is_(None)), "no operation says who took it"),
    (and_(_CLAIMED, jobs.c.attempts == 0), "it counts no claim"),
    (jobs.c.attempt < jobs.c.attempts, "it counts more claims than there were"),
    (and_(jobs.c.state == JobState.FAILED, jobs.c.failure.is_(None)), "it does not say why"),
    (
        and_(jobs.c.state != JobState.COMPLETED, jobs.c.evidence.is_not(None)),
        "it has the evidence of a completion",
    ),
)


def digests(conn: Connection) -> Iterator[Flaw]:
    """A source bears the id that its digest was given."""
    wrong = select(sources.c.id).join(source_ids, source_ids.c.id == sources.c.id)
    for source_id in conn.execute(wrong.where(source_ids.c.digest != sources.c.digest)).scalars():
        yield Flaw(code="source_digest_differs", entity="source", key=str(source_id))


def pairs(conn: Connection) -> Iterator[Flaw]:
    """A live source has its job; a job has a source, live or staged."""
    jobless = not_(exists().where(jobs.c.source_id == sources.c.id))
    for source_id in conn.execute(select(sources.c.id).where(jobless)).scalars():
        yield Flaw(code="source_without_job", entity="source", key=str(source_id))
    sourceless = not_(or_(exists().where(sources.c.id == jobs.c.source_id), _STAGED))
    for source_id in conn.execute(select(jobs.c.source_id).where(sourceless)).scalars():
        yield Flaw(code="job_without_source", entity="job", key=str(source_id))


def states(conn: Connection) -> Iterator[Flaw]:
    """A job has what its state asks for, and nothing of another state."""
    for condition, what in _STATES:
        for job, state in conn.execute(select(jobs.c.source_id, jobs.c.state).where(condition)):
            yield _of_job("job_state_inconsistent", job, state=state, what=what)
    unproved = and_(jobs.c.state == JobState.COMPLETED, jobs.c.evidence.is_(None))
    for job in conn.execute(select(jobs.c.source_id).where(unproved)).scalars():
        yield _of_job("evidence_missing", job)


def attempts_told(conn: Connection) -> Iterator[Flaw]:
    """Attempts count from 1 to that of the job; the last is open just while the job is claimed."""
    active = attempts.c.outcome == Outcome.ACTIVE
    told = (
        select(
            jobs.c.source_id,
            jobs.c.attempt,
            _CLAIMED.label("claimed"),
            jobs.c.state,
            func.count(attempts.c.attempt).label("count"),
            func.max(attempts.c.attempt).label("last"),
            func.count().filter(active).label("open"),
            func.max(case((active, attempts.c.attempt))).label("active"),
            func.count().filter(active != attempts.c.ended_at.is_(None)).label("odd"),
            func.max(case((attempts.c.attempt == jobs.c.attempt, attempts.c.outcome))).label(
                "outcome"
            ),
        )
        .outerjoin(attempts, attempts.c.source_id == jobs.c.source_id)
        .group_by(jobs.c.source_id)
    )
    for row in conn.execute(told):
        what = _misfit(row)
        if what is not None:
            yield _of_job("attempts_inconsistent", row.source_id, what=what)


def _misfit(row: Any) -> str | None:
    if row.count != row.attempt or (row.last or 0) != row.attempt:
        return f"there are {row.count} of {row.attempt}"
    if row.odd:
        return "one is open and ended, or neither"
    if row.open != int(row.claimed):
        return f"{row.open} are open while it is {row.state}"
    if row.open and row.active != row.attempt:
        return "an earlier one is open"
    if row.state == JobState.COMPLETED and row.outcome != Outcome.COMPLETED:
        return "the last one was not completed"
    return None


def analyses_told(conn: Connection) -> Iterator[Flaw]:
    """Versions count from 1, and a job that is being written up was analysed in this attempt."""
    told = (
        select(
            jobs.c.source_id,
            jobs.c.attempt,
            jobs.c.state,
            func.count(analyses.c.version).label("count"),
            func.max(analyses.c.version).label("last"),
            func.max(analyses.c.attempt).label("newest"),
        )
        .outerjoin(analyses, analyses.c.source_id == jobs.c.source_id)
        .group_by(jobs.c.source_id)
    )
    for row in conn.execute(told):
        if row.count != (row.last or 0):
            what = f"there are {row.count} of {row.last}"
        elif (row.newest or 0) > row.attempt:
            what = f"one is of attempt {row.newest}, and there were {row.attempt}"
        elif row.state == JobState.GENERATING and row.newest != row.attempt:
            what = "there is none of this attempt"
        else:
            continue
        yield _of_job("analyses_inconsistent", row.source_id, what=what)


def deliveries_told(conn: Connection) -> Iterator[Flaw]:
    """Windows that were handed over lie within the source, in attempts there were, apart."""
    one, other = deliveries, deliveries.alias("other")
    overlaps = exists().where(
        other.c.source_id == one.c.source_id,
        other.c.attempt == one.c.attempt,
        other.c.start > one.c.start,
        other.c.start <= one.c.end,
    )
    for condition, what in (
        (overlaps, "windows overlap"),
        (one.c.end > _chars(), "a window ends behind the text"),
        (one.c.attempt > jobs.c.attempt, "there was no such attempt"),
    ):
        wrong = (
            select(one.c.source_id, one.c.attempt)
            .join(jobs, jobs.c.source_id == one.c.source_id)
            .where(condition)
            .distinct()
        )
        for source_id, attempt in conn.execute(wrong):
            yield _of_job("delivery_inconsistent", source_id, attempt=attempt, what=what)


def _chars() -> Any:
    """How long the source of a job is, which may be only staged."""
    live = _length(sources.c.digest).where(sources.c.id == jobs.c.source_id)
    staged = _length(draft_sources.c.digest).where(draft_sources.c.id == jobs.c.source_id)
    return func.coalesce(live.scalar_subquery(), staged.limit(1).scalar_subquery())


def _length(digest: ColumnElement[str]) -> Select[tuple[int]]:
    return select(texts.c.chars).where(texts.c.digest == digest)


def pins(conn: Connection) -> Iterator[Flaw]:
    """A job that a draft holds is one whose completion is staged there, and the other way round."""
    staged = draft_completions
    waiting = exists().where(
        staged.c.changeset == jobs.c.pinned,
        staged.c.source_id == jobs.c.source_id,
        staged.c.attempt == jobs.c.attempt,
    )
    is_open = exists().where(changesets.c.id == jobs.c.pinned, changesets.c.status == Status.DRAFT)
    for condition, what in (
        (not_(waiting), "the draft does not complete it"),
        (not_(is_open), "the draft has ended"),
    ):
        held = select(jobs.c.source_id).where(jobs.c.pinned.is_not(None), condition)
        for job in conn.execute(held).scalars():
            yield _of_job("pin_broken", job, what=what)
    loose = (
        select(staged.c.source_id)
        .join(jobs, jobs.c.source_id == staged.c.source_id)
        .where(or_(jobs.c.pinned.is_(None), jobs.c.pinned != staged.c.changeset))
    )
    for job in conn.execute(loose).scalars():
        yield _of_job("pin_broken", job, what="the job is not held for it")


def _of_job(code: str, job: int, **facts: Any) -> Flaw:
    return Flaw(code=code, entity="job", key=str(job), facts=facts)
