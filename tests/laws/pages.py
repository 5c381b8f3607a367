"""The page commands of the model: the same on what is live and in a draft."""

from __future__ import annotations

from dataclasses import replace

from laws.layers import Check, Layer, Live, Page, Refused, Rev

from lwc.errors import (
    CHECK_NOT_FOUND,
    EDIT_NOT_UNIQUE,
    NOT_CITED_BY_PAGE,
    PAGE_IN_USE,
    PAGE_NOT_FOUND,
    PAGE_REVISION_CONFLICT,
    PAGE_REVISION_NOT_FOUND,
    SLUG_COLLISION,
    SLUG_RENAMED,
    SOURCE_NOT_FOUND,
)


def live_of(layer: Layer) -> Live:
    return layer if isinstance(layer, Live) else layer.live


def at(layer: Layer, slug: str) -> Page | None:
    """The page that bears a name, or bore it and was renamed."""
    pages = layer.of("page").values()
    return next((page for page in pages if slug in page.names), None)


def put(layer: Layer, image: Page, *, if_revision: int | None = None) -> None:
    """`image` says what is to be written, under which name."""
    _check_sources(layer, image)
    page = at(layer, image.slug)
    if page is not None and page.slug != image.slug:
        raise Refused(SLUG_RENAMED)
    _check_revision(page, if_revision)
    _write(layer, image, before=page, deed="put")


def patch(layer: Layer, slug: str, old: str, new: str, *, if_revision: int | None = None) -> None:
    page = named(layer, slug)
    _check_revision(page, if_revision)
    if page.body.count(old) != 1:
        raise Refused(EDIT_NOT_UNIQUE)
    image = replace(page, body=page.body.replace(old, new))
    _check_sources(layer, image)
    _write(layer, image, before=page, deed="patch")


def restore(layer: Layer, slug: str, revision: int, *, if_revision: int | None = None) -> None:
    page = at(layer, slug)
    if page is not None:
        page = named(layer, slug)
    meant = page or removed_under(layer, slug)
    if meant is None:
        raise Refused(PAGE_NOT_FOUND)
    _check_revision(page, if_revision)
    found = [
        rev for rev in layer.history() if (rev.page.id, rev.page.revision) == (meant.id, revision)
    ]
    if not found:
        raise Refused(PAGE_REVISION_NOT_FOUND)
    image = replace(found[0].page, slug=slug)
    _check_sources(layer, image)
    _write(layer, image, before=page, deed="restore")


def remove(layer: Layer, slug: str, *, if_revision: int | None = None) -> None:
    page = named(layer, slug)
    _check_revision(page, if_revision)
    if any(other.id != page.id for other in leading_to(layer, page)):
        raise Refused(PAGE_IN_USE)
    gone(layer, page, op=layer.record())


def gone(layer: Layer, page: Page, *, op: tuple[int, int]) -> None:
    """Take a page away with its checks; its history says so."""
    layer.touch("page", page.id)
    for check in list(layer.of("check").values()):
        if check.page == page.id:
            layer.drop("check", check.id)
    last = replace(page, revision=page.revision + 1)
    layer.revs.append(Rev(page=last, deed="remove", op=op))
    layer.drop("page", page.id)


def rename(layer: Layer, slug: str, to: str, *, if_revision: int | None = None) -> None:
    page = named(layer, slug)
    _check_revision(page, if_revision)
    if to == slug:
        return
    taken = at(layer, to)
    if taken is not None and taken.id != page.id:
        raise Refused(SLUG_COLLISION)
    op = layer.record()
    highest = max(page.revision, highest_under(layer, to))
    renamed = replace(
        page,
        slug=to,
        body=page.relinked(page.names, to),
        aliases=page.names - {to},
        revision=highest + 1,
    )
    linking = [other for other in leading_to(layer, page) if other.id != page.id]
    _keep(layer, renamed, deed="rename", op=op)
    for other in linking:
        body = other.relinked(page.names, to)
        if body != other.body:
            relinked = replace(other, body=body, revision=other.revision + 1)
            _keep(layer, relinked, deed="relink", op=op)


def confirm(layer: Layer, slug: str, source: int) -> None:
    page = named(layer, slug)
    if layer.get("source", source) is None:
        raise Refused(SOURCE_NOT_FOUND)
    if source not in page.cited:
        raise Refused(NOT_CITED_BY_PAGE)
    layer.record()
    layer.touch("page", page.id)


def add_check(layer: Layer, slug: str, queries: tuple[str, ...]) -> int:
    """Keep a check with a page, unless one that asks the same is there; answers its id."""
    page = named(layer, slug)
    for check in checks_in_sight(layer):
        same = check.queries[0] == queries[0] and set(check.queries) == set(queries)
        if check.page == page.id and same:
            return check.id
    live = live_of(layer)
    live.last_check += 1
    layer.put("check", live.last_check, Check(id=live.last_check, page=page.id, queries=queries))
    layer.record(check=live.last_check)
    return live.last_check


def remove_check(layer: Layer, check_id: int) -> None:
    if not any(check.id == check_id for check in checks_in_sight(layer)):
        raise Refused(CHECK_NOT_FOUND)
    layer.drop("check", check_id)
    layer.record(check=check_id)


def finds(layer: Layer, check: Check) -> bool:
    """Whether each query finds the page: there are so few that whatever matches is at the top."""
    page = layer.get("page", check.page)
    return page is not None and all(query in page.words for query in check.queries)


def checks_in_sight(layer: Layer) -> list[Check]:
    """The checks whose pages are there."""
    return [check for check in layer.of("check").values() if layer.get("page", check.page)]


def named(layer: Layer, slug: str) -> Page:
    page = at(layer, slug)
    if page is None:
        raise Refused(PAGE_NOT_FOUND)
    if page.slug != slug:
        raise Refused(SLUG_RENAMED)
    return page


def leading_to(layer: Layer, page: Page) -> list[Page]:
    return [other for other in layer.of("page").values() if other.links & page.names]


def removed_under(layer: Layer, slug: str) -> Page | None:
    """The page that bore a name last, when it was removed under it and is not back."""
    there = layer.of("page")
    gone = [rev for rev in layer.history() if rev.page.id not in there]
    newest = max(
        (rev for rev in gone if rev.page.slug == slug), key=lambda rev: rev.order, default=None
    )
    if newest is None or newest.deed != "remove":
        return None
    last = max(rev.page.revision for rev in gone if rev.page.id == newest.page.id)
    return newest.page if newest.page.revision == last else None


def highest_under(layer: Layer, slug: str) -> int:
    bearing = (rev.page.revision for rev in layer.history() if rev.page.slug == slug)
    return max(bearing, default=0)


def _check_revision(page: Page | None, expected: int | None) -> None:
    if expected is not None and expected != (page.revision if page else 0):
        raise Refused(PAGE_REVISION_CONFLICT)


def _check_sources(layer: Layer, image: Page) -> None:
    if not image.cited <= set(layer.of("source")):
        raise Refused(SOURCE_NOT_FOUND)


def _write(layer: Layer, image: Page, *, before: Page | None, deed: str) -> None:
    if before is not None and before.written == image.written:
        return
    op = layer.record()
    if before is not None:
        place = {"id": before.id, "revision": before.revision + 1, "aliases": before.aliases}
    else:
        place = {**_new_place(layer, image.slug), "aliases": frozenset()}
    _keep(layer, replace(image, **place), deed=deed, op=op)


def _new_place(layer: Layer, slug: str) -> dict[str, int]:
    """A page that was removed comes back as itself; the revisions of a name never repeat."""
    highest = highest_under(layer, slug)
    gone_page = removed_under(layer, slug)
    if gone_page is not None:
        return {"id": gone_page.id, "revision": max(gone_page.revision, highest) + 1}
    live = live_of(layer)
    live.last_page += 1
    return {"id": live.last_page, "revision": highest + 1}


def _keep(layer: Layer, page: Page, *, deed: str, op: tuple[int, int]) -> None:
    layer.put("page", page.id, page)
    layer.revs.append(Rev(page=page, deed=deed, op=op))
