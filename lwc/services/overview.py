"""What a newcomer needs to know of a wiki, and what was done to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lwc.domain.listing import check_part
from lwc.domain.moment import parse_moment
from lwc.errors import LIMIT_OUT_OF_RANGE
from lwc.store import charter, journal, overview, pages, sources
from lwc.store.database import Connection
from lwc.store.journal import Operation
from lwc.store.pages import PageSummary
from lwc.wiki import Answer, Wiki

# The schema and the purpose are shown up to this many characters each, unless more are asked for.
CHARTER_CHARS = 20_000
CHARTER_CHARS_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOverview(Answer):
    """One wiki: its texts, the pages written last, what was done last, and how much there is.

    `store_id` is the wiki's own, wherever its folder is moved or copied. `schema_chars` and
    `purpose_chars` tell how long the texts are, should they be cut.
    """

    store_id: str
    revision: int
    schema: str
    schema_chars: int
    purpose: str
    purpose_chars: int
    pages: tuple[PageSummary, ...]
    pages_total: int
    has_more: bool
    sources_total: int
    jobs: Mapping[str, int]
    recent_operations: tuple[Operation, ...]
    operations_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Each wiki by itself; limit and offset hold for the pages of each."""

    stores: tuple[StoreOverview, ...]
    limit: int
    offset: int
    max_chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Answer):
    """A part of the journal, newest first; `total` counts what the filters let through."""

    operations: tuple[Operation, ...]
    limit: int
    offset: int
    total: int
    has_more: bool


def context(
    wikis: Sequence[Wiki], *, limit: int = 50, offset: int = 0, max_chars: int = CHARTER_CHARS
) -> Overview:
    """Purpose, schema, the pages written last and the newest operations of each wiki."""
    check_part(limit=limit, offset=offset)
    if not 1 <= max_chars <= CHARTER_CHARS_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=CHARTER_CHARS_MOST)
    return Overview(
        stores=tuple(
            _store(wiki, limit=limit, offset=offset, max_chars=max_chars) for wiki in wikis
        ),
        limit=limit,
        offset=offset,
        max_chars=max_chars,
    )


def _store(wiki: Wiki, *, limit: int, offset: int, max_chars: int) -> StoreOverview:
    store_id = wiki.store_id()
    with wiki.reading() as conn:
        schema, purpose = _text(conn, "schema"), _text(conn, "purpose")
        total = pages.total(conn)
        shown = pages.summaries(conn, overview.newest_pages(conn, limit=limit, offset=offset))
        return StoreOverview(
            **wiki.label(),
            store_id=store_id,
            revision=journal.revision(conn),
            schema=schema[:max_chars],
            schema_chars=len(schema),
            purpose=purpose[:max_chars],
            purpose_chars=len(purpose),
            pages=shown,
            pages_total=total,
            has_more=offset + len(shown) < total,
            sources_total=sources.total(conn),
            jobs=overview.jobs_by_state(conn),
            recent_operations=journal.recent(conn, limit=limit),
            operations_total=journal.count(conn),
        )


def _text(conn: Connection, name: str) -> str:
    found = charter.newest(conn, name)
    return "" if found is None else found.text


def log(
    wiki: Wiki,
    *,
    limit: int = 20,
    offset: int = 0,
    action: str | None = None,
    target: str | None = None,
    since: str | None = None,
) -> Log:
    """What was done to the wiki: all, or by action, by target, or since a day or moment."""
    check_part(limit=limit, offset=offset)
    begin = None if since is None else parse_moment(since)
    with wiki.reading() as conn:
        total = journal.count(conn, action=action, target=target, since=begin)
        found = journal.recent(
            conn, action=action, target=target, since=begin, limit=limit, offset=offset
        )
    return Log(
        **wiki.label(),
        operations=found,
        limit=limit,
        offset=offset,
        total=total,
        has_more=offset + len(found) < total,
    )
