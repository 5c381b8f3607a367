"""What a wiki holds, entity by entity, to be compared with what another or an earlier one holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from lwc.domain.comparison import Contents, Held
from lwc.domain.ingest import JobState
from lwc.store.dialects import sqlite
from lwc.store.tables import (
    charter,
    checks,
    jobs,
    operations,
    pages,
    settings,
    sources,
    texts,
)
from lwc.store.tables.drafts import changesets


def contents(conn: Connection) -> Contents:
    """By kind of entity and by key, all that a wiki is made of; texts by their digests."""
    try:
        return {entity: read(conn) for entity, read in _READ.items()}
    except DBAPIError as error:
        raise sqlite.translated(error) from error


def counts(conn: Connection) -> dict[str, int]:
    """How much of what is counted by people a wiki holds."""
    tables = (pages, sources, checks, changesets, operations, texts)
    try:
        return {
            table.name: int(conn.execute(select(func.count()).select_from(table)).scalar_one())
            for table in tables
        }
    except DBAPIError as error:
        raise sqlite.translated(error) from error


def _pages(conn: Connection) -> dict[str, Held]:
    wanted = select(
        *(pages.c.id, pages.c.slug, pages.c.title, pages.c.revision, pages.c.content_digest)
    ).order_by(pages.c.slug)
    return {
        str(row.id): _held(row, "slug", "content_digest", shown=("slug", "title", "revision"))
        for row in conn.execute(wanted)
    }


def _sources(conn: Connection) -> dict[str, Held]:
    wanted = select(sources.c.id, sources.c.title, sources.c.path, sources.c.digest)
    return {
        str(row.id): _held(row, "digest", "title", "path", shown=("title", "path"))
        for row in conn.execute(wanted.order_by(sources.c.id))
    }


def _charter(conn: Connection) -> dict[str, Held]:
    newest = select(charter.c.name, func.max(charter.c.revision).label("revision"))
    last = newest.group_by(charter.c.name).subquery()
    wanted = select(charter.c.name, charter.c.revision, charter.c.text_digest).join(
        last, (last.c.name == charter.c.name) & (last.c.revision == charter.c.revision)
    )
    return {
        row.name: _held(row, "text_digest", shown=("revision",))
        for row in conn.execute(wanted.order_by(charter.c.name))
    }


def _jobs(conn: Connection) -> dict[str, Held]:
    wanted = select(jobs.c.source_id, jobs.c.state, jobs.c.attempt).order_by(jobs.c.source_id)
    return {
        str(row.source_id): _held(row, "state", "attempt", shown=("state", "attempt"))
        for row in conn.execute(wanted)
        # A job that nobody has taken yet says no more than its source.
        if (row.state, row.attempt) != (JobState.PENDING, 0)
    }


def _checks(conn: Connection) -> dict[str, Held]:
    wanted = select(checks).order_by(checks.c.id)
    return {
        str(row.id): _held(row, "page_id", "query", "paraphrases", "top", shown=("query", "top"))
        for row in conn.execute(wanted)
    }


def _settings(conn: Connection) -> dict[str, Held]:
    return {
        row.key: _held(row, "value", shown=("value",))
        for row in conn.execute(select(settings).order_by(settings.c.key))
    }


def _changesets(conn: Connection) -> dict[str, Held]:
    return {
        row.changeset_id: _held(
            row, "name", "status", "draft_revision", shown=("name", "status", "draft_revision")
        )
        for row in conn.execute(select(changesets).order_by(changesets.c.id))
    }


def _held(row: Any, *compared: str, shown: tuple[str, ...]) -> Held:
    values = row._mapping
    return Held(
        state=tuple(values[name] for name in compared),
        shown={name: values[name] for name in shown},
    )


_READ: Mapping[str, Callable[[Connection], dict[str, Held]]] = {
    "page": _pages,
    "source": _sources,
    "charter": _charter,
    "job": _jobs,
    "check": _checks,
    "setting": _settings,
    "changeset": _changesets,
}
