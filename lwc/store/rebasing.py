"""Bringing what a draft has staged onto what is live now.

Nothing lies over the connection. An entity on a new base is staged as it was, but for numbers that
live has used meanwhile, and for names that readers have seen there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.store import (
    discarding,
    draft_search,
    pages,
    search,
    staged_operations,
    staged_paths,
    staged_revisions,
    staging,
    texts,
)
from lwc.store.dialects import sqlite_layers as engine
from lwc.store.entities import Base
from lwc.store.layers import Draft
from lwc.store.pages import Page
from lwc.store.standing import Standing
from lwc.store.tables import aliases, metadata, page_revisions
from lwc.store.tables.drafts import (
    draft_aliases,
    draft_charter,
    draft_checks,
    draft_page_revisions,
    draft_page_sources,
    draft_pages,
    draft_source_paths,
    staged,
)


def unstage(conn: Connection, draft: Draft, one: Standing, *, now: datetime) -> None:
    """Take out what live has come to be by itself, or what comes to nothing."""
    staged_operations.drop_of(conn, draft, one.staged)
    discarding.drop(conn, draft.id, one.staged, now=now)


def refresh(conn: Connection, draft: Draft, one: Standing) -> bool:
    """Tell the base of an entity anew, whose live content is that of its base.

    Answers whether live has had other revisions since.
    """
    known = (one.staged.base_revision or 0, one.staged.base_author, one.staged.base_at)
    if known == (one.live.revision, one.live.author, one.live.at):
        return False
    _count_on(conn, draft, one)
    _put_base(conn, one, one.live)
    return True


def settle(conn: Connection, draft: Draft, one: Standing) -> None:
    """Make the base of an entity what is live now: the draft has taken it in.

    `hindrance` has said that nothing stands in the way.
    """
    if one.staged.entity is Entity.PAGE:
        page_id = _number(one)
        live = next(iter(pages.of_ids(conn, (page_id,))), None)
        if live is not None and not staged_revisions.are_there(conn, draft.id, page_id):
            _restage(conn, draft, one)
        elif live is not None:
            _take_names(conn, draft, one, live)
    _count_on(conn, draft, one)
    _put_base(conn, one, one.live)


def hindrance(conn: Connection, draft: Draft, one: Standing, took: Page | None) -> str | None:
    """Why the draft's image of an entity cannot stand on what is live now; none when it can.

    `took` is the live page that it is to become, when it is to become one.
    """
    if one.staged.entity in (Entity.CHARTER, Entity.PATH):
        return None if one.live.digest is not None else "it is not there live any more"
    if one.staged.entity is not Entity.PAGE:
        return "it can only be dropped"
    page_id = _number(one)
    live = took or next(iter(pages.of_ids(conn, (page_id,))), None)
    if live is None:
        written = staged_revisions.are_there(conn, draft.id, page_id)
        return None if written else "the draft only confirms it, and it is not there live any more"
    new = {str(name["key"]) for name in _names_of(conn, live)}
    for taken in sorted(_borne_by_others(conn, draft, page_id) & new):
        return f"another page of the draft bears the name {taken}, which it has live"
    return None


def taker(conn: Connection, draft: Draft, one: Standing) -> Page | None:
    """The live page that has the name of one that the draft made; none when there is no such."""
    if one.staged.entity is not Entity.PAGE or one.staged.base_digest is not None:
        return None
    named = select(draft_pages.c.key).where(
        draft_pages.c.changeset == draft.id, draft_pages.c.id == one.key
    )
    key = conn.execute(named).scalar_one_or_none()
    found = None if key is None else pages.at(conn, key)
    if found is None or found.key != key or found.id == one.key:
        return None
    is_staged = staging.find(conn, draft.id, Entity.PAGE, found.id) is not None
    return None if is_staged or one.live.digest is not None else found


def becomes(conn: Connection, draft: Draft, one: Standing, live: Page) -> None:
    """Make a page that was made in the draft be the live page of its name.

    Its rows, checks and revisions go over to that page's id; the caller settles it then.
    """
    old, new = _number(one), live.id
    for table in engine.PAGE_TABLES:
        drafted = metadata.tables[f"draft_{table.name}"]
        column = drafted.c["id" if table.name == "pages" else "page_id"]
        mine = (drafted.c.changeset == draft.id, column == old)
        conn.execute(update(drafted).where(*mine).values({column.name: new}))
    for drafted in (draft_page_revisions, draft_checks):
        mine = (drafted.c.changeset == draft.id, drafted.c.page_id == old)
        conn.execute(update(drafted).where(*mine).values(page_id=new))
    row = (draft_pages.c.changeset == draft.id, draft_pages.c.id == new)
    begun = clock.stamp(live.created_at)
    conn.execute(update(draft_pages).where(*row).values(created_at=begun))
    as_staged = update(staged).where(staged.c.id == one.staged.id)
    conn.execute(as_staged.values(key=str(new), number=new))


def _count_on(conn: Connection, draft: Draft, one: Standing) -> None:
    """No revision number that live has had comes again."""
    match one.staged.entity:
        case Entity.PAGE:
            staged_revisions.count_on(conn, draft.id, _number(one), live_revision=one.live.revision)
        case Entity.CHARTER:
            mine = (draft_charter.c.changeset == draft.id, draft_charter.c.name == one.key)
            by = one.live.revision - (one.staged.base_revision or 0)
            # In two steps: SQLite looks for a number that is taken already row by row.
            revision = draft_charter.c.revision
            conn.execute(update(draft_charter).where(*mine).values(revision=-(revision + by)))
            conn.execute(update(draft_charter).where(*mine).values(revision=-revision))
        case Entity.PATH:
            rows = staged_paths.merged(conn, draft.id, one.staged)
            drafted = draft_source_paths
            mine = (drafted.c.changeset == draft.id, drafted.c.tracked_path == one.key)
            conn.execute(delete(drafted).where(*mine))
            if rows:
                new = [{**row, "changeset": draft.id} for row in rows]
                conn.execute(insert(drafted), new)


def _put_base(conn: Connection, one: Standing, base: Base) -> None:
    conn.execute(
        update(staged)
        .where(staged.c.id == one.staged.id)
        .values(
            base_digest=base.digest,
            base_revision=base.revision,
            base_author=base.author,
            base_at=None if base.at is None else clock.stamp(base.at),
        )
    )


def _restage(conn: Connection, draft: Draft, one: Standing) -> None:
    """A page that the draft only confirmed is as live, and confirmed."""
    page_id = _number(one)
    confirmed = select(draft_page_sources).where(
        draft_page_sources.c.changeset == draft.id, draft_page_sources.c.page_id == page_id
    )
    touched = {row.source_id: row.touched for row in conn.execute(confirmed)}
    for table in engine.PAGE_TABLES:
        drafted = metadata.tables[f"draft_{table.name}"]
        column = drafted.c["id" if table.name == "pages" else "page_id"]
        conn.execute(delete(drafted).where(drafted.c.changeset == draft.id, column == page_id))
    engine.copy_page(conn, draft.id, page_id)
    for source_id, operation in touched.items():
        earlier = update(draft_page_sources).where(
            draft_page_sources.c.changeset == draft.id,
            draft_page_sources.c.page_id == page_id,
            draft_page_sources.c.source_id == source_id,
            draft_page_sources.c.touched < operation,
        )
        conn.execute(earlier.values(touched=operation))
    _index_again(conn, draft, one)


def _take_names(conn: Connection, draft: Draft, one: Standing, live: Page) -> None:
    """Names that readers have seen live lead to the page still.

    Where the draft has not given it another name, it has the one that it has live.
    """
    page_id = _number(one)
    of_draft = (draft_pages.c.changeset == draft.id, draft_pages.c.id == page_id)
    drafted = conn.execute(select(draft_pages).where(*of_draft)).one_or_none()
    if drafted is None:
        return
    renamed = drafted.key not in (live.key, _base_key(conn, one))
    key, slug = (drafted.key, drafted.slug) if renamed else (live.key, live.slug)
    mine = (draft_aliases.c.changeset == draft.id, draft_aliases.c.page_id == page_id)
    kept = {key, *conn.execute(select(draft_aliases.c.key).where(*mine)).scalars()}
    for name in _names_of(conn, live):
        if name["key"] not in kept:
            conn.execute(insert(draft_aliases).values(changeset=draft.id, page_id=page_id, **name))
    conn.execute(delete(draft_aliases).where(*mine, draft_aliases.c.key == key))
    if slug != drafted.slug:
        newest = (
            draft_page_revisions.c.changeset == draft.id,
            draft_page_revisions.c.page_id == page_id,
            draft_page_revisions.c.revision == drafted.revision,
        )
        conn.execute(update(draft_pages).where(*of_draft).values(key=key, slug=slug))
        conn.execute(update(draft_page_revisions).where(*newest).values(key=key, slug=slug))
        _index_again(conn, draft, one)


def _base_key(conn: Connection, one: Standing) -> str | None:
    """The name that the page had when the draft touched it."""
    then = select(page_revisions.c.key).where(
        page_revisions.c.page_id == one.key,
        page_revisions.c.revision == one.staged.base_revision,
    )
    return None if one.staged.base_digest is None else conn.execute(then).scalar_one_or_none()


def _names_of(conn: Connection, live: Page) -> list[Mapping[str, Any]]:
    """The name of a live page and those it had, as aliases are kept."""
    columns = (aliases.c.key, aliases.c.slug, aliases.c.created_at)
    had = conn.execute(select(*columns).where(aliases.c.page_id == live.id))
    now = {"key": live.key, "slug": live.slug, "created_at": clock.stamp(live.updated_at)}
    return [now, *(dict(row._mapping) for row in had)]


def _borne_by_others(conn: Connection, draft: Draft, page_id: int) -> set[str]:
    """The names that other pages of the draft bear, or have borne."""
    bearing = (
        select(draft_pages.c.key).where(
            draft_pages.c.changeset == draft.id, draft_pages.c.id != page_id
        ),
        select(draft_aliases.c.key).where(
            draft_aliases.c.changeset == draft.id, draft_aliases.c.page_id != page_id
        ),
    )
    return {key for wanted in bearing for key in conn.execute(wanted).scalars()}


def _index_again(conn: Connection, draft: Draft, one: Standing) -> None:
    """Have the draft's search find a page as it is staged now."""
    row = conn.execute(
        select(draft_pages).where(draft_pages.c.changeset == draft.id, draft_pages.c.id == one.key)
    ).one()
    body = texts.whole(conn, row.body_digest)
    terms = search.analyse_page(title=row.title, slug=row.slug, summary=row.summary, body=body)
    draft_search.forget(conn, one.staged.id, Entity.PAGE)
    draft_search.put_page(conn, draft, row.id, asdict(terms))


def _number(one: Standing) -> int:
    assert isinstance(one.key, int), "its key is an id"
    return one.key
