"""The histories of pages across a restore: nothing is taken out, what is restored comes behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from lwc import clock
from lwc.store.revisions import Deed
from lwc.store.tables import page_revisions, pages


def take_histories(
    conn: Connection,
    replaced: Connection,
    *,
    operation: int,
    agent: str,
    now: datetime,
    take_text: Callable[[str], str],
) -> None:
    """Add the revisions that pages have had since, and one more that makes each what it was.

    So a page that somebody has seen at a revision is never another page at that revision.
    """
    missing = _missing(conn, replaced)
    for page_id, numbers in missing.items():
        rows = replaced.execute(select(page_revisions).where(page_revisions.c.page_id == page_id))
        for row in rows:
            if row.revision in numbers:
                digest = take_text(row.body_digest)
                conn.execute(insert(page_revisions), {**row._mapping, "body_digest": digest})
    made = {"operation_id": operation, "author": agent, "created_at": clock.stamp(now)}
    for page_id in missing:
        _end(conn, page_id, made)


def _missing(conn: Connection, replaced: Connection) -> dict[int, set[int]]:
    """By page, the revisions that only the replaced wiki has."""
    keys = select(page_revisions.c.page_id, page_revisions.c.revision)
    there = set(conn.execute(keys).all())
    missing: defaultdict[int, set[int]] = defaultdict(set)
    for page_id, number in replaced.execute(keys):
        if (page_id, number) not in there:
            missing[page_id].add(number)
    return missing


def _end(conn: Connection, page_id: int, made: dict[str, Any]) -> None:
    """Let a history end where its page is: restored, or removed."""
    page = conn.execute(select(pages).where(pages.c.id == page_id)).one_or_none()
    last = _revision(conn, page_id, _highest(conn, page_id))
    if page is None:
        if last.action != Deed.REMOVE:
            _append(conn, last, {**made, "revision": last.revision + 1, "action": Deed.REMOVE})
    elif last.revision > page.revision:
        again = _revision(conn, page_id, page.revision)
        number = last.revision + 1
        _append(conn, again, {**made, "revision": number, "action": Deed.RESTORE})
        told = {"revision": number, "author": made["author"], "updated_at": made["created_at"]}
        conn.execute(update(pages).where(pages.c.id == page_id).values(told))


def _highest(conn: Connection, page_id: int) -> int:
    highest = select(func.max(page_revisions.c.revision)).where(page_revisions.c.page_id == page_id)
    return int(conn.execute(highest).scalar_one())


def _revision(conn: Connection, page_id: int, number: int) -> Row[Any]:
    return conn.execute(
        select(page_revisions).where(
            page_revisions.c.page_id == page_id, page_revisions.c.revision == number
        )
    ).one()


def _append(conn: Connection, row: Row[Any], values: dict[str, Any]) -> None:
    conn.execute(insert(page_revisions), {**row._mapping, **values})
