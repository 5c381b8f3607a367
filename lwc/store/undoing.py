"""Rolling a publication back: every entity it touched is put back as it was, or nothing is.

What was put back is a new revision; history keeps both, and no number is given twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, insert, select, update

from lwc.domain.changeset import Entity
from lwc.domain.ingest import JobEvent, JobState
from lwc.domain.page import parse_provenance
from lwc.domain.source import Source
from lwc.store import (
    aliases,
    charter,
    entities,
    inverses,
    jobs,
    links,
    outbox,
    page_images,
    pages,
    revisions,
    search,
    sources,
    texts,
)
from lwc.store.dialects.sqlite_layers import PAGE_TABLES
from lwc.store.inverses import Image, Inverse
from lwc.store.page_images import Act
from lwc.store.revisions import Deed, Revision
from lwc.store.standing import Conflict, Why
from lwc.store.tables import aliases as alias_rows
from lwc.store.tables import checks, page_revisions, page_sources, source_paths
from lwc.store.tables import pages as page_rows
from lwc.store.tables import sources as source_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Undoing:
    """One rollback: the journal's entry of the publication, its own, by whom, and when."""

    published: int
    operation: int
    author: str
    now: datetime


def conflicts(
    conn: Connection, found: Sequence[Inverse], *, published: int
) -> tuple[Conflict, ...]:
    """What was changed since, or leans on what would go."""
    return (*_changed(conn, found), *_leaning(conn, found, published=published))


def _changed(conn: Connection, found: Sequence[Inverse]) -> Iterator[Conflict]:
    for one in found:
        now = entities.base(conn, one.entity, one.key)
        if now.digest == one.after_digest or _is_pending(conn, one):
            continue
        why = Why.REMOVED if now.digest is None else Why.CHANGED
        yield _conflict(conn, one, why, live=now)


def _is_pending(conn: Connection, one: Inverse) -> bool:
    """A job that was reopened since, and waits, is where a rollback would put it."""
    if one.entity is not Entity.COMPLETION:
        return False
    job = jobs.look(conn, int(one.key))
    return job is not None and job.state is JobState.PENDING


def _leaning(conn: Connection, found: Sequence[Inverse], *, published: int) -> Iterator[Conflict]:
    touched = {one.key for one in found if one.entity is Entity.PAGE}
    paths = {str(one.key) for one in found if one.entity is Entity.PATH}
    kept = {int(one.key) for one in found if one.entity is Entity.SOURCE and one.before}
    for one in found:
        if one.entity is Entity.PAGE and one.before is None:
            yield from _linked(conn, one, touched, published=published)
        elif one.entity is Entity.SOURCE and one.before is None:
            yield from _cited(conn, one, touched)
            yield from _held(conn, one, paths)
        elif one.entity is Entity.PAGE:
            yield from _lacking(conn, one, touched, kept)
        elif one.entity is Entity.PATH and one.before is not None:
            yield from _astray(conn, one, kept)


def _linked(
    conn: Connection, one: Inverse, touched: set[int | str], *, published: int
) -> Iterator[Conflict]:
    """Pages written since that link to one that would go."""
    page = next(iter(pages.of_ids(conn, (int(one.key),))), None)
    if page is None:
        return
    names = (page.key, *aliases.keys_of_page(conn, page.id))
    for linking in links.leading_to(conn, names):
        written = select(page_revisions.c.operation_id).where(
            page_revisions.c.page_id == linking.page_id
        )
        last = conn.execute(
            written.order_by(page_revisions.c.revision.desc()).limit(1)
        ).scalar_one_or_none()
        if linking.page_id not in touched and (last or 0) > published:
            base = entities.base(conn, Entity.PAGE, linking.page_id)
            yield _conflict(conn, one, Why.CHANGED, live=base, name=linking.slug)


def _cited(conn: Connection, one: Inverse, touched: set[int | str]) -> Iterator[Conflict]:
    """Pages that cite a source that would go, and a claim on it."""
    job = jobs.look(conn, int(one.key))
    if job is not None and job.claimed:
        yield _conflict(conn, one, Why.JOB_MOVED, live=entities.base(conn, Entity.SOURCE, one.key))
    for page in pages.citing(conn, int(one.key)):
        if page.id not in touched:
            base = entities.base(conn, Entity.PAGE, page.id)
            yield _conflict(conn, one, Why.CHANGED, live=base, name=page.slug)


def _held(conn: Connection, one: Inverse, touched: set[str]) -> Iterator[Conflict]:
    """Paths that lead to a source which would go, and did not before."""
    for head in sources.paths_of(conn, int(one.key)):
        if head.tracked_path not in touched:
            base = entities.base(conn, Entity.PATH, head.tracked_path)
            yield _conflict(conn, one, Why.CHANGED, live=base, name=head.tracked_path)


def _astray(conn: Connection, one: Inverse, kept: set[int]) -> Iterator[Conflict]:
    """A path whose source is gone to which it led."""
    assert one.before is not None, "it was there"
    head = one.before[source_paths.name][-1]["source_id"]
    if head not in kept | sources.known(conn, (head,)):
        yield _conflict(conn, one, Why.SOURCE_REMOVED, live=entities.Base())


def _lacking(
    conn: Connection, one: Inverse, touched: set[int | str], kept: set[int]
) -> Iterator[Conflict]:
    """Sources that a page cited and that are gone, and names it had that another page took."""
    assert one.before is not None, "it was there"
    cited = {row["source_id"] for row in one.before[page_sources.name]}
    for source_id in sorted(cited - kept - sources.known(conn, cited)):
        yield _conflict(conn, one, Why.SOURCE_REMOVED, live=entities.Base(), name=str(source_id))
    rows = (*one.before[page_rows.name], *one.before[alias_rows.name])
    for row in rows:
        taker = pages.at(conn, row["key"])
        if taker is not None and taker.id != one.key and taker.id not in touched:
            base = entities.base(conn, Entity.PAGE, taker.id)
            yield _conflict(conn, one, Why.NAME_TAKEN, live=base, name=taker.slug)


def _conflict(
    conn: Connection,
    one: Inverse,
    why: Why,
    *,
    live: entities.Base,
    name: str | None = None,
) -> Conflict:
    return Conflict(
        entity=one.entity,
        identifier=name or name_of(conn, one),
        key=one.key,
        why=why,
        base_revision=None,
        live_revision=live.revision,
        draft_revision=None,
        changed_by=live.author,
        changed_at=live.at,
    )


def name_of(conn: Connection, one: Inverse) -> str:
    """How commands call the entity: a page by the slug it has, or had before."""
    if one.entity is not Entity.PAGE:
        return str(one.key)
    for page in pages.of_ids(conn, (int(one.key),)):
        return page.slug
    return str(one.before[page_rows.name][0]["slug"]) if one.before else str(one.key)


def put_back(conn: Connection, undoing: Undoing, found: Sequence[Inverse]) -> None:
    """Put everything back; what is referred to comes before what refers, and goes after it."""
    of = {entity: [one for one in found if one.entity is entity] for entity in Entity}
    for one in of[Entity.SOURCE]:
        if one.before is not None:
            _restore_source(conn, undoing, int(one.key), one.before)
    for one in of[Entity.PATH]:
        _restore_path(conn, one)
    for one in of[Entity.CHARTER]:
        _restore_charter(conn, undoing, one)
    for one in of[Entity.PAGE]:
        if one.before is None:
            _take_away(conn, undoing, int(one.key))
    _restore_pages(conn, undoing, [one for one in of[Entity.PAGE] if one.before is not None])
    for one in of[Entity.CHECK]:
        _restore_check(conn, one)
    for one in of[Entity.COMPLETION]:
        _reopen(conn, undoing, int(one.key))
    for one in of[Entity.SOURCE]:
        if one.before is None:
            _remove_source(conn, undoing, int(one.key))


def _restore_source(conn: Connection, undoing: Undoing, key: int, before: Image) -> None:
    """The source as it was; when it went, with its job and that job's history."""
    (row,) = before[source_rows.name]
    if sources.known(conn, (key,)):
        _forget_source(conn, key)
        conn.execute(update(source_rows).where(source_rows.c.id == key).values(dict(row)))
    else:
        job = jobs.look(conn, key)
        for table, rows in inverses.in_order(Entity.SOURCE, before):
            if table is source_rows or job is None:
                _insert(conn, table, rows)
    source = sources.find(conn, key)
    text = texts.whole(conn, source.digest)
    terms = search.analyse_source(title=source.title, path=source.path, text=text)
    search.index_source(conn, key, terms)
    outbox.put(conn, Entity.SOURCE, key, undoing.operation)


def _restore_path(conn: Connection, one: Inverse) -> None:
    """The path as it was, but for sources that are gone: nothing says that it held them."""
    conn.execute(delete(source_paths).where(source_paths.c.tracked_path == one.key))
    if one.before is not None:
        rows = one.before[source_paths.name]
        there = sources.known(conn, {row["source_id"] for row in rows})
        _insert(conn, source_paths, [row for row in rows if row["source_id"] in there])


def _restore_charter(conn: Connection, undoing: Undoing, one: Inverse) -> None:
    """The text from before becomes the newest."""
    if one.before is None:
        return
    rows = one.before["charter"]
    newest = max(rows, key=lambda row: row["revision"])
    text = texts.whole(conn, newest["text_digest"])
    charter.put(conn, str(one.key), text, author=undoing.author, now=undoing.now)
    outbox.put(conn, Entity.CHARTER, one.key, undoing.operation)


def _take_away(conn: Connection, undoing: Undoing, key: int) -> None:
    act = Act(
        deed=Deed.REMOVE,
        author=undoing.author,
        operation_id=undoing.operation,
        now=undoing.now,
    )
    for page in pages.of_ids(conn, (key,)):
        page_images.drop(conn, page, act=act)
    outbox.put(conn, Entity.PAGE, key, undoing.operation)


def _restore_pages(conn: Connection, undoing: Undoing, found: Sequence[Inverse]) -> None:
    """Pages may have swapped names: all are cleared before the first is written."""
    for one in found:
        for page in pages.of_ids(conn, (int(one.key),)):
            search.drop_page(
                conn, page.id, _words(page.title, page.slug, page.summary, pages.body(conn, page))
            )
        for table in PAGE_TABLES:
            if table is not page_rows:
                conn.execute(delete(table).where(table.c.page_id == one.key))
        conn.execute(
            update(page_rows)
            .where(page_rows.c.id == one.key)
            .values(slug=f"\N{NULL}{one.key}", key=f"\N{NULL}{one.key}")
        )
    for one in found:
        assert one.before is not None, "it was there"
        _restore_page(conn, undoing, int(one.key), one.before)


def _restore_page(conn: Connection, undoing: Undoing, key: int, before: Image) -> None:
    (row,) = before[page_rows.name]
    highest = max(
        entities.base(conn, Entity.PAGE, key).revision, revisions.highest_under(conn, row["key"])
    )
    values = {**row, "revision": highest + 1}
    if conn.execute(select(exists().where(page_rows.c.id == key))).scalar_one():
        conn.execute(update(page_rows).where(page_rows.c.id == key).values(values))
    else:
        conn.execute(insert(page_rows), values)
        _insert(conn, checks, before[checks.name])
    for table in PAGE_TABLES:
        if table is not page_rows:
            _insert(conn, table, before[table.name])
    revisions.add(conn, _revision(values, before, undoing))
    body = texts.whole(conn, row["body_digest"])
    search.index_page(conn, key, _words(row["title"], row["slug"], row["summary"], body))
    outbox.put(conn, Entity.PAGE, key, undoing.operation)


def _revision(row: Mapping[str, Any], before: Image, undoing: Undoing) -> Revision:
    cited = sorted(before[page_sources.name], key=lambda one: one["source_id"])
    provenance = (one["provenance"] for one in before["page_provenance"])
    return Revision(
        page_id=row["id"],
        revision=row["revision"],
        slug=row["slug"],
        key=row["key"],
        deed=Deed.ROLLBACK,
        title=row["title"],
        kind=row["kind"],
        summary=row["summary"],
        body_digest=row["body_digest"],
        content_digest=row["content_digest"],
        source_ids=tuple(one["source_id"] for one in cited),
        named_ids=tuple(one["source_id"] for one in cited if one["named"]),
        provenance=parse_provenance(provenance),
        author=undoing.author,
        operation_id=undoing.operation,
        created_at=undoing.now,
    )


def _restore_check(conn: Connection, one: Inverse) -> None:
    conn.execute(delete(checks).where(checks.c.id == one.key))
    if one.before is None:
        return
    (row,) = one.before[checks.name]
    if conn.execute(select(exists().where(page_rows.c.id == row["page_id"]))).scalar_one():
        for table, rows in inverses.in_order(Entity.CHECK, one.before):
            _insert(conn, table, rows)


def _reopen(conn: Connection, undoing: Undoing, key: int) -> None:
    job = jobs.look(conn, key)
    if job is not None and job.state is JobState.COMPLETED:
        undone = {"evidence": None, "no_derived_pages_reason": None, "unread_reason": None}
        jobs.move(conn, job, JobEvent.REOPEN, now=undoing.now, changes=undone)


def _remove_source(conn: Connection, undoing: Undoing, key: int) -> None:
    if not sources.known(conn, (key,)):
        return
    source = _forget_source(conn, key)
    spare = {source.digest, *jobs.analyses_of(conn, key)}
    conn.execute(delete(source_rows).where(source_rows.c.id == key))
    jobs.drop_unowned(conn, key)
    for digest in sorted(spare):
        sources.drop_unused_text(conn, digest)
    outbox.put(conn, Entity.SOURCE, key, undoing.operation)


def _forget_source(conn: Connection, key: int) -> Source:
    """Take a source out of the search index."""
    source = sources.find(conn, key)
    text = texts.whole(conn, source.digest)
    terms = search.analyse_source(title=source.title, path=source.path, text=text)
    search.drop_source(conn, key, terms)
    return source


def _insert(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        conn.execute(insert(table), [dict(row) for row in rows])


def _words(title: str, slug: str, summary: str, body: str) -> search.PageTerms:
    return search.analyse_page(title=title, slug=slug, summary=summary, body=body)
