"""Which page a command means, and whether it is still at the revision the caller has seen."""

from __future__ import annotations

from lwc import clock
from lwc.domain.slug import collision_key
from lwc.errors import PAGE_REVISION_CONFLICT, SLUG_RENAMED
from lwc.store import pages, revisions
from lwc.store.database import Connection
from lwc.store.pages import Page


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
