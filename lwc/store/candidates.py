"""The pages a packet offers: those most related to a source, then those written last."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from lwc.store import search
from lwc.store.tables import pages

RECENT = "written recently"


def candidates(
    conn: Connection, terms: Sequence[str], *, limit: int
) -> tuple[tuple[int, str], ...]:
    """Up to `limit` page ids, the most promising first, each with why it was chosen."""
    related = search.related_pages(conn, terms, limit=limit)
    chosen = dict(related)
    if len(chosen) < limit:
        # Of the newest some may be chosen already: as many more fill the rest. What they are put
        # in order by is selected too, or SQLite would sort every page where a draft is laid over.
        newest = conn.execute(
            select(pages.c.id, pages.c.updated_at)
            .order_by(pages.c.updated_at.desc(), pages.c.id.desc())
            .limit(limit)
        ).scalars()
        for page_id in newest:
            chosen.setdefault(page_id, RECENT)
    return tuple(chosen.items())[:limit]
