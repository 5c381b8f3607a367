"""The revisions of a page that a draft made, counted on from those that live has had meanwhile."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update

from lwc import clock
from lwc.store import pages, revisions
from lwc.store.tables.drafts import draft_page_revisions, draft_pages

_ROWS = draft_page_revisions


def shift(conn: Connection, changeset: int, page_id: int, *, live_revision: int) -> int:
    """By how much the draft's revisions of a page have to count on.

    None that live has had, of this page or under a name it takes, may come again. Nothing lies
    over the connection.
    """
    mine = _of_page(changeset, page_id)
    first = conn.execute(select(func.min(_ROWS.c.revision)).where(*mine)).scalar_one()
    if first is None:
        return 0
    keys = conn.execute(select(_ROWS.c.key).where(*mine).distinct()).scalars()
    highest = max([live_revision, *(revisions.highest_under(conn, key) for key in keys)])
    return max(0, highest + 1 - int(first))


def are_there(conn: Connection, changeset: int, page_id: int) -> bool:
    """Whether the draft wrote the page; a page that was only confirmed has none."""
    wanted = select(_ROWS.c.revision).where(*_of_page(changeset, page_id))
    return conn.execute(wanted.limit(1)).first() is not None


def count_on(conn: Connection, changeset: int, page_id: int, *, live_revision: int) -> None:
    """Number the draft's revisions, and its page, above those that live has had."""
    drafted = (draft_pages.c.changeset == changeset, draft_pages.c.id == page_id)
    if not are_there(conn, changeset, page_id):
        for page in pages.of_ids(conn, (page_id,)):
            facts = {
                "revision": page.revision,
                "author": page.author,
                "updated_at": clock.stamp(page.updated_at),
            }
            conn.execute(update(draft_pages).where(*drafted).values(facts))
        return
    by = shift(conn, changeset, page_id, live_revision=live_revision)
    if by == 0:
        return
    # In two steps: SQLite looks for a number that is taken already row by row.
    mine = _of_page(changeset, page_id)
    conn.execute(update(_ROWS).where(*mine).values(revision=-(_ROWS.c.revision + by)))
    conn.execute(update(_ROWS).where(*mine).values(revision=-_ROWS.c.revision))
    conn.execute(update(draft_pages).where(*drafted).values(revision=draft_pages.c.revision + by))


def _of_page(changeset: int, page_id: int) -> tuple[ColumnElement[bool], Any]:
    return _ROWS.c.changeset == changeset, _ROWS.c.page_id == page_id
