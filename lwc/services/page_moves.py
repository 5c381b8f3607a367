"""Giving a page another name, and taking a page away."""

from __future__ import annotations

from dataclasses import dataclass

from lwc.domain.page_image import PageImage
from lwc.domain.relink import relink
from lwc.domain.slug import collision_key, parse_slug
from lwc.errors import PAGE_IN_USE, SLUG_COLLISION
from lwc.services.page_composing import recompose
from lwc.services.page_named import check_revision, named_page
from lwc.store import aliases, links, page_images, pages
from lwc.store.database import Connection
from lwc.store.page_images import Act
from lwc.store.pages import Page, PageSummary
from lwc.store.revisions import Deed
from lwc.wiki import Call, Change, Changed, Wiki, replayable

# An answer names so many pages and counts them all.
SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Relinked:
    """A page whose links were rewritten: how many, and its revision since."""

    slug: str
    links: int
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRenamed(Changed):
    """A page has another name; `changed` is false when it had it already."""

    page: PageSummary
    renamed_from: str
    changed: bool
    relinked: tuple[Relinked, ...]
    relinked_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRemoved(Changed):
    """A page is gone; `restore` is the revision that brings it back."""

    slug: str
    removed: bool
    page_revision: int
    restore_revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """A page that has to be written anew because of a name, with what it will be."""

    page: Page
    image: PageImage
    links: int


@replayable(PageRenamed)
def rename(
    wiki: Wiki, call: Call, *, slug: str, to: str, if_revision: int | None = None
) -> PageRenamed:
    """Give a page another name; the wikilinks that lead to it are rewritten in the same change.

    The old name stays an alias: reads and links follow it, and no other page may take it.
    """
    slug, to = parse_slug(slug), parse_slug(to)
    with wiki.reading() as conn:
        seen = named_page(conn, slug)
        prepared = _rewritings(conn, seen, to)
    with wiki.staging(call) as change:
        page = named_page(change.conn, slug)
        check_revision(page, slug=slug, expected=if_revision)
        if page.slug == to:
            return change.finish(_renamed(change, page, page, ()))
        _refuse_taken(change.conn, page, to)
        if not _still_holds(change.conn, page, prepared):
            prepared = _rewritings(change.conn, page, to)
        relinking = sum(one.links > 0 for one in prepared)
        operation = change.record("page_rename", page.slug, now=to, relinked=relinking)
        relinked = _write_all(change, page, prepared, operation=operation)
        (renamed,) = pages.of_ids(change.conn, (page.id,))
        return change.finish(_renamed(change, page, renamed, relinked))


@replayable(PageRemoved)
def remove(wiki: Wiki, call: Call, *, slug: str, if_revision: int | None = None) -> PageRemoved:
    """Take a page away that no other page links to; its history stays and can be restored."""
    slug = parse_slug(slug)
    with wiki.staging(call) as change:
        page = named_page(change.conn, slug)
        check_revision(page, slug=slug, expected=if_revision)
        linking = [one.slug for one in _linking(change.conn, page) if one.page_id != page.id]
        if linking:
            raise PAGE_IN_USE(
                pages=linking[:SHOWN], slug=page.slug, details={"total": len(linking)}
            )
        operation = change.record("page_remove", page.slug, page_revision=page.revision + 1)
        act = Act(deed=Deed.REMOVE, author=change.agent, operation_id=operation, now=change.now)
        page_images.drop(change.conn, page, act=act)
        return change.finish(
            PageRemoved(
                **wiki.label(),
                revision=operation,
                slug=page.slug,
                removed=True,
                page_revision=page.revision + 1,
                restore_revision=page.revision,
            )
        )


def _rewritings(conn: Connection, page: Page, to: str) -> tuple[Rewriting, ...]:
    """What the pages will be: the renamed one first, then those that link to it."""
    keys = _names(conn, page)
    body, count = relink(pages.body(conn, page), keys=keys, slug=to)
    first = Rewriting(page=page, image=recompose(conn, page, slug=to, body=body), links=count)
    others = pages.of_ids(
        conn, (one.page_id for one in _linking(conn, page) if one.page_id != page.id)
    )
    return (first, *(_rewriting(conn, other, keys=keys, to=to) for other in others))


def _rewriting(conn: Connection, page: Page, *, keys: tuple[str, ...], to: str) -> Rewriting:
    body, count = relink(pages.body(conn, page), keys=keys, slug=to)
    return Rewriting(page=page, image=recompose(conn, page, slug=page.slug, body=body), links=count)


def _refuse_taken(conn: Connection, page: Page, to: str) -> None:
    standing = pages.at(conn, collision_key(to))
    if standing is not None and standing.id != page.id:
        raise SLUG_COLLISION(slug=to, existing=standing.slug)


def _still_holds(conn: Connection, page: Page, prepared: tuple[Rewriting, ...]) -> bool:
    """Whether the pages are still what the rewritings were made of, and no other links here."""
    then = {one.page.id: one.page.revision for one in prepared}
    now = pages.of_ids(conn, {page.id, *(one.page_id for one in _linking(conn, page))})
    return then == {one.id: one.revision for one in now}


def _write_all(
    change: Change, page: Page, prepared: tuple[Rewriting, ...], *, operation: int
) -> tuple[Relinked, ...]:
    conn, key = change.conn, collision_key(prepared[0].image.slug)
    aliases.take_back(conn, page.id, key=key)
    written = []
    for one in prepared:
        if one.page.id != page.id and not one.links:
            continue  # it links in another way than by wikilink, which the alias leads on
        deed = Deed.RENAME if one.page.id == page.id else Deed.RELINK
        act = Act(deed=deed, author=change.agent, operation_id=operation, now=change.now)
        now = page_images.write(conn, one.image, before=one.page, act=act)
        if one.links:
            written.append(Relinked(slug=now.slug, links=one.links, revision=now.revision))
    if key != page.key:
        aliases.leave(conn, page.id, key=page.key, slug=page.slug, now=change.now)
    return tuple(written)


def _linking(conn: Connection, page: Page) -> tuple[links.Linking, ...]:
    return links.leading_to(conn, _names(conn, page))


def _names(conn: Connection, page: Page) -> tuple[str, ...]:
    """The collision keys that lead to a page."""
    return (page.key, *aliases.keys_of_page(conn, page.id))


def _renamed(
    change: Change, before: Page, after: Page, relinked: tuple[Relinked, ...]
) -> PageRenamed:
    (summary,) = pages.summaries(change.conn, (after.id,))
    return PageRenamed(
        **change.wiki.label(),
        revision=change.revision,
        page=summary,
        renamed_from=before.slug,
        changed=before.slug != after.slug,
        relinked=relinked[:SHOWN],
        relinked_total=len(relinked),
    )
