"""What every change of a page asks: which page it means, at which revision, and what it alters."""

from __future__ import annotations

from lwc.domain.page_image import PageImage
from lwc.errors import SLUG_COLLISION, SLUG_RENAMED
from lwc.services.page_composing import Read, check_sources
from lwc.services.page_named import check_revision
from lwc.store import page_images, pages
from lwc.store.database import Connection
from lwc.store.page_images import Act
from lwc.store.pages import Page
from lwc.store.revisions import Deed
from lwc.wiki import Change


def standing(conn: Connection, given: Read, *, if_revision: int | None) -> Page | None:
    """The page that stands under the name, which may be written over; none when it is free."""
    page = pages.at(conn, given.key)
    if page is not None and page.key != given.key:
        raise SLUG_RENAMED(slug=given.slug, now=page.slug)
    if page is not None and page.slug != given.slug:
        raise SLUG_COLLISION(slug=given.slug, existing=page.slug)
    check_revision(page, slug=given.slug, expected=if_revision, conn=conn)
    return page


def write(
    change: Change, image: PageImage, *, before: Page | None, deed: Deed
) -> tuple[Page, bool]:
    """Write an image unless the page is that already; the page, and whether it was written."""
    if before is not None and before.content_digest == image.digest:
        return before, False
    # They were there when the quotes were located; since then one may have been removed.
    check_sources(change.conn, image.source_ids)
    operation = change.record(f"page_{deed.value}", image.slug, created=before is None)
    act = Act(deed=deed, author=change.agent, operation_id=operation, now=change.now)
    return page_images.write(change.conn, image, before=before, act=act), True
