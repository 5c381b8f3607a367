"""What lint finds, for the whole wiki or for some pages: counted, or read in parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, func, select

from lwc import clock
from lwc.domain.lint import RULES, Place, Rule, Severity
from lwc.domain.lint import Finding as Finding
from lwc.store import settings
from lwc.store.lint_extent import Extent, Places, Query
from lwc.store.lint_pages import PAGE_QUERIES, unheard_of
from lwc.store.lint_wiki import WIKI_QUERIES

QUERIES: Mapping[str, Query] = {**PAGE_QUERIES, **WIKI_QUERIES}

BY_SEVERITY = {severity: number for number, severity in enumerate(Severity)}
# Of one rule no more is read for a packet: it shows fifty findings in all.
FINDINGS_OF_PAGES_MOST = 200


def places(conn: Connection, rule: Rule, extent: Extent) -> Places:
    """Where a rule is broken, still to be counted or read."""
    return QUERIES[rule.code](conn, extent)


def count(conn: Connection, found: Places) -> int:
    if not isinstance(found, Select):
        return len(found)
    # Counted in one with its rows, a statement over a draft would lose its indexes to SQLite.
    rows = found.cte("found").prefix_with("MATERIALIZED")
    return int(conn.execute(select(func.count()).select_from(rows)).scalar_one())


def window(conn: Connection, found: Places, *, limit: int, offset: int = 0) -> tuple[Place, ...]:
    """Places in the order of page, target and line."""
    if not isinstance(found, Select):
        return tuple(sorted(found, key=_order)[offset : offset + limit])
    rows = found.subquery()
    chosen = select(rows).order_by(rows.c.page, rows.c.target, rows.c.line)
    return _read(conn, chosen.limit(limit).offset(offset))


def of_extents(
    conn: Connection,
    extents: Iterable[Extent],
    *,
    policy: str,
    severities: Collection[Severity],
) -> tuple[Finding, ...]:
    """All findings of these severities on the pages and of the sources of the extents, unordered.

    Nothing is asked about the schema and the search index, which are of the whole wiki.
    """
    asked = [rule for rule in RULES if rule.severity_under(policy) in severities]
    return tuple(
        rule.finding(place, citations_policy=policy)
        for extent in extents
        for rule in asked
        if (extent.page_ids if rule.code in PAGE_QUERIES else extent.source_ids)
        for place in _all(conn, places(conn, rule, extent))
    )


def findings_of_pages(conn: Connection, page_ids: Sequence[int]) -> tuple[Finding, ...]:
    """The errors and warnings of some pages' own content, errors first."""
    if not page_ids:
        return ()
    policy = settings.load(conn).word("citations")
    extent = Extent(now=clock.now(), page_ids=tuple(page_ids))
    needless = unheard_of(conn, extent)
    found = [
        rule.finding(place, citations_policy=policy)
        for rule in RULES
        if rule.of_page and rule.severity is not Severity.INFO and rule.code not in needless
        for place in window(conn, places(conn, rule, extent), limit=FINDINGS_OF_PAGES_MOST)
    ]
    return tuple(
        sorted(found, key=lambda one: (BY_SEVERITY[one.severity], one.code, one.page or ""))
    )


def _all(conn: Connection, found: Places) -> Sequence[Place]:
    return _read(conn, found) if isinstance(found, Select) else found


def _read(conn: Connection, wanted: Select[Any]) -> tuple[Place, ...]:
    return tuple(_place(dict(row._mapping)) for row in conn.execute(wanted))


def _place(row: Mapping[str, Any]) -> Place:
    facts = {name: value for name, value in row.items() if name not in ("page", "target", "line")}
    return Place(page=row["page"], target=row["target"], line=row["line"], facts=facts)


def _order(place: Place) -> tuple[str, str, int]:
    return place.page or "", place.target or "", place.line or 0
