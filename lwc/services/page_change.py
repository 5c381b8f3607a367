"""What every change of a page asks: which page it means, at which revision, and what it alters."""

from __future__ import annotations

from lwc import clock
from lwc.domain.page_image import PageImage
from lwc.domain.slug import collision_key
from lwc.errors import PAGE_REVISION_CONFLICT, SLUG_COLLISION, SLUG_RENAMED
from lwc.services.page_composing import Read, check_sources
from lwc.store import page_images, pages, revisions
from lwc.store.database import Connection
from lwc.store.page_images import Act
from lwc.store.pages import Page
from lwc.store.revisions import Deed
from lwc.wiki import Change


def named_page(conn: Connection, slug: str) -> Page:
    """The page of this name; a name it had earlier is refused, for a change must mean its page."""
    page = pages.find(conn, slug)
    if page.key != collision_key(slug):
        raise SLUG_RENAMED(slug=slug, now=page.slug)
    return page


def check_revision(
    page: Page | None, *, slug: str, expected: int | None, conn: Connection | None = None
) -> None:
    """Refuse when the page is at another revision than the caller has seen; 0 is no page."""
    current = 0 if page is None else page.revision
    if expected is None or expected == current:
        return
    changed_by, changed_at = None, None
    if page is not None:
        changed_by, changed_at = page.author, clock.stamp(page.updated_at)
    elif conn is not None and (last := revisions.newest_under(conn, collision_key(slug))):
        changed_by, changed_at = last.author, clock.stamp(last.created_at)
    raise PAGE_REVISION_CONFLICT(
        slug=slug if page is None else page.slug,
        expected=expected,
        current=current,
        details={"changed_by": changed_by, "changed_at": changed_at},
    )


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
