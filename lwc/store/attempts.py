"""The attempts of a job, each with how it ended, and the versions of its analysis."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from lwc import clock
from lwc.domain.ingest import Outcome
from lwc.store import cells, texts
from lwc.store.tables import analyses, attempts
from lwc.store.tables import texts as text_rows


def begin(conn: Connection, source_id: int, attempt: int, *, agent: str, now: datetime) -> None:
    """Record that an attempt began; one that was still open before it has expired."""
    if attempt > 1:
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
    return cells.moment_if_any(found)


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
    version = versions(conn, source_id) + 1
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


def newest_analysis(conn: Connection, source_id: int, *, max_chars: int) -> tuple[str | None, int]:
    """The beginning of the newest version and the length of all of it; none when there is none."""
    row = conn.execute(
        select(analyses.c.text_digest, text_rows.c.chars)
        .join(text_rows, text_rows.c.digest == analyses.c.text_digest)
        .where(analyses.c.source_id == source_id)
        .order_by(analyses.c.version.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        return None, 0
    return texts.window(conn, row.text_digest, offset=0, size=max_chars), row.chars


def versions(conn: Connection, source_id: int) -> int:
    """The number of the newest version; versions count from 1 without a gap."""
    return int(
        conn.execute(
            select(func.coalesce(func.max(analyses.c.version), 0)).where(
                analyses.c.source_id == source_id
            )
        ).scalar_one()
    )
