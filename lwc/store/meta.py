"""Single facts about the wiki itself."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from lwc.store.tables import meta


def value(conn: Connection, key: str) -> str | None:
    return conn.execute(select(meta.c.value).where(meta.c.key == key)).scalar_one_or_none()


def put(conn: Connection, key: str, value: str) -> None:
    if conn.execute(update(meta).where(meta.c.key == key).values(value=value)).rowcount == 0:
        conn.execute(insert(meta).values(key=key, value=value))
