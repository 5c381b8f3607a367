"""Whether drafts stand apart, and whether what was published can be undone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, exists, func, not_, select

from lwc.domain.changeset import Entity, Status
from lwc.domain.doctor import Flaw
from lwc.errors import LwcError
from lwc.store import cells
from lwc.store import inverses as stored
from lwc.store.dialects.sqlite_layers import LAYERS
from lwc.store.tables import metadata, operations
from lwc.store.tables.drafts import changesets, draft_completions, inverses, staged

_PUBLISHED = (Status.COMMITTED, Status.ROLLED_BACK)
_ENDED = changesets.c.status != Status.DRAFT

# What a changeset may not be, and how that is said.
_STATES: tuple[tuple[ColumnElement[bool], str], ...] = (
    (changesets.c.ended_at.is_not(None) != _ENDED, "when it ended does not fit that"),
    (
        changesets.c.status.in_(_PUBLISHED) != changesets.c.published_revision.is_not(None),
        "the operation of its publication does not fit that",
    ),
    (
        (changesets.c.status == Status.ROLLED_BACK) != changesets.c.rollback_revision.is_not(None),
        "the operation of its rollback does not fit that",
    ),
    (
        (changesets.c.status == Status.COMMITTED) != changesets.c.verification.is_not(None),
        "its verification does not fit that",
    ),
)
# By which operations a changeset was published and undone.
_DONE = {"published_revision": "changeset_commit", "rollback_revision": "changeset_rollback"}
# Where the rows of a draft stand, and what says that it has touched them.
_LAID: tuple[tuple[Table, Entity, str, bool], ...] = (
    *(
        (metadata.tables[f"draft_{layer.table.name}"], layer.entity, layer.column, layer.number)
        for layer in LAYERS
    ),
    (draft_completions, Entity.COMPLETION, "source_id", True),
)


def states(conn: Connection) -> Iterator[Flaw]:
    """A changeset has what its status asks for; one that ended has nothing staged any more."""
    for condition, what in _STATES:
        for row in conn.execute(select(changesets).where(condition)):
            facts = {"status": row.status, "what": what}
            yield _of_changeset("changeset_inconsistent", row, facts)
    for column, action in _DONE.items():
        done = exists().where(
            operations.c.id == changesets.c[column], operations.c.action == action
        )
        wanted = select(changesets).where(changesets.c[column].is_not(None), not_(done))
        for row in conn.execute(wanted):
            facts = {"status": row.status, "what": f"its {column} is no {action}"}
            yield _of_changeset("changeset_inconsistent", row, facts)
    for table in (staged, *(table for table, *_ in _LAID)):
        for row in _counted(conn, table, _ENDED):
            facts = {"table": table.name, "rows": row.rows}
            yield _of_changeset("changeset_leftover", row, facts)


def rows_staged(conn: Connection) -> Iterator[Flaw]:
    """A draft holds rows of what it has touched, and of nothing else."""
    for table, entity, column, is_number in _LAID:
        key = staged.c.number if is_number else staged.c.key
        touched = exists().where(
            staged.c.changeset == table.c.changeset,
            staged.c.entity == entity,
            key == table.c[column],
        )
        for row in _counted(conn, table, and_(not_(_ENDED), not_(touched))):
            facts = {"table": table.name, "rows": row.rows}
            yield _of_changeset("staged_without_entity", row, facts)


def inverses_kept(conn: Connection) -> Iterator[Flaw]:
    """What a publication replaced is kept as it was, all of it, and of publications alone."""
    rows = conn.execute(
        select(changesets, func.count(inverses.c.key).label("kept"))
        .outerjoin(inverses, inverses.c.changeset == changesets.c.id)
        .group_by(changesets.c.id)
    ).all()
    for row in rows:
        what = _inverse_flaw(conn, row)
        if what is not None:
            yield _of_changeset("inverse_damaged", row, {"what": what})


def _inverse_flaw(conn: Connection, row: Row[Any]) -> str | None:
    if row.status not in _PUBLISHED:
        return f"it is {row.status} and has something to be undone" if row.kept else None
    told = cells.loaded(row.published) if row.published is not None else {}
    moved = len(told.get("entities", ())) if isinstance(told, dict) else 0
    if row.kept != moved:
        return f"{row.kept} of {moved} entities are kept"
    try:
        stored.of_changeset(conn, row.id, name=row.name)
    except LwcError as error:
        return str(error.details.get("what", error.message))
    return None


def _counted(conn: Connection, table: Table, condition: ColumnElement[bool]) -> Sequence[Row[Any]]:
    """How many rows of a table are so, by changeset."""
    counted = (
        select(changesets.c.changeset_id, changesets.c.name, func.count().label("rows"))
        .select_from(table.join(changesets, changesets.c.id == table.c.changeset))
        .where(condition)
        .group_by(changesets.c.id)
    )
    return conn.execute(counted).all()


def _of_changeset(code: str, row: Row[Any], facts: dict[str, Any]) -> Flaw:
    facts = {"name": row.name, **facts}
    return Flaw(code=code, entity="changeset", key=row.changeset_id, facts=facts)
