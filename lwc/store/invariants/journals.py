"""Whether the journal is whole, and what it is written for: requests, settings, the charter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Connection, func, select

from lwc.domain.doctor import Flaw
from lwc.domain.settings import setting
from lwc.errors import LwcError
from lwc.store import tables
from lwc.store.dialects import sqlite
from lwc.store.tables import charter, metadata, operations, requests, settings
from lwc.store.tables import drafts as drafted

# What is said to have been done by an operation.
_MEANT: tuple[Column[Any], ...] = (
    tables.page_revisions.c.operation_id,
    tables.page_sources.c.touched,
    tables.jobs.c.claim_operation,
    tables.check_results.c.revision,
    drafted.changesets.c.base_revision,
    drafted.changesets.c.published_revision,
    drafted.changesets.c.rollback_revision,
)


def operations_told(conn: Connection) -> Iterator[Flaw]:
    """The journal counts from 1 without a gap, up to the last operation there ever was."""
    ids = operations.c.id
    first, last, count = conn.execute(select(func.min(ids), func.max(ids), func.count(ids))).one()
    counted = conn.execute(
        select(sqlite.SEQUENCES.c.seq).where(sqlite.SEQUENCES.c.name == operations.name)
    ).scalar()
    last = last or 0
    if last != count or (count and first != 1):
        facts = {"first": 1, "last": last, "missing": last - count}
        yield Flaw(code="journal_gap", entity="journal", key=str(last), facts=facts)
    if (counted or 0) > last:
        yield Flaw(code="journal_cut", entity="journal", key=str(counted), facts={"last": last})


def operations_meant(conn: Connection) -> Iterator[Flaw]:
    """What was made by an operation was made by one of the journal."""
    last = conn.execute(select(func.coalesce(func.max(operations.c.id), 0))).scalar_one()
    for column in _MEANT:
        table = metadata.tables[column.table.name]
        rows, highest = conn.execute(
            select(func.count(), func.max(column)).select_from(table).where(column > last)
        ).one()
        if rows:
            yield Flaw(
                code="operation_unknown",
                entity=table.name,
                key=f"{table.name}.{column.name}",
                facts={"operation": highest, "last": last, "rows": rows},
            )


def requests_kept(conn: Connection) -> Iterator[Flaw]:
    """What was asked for under a request id has its answer kept."""
    asked = (
        select(operations.c.request_id, func.max(operations.c.id))
        .outerjoin(requests, requests.c.request_id == operations.c.request_id)
        .where(operations.c.request_id.is_not(None), requests.c.request_id.is_(None))
        .group_by(operations.c.request_id)
    )
    for request_id, operation in conn.execute(asked):
        facts = {"operation": operation}
        yield Flaw(code="request_unanswered", entity="request", key=request_id, facts=facts)


def settings_valid(conn: Connection) -> Iterator[Flaw]:
    """Every setting that is kept is known and has a value that it may have."""
    for row in conn.execute(select(settings).order_by(settings.c.key)):
        try:
            if setting(row.key).parse(row.value) == row.value:
                continue
        except LwcError:
            pass
        facts = {"value": row.value}
        yield Flaw(code="setting_invalid", entity="setting", key=row.key, facts=facts)


def charter_whole(conn: Connection) -> Iterator[Flaw]:
    """The revisions of schema and purpose count from 1 without a gap."""
    revision = charter.c.revision
    counted = select(charter.c.name, func.min(revision), func.max(revision), func.count())
    for name, first, last, count in conn.execute(counted.group_by(charter.c.name)):
        if (first, last) != (1, count):
            yield Flaw(code="charter_history_broken", entity="charter", key=name)
