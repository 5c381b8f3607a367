"""Which entries of a draft's journal are about one staged entity and nothing else."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from lwc import wire
from lwc.domain.changeset import Entity
from lwc.store import drafts, staging
from lwc.store.journal import Operation
from lwc.store.layers import Draft
from lwc.store.staging import Staged
from lwc.store.tables import page_revisions
from lwc.store.tables.drafts import draft_operations, draft_page_revisions

# What commands that change one thing are called in the journal, by what they change.
_PATHS = "source_add"
_NAMED = {Entity.SOURCE: "source_remove", Entity.COMPLETION: "ingest_complete"}
_CHECKS = ("check_add", "check_remove")


def drop_of(conn: Connection, draft: Draft, one: Staged) -> int:
    """Mark the entries that are about an entity alone: they are not replayed. Answers how many.

    What did more, such as a renaming that rewrote the links of other pages, or the adding of a
    folder, is still true of the others.
    """
    numbers = [operation.id for operation in of(conn, draft, one)]
    if numbers:
        conn.execute(
            update(draft_operations)
            .where(
                draft_operations.c.changeset == draft.id,
                draft_operations.c.sequence.in_(numbers),
            )
            .values(dropped=1)
        )
    return len(numbers)


def of(conn: Connection, draft: Draft, one: Staged) -> tuple[Operation, ...]:
    """The entries that are about an entity alone, and were not dropped before."""
    written = _written(conn, draft, one) if one.entity is Entity.PAGE else frozenset()
    told = drafts.operations_of(conn, draft.id, where=_may_be_of(one, written))
    return tuple(entry for entry in told if _is_of(conn, draft, entry, one, written))


def _may_be_of(one: Staged, written: Collection[int]) -> ColumnElement[bool]:
    """Entries worth reading: a draft of thousands of things is not read whole for each of them."""
    action, detail = draft_operations.c.action, draft_operations.c.detail

    def names(field: str, value: int | str | None) -> ColumnElement[bool]:
        told = wire.encode({field: value}, compact=True)[1:-1]
        return detail.contains(told, autoescape=True)

    match one.entity:
        case Entity.PAGE:
            return or_(draft_operations.c.sequence.in_(written), action == "page_confirm")
        case Entity.SOURCE:
            added = and_(action == _PATHS, names("source_id", one.number))
            return or_(added, action == _NAMED[one.entity])
        case Entity.COMPLETION:
            return action == _NAMED[one.entity]
        case Entity.PATH:
            return and_(action == _PATHS, names("tracked_path", one.key))
        case Entity.CHARTER:
            return action == f"{one.key}_set"
        case Entity.CHECK:
            return and_(action.in_(_CHECKS), names("check_id", one.number))


def _is_of(
    conn: Connection, draft: Draft, entry: Operation, one: Staged, written: Collection[int]
) -> bool:
    match one.entity:
        case Entity.PAGE:
            return entry.id in written or (
                entry.action == "page_confirm" and _confirms(conn, draft, entry, one)
            )
        case Entity.SOURCE if entry.action == _PATHS:
            path = entry.detail.get("tracked_path")
            leads = staging.find(conn, draft.id, Entity.PATH, str(path)) is not None
            return entry.detail.get("source_id") == one.number and not leads
        case Entity.SOURCE | Entity.COMPLETION:
            return entry.action == _NAMED[one.entity] and entry.target == one.key
        case Entity.PATH:
            made = entry.detail.get("source_id") if entry.detail.get("created") else 0
            made_here = staging.find(conn, draft.id, Entity.SOURCE, str(made)) is not None
            leads = entry.action == _PATHS and entry.detail.get("tracked_path") == one.key
            return leads and not made_here
        case Entity.CHARTER:
            return entry.action == f"{one.key}_set"
        case Entity.CHECK:
            return entry.action in _CHECKS and entry.detail.get("check_id") == one.number


def _written(conn: Connection, draft: Draft, one: Staged) -> frozenset[int]:
    """The entries under which revisions of this page were made, and of no other page."""
    rows = draft_page_revisions
    made = select(rows.c.operation_id).where(rows.c.changeset == draft.id)
    mine = frozenset(conn.execute(made.where(rows.c.page_id == one.number)).scalars())
    others = made.where(rows.c.page_id != one.number, rows.c.operation_id.in_(mine))
    return mine - frozenset(conn.execute(others).scalars())


def _confirms(conn: Connection, draft: Draft, entry: Operation, one: Staged) -> bool:
    """Whether an entry that makes no revision is about this page: none other had its name."""
    named = (
        select(draft_page_revisions.c.page_id).where(
            draft_page_revisions.c.changeset == draft.id,
            draft_page_revisions.c.slug == entry.target,
        ),
        select(page_revisions.c.page_id).where(page_revisions.c.slug == entry.target),
    )
    bearing = {page_id for wanted in named for page_id in conn.execute(wanted).scalars()}
    staged_here = {
        page_id
        for page_id in bearing
        if staging.find(conn, draft.id, Entity.PAGE, page_id) is not None
    }
    return staged_here == {one.number}
