"""Taking one entity out of a draft: what goes with it, and what in the draft stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from sqlalchemy import Connection, Table, delete, select

from lwc.domain.changeset import Entity
from lwc.store import discarding, layers, staged_operations, staged_paths, staging
from lwc.store.layers import Draft
from lwc.store.sources import known
from lwc.store.staging import Staged
from lwc.store.tables import aliases, checks, page_sources, pages, source_paths, sources
from lwc.store.tables.drafts import (
    draft_aliases,
    draft_checks,
    draft_completions,
    draft_page_sources,
    draft_pages,
    draft_source_paths,
)

# A refusal names so many of what stands in the way.
SHOWN = 20


def drop(conn: Connection, draft: Draft, one: Staged, *, now: datetime) -> tuple[Staged, ...]:
    """Take an entity out with what goes with it, and with its entries in the draft's journal.

    Nothing lies over the connection; `needs` has said that nothing stands in the way.
    """
    going = (one, *along(conn, draft, one))
    if one.entity is Entity.SOURCE:
        _lead_away(conn, draft, one)
    for each in going:
        staged_operations.drop_of(conn, draft, each)
        discarding.drop(conn, draft.id, each, now=now)
    return going


def along(conn: Connection, draft: Draft, one: Staged) -> tuple[Staged, ...]:
    """What cannot stay, or has no reason to, when an entity is as live again.

    With a new source the paths that led only to it; with a source that comes back the paths that
    were forgotten for it; with a page that comes back its checks.
    """
    if one.entity is Entity.SOURCE:
        return tuple(_paths_of(conn, draft, one))
    if one.entity is Entity.PAGE and not _is_drafted(conn, draft, draft_pages, one):
        return tuple(_checks_of(conn, draft, one))
    return ()


def _paths_of(conn: Connection, draft: Draft, one: Staged) -> Iterator[Staged]:
    for path in staging.of_draft(conn, draft.id):
        if path.entity is not Entity.PATH:
            continue
        added = staged_paths.added(conn, draft.id, path)
        others = [row for row in added if row["source_id"] != one.number]
        if not others and (added or _held(conn, path, one)):
            yield path


def _held(conn: Connection, path: Staged, one: Staged) -> bool:
    """Whether a path leads, or has led, live to a source."""
    held = select(source_paths.c.revision).where(
        source_paths.c.tracked_path == path.key, source_paths.c.source_id == one.number
    )
    return conn.execute(held).first() is not None


def _checks_of(conn: Connection, draft: Draft, one: Staged) -> Iterator[Staged]:
    """Checks that went with the page, not for themselves."""
    ids = select(checks.c.id).where(checks.c.page_id == one.number).order_by(checks.c.id)
    for check_id in conn.execute(ids).scalars().all():
        found = staging.find(conn, draft.id, Entity.CHECK, check_id)
        if found is not None and not staged_operations.of(conn, draft, found):
            yield found


def _lead_away(conn: Connection, draft: Draft, one: Staged) -> None:
    """Paths that have led to more than this source in the draft lose only this one."""
    if _is_live(conn, sources, one):
        return
    conn.execute(
        delete(draft_source_paths).where(
            draft_source_paths.c.changeset == draft.id,
            draft_source_paths.c.source_id == one.number,
        )
    )


def needs(conn: Connection, draft: Draft, one: Staged) -> tuple[str, ...]:
    """What in the draft would not stand without the entity, in words; bounded.

    Nothing lies over the connection.
    """
    found = {
        Entity.PAGE: _needs_of_page,
        Entity.SOURCE: _needs_of_source,
        Entity.PATH: _needs_of_path,
        Entity.CHECK: _needs_of_check,
    }.get(one.entity)
    return () if found is None else tuple(found(conn, draft, one))[:SHOWN]


def _needs_of_page(conn: Connection, draft: Draft, one: Staged) -> Iterator[str]:
    for slug in _takers(conn, draft, one):
        yield f"the page {slug} has a name that this page has live"
    if not _is_live(conn, pages, one):
        belonging = select(draft_checks.c.id).where(
            draft_checks.c.changeset == draft.id, draft_checks.c.page_id == one.number
        )
        for check_id in conn.execute(belonging.order_by(draft_checks.c.id)).scalars():
            yield f"the check {check_id} belongs to it"
        return
    cited = select(page_sources.c.source_id).where(page_sources.c.page_id == one.number)
    for source_id in _removed(conn, draft, conn.execute(cited).scalars().all()):
        yield f"it cites live the source {source_id}, which the draft removes"


def _takers(conn: Connection, draft: Draft, one: Staged) -> list[str]:
    """Other pages of the draft that bear a name which the page has live."""
    mine = set(conn.execute(select(pages.c.key).where(pages.c.id == one.number)).scalars())
    mine |= set(
        conn.execute(select(aliases.c.key).where(aliases.c.page_id == one.number)).scalars()
    )
    drafted = draft_pages.c.changeset == draft.id
    bearing = (
        select(draft_pages.c.slug).where(
            drafted, draft_pages.c.id != one.number, draft_pages.c.key.in_(mine)
        ),
        select(draft_pages.c.slug)
        .join(draft_aliases, draft_aliases.c.page_id == draft_pages.c.id)
        .where(
            drafted,
            draft_aliases.c.changeset == draft.id,
            draft_pages.c.id != one.number,
            draft_aliases.c.key.in_(mine),
        ),
    )
    return sorted({slug for wanted in bearing for slug in conn.execute(wanted).scalars()})


def _needs_of_source(conn: Connection, draft: Draft, one: Staged) -> Iterator[str]:
    if _is_live(conn, sources, one):
        return
    citing = (
        select(draft_pages.c.slug)
        .join(draft_page_sources, draft_page_sources.c.page_id == draft_pages.c.id)
        .where(
            draft_pages.c.changeset == draft.id,
            draft_page_sources.c.changeset == draft.id,
            draft_page_sources.c.source_id == one.number,
        )
    )
    for slug in conn.execute(citing.order_by(draft_pages.c.slug)).scalars():
        yield f"the page {slug} cites it"
    completing = select(draft_completions.c.source_id).where(
        draft_completions.c.changeset == draft.id, draft_completions.c.source_id == one.number
    )
    if conn.execute(completing).first() is not None:
        yield f"the completion of its job {one.number} is staged"


def _needs_of_path(conn: Connection, draft: Draft, one: Staged) -> Iterator[str]:
    """Live the path leads to sources that the draft removes."""
    led = select(source_paths.c.source_id).where(source_paths.c.tracked_path == one.key)
    for source_id in _removed(conn, draft, conn.execute(led).scalars().all()):
        yield f"it leads live to the source {source_id}, which the draft removes"


def _needs_of_check(conn: Connection, draft: Draft, one: Staged) -> Iterator[str]:
    page = select(pages.c.id, pages.c.slug).join(checks, checks.c.page_id == pages.c.id)
    row = conn.execute(page.where(checks.c.id == one.number)).one_or_none()
    if row is None:
        return
    with layers.laid(conn, draft, reading=True):
        there = conn.execute(select(pages.c.id).where(pages.c.id == row.id)).first()
    if there is None:
        yield f"it belongs to the page {row.slug}, which the draft removes"


def _removed(conn: Connection, draft: Draft, source_ids: Collection[int]) -> list[int]:
    """Those of these live sources that are not there in the draft."""
    with layers.laid(conn, draft, reading=True):
        return sorted(set(source_ids) - known(conn, source_ids))


def _is_live(conn: Connection, table: Table, one: Staged) -> bool:
    return conn.execute(select(table.c.id).where(table.c.id == one.number)).first() is not None


def _is_drafted(conn: Connection, draft: Draft, table: Table, one: Staged) -> bool:
    wanted = select(table.c.id).where(table.c.changeset == draft.id, table.c.id == one.number)
    return conn.execute(wanted).first() is not None
