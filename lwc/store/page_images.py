"""Writing pages: the row, what it cites and links to, its revision and its place in the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.domain.page_image import PageImage
from lwc.store import (
    aliases,
    checks,
    citations,
    layers,
    links,
    outbox,
    page_notes,
    pages,
    revisions,
    search,
    texts,
)
from lwc.store.dialects import sqlite
from lwc.store.pages import Page
from lwc.store.revisions import Deed, Revision
from lwc.store.search import PageTerms
from lwc.store.tables import citations as citation_rows
from lwc.store.tables import links as link_rows
from lwc.store.tables import page_notes as note_rows
from lwc.store.tables import page_provenance, page_sources
from lwc.store.tables import pages as page_rows

HANGING = (page_sources, page_provenance, link_rows, citation_rows, note_rows)


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
    if before is not None:
        layers.touch(conn, Entity.PAGE, before.id)
    was_text = None if before is None else pages.body(conn, before)
    touched = {} if before is None or act.attests else _touched(conn, before.id)
    if before is not None:
        _clear(conn, before.id)
    page = _put_row(conn, image, before=before, act=act)
    _add_sources(conn, page.id, image, touched=touched, operation_id=act.operation_id)
    _add_provenance(conn, page.id, image.provenance)
    links.add(conn, page.id, image.links)
    citations.add(conn, page.id, image.citations)
    page_notes.add(conn, page.id, image.notes)
    revisions.add(conn, _revision(page, image, act=act))
    _index(conn, page, image, before=before, was_text=was_text)
    outbox.put(conn, Entity.PAGE, page.id, act.operation_id)
    return page


def drop(conn: Connection, page: Page, *, act: Act) -> None:
    """Take a page away; its revisions stay, with one more that says so."""
    layers.touch(conn, Entity.PAGE, page.id)
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
    search.drop_page(conn, page.id, _terms(page, pages.body(conn, page)))
    _clear(conn, page.id)
    aliases.forget(conn, page.id)
    checks.drop_of_page(conn, page.id)
    conn.execute(delete(page_rows).where(page_rows.c.id == page.id))
    outbox.put(conn, Entity.PAGE, page.id, act.operation_id)


def touch(conn: Connection, page_id: int, source_id: int, *, operation_id: int) -> None:
    """Say that a page was looked at for this source by this operation."""
    layers.touch(conn, Entity.PAGE, page_id)
    conn.execute(
        update(page_sources)
        .where(page_sources.c.page_id == page_id, page_sources.c.source_id == source_id)
        .values(touched=operation_id)
    )


def _touched(conn: Connection, page_id: int) -> dict[int, int]:
    """By source, the operation that last wrote or confirmed the page for it."""
    cited = select(page_sources).where(page_sources.c.page_id == page_id)
    return {row.source_id: row.touched for row in conn.execute(cited)}


def _clear(conn: Connection, page_id: int) -> None:
    """Take away all that hangs on the page and is written anew with it."""
    for hanging in HANGING:
        conn.execute(delete(hanging).where(hanging.c.page_id == page_id))


def _put_row(conn: Connection, image: PageImage, *, before: Page | None, act: Act) -> Page:
    values: dict[str, Any] = {
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
    if before is None:
        values |= {**_place_of_new(conn, image.key), "created_at": clock.stamp(act.now)}
        layers.touch(conn, Entity.PAGE, values["id"])
        written = conn.execute(insert(page_rows).returning(page_rows), values)
    else:
        values["revision"] = 1 + max(before.revision, _highest_of_other_name(conn, image, before))
        put = update(page_rows).where(page_rows.c.id == before.id).values(values)
        written = conn.execute(put.returning(page_rows))
    return pages.as_page(written.one())


def _highest_of_other_name(conn: Connection, image: PageImage, before: Page) -> int:
    """The highest revision that any page had under the name this one takes now.

    A caller that saw a page of that name must not find its revision here again.
    """
    return 0 if image.key == before.key else revisions.highest_under(conn, image.key)


def _place_of_new(conn: Connection, key: str) -> dict[str, int]:
    """The id and the revision a new page begins with: a name's revisions never repeat."""
    highest = revisions.highest_under(conn, key)
    gone = revisions.removed_under(conn, key)
    if gone is not None:
        return {"id": gone.page_id, "revision": max(gone.revision, highest) + 1}
    return {"id": sqlite.next_id(conn, page_rows.name), "revision": highest + 1}


def _add_sources(
    conn: Connection,
    page_id: int,
    image: PageImage,
    *,
    touched: Mapping[int, int],
    operation_id: int,
) -> None:
    if image.source_ids:
        named = set(image.named_ids)
        conn.execute(
            insert(page_sources),
            [
                {
                    "page_id": page_id,
                    "source_id": source_id,
                    "named": int(source_id in named),
                    "touched": touched.get(source_id, operation_id),
                }
                for source_id in image.source_ids
            ],
        )


def _add_provenance(conn: Connection, page_id: int, provenance: tuple[str, ...]) -> None:
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
        search.drop_page(conn, page.id, _terms(before, was_text))
    search.index_page(conn, page.id, _terms(page, image.body))


def _terms(page: Page, body: str) -> PageTerms:
    return search.analyse_page(title=page.title, slug=page.slug, summary=page.summary, body=body)


def _findable_by(page: Page) -> tuple[str, str, str, str]:
    return page.title, page.slug, page.summary, page.body_digest
