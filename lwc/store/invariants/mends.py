"""Making derived data anew where it is wrong; what was given stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from lwc.domain.changeset import Entity
from lwc.domain.doctor import Area, Flaw
from lwc.domain.invariants import BY_CODE
from lwc.errors import LwcError
from lwc.store import layers, outbox
from lwc.store.invariants import bodies, index
from lwc.store.tables import pages


def mend(conn: Connection, flaws: Iterable[Flaw]) -> list[Flaw]:
    """Mend what can be in this transaction; answers the flaws that were."""
    derived = [flaw for flaw in flaws if BY_CODE[flaw.code].derived]
    of_pages = [flaw for flaw in derived if BY_CODE[flaw.code].area is Area.PAGES]
    of_index = [flaw for flaw in derived if BY_CODE[flaw.code].area is Area.INDEX]
    mended = _mend_pages(conn, [flaw for flaw in of_pages if "changeset" not in flaw.facts])
    for draft in bodies.open_drafts(conn):
        staged = [flaw for flaw in of_pages if flaw.facts.get("changeset") == draft.name]
        if staged:
            with layers.laid(conn, draft, reading=False):
                mended += _mend_pages(conn, staged)
    if of_index and _mend_index(conn):
        mended += of_index
    return mended


def _mend_pages(conn: Connection, flaws: Sequence[Flaw]) -> list[Flaw]:
    mended = {slug for slug in {flaw.key for flaw in flaws} if _mend_page(conn, slug)}
    return [flaw for flaw in flaws if flaw.key in mended]


def _mend_page(conn: Connection, slug: str) -> bool:
    page_id = conn.execute(select(pages.c.id).where(pages.c.slug == slug)).scalar()
    try:
        # What cannot be made anew is left as it was, and the next is tried.
        with conn.begin_nested():
            if page_id is None or not bodies.remake(conn, page_id):
                return False
            # Its Markdown file tells how its quotes stand.
            outbox.put(conn, Entity.PAGE, page_id)
            return True
    except LwcError:
        return False


def _mend_index(conn: Connection) -> bool:
    with conn.begin_nested():
        index.remake(conn)
    return True
