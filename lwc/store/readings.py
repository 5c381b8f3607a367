"""What was handed over of a source, per attempt, as disjoint ranges that do not touch."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from lwc.domain.ranges import Range, merge
from lwc.store.tables import deliveries


def deliver(conn: Connection, source_id: int, attempt: int, start: int, end: int) -> None:
    """Record that the characters from `start` to `end` were handed over in this attempt."""
    if start >= end:
        return
    mine = (deliveries.c.source_id == source_id, deliveries.c.attempt == attempt)
    near = (*mine, deliveries.c.start <= end, deliveries.c.end >= start)
    found = conn.execute(select(deliveries.c.start, deliveries.c.end).where(*near)).fetchall()
    ((start, end),) = merge([(start, end), *((row.start, row.end) for row in found)])
    if (start, end) in {(row.start, row.end) for row in found}:
        return
    if found:
        conn.execute(delete(deliveries).where(*near))
    conn.execute(
        insert(deliveries).values(source_id=source_id, attempt=attempt, start=start, end=end)
    )


def ranges(conn: Connection, source_id: int, attempt: int) -> tuple[Range, ...]:
    """What was handed over in this attempt, in order."""
    rows = conn.execute(
        select(deliveries.c.start, deliveries.c.end)
        .where(deliveries.c.source_id == source_id, deliveries.c.attempt == attempt)
        .order_by(deliveries.c.start)
    )
    return tuple((row.start, row.end) for row in rows)
