"""Links between pages: kept as written with their collision key, followed when they are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from lwc.domain.pagetext import Link
from lwc.domain.slug import collision_key
from lwc.store.tables import aliases, links, pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A link as written, and the page it leads to; none when there is no such page."""

    target: str
    line: int
    slug: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Linking:
    """A page that links to another, and where first."""

    page_id: int
    slug: str
    title: str
    line: int


def of_page(conn: Connection, page_id: int) -> tuple[Outgoing, ...]:
    """The links of a page by target, each followed to the page it leads to."""
    by_name, by_alias = pages.alias("by_name"), pages.alias("by_alias")
    rows = conn.execute(
        select(
            links.c.target,
            links.c.line,
            by_name.c.slug.label("named"),
            by_alias.c.slug.label("renamed"),
        )
        .outerjoin(by_name, by_name.c.key == links.c.key)
        .outerjoin(aliases, aliases.c.key == links.c.key)
        .outerjoin(by_alias, by_alias.c.id == aliases.c.page_id)
        .where(links.c.page_id == page_id)
        .order_by(links.c.target)
    )
    return tuple(
        Outgoing(target=row.target, line=row.line, slug=row.named or row.renamed) for row in rows
    )


def leading_to(conn: Connection, keys: Collection[str]) -> tuple[Linking, ...]:
    """The pages that link to any of these names, once each, by slug."""
    rows = conn.execute(
        select(links.c.page_id, pages.c.slug, pages.c.title, links.c.line)
        .join(pages, pages.c.id == links.c.page_id)
        .where(links.c.key.in_(list(keys)))
        .order_by(pages.c.slug, links.c.line)
    )
    found: dict[int, Linking] = {}
    for row in rows:
        linking = Linking(page_id=row.page_id, slug=row.slug, title=row.title, line=row.line)
        found.setdefault(row.page_id, linking)
    return tuple(found.values())


def add(conn: Connection, page_id: int, written: Iterable[Link]) -> None:
    """Give a page that has none its links; the first of a name counts."""
    rows: dict[str, dict[str, object]] = {}
    for link in written:
        key = collision_key(link.target)
        row = {"page_id": page_id, "key": key, "target": link.target, "line": link.line}
        rows.setdefault(key, row)
    if rows:
        conn.execute(insert(links), list(rows.values()))
