"""Retrieval checks in the database, and how each came out when it was last run on the live wiki."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, or_, select

from lwc import clock, wire
from lwc.domain.changeset import Entity
from lwc.domain.check import Place, Questions, holds
from lwc.errors import CHECK_NOT_FOUND, STORE_CORRUPT
from lwc.store import cells, layers
from lwc.store.dialects import sqlite
from lwc.store.pages import IDS_AT_ONCE
from lwc.store.tables import check_results, checks, page_revisions, pages


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRun:
    """How a check came out on the live wiki; places are in the order of its queries."""

    held: bool
    places: tuple[Place, ...]
    revision: int
    agent: str
    ran_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """A check, and how it stands: `last_run` is none when it was never run.

    `page_changed` says that the page was written after that, so that the result is of an older one.
    """

    id: int
    page: str
    query: str
    paraphrases: tuple[str, ...]
    top: int
    author: str
    created_at: datetime
    last_run: LastRun | None
    page_changed: bool

    @property
    def questions(self) -> Questions:
        return Questions(query=self.query, paraphrases=self.paraphrases, top=self.top)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which checks are meant: those of these pages, or of all; `failed` leaves out what held."""

    page_ids: Collection[int] | None = None
    failed: bool = False


def find(conn: Connection, check_id: int) -> CheckState:
    row = conn.execute(_states().where(checks.c.id == check_id)).one_or_none()
    if row is None:
        raise CHECK_NOT_FOUND(check=check_id)
    return _as_state(row)


def listed(
    conn: Connection, chosen: Chosen, *, limit: int | None = None, offset: int = 0
) -> tuple[CheckState, ...]:
    """Checks by the slugs of their pages, those of a page in the order in which they were added."""
    wanted = _filtered(_states(), chosen).order_by(pages.c.slug, checks.c.id)
    if limit is not None:
        wanted = wanted.limit(limit).offset(offset)
    return tuple(_as_state(row) for row in conn.execute(wanted))


def count(conn: Connection, chosen: Chosen) -> int:
    """How many checks are meant."""
    wanted = _filtered(_joined(select(func.count())), chosen)
    return int(conn.execute(wanted).scalar_one())


def of_page(conn: Connection, page_id: int) -> tuple[CheckState, ...]:
    """The checks of a page in the order in which they were added."""
    return listed(conn, Chosen(page_ids=(page_id,)))


def add(
    conn: Connection, page_id: int, questions: Questions, *, author: str, now: datetime
) -> CheckState:
    """Keep a check with its page."""
    check_id = sqlite.next_id(conn, checks.name)
    layers.touch(conn, Entity.CHECK, check_id)
    conn.execute(
        insert(checks).values(
            id=check_id,
            page_id=page_id,
            query=questions.query,
            paraphrases=wire.encode(questions.paraphrases, compact=True),
            top=questions.top,
            author=author,
            created_at=clock.stamp(now),
        )
    )
    return find(conn, check_id)


def drop(conn: Connection, check_id: int) -> None:
    """Take a check away."""
    layers.touch(conn, Entity.CHECK, check_id)
    conn.execute(delete(checks).where(checks.c.id == check_id))


def drop_of_page(conn: Connection, page_id: int) -> None:
    """Take the checks of a page away; before the page goes, so that a draft stages that, too."""
    ids = conn.execute(select(checks.c.id).where(checks.c.page_id == page_id)).scalars().all()
    for check_id in ids:
        drop(conn, check_id)


def record(
    conn: Connection,
    found: Mapping[int, Sequence[Place]],
    *,
    revision: int,
    agent: str,
    now: datetime,
) -> None:
    """Keep how checks came out on the live wiki at this revision.

    What somebody saw at a later revision stays, and nothing is kept of a check that is gone.
    """
    for part in _parts(sorted(found)):
        kept = conn.execute(
            select(checks.c.id)
            .outerjoin(check_results, check_results.c.check_id == checks.c.id)
            .where(
                checks.c.id.in_(part),
                or_(check_results.c.check_id.is_(None), check_results.c.revision <= revision),
            )
        ).scalars()
        ids = list(kept)
        conn.execute(delete(check_results).where(check_results.c.check_id.in_(ids)))
        rows = [
            {
                "check_id": check_id,
                "held": int(holds(found[check_id])),
                "places": wire.encode(found[check_id], compact=True),
                "revision": revision,
                "agent": agent,
                "ran_at": clock.stamp(now),
            }
            for check_id in ids
        ]
        if rows:
            conn.execute(insert(check_results), rows)


def _states() -> Select[Any]:
    return _joined(
        select(
            checks,
            pages.c.slug,
            check_results.c.held,
            check_results.c.places,
            check_results.c.revision.label("ran_revision"),
            check_results.c.agent.label("ran_by"),
            check_results.c.ran_at,
            page_revisions.c.operation_id.label("written_by"),
        )
    )


def _joined(wanted: Select[Any]) -> Select[Any]:
    """Checks with their pages, the operations that wrote those, and the last results."""
    newest = and_(
        page_revisions.c.page_id == pages.c.id, page_revisions.c.revision == pages.c.revision
    )
    return wanted.select_from(
        checks.join(pages, pages.c.id == checks.c.page_id)
        .outerjoin(page_revisions, newest)
        .outerjoin(check_results, check_results.c.check_id == checks.c.id)
    )


def _filtered(wanted: Select[Any], chosen: Chosen) -> Select[Any]:
    if chosen.page_ids is not None:
        wanted = wanted.where(checks.c.page_id.in_(chosen.page_ids))
    if chosen.failed:
        wanted = wanted.where(or_(check_results.c.check_id.is_(None), check_results.c.held == 0))
    return wanted


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + IDS_AT_ONCE] for start in range(0, len(ids), IDS_AT_ONCE))


def _as_state(row: Row[Any]) -> CheckState:
    return CheckState(
        id=row.id,
        page=row.slug,
        query=row.query,
        paraphrases=_texts(row.paraphrases),
        top=row.top,
        author=row.author,
        created_at=cells.moment(row.created_at),
        last_run=None if row.ran_at is None else _as_run(row),
        page_changed=row.ran_at is not None and (row.written_by or 0) > row.ran_revision,
    )


def _as_run(row: Row[Any]) -> LastRun:
    return LastRun(
        held=bool(row.held),
        places=_places(row.places),
        revision=row.ran_revision,
        agent=row.ran_by,
        ran_at=cells.moment(row.ran_at),
    )


def _texts(cell: str) -> tuple[str, ...]:
    found = cells.loaded(cell)
    if not (isinstance(found, list) and all(isinstance(text, str) for text in found)):
        raise STORE_CORRUPT(what="a row holds something else where paraphrases should be")
    return tuple(found)


def _places(cell: str) -> tuple[Place, ...]:
    found = cells.loaded(cell)
    if not (isinstance(found, list) and all(type(at) in (int, type(None)) for at in found)):
        raise STORE_CORRUPT(what="a row holds something else where places should be")
    return tuple(found)
