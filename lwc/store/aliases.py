"""The names that renamed pages had: reads and links follow them, and they stay taken."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.store import layers
from lwc.store.tables import aliases


def of_page(conn: Connection, page_id: int) -> tuple[str, ...]:
    """The earlier names of a page."""
    return tuple(
        conn.execute(
            select(aliases.c.slug).where(aliases.c.page_id == page_id).order_by(aliases.c.slug)
        ).scalars()
    )


def keys_of_page(conn: Connection, page_id: int) -> tuple[str, ...]:
    """The collision keys of the earlier names of a page."""
    return tuple(
        conn.execute(
            select(aliases.c.key).where(aliases.c.page_id == page_id).order_by(aliases.c.key)
        ).scalars()
    )


def leave(conn: Connection, page_id: int, *, key: str, slug: str, now: datetime) -> None:
    """Keep a name that a page gives up."""
    conn.execute(
        insert(aliases).values(key=key, slug=slug, page_id=page_id, created_at=clock.stamp(now))
    )


def forget(conn: Connection, page_id: int) -> None:
    """Free the earlier names of a page that goes."""
    conn.execute(delete(aliases).where(aliases.c.page_id == page_id))


def take_back(conn: Connection, page_id: int, *, key: str) -> None:
    """Forget an alias, because its page bears the name again."""
    layers.touch(conn, Entity.PAGE, page_id)
    conn.execute(delete(aliases).where(aliases.c.page_id == page_id, aliases.c.key == key))
