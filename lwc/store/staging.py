"""Touching: before a draft changes an entity, its live rows are copied and its base is kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.store import cells, entities, layers, search, texts
from lwc.store.dialects import sqlite_layers as engine
from lwc.store.layers import Draft
from lwc.store.tables import pages
from lwc.store.tables.drafts import staged


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """An entity that a draft has touched; `base_digest` is none when live had no such entity.

    `base_revision`, `base_author` and `base_at` tell which revision the base was, by whom and when.
    `number` is the key as a number where it is one; `id` is its row in the draft's index.
    """

    id: int
    entity: Entity
    key: str
    number: int | None
    base_digest: str | None
    base_revision: int | None
    base_author: str | None
    base_at: datetime | None
    sequence: int


def touch(conn: Connection, entity: Entity, key: int | str) -> None:
    """Stage an entity as it is live, unless it is staged already. See `layers.touch`."""
    draft = layers.of(conn)
    assert draft is not None, "a draft lies over the connection"
    if find(conn, draft.id, entity, key) is not None:
        return
    base = entities.base(conn, entity, key)
    conn.execute(
        insert(staged).values(
            changeset=draft.id,
            entity=entity,
            key=str(key),
            number=key if isinstance(key, int) else None,
            base_digest=base.digest,
            base_revision=base.revision,
            base_author=base.author,
            base_at=None if base.at is None else clock.stamp(base.at),
            sequence=draft.revision + 1,
        )
    )
    if base.digest is not None:
        _copy(conn, draft, entity, key)


def _copy(conn: Connection, draft: Draft, entity: Entity, key: int | str) -> None:
    """Copy the live rows; of histories nothing, for they are only added to."""
    if entity is Entity.PAGE:
        assert isinstance(key, int)
        engine.copy_page(conn, draft.id, key)
        _index_page(conn, key)
        return
    for layer in engine.LAYERS:
        if layer.entity is entity and not layer.history:
            engine.copy_row(conn, layer, draft.id, key)


def _index_page(conn: Connection, page_id: int) -> None:
    """The live index does not speak for a page any more that the draft has touched."""
    row = conn.execute(select(pages).where(pages.c.id == page_id)).one()
    body = texts.whole(conn, row.body_digest)
    terms = search.analyse_page(title=row.title, slug=row.slug, summary=row.summary, body=body)
    search.index_page(conn, page_id, terms)


def find(conn: Connection, draft: int, entity: Entity, key: int | str) -> Staged | None:
    """What a draft has staged of an entity; none when it has not touched it."""
    row = conn.execute(
        select(staged).where(
            staged.c.changeset == draft, staged.c.entity == entity, staged.c.key == str(key)
        )
    ).one_or_none()
    return None if row is None else as_staged(row)


def of_draft(conn: Connection, draft: int) -> tuple[Staged, ...]:
    """All that a draft has touched, in the order in which it was touched first."""
    rows = conn.execute(select(staged).where(staged.c.changeset == draft).order_by(staged.c.id))
    return tuple(as_staged(row) for row in rows)


def as_staged(row: Row[Any]) -> Staged:
    return Staged(
        id=row.id,
        entity=cells.member(Entity, row.entity),
        key=row.key,
        number=row.number,
        base_digest=row.base_digest,
        base_revision=row.base_revision,
        base_author=row.base_author,
        base_at=cells.moment_if_any(row.base_at),
        sequence=row.sequence,
    )
