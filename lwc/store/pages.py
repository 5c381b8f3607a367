"""Pages as they are now: finding, listing and telling who cites what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from lwc import clock
from lwc.domain.page import parse_provenance, shown_provenance
from lwc.domain.slug import collision_key
from lwc.errors import PAGE_NOT_FOUND
from lwc.store import cells, texts
from lwc.store.tables import aliases, links, page_provenance, page_sources, pages, sources

# SQLite takes 32,766 parameters in a statement; a thousand compile and bind in no time.
IDS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page without its text."""

    id: int
    slug: str
    key: str
    title: str
    kind: str
    summary: str
    body_digest: str
    content_digest: str
    revision: int
    author: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSummary:
    """A page as lists show it."""

    slug: str
    title: str
    kind: str
    summary: str
    source_ids: tuple[int, ...]
    provenance: tuple[str, ...]
    links: tuple[str, ...]
    revision: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingPage:
    """A page that cites a source; `touched` is the operation that wrote or confirmed it last."""

    id: int
    slug: str
    title: str
    kind: str
    summary: str
    provenance: tuple[str, ...]
    updated_at: datetime
    revision: int
    touched: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """A source as the pages that cite it show it."""

    id: int
    title: str
    path: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which pages a list is about."""

    kind: str | None = None
    source_id: int | None = None
    updated_since: datetime | None = None


def find(conn: Connection, slug: str) -> Page:
    """The page of this name, also when the name is an earlier one of it."""
    page = at(conn, collision_key(slug))
    if page is None:
        raise PAGE_NOT_FOUND(slug=slug)
    return page


def at(conn: Connection, key: str) -> Page | None:
    """The page that a collision key leads to, as its name or as an alias."""
    row = conn.execute(select(pages).where(pages.c.key == key)).one_or_none()
    if row is None:
        row = conn.execute(
            select(pages).join(aliases, aliases.c.page_id == pages.c.id).where(aliases.c.key == key)
        ).one_or_none()
    return None if row is None else as_page(row)


def of_ids(conn: Connection, page_ids: Iterable[int]) -> tuple[Page, ...]:
    """These pages, those that are there, in the order asked for."""
    wanted = list(dict.fromkeys(page_ids))
    found = {
        row.id: as_page(row)
        for part in _parts(wanted)
        for row in conn.execute(select(pages).where(pages.c.id.in_(part)))
    }
    return tuple(found[page_id] for page_id in wanted if page_id in found)


def body(conn: Connection, page: Page) -> str:
    """The text of a page, proved by its digest."""
    return texts.whole(conn, page.body_digest)


def listed(conn: Connection, chosen: Filter, *, limit: int, offset: int) -> tuple[PageSummary, ...]:
    """Pages in the order of their slugs."""
    wanted = _filtered(select(pages), chosen).order_by(pages.c.slug).limit(limit).offset(offset)
    return _summarised(conn, tuple(as_page(row) for row in conn.execute(wanted)))


def count(conn: Connection, chosen: Filter) -> int:
    """How many pages the filter lets through."""
    wanted = _filtered(select(func.count()).select_from(pages), chosen)
    return int(conn.execute(wanted).scalar_one())


def total(conn: Connection) -> int:
    """How many pages there are."""
    return count(conn, Filter())


def summaries(conn: Connection, page_ids: Iterable[int]) -> tuple[PageSummary, ...]:
    """These pages as lists show them, in the order asked for."""
    return _summarised(conn, of_ids(conn, page_ids))


def citing(conn: Connection, source_id: int) -> tuple[CitingPage, ...]:
    """The pages that cite a source, in the order of their slugs."""
    rows = conn.execute(
        select(pages, page_sources.c.touched)
        .join(page_sources, page_sources.c.page_id == pages.c.id)
        .where(page_sources.c.source_id == source_id)
        .order_by(pages.c.slug)
    ).all()
    provenance = provenance_of(conn, [row.id for row in rows])
    return tuple(
        CitingPage(
            id=row.id,
            slug=row.slug,
            title=row.title,
            kind=row.kind,
            summary=row.summary,
            provenance=provenance[row.id],
            updated_at=cells.moment(row.updated_at),
            revision=row.revision,
            touched=row.touched,
        )
        for row in rows
    )


def provenance_of(conn: Connection, page_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """What each page rests on as answers show it: `source-grounded` first, iff it cites."""
    cited = sources_of(conn, page_ids)
    given = given_provenance_of(conn, page_ids)
    return {
        page_id: shown_provenance(cites=bool(cited[page_id]), explicit=given[page_id])
        for page_id in page_ids
    }


def given_provenance_of(conn: Connection, page_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The provenance each page was written with, in its fixed order."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for part in _parts(list(page_ids)):
        for row in conn.execute(select(page_provenance).where(page_provenance.c.page_id.in_(part))):
            found[row.page_id].append(row.provenance)
    return {page_id: parse_provenance(found[page_id]) for page_id in page_ids}


def sources_of(conn: Connection, page_ids: Collection[int]) -> dict[int, tuple[int, ...]]:
    """The ids of the sources each page cites, ascending."""
    return _grouped(
        conn,
        select(page_sources.c.page_id, page_sources.c.source_id).order_by(page_sources.c.source_id),
        page_ids,
    )


def named_sources_of(conn: Connection, page_id: int) -> tuple[int, ...]:
    """The sources a page cites as a whole, not only in footnotes."""
    return tuple(
        conn.execute(
            select(page_sources.c.source_id)
            .where(page_sources.c.page_id == page_id, page_sources.c.named == 1)
            .order_by(page_sources.c.source_id)
        ).scalars()
    )


def cited_sources(conn: Connection, source_ids: Iterable[int]) -> tuple[CitedSource, ...]:
    """These sources, those that are there, by id."""
    rows = (
        row
        for part in _parts(sorted(set(source_ids)))
        for row in conn.execute(
            select(sources).where(sources.c.id.in_(part)).order_by(sources.c.id)
        )
    )
    return tuple(
        CitedSource(id=row.id, title=row.title, path=row.path, content_hash=row.digest)
        for row in rows
    )


def _grouped(
    conn: Connection, wanted: Select[Any], page_ids: Collection[int]
) -> dict[int, tuple[Any, ...]]:
    """Rows of (page_id, value) by page; pages without any have an empty tuple."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    for part in _parts(list(page_ids)):
        page_id_column = wanted.selected_columns[0]
        for page_id, value in conn.execute(wanted.where(page_id_column.in_(part))):
            found[page_id].append(value)
    return {page_id: tuple(found[page_id]) for page_id in page_ids}


def _summarised(conn: Connection, chosen: tuple[Page, ...]) -> tuple[PageSummary, ...]:
    ids = [page.id for page in chosen]
    cited = sources_of(conn, ids)
    given = given_provenance_of(conn, ids)
    targets = _grouped(conn, select(links.c.page_id, links.c.target).order_by(links.c.target), ids)
    return tuple(
        PageSummary(
            slug=page.slug,
            title=page.title,
            kind=page.kind,
            summary=page.summary,
            source_ids=cited[page.id],
            provenance=shown_provenance(cites=bool(cited[page.id]), explicit=given[page.id]),
            links=targets[page.id],
            revision=page.revision,
            created_at=page.created_at,
            updated_at=page.updated_at,
        )
        for page in chosen
    )


def _filtered(wanted: Select[Any], chosen: Filter) -> Select[Any]:
    if chosen.kind is not None:
        wanted = wanted.where(pages.c.kind == chosen.kind)
    if chosen.source_id is not None:
        cited_by = select(page_sources.c.page_id).where(
            page_sources.c.source_id == chosen.source_id
        )
        wanted = wanted.where(pages.c.id.in_(cited_by))
    if chosen.updated_since is not None:
        wanted = wanted.where(pages.c.updated_at >= clock.stamp(chosen.updated_since))
    return wanted


def _parts(ids: list[int]) -> Iterable[list[int]]:
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))


def as_page(row: Row[Any]) -> Page:
    return Page(
        id=row.id,
        slug=row.slug,
        key=row.key,
        title=row.title,
        kind=row.kind,
        summary=row.summary,
        body_digest=row.body_digest,
        content_digest=row.content_digest,
        revision=row.revision,
        author=row.author,
        created_at=cells.moment(row.created_at),
        updated_at=cells.moment(row.updated_at),
    )
