"""The revisions of pages: every one whole, also of pages that are gone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, exists, func, insert, select

from lwc import clock
from lwc.errors import PAGE_REVISION_NOT_FOUND
from lwc.store import cells
from lwc.store.tables import page_revisions, pages


class Deed(StrEnum):
    """What made a revision."""

    PUT = "put"
    PATCH = "patch"
    RESTORE = "restore"
    RENAME = "rename"
    RELINK = "relink"
    REMOVE = "remove"
    ROLLBACK = "rollback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A page as it was; a revision made by `remove` shows what was removed."""

    page_id: int
    revision: int
    slug: str
    key: str
    deed: Deed
    title: str
    kind: str
    summary: str
    body_digest: str
    content_digest: str
    source_ids: tuple[int, ...]
    named_ids: tuple[int, ...]
    provenance: tuple[str, ...]
    author: str
    operation_id: int
    created_at: datetime


def add(conn: Connection, revision: Revision) -> None:
    """Append a revision."""
    conn.execute(
        insert(page_revisions),
        {
            "page_id": revision.page_id,
            "revision": revision.revision,
            "slug": revision.slug,
            "key": revision.key,
            "action": revision.deed.value,
            "title": revision.title,
            "kind": revision.kind,
            "summary": revision.summary,
            "body_digest": revision.body_digest,
            "content_digest": revision.content_digest,
            "source_ids": json.dumps(revision.source_ids),
            "named_ids": json.dumps(revision.named_ids),
            "provenance": json.dumps(revision.provenance),
            "author": revision.author,
            "operation_id": revision.operation_id,
            "created_at": clock.stamp(revision.created_at),
        },
    )


def of_page(conn: Connection, page_id: int, *, limit: int, offset: int = 0) -> tuple[Revision, ...]:
    """The revisions of a page, newest first."""
    rows = conn.execute(
        select(page_revisions)
        .where(page_revisions.c.page_id == page_id)
        .order_by(page_revisions.c.revision.desc())
        .limit(limit)
        .offset(offset)
    )
    return tuple(as_revision(row) for row in rows)


def count(conn: Connection, page_id: int) -> int:
    """How many revisions of a page are kept."""
    return int(
        conn.execute(
            select(func.count())
            .select_from(page_revisions)
            .where(page_revisions.c.page_id == page_id)
        ).scalar_one()
    )


def at(conn: Connection, page_id: int, number: int, *, slug: str) -> Revision:
    """One revision of a page, which a refusal calls `slug`."""
    row = conn.execute(
        select(page_revisions).where(
            page_revisions.c.page_id == page_id, page_revisions.c.revision == number
        )
    ).one_or_none()
    if row is None:
        raise PAGE_REVISION_NOT_FOUND(slug=slug, revision=number)
    return as_revision(row)


def before(conn: Connection, page_id: int, number: int) -> Revision | None:
    """The revision that stood before this one; none when it was the first."""
    row = conn.execute(
        select(page_revisions)
        .where(page_revisions.c.page_id == page_id, page_revisions.c.revision < number)
        .order_by(page_revisions.c.revision.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else as_revision(row)


def begun_at(conn: Connection, page_id: int) -> datetime:
    """When the first revision of a page was made."""
    return cells.moment(
        conn.execute(
            select(page_revisions.c.created_at)
            .where(page_revisions.c.page_id == page_id)
            .order_by(page_revisions.c.revision)
            .limit(1)
        ).scalar_one()
    )


def newest_under(conn: Connection, key: str) -> Revision | None:
    """The newest revision that bore this name, of whatever page; none when no page ever did."""
    row = conn.execute(
        select(page_revisions)
        .where(page_revisions.c.key == key)
        .order_by(page_revisions.c.operation_id.desc(), page_revisions.c.revision.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else as_revision(row)


def removed_under(conn: Connection, key: str) -> Revision | None:
    """The removal of the page that bore this name last and is gone; none when there is no such.

    A page that came back under another name is not meant, nor one that was given another name
    before it went.
    """
    later = page_revisions.alias("later")
    row = conn.execute(
        select(
            page_revisions,
            exists()
            .where(
                later.c.page_id == page_revisions.c.page_id,
                later.c.revision > page_revisions.c.revision,
            )
            .label("went_on"),
        )
        .where(page_revisions.c.key == key, ~exists().where(pages.c.id == page_revisions.c.page_id))
        .order_by(page_revisions.c.operation_id.desc(), page_revisions.c.revision.desc())
        .limit(1)
    ).one_or_none()
    if row is None or row.action != Deed.REMOVE or row.went_on:
        return None
    return as_revision(row)


def highest_under(conn: Connection, key: str) -> int:
    """The highest revision number this name ever had; 0 when it had none."""
    return int(
        conn.execute(
            select(func.coalesce(func.max(page_revisions.c.revision), 0)).where(
                page_revisions.c.key == key
            )
        ).scalar_one()
    )


def as_revision(row: Row[Any]) -> Revision:
    return Revision(
        page_id=row.page_id,
        revision=row.revision,
        slug=row.slug,
        key=row.key,
        deed=Deed(row.action),
        title=row.title,
        kind=row.kind,
        summary=row.summary,
        body_digest=row.body_digest,
        content_digest=row.content_digest,
        source_ids=tuple(cells.loaded(row.source_ids)),
        named_ids=tuple(cells.loaded(row.named_ids)),
        provenance=tuple(cells.loaded(row.provenance)),
        author=row.author,
        operation_id=row.operation_id,
        created_at=cells.moment(row.created_at),
    )
