"""How far a draft reaches in lint: what it touches, and what stands otherwise because of that.

Everything is found by keys from the draft's own rows, so that it costs by what is touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any

from sqlalchemy import Connection, Select, except_, exists, not_, or_, select, union

from lwc.domain.changeset import Entity
from lwc.store import layers
from lwc.store.layers import Draft
from lwc.store.lint_extent import Extent
from lwc.store.revisions import Deed
from lwc.store.tables import aliases, links, page_sources, pages
from lwc.store.tables.drafts import (
    draft_aliases,
    draft_links,
    draft_page_revisions,
    draft_page_sources,
    draft_pages,
    draft_sources,
    staged,
)

# So many pages and sources are asked about at once; a statement takes 32,766 values.
TOGETHER = 1_000
# A new name says nothing about what stands on a page; whoever wrote this stands for it.
WRITING = (Deed.PUT, Deed.PATCH, Deed.RESTORE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Where a draft can make findings come, go or read otherwise, and what it touches itself.

    `written` are the pages, by their slugs in the draft, whose content it wrote; `held` the sources
    that it adds, removes or completes. `renamed` leads from a slug to the one the draft gives.
    """

    page_ids: frozenset[int]
    source_ids: frozenset[int]
    written: frozenset[str]
    held: frozenset[int]
    renamed: Mapping[str, str]

    def extents(self, now: datetime) -> Iterator[Extent]:
        """All of it, in parts that fit into a statement."""
        parts = zip_longest(_parts(self.page_ids), _parts(self.source_ids), fillvalue=())
        for page_ids, source_ids in parts:
            yield Extent(now=now, page_ids=page_ids, source_ids=source_ids)


def reach(conn: Connection, draft: Draft) -> Reach:
    """How far a draft reaches on the live wiki as it is now; nothing lies over the connection."""
    assert layers.of(conn) is None, "both sides are asked, so neither may lie over the other"
    held = frozenset(conn.execute(_touched(draft, Entity.SOURCE, Entity.COMPLETION)).scalars())
    cited = conn.execute(_cited_by_touched(draft)).scalars()
    written, renamed = _pages(conn, draft)
    return Reach(
        page_ids=frozenset(conn.execute(_reached_pages(draft)).scalars()),
        source_ids=held.union(cited),
        written=written,
        held=held,
        renamed=renamed,
    )


def _touched(draft: Draft, *entities: Entity) -> Select[Any]:
    return select(staged.c.number).where(
        staged.c.changeset == draft.id, staged.c.entity.in_(entities)
    )


def _reached_pages(draft: Draft) -> Any:
    """Touched pages, and those that lose the end of a link, a link that led to them, a source."""
    touched = _touched(draft, Entity.PAGE)
    unlinked = except_(
        select(links.c.key).where(links.c.page_id.in_(touched)),
        select(draft_links.c.key).where(draft_links.c.changeset == draft.id),
    )
    removed = _touched(draft, Entity.SOURCE).where(
        not_(
            exists().where(
                draft_sources.c.changeset == draft.id, draft_sources.c.id == staged.c.number
            )
        )
    )
    return union(
        touched,
        select(links.c.page_id).where(links.c.key.in_(_names_taken_away(draft, touched))),
        select(pages.c.id).where(pages.c.key.in_(unlinked)),
        select(aliases.c.page_id).where(aliases.c.key.in_(unlinked)),
        select(page_sources.c.page_id).where(page_sources.c.source_id.in_(removed)),
    )


def _names_taken_away(draft: Draft, touched: Select[Any]) -> Any:
    """The names and earlier names of touched pages that lead nowhere in the draft."""
    before = union(
        select(pages.c.key).where(pages.c.id.in_(touched)),
        select(aliases.c.key).where(aliases.c.page_id.in_(touched)),
    )
    return except_(
        select(before.subquery()),
        select(draft_pages.c.key).where(draft_pages.c.changeset == draft.id),
        select(draft_aliases.c.key).where(draft_aliases.c.changeset == draft.id),
    )


def _cited_by_touched(draft: Draft) -> Any:
    """The sources that touched pages cite, as they are live and as they are in the draft."""
    return union(
        select(page_sources.c.source_id).where(
            page_sources.c.page_id.in_(_touched(draft, Entity.PAGE))
        ),
        select(draft_page_sources.c.source_id).where(draft_page_sources.c.changeset == draft.id),
    )


def _pages(conn: Connection, draft: Draft) -> tuple[frozenset[str], dict[str, str]]:
    """The pages whose content the draft wrote, by slug; and the new slug of each it renames."""
    wrote = exists().where(
        draft_page_revisions.c.changeset == draft.id,
        draft_page_revisions.c.page_id == draft_pages.c.id,
        draft_page_revisions.c.action.in_(WRITING),
    )
    rows = conn.execute(
        select(
            draft_pages.c.slug,
            pages.c.slug.label("was"),
            (wrote & (pages.c.content_digest != draft_pages.c.content_digest)).label("written"),
        )
        .join(pages, pages.c.id == draft_pages.c.id)
        .where(
            draft_pages.c.changeset == draft.id,
            or_(
                pages.c.slug != draft_pages.c.slug,
                pages.c.content_digest != draft_pages.c.content_digest,
            ),
        )
    ).all()
    written = frozenset(row.slug for row in rows if row.written)
    return written, {row.was: row.slug for row in rows if row.was != row.slug}


def _parts(ids: Collection[int]) -> Iterator[tuple[int, ...]]:
    rest = iter(sorted(ids))
    while part := tuple(islice(rest, TOGETHER)):
        yield part
