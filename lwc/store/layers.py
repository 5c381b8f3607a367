"""Which layer a connection reads and writes: the live wiki, or a draft laid over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from lwc.domain.changeset import Entity
from lwc.store.tables import operations

_LAID = "lwc_draft"
_READING = "lwc_draft_read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An open draft at one moment.

    `revision` counts what was staged in it; `live_revision` is the end of the live journal, behind
    which what the draft does is numbered.
    """

    id: int
    name: str
    changeset_id: str
    revision: int
    live_revision: int


def of(conn: Connection) -> Draft | None:
    """The draft that is laid over a connection; none when it is live."""
    found: Draft | None = conn.info.get(_LAID)
    return found


@contextmanager
def laid(conn: Connection, draft: Draft, *, reading: bool) -> Iterator[Draft]:
    """Lay a draft over a connection inside its transaction, and take it off again."""
    # Only a draft pays for the tables of drafts: they take longer to make than a command works.
    from lwc.store.dialects import sqlite_layers as engine

    assert of(conn) is None, "one draft lies over a connection at a time"
    engine.lay(conn, draft.id, live_end=draft.live_revision, reading=reading)
    conn.info.update({_LAID: draft, _READING: reading})
    try:
        yield draft
        engine.lift(conn, reading=reading)
    finally:
        # When the block raises, the transaction is rolled back, and the views go with it.
        del conn.info[_LAID], conn.info[_READING]


def touch(conn: Connection, entity: Entity, key: int | str) -> None:
    """Stage an entity as it is live before it is changed; on a live connection nothing is done."""
    if of(conn) is not None:
        from lwc.store import staging

        staging.touch(conn, entity, key)


def live_revision(conn: Connection) -> int:
    """The id of the last live operation; 0 for a wiki that has none."""
    draft = of(conn)
    if draft is not None and conn.info[_READING]:
        return draft.live_revision
    return int(conn.execute(select(func.coalesce(func.max(operations.c.id), 0))).scalar_one())
