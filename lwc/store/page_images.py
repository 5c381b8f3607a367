"""Writing pages: the row, what it cites and links to, its revision and its place in the index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from lwc import clock
from lwc.domain.page_image import PageImage
from lwc.store import citations, links, page_notes, pages, revisions, search, texts
from lwc.store.pages import Page
from lwc.store.revisions import Deed, Revision
from lwc.store.tables import page_provenance, page_sources
from lwc.store.tables import pages as page_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What is done to a page, by whom, when, and the operation it is part of."""

    deed: Deed
    author: str
    operation_id: int
    now: datetime

    @property
    def attests(self) -> bool:
        """Whether the author stands for the citations; a new name says nothing about them."""
        return self.deed in (Deed.PUT, Deed.PATCH, Deed.RESTORE)


def write(conn: Connection, image: PageImage, *, before: Page | None, act: Act) -> Page:
    """Make a page be its image, with the next revision; `before` is the page as it is.

    A page that was removed comes back with its id and goes on counting.
    """
    was_text = None if before is None else pages.body(conn, before)
    page = _put_row(conn, image, before=before, act=act)
    _put_sources(conn, page.id, image, act=act)
    _put_provenance(conn, page.id, image.provenance)
    links.put(conn, page.id, image.links)
    citations.put(conn, page.id, image.citations)
    page_notes.put(conn, page.id, image.notes)
    revisions.add(conn, _revision(page, image, act=act))
    _index(conn, page, image, before=before, was_text=was_text)
    return page


def drop(conn: Connection, page: Page, *, act: Act) -> None:
    """Take a page away; its revisions stay, with one more that says so."""
    gone = Revision(
        page_id=page.id,
        revision=page.revision + 1,
        slug=page.slug,
        key=page.key,
        deed=act.deed,
        title=page.title,
        kind=page.kind,
        summary=page.summary,
        body_digest=page.body_digest,
        content_digest=page.content_digest,
        source_ids=pages.sources_of(conn, (page.id,))[page.id],
        named_ids=pages.named_sources_of(conn, page.id),
        provenance=pages.given_provenance_of(conn, (page.id,))[page.id],
        author=act.author,
        operation_id=act.operation_id,
        created_at=act.now,
    )
    revisions.add(conn, gone)
    search.drop_page(
        conn,
        page.id,
        title=page.title,
        slug=page.slug,
        summary=page.summary,
        body=pages.body(conn, page),
    )
    conn.execute(delete(page_rows).where(page_rows.c.id == page.id))


def touch(conn: Connection, page_id: int, source_id: int, *, operation_id: int) -> None:
    """Say that a page was looked at for this source by this operation."""
    conn.execute(
        update(page_sources)
        .where(page_sources.c.page_id == page_id, page_sources.c.source_id == source_id)
        .values(touched=operation_id)
    )


def _put_row(conn: Connection, image: PageImage, *, before: Page | None, act: Act) -> Page:
    values = {
        "slug": image.slug,
        "key": image.key,
        "title": image.title,
        "kind": image.kind,
        "summary": image.summary,
        "body_digest": texts.put(conn, image.body),
        "content_digest": image.digest,
        "structural": int(image.structural),
        "author": act.author,
        "updated_at": clock.stamp(act.now),
    }
    if before is not None:
        put = update(page_rows).where(page_rows.c.id == before.id)
        values["revision"] = before.revision + 1
    else:
        put = insert(page_rows)  # type: ignore[assignment]
        values |= _place_of_new(conn, image.key)
        values["created_at"] = clock.stamp(act.now)
    row = conn.execute(put.values(values).returning(page_rows)).one()
    return pages.as_page(row)


def _place_of_new(conn: Connection, key: str) -> dict[str, int]:
    """The id and the revision a new page begins with: a name's revisions never repeat."""
    last = revisions.newest_under(conn, key)
    if last is not None and last.deed is Deed.REMOVE:
        return {"id": last.page_id, "revision": last.revision + 1}
    return {"revision": revisions.highest_under(conn, key) + 1}


def _put_sources(conn: Connection, page_id: int, image: PageImage, *, act: Act) -> None:
    mine = page_sources.c.page_id == page_id
    touched = {
        row.source_id: row.touched
        for row in conn.execute(
            select(page_sources.c.source_id, page_sources.c.touched).where(mine)
        )
    }
    if act.attests:
        touched = {}
    conn.execute(delete(page_sources).where(mine))
    if image.source_ids:
        named = set(image.named_ids)
        conn.execute(
            insert(page_sources),
            [
                {
                    "page_id": page_id,
                    "source_id": source_id,
                    "named": int(source_id in named),
                    "touched": touched.get(source_id, act.operation_id),
                }
                for source_id in image.source_ids
            ],
        )


def _put_provenance(conn: Connection, page_id: int, provenance: tuple[str, ...]) -> None:
    conn.execute(delete(page_provenance).where(page_provenance.c.page_id == page_id))
    if provenance:
        conn.execute(
            insert(page_provenance),
            [{"page_id": page_id, "provenance": word} for word in provenance],
        )


def _revision(page: Page, image: PageImage, *, act: Act) -> Revision:
    return Revision(
        page_id=page.id,
        revision=page.revision,
        slug=page.slug,
        key=page.key,
        deed=act.deed,
        title=page.title,
        kind=page.kind,
        summary=page.summary,
        body_digest=page.body_digest,
        content_digest=page.content_digest,
        source_ids=image.source_ids,
        named_ids=image.named_ids,
        provenance=image.provenance,
        author=act.author,
        operation_id=act.operation_id,
        created_at=act.now,
    )


def _index(
    conn: Connection, page: Page, image: PageImage, *, before: Page | None, was_text: str | None
) -> None:
    """Keep the search index true; it can forget a page only by the words it was told before."""
    if before is not None and was_text is not None:
        if _findable_by(before) == _findable_by(page):
            return
        search.drop_page(
            conn,
            page.id,
            title=before.title,
            slug=before.slug,
            summary=before.summary,
            body=was_text,
        )
    search.index_page(
        conn, page.id, title=page.title, slug=page.slug, summary=page.summary, body=image.body
    )


def _findable_by(page: Page) -> tuple[str, str, str, str]:
    return page.title, page.slug, page.summary, page.body_digest
