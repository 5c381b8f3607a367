"""What the projection reads of a wiki: pages with all that their files show, many at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Connection, func, select

from lwc import wire
from lwc.domain.citation import QuoteState
from lwc.domain.projection import source_path
from lwc.domain.projection_page import CitedAt, ProjectedPage
from lwc.domain.projection_whole import IndexedPage, LoggedOperation, Totals
from lwc.store import cells, pages, texts
from lwc.store.pages import Page
from lwc.store.tables import aliases, citations, operations, sources, text_parts
from lwc.store.tables import charter as charter_rows
from lwc.store.tables import pages as page_rows
from lwc.store.tables import texts as text_rows

LOGGED_AT_ONCE = 1_000
# A hundred pages may cite more sources than one statement has room for.
IDS_AT_ONCE = 1_000


def pages_of(
    conn: Connection, ids: Collection[int]
) -> dict[int, tuple[Page, ProjectedPage | None]]:
    """Those of these pages that are there, by id; without content when its text is damaged.

    As many as fit one statement.
    """
    there = pages.of_ids(conn, ids)
    ids = [page.id for page in there]
    bodies = _bodies(conn, {page.body_digest for page in there})
    cited = pages.sources_of(conn, ids)
    files = source_files(conn, {source_id for some in cited.values() for source_id in some})
    provenance = pages.provenance_of(conn, ids)
    marks, names = _citations(conn, ids), _aliases(conn, ids)
    return {
        page.id: (
            page,
            None
            if page.body_digest not in bodies
            else ProjectedPage(
                title=page.title,
                kind=page.kind,
                summary=page.summary,
                body=bodies[page.body_digest],
                sources=tuple((one, files[one][0]) for one in cited[page.id] if one in files),
                provenance=provenance[page.id],
                aliases=tuple(names[page.id]),
                citations=tuple(marks[page.id]),
                created_at=page.created_at,
                updated_at=page.updated_at,
            ),
        )
        for page in there
    }


def _bodies(conn: Connection, digests: Collection[str]) -> dict[str, str]:
    rows = conn.execute(
        select(text_parts.c.digest, text_parts.c.body)
        .where(text_parts.c.digest.in_(digests))
        .order_by(text_parts.c.digest, text_parts.c.start)
    )
    found = {
        digest: "".join(row.body or "" for row in parts)
        for digest, parts in groupby(rows, key=attrgetter("digest"))
    }
    return {digest: text for digest, text in found.items() if wire.text_digest(text) == digest}


def _citations(conn: Connection, ids: Collection[int]) -> dict[int, list[CitedAt]]:
    found: defaultdict[int, list[CitedAt]] = defaultdict(list)
    rows = conn.execute(
        select(
            citations.c.page_id,
            citations.c.label,
            citations.c.line,
            citations.c.source_id,
            citations.c.state,
        )
        .where(citations.c.page_id.in_(ids))
        .order_by(citations.c.page_id, citations.c.ordinal)
    )
    for row in rows:
        found[row.page_id].append(
            CitedAt(
                label=row.label,
                line=row.line,
                source_id=row.source_id,
                state=cells.member(QuoteState, row.state),
            )
        )
    return found


def _aliases(conn: Connection, ids: Collection[int]) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    named = select(aliases.c.page_id, aliases.c.slug).where(aliases.c.page_id.in_(ids))
    for page_id, slug in conn.execute(named.order_by(aliases.c.slug)):
        found[page_id].append(slug)
    return found


def source_files(conn: Connection, ids: Collection[int]) -> dict[int, tuple[str, str]]:
    """The file of each of these sources that is there, and the digest of what it holds."""
    wanted, named = list(ids), select(sources.c.id, sources.c.path, sources.c.digest)
    parts = (wanted[at : at + IDS_AT_ONCE] for at in range(0, len(wanted), IDS_AT_ONCE))
    return {
        row.id: (source_path(row.id, row.path), row.digest)
        for part in parts
        for row in conn.execute(named.where(sources.c.id.in_(part)))
    }


def text(conn: Connection, digest: str) -> str | None:
    """A text, proved by its digest; none when nothing refers to it any more."""
    there = select(text_rows.c.digest).where(text_rows.c.digest == digest)
    return None if conn.execute(there).first() is None else texts.whole(conn, digest)


def charter_digest(conn: Connection, name: str) -> str | None:
    """The digest of the schema or the purpose in force."""
    return conn.execute(
        select(charter_rows.c.text_digest)
        .where(charter_rows.c.name == name)
        .order_by(charter_rows.c.revision.desc())
        .limit(1)
    ).scalar_one_or_none()


def indexed(conn: Connection) -> Iterator[IndexedPage]:
    """Every page as the index lists it, in no order."""
    rows = conn.execute(
        select(page_rows.c.slug, page_rows.c.title, page_rows.c.kind, page_rows.c.summary)
    )
    return (IndexedPage(*row) for row in rows)


def totals(conn: Connection) -> Totals:
    """What the overview counts."""
    kinds = select(page_rows.c.kind, func.count()).group_by(page_rows.c.kind)
    created, updated = conn.execute(
        select(func.min(page_rows.c.created_at), func.max(page_rows.c.updated_at))
    ).one()
    return Totals(
        kinds=dict(conn.execute(kinds).all()),
        sources=int(conn.execute(select(func.count()).select_from(sources)).scalar_one()),
        created=created,
        updated=updated,
    )


def logged(
    conn: Connection, *, after: int, limit: int = LOGGED_AT_ONCE
) -> tuple[LoggedOperation, ...]:
    """The operations behind this one, in their order."""
    rows = conn.execute(
        select(
            operations.c.id,
            operations.c.action,
            operations.c.target,
            operations.c.detail,
            operations.c.agent,
            operations.c.created_at,
        )
        .where(operations.c.id > after)
        .order_by(operations.c.id)
        .limit(limit)
    )
    return tuple(LoggedOperation(*row) for row in rows)


def logged_operation(conn: Connection, operation_id: int) -> LoggedOperation | None:
    """One operation; none when the journal does not have it."""
    found = logged(conn, after=operation_id - 1, limit=1)
    return found[0] if found and found[0].id == operation_id else None
