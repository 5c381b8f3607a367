"""Pages that may be called nearly the same, found through indexes and never by a scan."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from lwc.store import search
from lwc.store.tables import pages

NEIGHBOURS = 16
RELATED = 32


def near(conn: Connection, *, key: str, terms: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Slug and title of pages next to this key in the order of keys, or that share the terms."""
    # With the key, or SQLite would sort every page where a draft is laid over.
    named = select(pages.c.id, pages.c.slug, pages.c.title, pages.c.key)
    before = named.where(pages.c.key < key).order_by(pages.c.key.desc()).limit(NEIGHBOURS)
    after = named.where(pages.c.key >= key).order_by(pages.c.key).limit(NEIGHBOURS)
    related = [page_id for page_id, _ in search.related_pages(conn, terms, limit=RELATED)]
    sharing = named.where(pages.c.id.in_(related))
    return {
        row.id: (row.slug, row.title)
        for wanted in (before, after, sharing)
        for row in conn.execute(wanted)
    }
