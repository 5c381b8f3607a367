"""The examiners of a wiki, a row for each, and the one loop that lets none of them fail."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from lwc.domain.doctor import Area, Flaw
from lwc.errors import LwcError
from lwc.store.dialects import sqlite
from lwc.store.dialects.sqlite_schema import library as library
from lwc.store.invariants import (
    bodies,
    changesets,
    damage,
    index,
    ingest,
    journals,
    pages,
    texts,
)
from lwc.store.tables import metadata

Examine = Callable[[Connection], Iterator[Flaw]]


@dataclass(frozen=True, slots=True)
class Examiner:
    """A part of the wiki, who looks at it, and all that may be said of it."""

    area: Area
    examine: Examine
    codes: tuple[str, ...]


EXAMINERS = (
    Examiner(Area.DATABASE, damage.engine, ("database_damaged",)),
    Examiner(Area.DATABASE, damage.schema, ("schema_differs",)),
    Examiner(Area.DATABASE, damage.references, ("reference_broken",)),
    Examiner(Area.DATABASE, damage.identity, ("identity_wrong",)),
    Examiner(Area.DATABASE, damage.cells, ("cell_malformed",)),
    Examiner(Area.DATABASE, damage.sequences, ("sequence_behind",)),
    Examiner(Area.TEXTS, texts.contents, ("content_hash_mismatch",)),
    Examiner(Area.JOURNAL, journals.operations_told, ("journal_gap", "journal_cut")),
    Examiner(Area.JOURNAL, journals.operations_meant, ("operation_unknown",)),
    Examiner(Area.JOURNAL, journals.requests_kept, ("request_unanswered",)),
    Examiner(Area.JOURNAL, journals.settings_valid, ("setting_invalid",)),
    Examiner(Area.JOURNAL, journals.charter_whole, ("charter_history_broken",)),
    Examiner(Area.SOURCES, ingest.digests, ("source_digest_differs",)),
    Examiner(Area.SOURCES, ingest.pairs, ("source_without_job", "job_without_source")),
    Examiner(Area.JOBS, ingest.states, ("job_state_inconsistent", "evidence_missing")),
    Examiner(Area.JOBS, ingest.attempts_told, ("attempts_inconsistent",)),
    Examiner(Area.JOBS, ingest.analyses_told, ("analyses_inconsistent",)),
    Examiner(Area.JOBS, ingest.deliveries_told, ("delivery_inconsistent",)),
    Examiner(Area.JOBS, ingest.pins, ("pin_broken",)),
    Examiner(Area.PAGES, pages.keys, ("page_key_differs", "alias_collides")),
    Examiner(Area.PAGES, pages.histories, ("page_history_broken",)),
    Examiner(Area.PAGES, pages.newest, ("page_differs_from_history",)),
    Examiner(
        Area.PAGES,
        bodies.contents,
        (
            *("content_digest_mismatch", "page_sources_differ", "page_links_stale"),
            *("page_citations_stale", "page_notes_stale"),
        ),
    ),
    Examiner(Area.DRAFTS, changesets.states, ("changeset_inconsistent", "changeset_leftover")),
    Examiner(Area.DRAFTS, changesets.rows_staged, ("staged_without_entity",)),
    Examiner(Area.DRAFTS, changesets.inverses_kept, ("inverse_damaged",)),
    Examiner(
        Area.INDEX,
        index.entries,
        (
            *("search_index_missing", "search_index_orphan"),
            *("search_index_differs", "search_index_miscounted"),
        ),
    ),
)


def flaws(conn: Connection, areas: Collection[Area] = tuple(Area)) -> list[Flaw]:
    """All that does not hold in these parts of the wiki.

    What cannot be read is told as damage, once for each that says so, and the next is examined.
    """
    found: list[Flaw] = []
    with _lenient(conn):
        for examiner in EXAMINERS:
            if examiner.area in areas:
                found += _told(examiner, conn)
    return list(
        {(flaw.code, flaw.entity, flaw.key, str(flaw.facts)): flaw for flaw in found}.values()
    )


def rows(conn: Connection) -> dict[str, int]:
    """How many rows each table has that has any; those that cannot be read are flaws."""
    found: dict[str, int] = {}
    for name, table in sorted(metadata.tables.items()):
        with suppress(DBAPIError):
            found[name] = conn.execute(select(func.count()).select_from(table)).scalar_one()
    return {name: number for name, number in found.items() if number}


@contextmanager
def _lenient(conn: Connection) -> Iterator[None]:
    """Text that is no UTF-8 any more is read all the same, so that its digest can tell."""
    raw: sqlite3.Connection = conn.connection.driver_connection  # type: ignore[assignment]
    raw.text_factory = _text
    try:
        yield
    finally:
        raw.text_factory = str


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _told(examiner: Examiner, conn: Connection) -> Iterator[Flaw]:
    """What an examiner finds, until it meets something that cannot be read."""
    try:
        yield from examiner.examine(conn)
    except (DBAPIError, sqlite3.Error) as error:
        refused = sqlite.translated(error)
        if refused.problem.retryable:
            raise refused from error
        yield _unreadable(refused.details.get("what", refused.message))
    except LwcError as error:
        yield _unreadable(error.details.get("what", error.message))
    except (TypeError, ValueError, OverflowError) as error:
        # A damaged row can hold what the schema forbids, such as nothing where a number must be.
        yield _unreadable(f"a row of {examiner.area} holds what it cannot ({type(error).__name__})")


def _unreadable(what: object) -> Flaw:
    return Flaw(
        code="database_damaged",
        entity="database",
        key="wiki.db",
        facts={"what": str(what).rstrip(".")},
    )
