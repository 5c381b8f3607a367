"""What lint asks about the wiki around its pages: the schema, sources, jobs and the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, not_, or_, select, union_all

from lwc import clock
from lwc.domain.ingest import CLAIMED, LEASE_BELIEVED, LEASE_MOST, JobState, Outcome
from lwc.domain.lint import Place
from lwc.store.dialects import sqlite_search as engine
from lwc.store.lint_extent import (
    Extent,
    Places,
    Query,
    as_text,
    blank,
    equals,
    of_index,
    of_sources,
)
from lwc.store.tables import attempts, charter, jobs, page_sources, pages, sources


def _missing_schema(conn: Connection, extent: Extent) -> Places:
    if not extent.whole:
        return ()
    there = conn.execute(select(exists().where(charter.c.name == "schema"))).scalar_one()
    return () if there else (Place(),)


def _untitled_source(conn: Connection, extent: Extent) -> Places:
    return of_sources(blank(sources.c.title), extent=extent)


def _shallow_ingest(conn: Connection, extent: Extent) -> Places:
    return of_sources(
        equals(extent, jobs.c.state, JobState.COMPLETED),
        blank(jobs.c.no_derived_pages_reason),
        not_(_is_cited_by(pages.c.kind != "source")),
        extent=extent,
    )


def _completed_source_uncited(conn: Connection, extent: Extent) -> Places:
    """The pages that its completion rested on are gone, or cite it no more."""
    integrated = or_(
        not_(blank(jobs.c.no_derived_pages_reason)), _is_cited_by(pages.c.kind != "source")
    )
    return of_sources(
        equals(extent, jobs.c.state, JobState.COMPLETED),
        not_(and_(_is_cited_by(pages.c.kind == "source"), integrated)),
        extent=extent,
    )


def _is_cited_by(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(
        page_sources.c.source_id == sources.c.id, pages.c.id == page_sources.c.page_id, condition
    )


def _stuck_job(conn: Connection, extent: Extent) -> Places:
    """Leases that ran out (or end absurdly late), and claims renewed for more than a day.

    The lease of a job whose completion is staged stands still.
    """
    now = clock.stamp(extent.now)
    expired = or_(
        jobs.c.lease_until <= now,
        jobs.c.lease_until > clock.stamp(clock.later(extent.now, LEASE_BELIEVED)),
    )
    long_ago = clock.stamp(clock.later(extent.now, -LEASE_MOST))
    since = (
        select(attempts.c.claimed_at)
        .where(
            attempts.c.source_id == jobs.c.source_id,
            attempts.c.attempt == jobs.c.attempt,
            attempts.c.outcome == Outcome.ACTIVE,
        )
        .scalar_subquery()
    )
    wanted = of_sources(
        jobs.c.state.in_(CLAIMED),
        jobs.c.pinned.is_(None),
        or_(expired, since < long_ago),
        extent=extent,
    )
    rows = wanted.add_columns(jobs.c.agent, jobs.c.state, jobs.c.lease_until, since.label("since"))
    return tuple(
        Place(
            target=row.target,
            facts={
                "agent": row.agent,
                "state": row.state,
                "lease_until": row.lease_until,
                "claimed_at": row.since,
                "why": _why_stuck(row, now),
            },
        )
        for row in conn.execute(rows)
    )


def _why_stuck(row: Any, now: str) -> str:
    if row.lease_until <= now:
        return f"the lease ran out {row.lease_until}"
    return f"claimed {row.since}" if row.since else f"the lease ends {row.lease_until}"


def _search_index_missing(conn: Connection, extent: Extent) -> Places:
    missing = union_all(
        select(("page:" + pages.c.slug).label("target")).where(
            not_(exists().where(engine.PAGE_ROWS.c.id == pages.c.id))
        ),
        select(("source:" + as_text(sources.c.id)).label("target")).where(
            not_(exists().where(engine.SOURCE_ROWS.c.id == sources.c.id))
        ),
    )
    return of_index(missing.subquery(), extent)


def _search_index_orphan(conn: Connection, extent: Extent) -> Places:
    source_id = engine.SOURCE_ROWS.c.id.bitwise_and((1 << engine.SOURCE_BITS) - 1)
    orphans = union_all(
        select(("page:" + as_text(engine.PAGE_ROWS.c.id)).label("target")).where(
            not_(exists().where(pages.c.id == engine.PAGE_ROWS.c.id))
        ),
        select(("source:" + as_text(source_id)).label("target"))
        .distinct()
        .where(not_(exists().where(sources.c.id == source_id))),
    )
    return of_index(orphans.subquery(), extent)


def _search_index_duplicate(conn: Connection, extent: Extent) -> Places:
    if not extent.whole:
        return ()
    twice = engine.written_twice(conn)
    return tuple(Place(target=index) for index, number in twice.items() if number > 0)


WIKI_QUERIES: Mapping[str, Query] = {
    "missing_schema": _missing_schema,
    "untitled_source": _untitled_source,
    "shallow_ingest": _shallow_ingest,
    "completed_source_uncited": _completed_source_uncited,
    "stuck_job": _stuck_job,
    "search_index_missing": _search_index_missing,
    "search_index_orphan": _search_index_orphan,
    "search_index_duplicate": _search_index_duplicate,
}
