"""Whether pages stand under their names and are what their histories say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, func, select

from lwc.domain.doctor import Flaw
from lwc.domain.slug import collision_key
from lwc.store import tables
from lwc.store.revisions import Deed
from lwc.store.tables import aliases, page_revisions, pages
from lwc.store.tables import drafts as drafted

_NAMED = (
    (tables.pages, "page"),
    (tables.page_revisions, "page_revision"),
    (tables.aliases, "alias"),
    (drafted.draft_pages, "draft_page"),
    (drafted.draft_page_revisions, "draft_page_revision"),
    (drafted.draft_aliases, "draft_alias"),
)
# What a page and its newest revision say both.
_BOTH = (
    *("slug", "key", "title", "kind", "summary", "body_digest", "content_digest", "author"),
    "revision",
)
_DEEDS = frozenset(Deed)


def keys(conn: Connection) -> Iterator[Flaw]:
    """A name is filed under its collision key, and no page bears an earlier name of another."""
    for table, entity in _NAMED:
        for slug, key in conn.execute(select(table.c.slug, table.c.key).distinct()):
            if collision_key(slug) != key:
                facts = {"filed": key}
                yield Flaw(code="page_key_differs", entity=entity, key=slug, facts=facts)
    other = pages.alias("other")
    twice = (
        select(pages.c.slug, other.c.slug)
        .join(aliases, aliases.c.key == pages.c.key)
        .join(other, other.c.id == aliases.c.page_id)
    )
    for slug, renamed in conn.execute(twice):
        yield Flaw(code="alias_collides", entity="page", key=slug, facts={"other": renamed})


def histories(conn: Connection) -> Iterator[Flaw]:
    """Revisions go on one by one; the last says `remove` just where the page is gone."""
    live = {row.id: row for row in conn.execute(select(pages.c.id, pages.c.slug, pages.c.revision))}
    rows = conn.execute(
        select(
            page_revisions.c.page_id,
            page_revisions.c.revision,
            page_revisions.c.action,
            page_revisions.c.slug,
        )
        .order_by(page_revisions.c.page_id, page_revisions.c.revision)
        .execution_options(yield_per=1000)
    )
    for page_id, history in groupby(rows, key=attrgetter("page_id")):
        page = live.pop(page_id, None)
        *_, (last, what) = _steps(conn, history)
        what = what or _end_flaw(last, page)
        if what is not None:
            yield _broken(last.slug if page is None else page.slug, what)
    for page in live.values():
        yield _broken(page.slug, "there is none")


def _steps(conn: Connection, history: Iterable[Any]) -> Iterator[tuple[Row[Any], str | None]]:
    """Each revision, and the first that is wrong until then."""
    number, what = 0, None
    for row in history:
        if row.action not in _DEEDS:
            what = what or f"revision {row.revision} was made by nothing that makes revisions"
        if row.revision != number + 1 and not _was_others(conn, row):
            what = what or f"behind revision {number} stands {row.revision}"
        number = row.revision
        yield row, what


def _was_others(conn: Connection, row: Row[Any]) -> bool:
    """Whether the revision before this one is another page's, of a name that this page has had.

    A page that takes a name goes on behind every revision the name ever had.
    """
    names = select(page_revisions.c.key).where(page_revisions.c.page_id == row.page_id)
    before = select(page_revisions.c.page_id).where(
        page_revisions.c.revision == row.revision - 1,
        page_revisions.c.page_id != row.page_id,
        page_revisions.c.key.in_(names),
    )
    return conn.execute(before.limit(1)).first() is not None


def _end_flaw(last: Row[Any], page: Any) -> str | None:
    """What the end of a history says otherwise than the page does."""
    if page is None:
        gone = last.action == Deed.REMOVE
        return None if gone else "the page is gone, and its last revision does not say so"
    if last.action == Deed.REMOVE:
        return "its last revision says that the page was removed"
    if last.revision != page.revision:
        return f"the page is at revision {page.revision}, its history at {last.revision}"
    return None


def _broken(slug: str, what: str) -> Flaw:
    return Flaw(code="page_history_broken", entity="page", key=slug, facts={"what": what})


def newest(conn: Connection) -> Iterator[Flaw]:
    """A page says what its newest revision says, also in a draft that has made one."""
    drafted_pages, drafted_revisions = drafted.draft_pages, drafted.draft_page_revisions
    of_one_draft = drafted_revisions.c.changeset == drafted_pages.c.changeset
    yield from _differing(conn, pages, page_revisions)
    yield from _differing(conn, drafted_pages, drafted_revisions, of_one_draft)


def _differing(
    conn: Connection, page: Table, revision: Table, *scope: ColumnElement[bool]
) -> Iterator[Flaw]:
    of_page = and_(revision.c.page_id == page.c.id, *scope)
    last = select(func.max(revision.c.revision)).where(of_page).correlate(page).scalar_subquery()
    same = (page.c[name].is_not_distinct_from(revision.c[name]).label(name) for name in _BOTH)
    told = select(page.c.slug.label("named"), *same).join(
        revision, and_(of_page, revision.c.revision == last)
    )
    for row in conn.execute(told.execution_options(yield_per=1000)):
        differs = [name for name in _BOTH if not row._mapping[name]]
        if differs:
            yield Flaw(
                code="page_differs_from_history",
                entity="page" if page is pages else "draft_page",
                key=row.named,
                facts={"what": f"it has another {', '.join(differs)}"},
            )
