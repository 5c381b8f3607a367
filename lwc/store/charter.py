"""The schema and the purpose of a wiki, every revision whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, insert, select

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.store import cells, layers, outbox, texts
from lwc.store.tables import charter


@dataclass(frozen=True, slots=True, kw_only=True)
class CharterText:
    """One revision of the schema or the purpose."""

    name: str
    revision: int
    text: str
    author: str
    created_at: datetime


def newest(conn: Connection, name: str) -> CharterText | None:
    """The text in force; none when the wiki has none."""
    return at(conn, name, newest_revision(conn, name))


def newest_revision(conn: Connection, name: str) -> int:
    """The newest revision's number; 0 when there is none."""
    return int(
        conn.execute(
            select(func.coalesce(func.max(charter.c.revision), 0)).where(charter.c.name == name)
        ).scalar_one()
    )


def at(conn: Connection, name: str, revision: int) -> CharterText | None:
    """One revision; none when it does not exist."""
    row = conn.execute(
        select(charter).where(charter.c.name == name, charter.c.revision == revision)
    ).one_or_none()
    if row is None:
        return None
    return CharterText(
        name=name,
        revision=revision,
        text=texts.whole(conn, row.text_digest),
        author=row.author,
        created_at=cells.moment(row.created_at),
    )


def put(conn: Connection, name: str, text: str, *, author: str, now: datetime) -> int:
    """Add a revision; answers its number."""
    layers.touch(conn, Entity.CHARTER, name)
    revision = newest_revision(conn, name) + 1
    conn.execute(
        insert(charter).values(
            name=name,
            revision=revision,
            text_digest=texts.put(conn, text),
            author=author,
            created_at=clock.stamp(now),
        )
    )
    outbox.put(conn, Entity.CHARTER, name)
    return revision
