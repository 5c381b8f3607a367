"""Pages for tests: written by the service that users call, and looked at row by row."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from lwc.services import page_writes
from lwc.services.page_writes import PagePut
from lwc.store import search
from lwc.store.tables import (
    aliases,
    citations,
    links,
    operations,
    page_notes,
    page_provenance,
    page_revisions,
    page_sources,
    pages,
)
from lwc.wiki import Call, Wiki

AUTHOR = Call(agent="author")
TEXT = "Only one writer can hold the lock\nat any moment. Everything else has to wait for it.\n"
QUOTE = "one writer can hold the lock at any moment"
TABLES = (
    pages,
    page_revisions,
    page_sources,
    page_provenance,
    links,
    citations,
    page_notes,
    aliases,
    operations,
)


def put(wiki: Wiki, slug: str, body: str = "Locks.\n", **options: Any) -> PagePut:
    """The page, written; its title is its slug when none is given."""
    options.setdefault("title", slug)
    return page_writes.put(wiki, options.pop("call", AUTHOR), slug=slug, body=body, **options)


def cited(source_id: int, quote: str = QUOTE, *, label: str = "c1") -> str:
    """A body with one claim that rests on a quote."""
    return f'The store keeps one writer.[^{label}]\n\n[^{label}]: source:{source_id} "{quote}"\n'


def rows(wiki: Wiki) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that writing pages may change."""
    with wiki.reading() as conn:
        return {table.name: [tuple(row) for row in conn.execute(select(table))] for table in TABLES}


def found(wiki: Wiki, *terms: str) -> list[str]:
    """The slugs of the pages that the search index holds under any of the terms."""
    with wiki.reading() as conn:
        hits = search.match_pages(conn, terms, limit=100).hits
        named = {row.id: row.slug for row in conn.execute(select(pages))}
        return sorted(named.get(hit.id, f"gone {hit.id}") for hit in hits)
