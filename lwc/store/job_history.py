"""The history of jobs as it is looked at: attempts, analyses, and jobs in lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from lwc.domain.ingest import Job, JobState, Outcome
from lwc.store import cells, texts
from lwc.store.attempts import versions
from lwc.store.jobs import as_job, expired, is_in_sight
from lwc.store.tables import analyses, attempts, jobs, sources
from lwc.store.tables import texts as text_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One claim: who held it, from when to when, and what became of it."""

    attempt: int
    agent: str
    claimed_at: datetime
    ended_at: datetime | None
    outcome: Outcome
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One version of the analysis of a source; `text` is its beginning, `chars` counts all."""

    version: int
    attempt: int
    agent: str
    digest: str
    chars: int
    text: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A job in a list, with the title of its source."""

    job: Job
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which jobs a list shows; `expired_at` asks for leases that had run out at that moment."""

    state: JobState | None = None
    agent: str | None = None
    expired_at: datetime | None = None


def attempts_of(conn: Connection, source_id: int, *, limit: int) -> tuple[tuple[Attempt, ...], int]:
    """The newest attempts, in the order they were made, and how many there are in all."""
    rows = conn.execute(
        select(attempts)
        .where(attempts.c.source_id == source_id)
        .order_by(attempts.c.attempt.desc())
        .limit(limit)
    ).fetchall()
    total = conn.execute(
        select(func.count()).select_from(attempts).where(attempts.c.source_id == source_id)
    ).scalar_one()
    return tuple(as_attempt(row) for row in reversed(rows)), int(total)


def as_attempt(row: Row[Any]) -> Attempt:
    return Attempt(
        attempt=row.attempt,
        agent=row.agent,
        claimed_at=cells.moment(row.claimed_at),
        ended_at=cells.moment_if_any(row.ended_at),
        outcome=cells.member(Outcome, row.outcome),
        error=row.error,
    )


def analyses_of(
    conn: Connection, source_id: int, *, limit: int, max_chars: int
) -> tuple[tuple[Analysis, ...], int]:
    """The newest versions in order, `max_chars` of each, and how many there are in all."""
    rows = conn.execute(
        select(analyses, text_rows.c.chars)
        .join(text_rows, text_rows.c.digest == analyses.c.text_digest)
        .where(analyses.c.source_id == source_id)
        .order_by(analyses.c.version.desc())
        .limit(limit)
    ).fetchall()
    shown = tuple(
        Analysis(
            version=row.version,
            attempt=row.attempt,
            agent=row.agent,
            digest=row.text_digest,
            chars=row.chars,
            text=texts.window(conn, row.text_digest, offset=0, size=max_chars),
            created_at=cells.moment(row.created_at),
        )
        for row in reversed(rows)
    )
    return shown, versions(conn, source_id)


def listed(
    conn: Connection, wanted: Wanted, *, limit: int, offset: int
) -> tuple[tuple[Listed, ...], int]:
    """Jobs by source id, and how many there are in all."""
    conditions = _conditions(wanted)
    rows = conn.execute(
        select(jobs, sources.c.title)
        .join(sources, sources.c.id == jobs.c.source_id)
        .where(*conditions)
        .order_by(jobs.c.source_id)
        .limit(limit)
        .offset(offset)
    )
    shown = tuple(Listed(job=as_job(row), title=row.title) for row in rows)
    counted = select(func.count()).select_from(jobs).where(*conditions, is_in_sight())
    total = conn.execute(counted).scalar_one()
    return shown, int(total)


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(jobs.c.state == wanted.state)
    if wanted.agent is not None:
        conditions.append(jobs.c.agent == wanted.agent)
    if wanted.expired_at is not None:
        conditions.append(expired(wanted.expired_at))
    return conditions


def evidence(conn: Connection, source_id: int) -> tuple[Mapping[str, Any], ...]:
    """The pages and revisions a completion rests on; empty for a job that is not completed."""
    kept = conn.execute(select(jobs.c.evidence).where(jobs.c.source_id == source_id)).scalar()
    return () if kept is None else tuple(cells.loaded(kept))
