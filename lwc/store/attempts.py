"""The history of a job: every attempt with how it ended, and every version of its analysis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from lwc import clock
from lwc.domain.ingest import Outcome
from lwc.store import texts
from lwc.store.tables import analyses, attempts
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


def begin(conn: Connection, source_id: int, attempt: int, *, agent: str, now: datetime) -> None:
    """Record that an attempt began; one that was still open before it has expired."""
    end(conn, source_id, outcome=Outcome.EXPIRED, now=now)
    conn.execute(
        insert(attempts).values(
            source_id=source_id,
            attempt=attempt,
            agent=agent,
            claimed_at=clock.stamp(now),
            outcome=Outcome.ACTIVE,
        )
    )


def end(
    conn: Connection, source_id: int, *, outcome: Outcome, now: datetime, error: str | None = None
) -> None:
    """Record how the open attempt of a job ended; nothing when there is none."""
    conn.execute(
        update(attempts)
        .where(attempts.c.source_id == source_id, attempts.c.outcome == Outcome.ACTIVE)
        .values(outcome=outcome, ended_at=clock.stamp(now), error=error)
    )


def claimed_at(conn: Connection, source_id: int, attempt: int) -> datetime | None:
    """When an attempt began; none for one that never was."""
    found = conn.execute(
        select(attempts.c.claimed_at).where(
            attempts.c.source_id == source_id, attempts.c.attempt == attempt
        )
    ).scalar_one_or_none()
    return None if found is None else clock.parse(found)


def newest(conn: Connection, source_id: int, *, limit: int) -> tuple[tuple[Attempt, ...], int]:
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
        claimed_at=clock.parse(row.claimed_at),
        ended_at=None if row.ended_at is None else clock.parse(row.ended_at),
        outcome=Outcome(row.outcome),
        error=row.error,
    )


def add_analysis(
    conn: Connection,
    source_id: int,
    attempt: int,
    *,
    agent: str,
    text: str,
    digest: str,
    size: int,
    now: datetime,
) -> int:
    """Keep another version of the analysis; answers its number."""
    version = _versions(conn, source_id) + 1
    conn.execute(
        insert(analyses).values(
            source_id=source_id,
            version=version,
            attempt=attempt,
            agent=agent,
            text_digest=texts.put(conn, text, digest=digest, size=size),
            created_at=clock.stamp(now),
        )
    )
    return version


def newest_analyses(
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
            created_at=clock.parse(row.created_at),
        )
        for row in reversed(rows)
    )
    return shown, _versions(conn, source_id)


def _versions(conn: Connection, source_id: int) -> int:
    """The number of the newest version; versions count from 1 without a gap."""
    return int(
        conn.execute(
            select(func.coalesce(func.max(analyses.c.version), 0)).where(
                analyses.c.source_id == source_id
            )
        ).scalar_one()
    )
