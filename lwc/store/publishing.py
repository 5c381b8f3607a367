"""Publishing: what a draft has staged becomes live, entity by entity, in one transaction.

Nothing is laid over the connection here, and every conflict was refused before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, insert, literal, select, update

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.store import (
    jobs,
    outbox,
    pages,
    search,
    sources,
    staged_paths,
    staged_revisions,
    texts,
)
from lwc.store.dialects import sqlite_draft_search as index
from lwc.store.dialects.sqlite_layers import PAGE_TABLES
from lwc.store.pages import Page
from lwc.store.search import PageTerms
from lwc.store.standing import Standing
from lwc.store.tables import (
    aliases,
    charter,
    checks,
    metadata,
    page_revisions,
    page_sources,
    source_paths,
)
from lwc.store.tables import pages as page_rows
from lwc.store.tables import sources as source_rows
from lwc.store.tables.drafts import (
    draft_charter,
    draft_checks,
    draft_page_revisions,
    draft_pages,
    draft_sources,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """One publication: of which draft, when, and the journal's entries of what it did.

    `operations` leads from the draft's own entries to the live ones; `operation` is its own.
    """

    changeset: int
    operation: int
    operations: Mapping[int, int]
    now: datetime


def apply(conn: Connection, publication: Publication, standings: Sequence[Standing]) -> None:
    """Make live what is staged; completions of jobs are the caller's.

    What is referred to comes before what refers, and goes after it.
    """
    moving = [one for one in standings if not one.agreed and not one.void]
    of = {entity: [one for one in moving if one.staged.entity is entity] for entity in Entity}
    gone = [one for one in of[Entity.PAGE] if one.drafted.digest is None]
    # Also those whose content is as live: they were confirmed, or written, and callers have seen
    # the revisions that this made.
    there = [
        one
        for one in standings
        if one.staged.entity is Entity.PAGE and one.drafted.digest is not None
    ]
    for one in of[Entity.SOURCE]:
        if one.drafted.digest is not None and one.live.digest is None:
            _make_source(conn, publication, one)
        elif one.drafted.digest is not None and one.staged.base_digest is not None:
            _change_source(conn, publication, one)
    for one in of[Entity.PATH]:
        _write_path(conn, publication, one)
    for one in of[Entity.CHARTER]:
        _write_charter(conn, publication, one)
    for one in gone:
        _remove_page(conn, publication, one)
    for one in standings:
        if one.staged.entity is Entity.PAGE and one.void and one.live.digest is None:
            # It was made and taken away: it can be restored, as any page that went.
            shift = _shift(conn, publication, one)
            _add_revisions(conn, publication, _number(one), shift=shift)
    reworded = {one.key for one in there if _forget_words(conn, publication, _number(one))}
    _free_names(conn, publication, [_number(one) for one in there])
    for one in there:
        _write_page(conn, publication, one)
        if one.key in reworded:
            index.publish_page(conn, one.staged.id, _number(one))
    for one in of[Entity.CHECK]:
        _write_check(conn, publication, one)
    for one in of[Entity.SOURCE]:
        if one.drafted.digest is None and one.live.digest is not None:
            _remove_source(conn, publication, one)


def _make_source(conn: Connection, publication: Publication, one: Standing) -> None:
    key = _number(one)
    _copy(conn, source_rows, draft_sources, "id", publication, key)
    jobs.open_job(conn, key, publication.now)
    index.publish_source(conn, one.staged.id, key)
    outbox.put(conn, Entity.SOURCE, key, publication.operation)


def _change_source(conn: Connection, publication: Publication, one: Standing) -> None:
    """It was removed and taken in again in the draft, under another name."""
    key = _number(one)
    _forget_source(conn, key)
    of_draft = (draft_sources.c.changeset == publication.changeset, draft_sources.c.id == key)
    (drafted,) = conn.execute(select(draft_sources).where(*of_draft)).all()
    values = {column.name: drafted._mapping[column.name] for column in source_rows.columns}
    conn.execute(update(source_rows).where(source_rows.c.id == key).values(values))
    index.publish_source(conn, one.staged.id, key)
    outbox.put(conn, Entity.SOURCE, key, publication.operation)


def _remove_source(conn: Connection, publication: Publication, one: Standing) -> None:
    key = _number(one)
    _forget_source(conn, key)
    # Live may have led a path to it and away again, since the draft forgot the path.
    conn.execute(delete(source_paths).where(source_paths.c.source_id == key))
    conn.execute(delete(source_rows).where(source_rows.c.id == key))
    jobs.drop_unowned(conn, key)
    outbox.put(conn, Entity.SOURCE, key, publication.operation)


def _forget_source(conn: Connection, key: int) -> None:
    source = sources.find(conn, key)
    text = texts.whole(conn, source.digest)
    terms = search.analyse_source(title=source.title, path=source.path, text=text)
    search.drop_source(conn, key, terms)


def _write_path(conn: Connection, publication: Publication, one: Standing) -> None:
    rows = staged_paths.merged(conn, publication.changeset, one.staged)
    conn.execute(delete(source_paths).where(source_paths.c.tracked_path == one.key))
    if rows:
        conn.execute(insert(source_paths), rows)


def _write_charter(conn: Connection, publication: Publication, one: Standing) -> None:
    base = one.staged.base_revision or 0
    shift = one.live.revision - base
    _append(conn, charter, draft_charter, "name", publication, one.key, after=base, shift=shift)
    outbox.put(conn, Entity.CHARTER, one.key, publication.operation)


def _write_check(conn: Connection, publication: Publication, one: Standing) -> None:
    key = _number(one)
    conn.execute(delete(checks).where(checks.c.id == key))
    page = (
        select(page_rows.c.id)
        .join(draft_checks, draft_checks.c.page_id == page_rows.c.id)
        .where(draft_checks.c.changeset == publication.changeset, draft_checks.c.id == key)
    )
    if conn.execute(page).first() is not None:
        _copy(conn, checks, draft_checks, "id", publication, key)


def _remove_page(conn: Connection, publication: Publication, one: Standing) -> None:
    key = _number(one)
    page = pages.of_ids(conn, (key,))[0]
    search.drop_page(conn, key, _words(page, pages.body(conn, page)))
    shift = _shift(conn, publication, one)
    _clear(conn, key)
    conn.execute(delete(page_rows).where(page_rows.c.id == key))
    _add_revisions(conn, publication, key, shift=shift)
    outbox.put(conn, Entity.PAGE, key, publication.operation)


def _write_page(conn: Connection, publication: Publication, one: Standing) -> None:
    key = _number(one)
    shift = _shift(conn, publication, one)
    confirmed = _touched(conn, key)
    _clear(conn, key)
    written = _put_page(conn, publication, key, shift=shift)
    for table in PAGE_TABLES:
        if table is not page_rows:
            drafted = metadata.tables[f"draft_{table.name}"]
            _copy(conn, table, drafted, "page_id", publication, key)
    for source_id, touched in confirmed.items():
        cited = (page_sources.c.page_id == key, page_sources.c.source_id == source_id)
        later = update(page_sources).where(*cited, page_sources.c.touched < touched)
        conn.execute(later.values(touched=touched))
    _add_revisions(conn, publication, key, shift=shift)
    if written:
        outbox.put(conn, Entity.PAGE, key, publication.operation)


def _touched(conn: Connection, key: int) -> dict[int, int]:
    """When a page was last confirmed live for its sources; that is no other content."""
    cited = select(page_sources).where(page_sources.c.page_id == key)
    return {row.source_id: row.touched for row in conn.execute(cited)}


def _put_page(conn: Connection, publication: Publication, key: int, *, shift: int) -> bool:
    """Write the row of a page; answers whether it has a new revision."""
    drafted = _drafted_page(conn, publication, key)
    values = {column.name: drafted._mapping[column.name] for column in page_rows.columns}
    was = conn.execute(select(page_rows).where(page_rows.c.id == key)).one_or_none()
    has_new = staged_revisions.are_there(conn, publication.changeset, key)
    if has_new:
        values |= {
            "revision": drafted.revision + shift,
            "updated_at": clock.stamp(publication.now),
        }
    elif was is not None:
        values |= {name: was._mapping[name] for name in ("revision", "author", "updated_at")}
    if was is None:
        conn.execute(insert(page_rows), values)
    else:
        conn.execute(update(page_rows).where(page_rows.c.id == key).values(values))
    return has_new


def _drafted_page(conn: Connection, publication: Publication, key: int) -> Row[Any]:
    return conn.execute(
        select(draft_pages).where(
            draft_pages.c.changeset == publication.changeset, draft_pages.c.id == key
        )
    ).one()


def _forget_words(conn: Connection, publication: Publication, key: int) -> bool:
    """Take a page out of the live index unless it stays as it is; whether it has to be put in."""
    drafted = pages.as_page(_drafted_page(conn, publication, key))
    for page in pages.of_ids(conn, (key,)):
        if _findable_by(page) == _findable_by(drafted):
            return False
        search.drop_page(conn, key, _words(page, pages.body(conn, page)))
    return True


def _words(page: Page, body: str) -> PageTerms:
    return search.analyse_page(title=page.title, slug=page.slug, summary=page.summary, body=body)


def _findable_by(page: Page) -> tuple[str, str, str, str]:
    return page.title, page.slug, page.summary, page.body_digest


def _free_names(conn: Connection, publication: Publication, page_ids: Sequence[int]) -> None:
    """Pages may swap names: none that gets another keeps its own while the others are written."""
    for key in page_ids:
        slug = _drafted_page(conn, publication, key).slug
        conn.execute(
            update(page_rows)
            .where(page_rows.c.id == key, page_rows.c.slug != slug)
            .values(slug=f"\N{NULL}{key}", key=f"\N{NULL}{key}")
        )
        conn.execute(delete(aliases).where(aliases.c.page_id == key))


def _clear(conn: Connection, key: int) -> None:
    for table in PAGE_TABLES:
        if table is not page_rows:
            conn.execute(delete(table).where(table.c.page_id == key))


def _shift(conn: Connection, publication: Publication, one: Standing) -> int:
    return staged_revisions.shift(
        conn, publication.changeset, _number(one), live_revision=one.live.revision
    )


def _add_revisions(conn: Connection, publication: Publication, key: int, *, shift: int) -> None:
    """Every revision of the draft is a live one, under the operation that was replayed for it."""
    drafted = draft_page_revisions
    rows = conn.execute(
        select(drafted)
        .where(drafted.c.changeset == publication.changeset, drafted.c.page_id == key)
        .order_by(drafted.c.revision)
    ).all()
    for row in rows:
        values = {column.name: row._mapping[column.name] for column in page_revisions.columns}
        operation = publication.operations.get(row.operation_id, publication.operation)
        values |= {"revision": row.revision + shift, "operation_id": operation}
        conn.execute(insert(page_revisions), values)


def _append(
    conn: Connection,
    live: Table,
    drafted: Table,
    column: str,
    publication: Publication,
    key: int | str,
    *,
    after: int,
    shift: int,
) -> None:
    """Add the revisions that the draft made to a history, counted on from what live has."""
    shown = [
        (one + literal(shift)).label(one.name) if one.name == "revision" else one
        for one in drafted.columns
        if one.name != "changeset"
    ]
    chosen = select(*shown).where(
        drafted.c.changeset == publication.changeset,
        drafted.c[column] == key,
        drafted.c.revision > after,
    )
    conn.execute(insert(live).from_select([one.name for one in shown], chosen))


def _copy(
    conn: Connection,
    live: Table,
    drafted: Table,
    column: str,
    publication: Publication,
    key: int | str,
) -> None:
    names = [one.name for one in live.columns]
    chosen = select(*(drafted.c[name] for name in names)).where(
        drafted.c.changeset == publication.changeset, drafted.c[column] == key
    )
    conn.execute(insert(live).from_select(names, chosen))


def _number(one: Standing) -> int:
    assert isinstance(one.key, int), "its key is an id"
    return one.key
