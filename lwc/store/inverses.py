"""What a publication replaced, kept so that a rollback can put it back exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from lwc import wire
from lwc.domain.changeset import Entity
from lwc.errors import CHANGESET_CORRUPT, LwcError
from lwc.store import cells, entities
from lwc.store.dialects.sqlite_layers import PAGE_TABLES
from lwc.store.tables import (
    analyses,
    attempts,
    charter,
    check_results,
    checks,
    deliveries,
    jobs,
    metadata,
    pages,
    source_paths,
    sources,
    texts,
)
from lwc.store.tables.drafts import inverse_texts, inverses

# The rows of an entity, by table; in the order in which they can be put back.
Image = Mapping[str, Sequence[Mapping[str, Any]]]

_TABLES: Mapping[Entity, tuple[tuple[Table, str], ...]] = {
    Entity.PAGE: (
        *((table, "id" if table is pages else "page_id") for table in PAGE_TABLES),
        (checks, "page_id"),
    ),
    Entity.SOURCE: (
        (sources, "id"),
        (jobs, "source_id"),
        (attempts, "source_id"),
        (analyses, "source_id"),
        (deliveries, "source_id"),
    ),
    Entity.PATH: ((source_paths, "tracked_path"),),
    Entity.CHARTER: ((charter, "name"),),
    Entity.CHECK: ((checks, "id"), (check_results, "check_id")),
    Entity.COMPLETION: ((jobs, "source_id"),),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inverse:
    """An entity before a publication, none when it was not there, and as that left it."""

    entity: Entity
    key: int | str
    before: Image | None
    after_digest: str | None


def image(conn: Connection, entity: Entity, key: int | str) -> Image | None:
    """All live rows of an entity; none when it is not there."""
    found = {
        table.name: [dict(row._mapping) for row in conn.execute(_rows(table, column, key))]
        for table, column in _TABLES[entity]
    }
    (itself, _), *_ = _TABLES[entity]
    return found if found[itself.name] else None


def _rows(table: Table, column: str, key: int | str) -> Any:
    return select(table).where(table.c[column] == key).order_by(*table.primary_key.columns)


def in_order(entity: Entity, before: Image) -> Iterator[tuple[Table, Sequence[Mapping[str, Any]]]]:
    """The rows of an image by table: what is referred to stands before what refers."""
    return ((table, before[table.name]) for table, _ in _TABLES[entity])


def keep(
    conn: Connection,
    changeset: int,
    entity: Entity,
    key: int | str,
    *,
    before: Image | None,
) -> None:
    """Keep what an entity was; it is published already, and is taken as it is now."""
    after_digest = entities.base(conn, entity, key).digest
    told = None if before is None else wire.encode(before, compact=True)
    conn.execute(
        insert(inverses).values(
            changeset=changeset,
            entity=entity,
            key=str(key),
            before=told,
            after_digest=after_digest,
            checksum=_checksum(entity, str(key), told, after_digest),
        )
    )
    if before is not None:
        _keep_texts(conn, changeset, before)


def _keep_texts(conn: Connection, changeset: int, before: Image) -> None:
    """A text that an inverse speaks of is not forgotten, whatever else forgets it."""
    wanted = set(_texts(before))
    known = select(inverse_texts.c.digest).where(inverse_texts.c.changeset == changeset)
    for digest in sorted(wanted - set(conn.execute(known).scalars())):
        conn.execute(insert(inverse_texts).values(changeset=changeset, digest=digest))


def _texts(before: Image) -> Iterator[str]:
    for name, rows in before.items():
        for column in metadata.tables[name].columns:
            if column.references(texts.c.digest):
                yield from (row[column.name] for row in rows)


def of_changeset(conn: Connection, changeset: int, *, name: str) -> tuple[Inverse, ...]:
    """What a publication replaced, each proved by its checksum (`changeset_corrupt`)."""
    rows = conn.execute(
        select(inverses).where(inverses.c.changeset == changeset).order_by(inverses.c.key)
    ).all()
    found = []
    for row in rows:
        if row.checksum != _checksum(row.entity, row.key, row.before, row.after_digest):
            raise _damaged(name, f"the {row.entity} {row.key} is not what was kept")
        entity = cells.member(Entity, row.entity)
        named = entity in (Entity.PATH, Entity.CHARTER)
        found.append(
            Inverse(
                entity=entity,
                key=row.key if named else int(row.key),
                before=None if row.before is None else cells.loaded(row.before),
                after_digest=row.after_digest,
            )
        )
    return tuple(found)


def _checksum(entity: str, key: str, before: str | None, after_digest: str | None) -> str:
    return wire.digest([str(entity), key, before, after_digest])


def _damaged(name: str, what: str) -> LwcError:
    return CHANGESET_CORRUPT(name=name, what=what)
