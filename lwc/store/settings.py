"""The settings stored in a wiki."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from lwc import clock
from lwc.domain.settings import Settings
from lwc.store.tables import settings


def load(conn: Connection) -> Settings:
    """The settings in force."""
    return Settings({row.key: row.value for row in conn.execute(select(settings))})


def put(conn: Connection, key: str, value: str, *, now: datetime) -> None:
    changed = conn.execute(
        update(settings)
        .where(settings.c.key == key)
        .values(value=value, updated_at=clock.stamp(now))
    )
    if changed.rowcount == 0:
        conn.execute(insert(settings).values(key=key, value=value, updated_at=clock.stamp(now)))


def drop(conn: Connection, key: str) -> bool:
    """Forget a setting; answers whether it was set."""
    return conn.execute(delete(settings).where(settings.c.key == key)).rowcount > 0
