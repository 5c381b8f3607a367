"""Taking staged things away again: all of a draft, or one entity of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, select

from lwc.domain.changeset import Entity
from lwc.store import completions, draft_search, jobs, sources, staging
from lwc.store.dialects import sqlite_layers as engine
from lwc.store.staging import Staged
from lwc.store.tables import metadata, texts
from lwc.store.tables.drafts import draft_completions, draft_operations, staged

# Where drafts keep rows: every table of theirs, but the journal and the completions.
STAGED_TABLES = tuple(metadata.tables[f"draft_{layer.table.name}"] for layer in engine.LAYERS)


def discard(conn: Connection, changeset: int, *, now: datetime) -> None:
    """Forget all that a draft has staged; the jobs it held are pending again."""
    for completion in completions.of_draft(conn, changeset):
        completions.give_back(conn, changeset, completion.source_id, now=now)
    found = staging.of_draft(conn, changeset)
    spare = _texts(conn, changeset)
    clear(conn, changeset)
    for one in found:
        if one.entity is Entity.SOURCE and one.number is not None:
            spare |= jobs.analyses_of(conn, one.number)
            jobs.drop_unowned(conn, one.number)
    for digest in sorted(spare):
        sources.drop_unused_text(conn, digest)


def clear(conn: Connection, changeset: int) -> None:
    """Take away the rows of a draft, which is published or discarded."""
    draft_search.clear(conn, changeset)
    for table in (*STAGED_TABLES, draft_completions, draft_operations, staged):
        conn.execute(delete(table).where(table.c.changeset == changeset))


def drop(conn: Connection, changeset: int, one: Staged, *, now: datetime) -> None:
    """Take one entity out of a draft; it is as live again."""
    spare = _texts_of(conn, changeset, one)
    if one.entity is Entity.COMPLETION:
        assert one.number is not None, "a job is known by its source's id"
        completions.give_back(conn, changeset, one.number, now=now)
    draft_search.forget(conn, one.id, one.entity)
    for table, of_entity in _rows_of(changeset, one):
        conn.execute(delete(table).where(of_entity))
    conn.execute(delete(staged).where(staged.c.id == one.id))
    if one.entity is Entity.SOURCE and one.number is not None:
        spare |= jobs.analyses_of(conn, one.number)
        jobs.drop_unowned(conn, one.number)
    for digest in sorted(spare):
        sources.drop_unused_text(conn, digest)


def _texts_of(conn: Connection, changeset: int, one: Staged) -> set[str]:
    """The texts that an entity's rows in a draft speak of."""
    return {
        digest
        for table, of_entity in _rows_of(changeset, one)
        for column in table.columns
        if column.references(texts.c.digest)
        for digest in conn.execute(select(column).where(of_entity)).scalars()
    }


def _rows_of(changeset: int, one: Staged) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """The tables of drafts that have an entity's rows, each with the condition on them."""
    key = one.key if one.number is None else one.number
    for layer in engine.LAYERS:
        if layer.entity is one.entity:
            table = metadata.tables[f"draft_{layer.table.name}"]
            yield table, and_(table.c.changeset == changeset, table.c[layer.column] == key)


def _texts(conn: Connection, changeset: int) -> set[str]:
    """The texts that a draft's rows speak of."""
    found: set[str] = set()
    for table in STAGED_TABLES:
        for column in table.columns:
            if column.references(texts.c.digest):
                wanted = select(column).where(table.c.changeset == changeset)
                found.update(conn.execute(wanted).scalars())
    return found
