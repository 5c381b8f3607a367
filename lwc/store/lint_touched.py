"""How far a draft reaches in lint: what it touches, and what stands otherwise because of that.

Everything is found by keys from the draft's own rows, so that it costs by what is touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    and_,
    except_,
    exists,
    not_,
    select,
    union,
)

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
    that it adds, removes or completes. `renamed` leads from a live slug to the one the draft gives,
    `removed` are the slugs of pages that it takes away or hides behind its own of that name.
    """

    page_ids: frozenset[int]
    source_ids: frozenset[int]
    written: frozenset[str]
    held: frozenset[int]
    renamed: Mapping[str, str]
    removed: frozenset[str]

    def extents(self, now: datetime) -> Iterator[Extent]:
        """All of it, in parts that fit into a statement."""
        return extents(now, page_ids=self.page_ids, source_ids=self.source_ids)


def extents(
    now: datetime, *, page_ids: Collection[int], source_ids: Collection[int]
) -> Iterator[Extent]:
    """These pages and sources, in parts that fit into a statement."""
    for pages_, sources_ in zip_longest(_parts(page_ids), _parts(source_ids), fillvalue=()):
        yield Extent(now=now, page_ids=pages_, source_ids=sources_)


def reach(conn: Connection, draft: Draft) -> Reach:
    """How far a draft reaches on the live wiki as it is now; nothing lies over the connection."""
    assert layers.of(conn) is None, "both sides are asked, so neither may lie over the other"
    held = frozenset(conn.execute(_touched(draft, Entity.SOURCE, Entity.COMPLETION)).scalars())
    cited = conn.execute(_cited_by_touched(draft)).scalars()
    pairs = conn.execute(_live_and_drafted(draft)).all()
    return Reach(
        page_ids=frozenset(conn.execute(_reached_pages(draft)).scalars()),
        source_ids=held.union(cited),
        written=frozenset(row.slug for row in pairs if row.written),
        held=held,
        renamed={row.was: row.slug for row in pairs if row.slug not in (None, row.was)},
        removed=frozenset(row.was for row in pairs if row.slug is None),
    )


def _touched(draft: Draft, *entities: Entity) -> Select[Any]:
    return select(staged.c.number).where(
        staged.c.changeset == draft.id, staged.c.entity.in_(entities)
    )


def _touched_pages(draft: Draft) -> Select[Any]:
    """Staged pages, and live ones that are not seen behind a page of the draft."""
    hidden = (select(pages.c.id).where(pages.c.key.in_(names)) for names in _names(draft))
    return select(union(_touched(draft, Entity.PAGE), *hidden).subquery())


def _names(draft: Draft) -> tuple[Select[Any], ...]:
    """The names and earlier names of the pages of a draft."""
    return tuple(
        select(table.c.key).where(table.c.changeset == draft.id)
        for table in (draft_pages, draft_aliases)
    )


def _reached_pages(draft: Draft) -> CompoundSelect[Any]:
    """Touched pages, and those that lose the end of a link, a link that led to them, a source."""
    touched = _touched_pages(draft)
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
        *(select(aliases.c.page_id).where(aliases.c.key.in_(taken)) for taken in _names(draft)),
        select(page_sources.c.page_id).where(page_sources.c.source_id.in_(removed)),
    )


def _names_taken_away(draft: Draft, touched: Select[Any]) -> CompoundSelect[Any]:
    """The names and earlier names of touched pages that lead nowhere in the draft."""
    before = union(
        select(pages.c.key).where(pages.c.id.in_(touched)),
        select(aliases.c.key).where(aliases.c.page_id.in_(touched)),
    )
    return except_(select(before.subquery()), *_names(draft))


def _cited_by_touched(draft: Draft) -> CompoundSelect[Any]:
    """The sources that touched pages cite, as they are live and as they are in the draft."""
    return union(
        select(page_sources.c.source_id).where(page_sources.c.page_id.in_(_touched_pages(draft))),
        select(draft_page_sources.c.source_id).where(draft_page_sources.c.changeset == draft.id),
    )


def _live_and_drafted(draft: Draft) -> Select[Any]:
    """Touched pages that are live: their slugs there and in the draft, and if it wrote them."""
    wrote = exists().where(
        draft_page_revisions.c.changeset == draft.id,
        draft_page_revisions.c.page_id == draft_pages.c.id,
        draft_page_revisions.c.action.in_(WRITING),
    )
    drafted = and_(draft_pages.c.changeset == draft.id, draft_pages.c.id == pages.c.id)
    return (
        select(
            pages.c.slug.label("was"),
            draft_pages.c.slug,
            (wrote & (pages.c.content_digest != draft_pages.c.content_digest)).label("written"),
        )
        .outerjoin(draft_pages, drafted)
        .where(pages.c.id.in_(_touched_pages(draft)))
    )


def _parts(ids: Collection[int]) -> Iterator[tuple[int, ...]]:
    rest = iter(sorted(ids))
    while part := tuple(islice(rest, TOGETHER)):
        yield part
