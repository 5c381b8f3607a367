"""The history of a tracked path as a draft leaves it, on top of what live has by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, select

from lwc.store.staging import Staged
from lwc.store.tables import source_paths
from lwc.store.tables.drafts import draft_source_paths

PathRow = Mapping[str, Any]


def merged(conn: Connection, changeset: int, one: Staged) -> tuple[PathRow, ...]:
    """The rows that the path will have; nothing lies over the connection.

    Live rows that came after the base stay. What the draft took away goes, and what it added comes
    behind all others, with numbers that no live row has had.
    """
    base = one.base_revision or 0
    live = _rows(conn, source_paths, one)
    kept, new = _parted(conn, changeset, one, live)
    if base and not any(row["revision"] == base for row in kept):
        # Its head went: the path was forgotten whole, and begins anew if at all.
        return tuple(new)
    stays = [*kept, *(row for row in live if row["revision"] > base)]
    return (*stays, *counted_on(new, after=max((row["revision"] for row in stays), default=0)))


def added(conn: Connection, changeset: int, one: Staged) -> tuple[PathRow, ...]:
    """The rows that the draft added to what it found."""
    _, new = _parted(conn, changeset, one, _rows(conn, source_paths, one))
    return tuple(new)


def _parted(
    conn: Connection, changeset: int, one: Staged, live: Sequence[PathRow]
) -> tuple[list[PathRow], list[PathRow]]:
    """The draft's rows: those it found at its base and kept, and those it added."""
    base = one.base_revision or 0
    drafted = _rows(conn, draft_source_paths, one, changeset=changeset)
    then = {row["revision"]: row for row in live if row["revision"] <= base}
    kept = [row for row in drafted if then.get(row["revision"]) == row]
    return kept, [row for row in drafted if row not in kept]


def counted_on(new: Sequence[PathRow], *, after: int) -> list[PathRow]:
    """The same rows in their order, numbered above `after` where they were not yet."""
    first = min((row["revision"] for row in new), default=after + 1)
    shift = max(0, after + 1 - first)
    return [{**row, "revision": row["revision"] + shift} for row in new]


def _rows(
    conn: Connection, table: Table, one: Staged, *, changeset: int | None = None
) -> list[PathRow]:
    wanted = select(*(table.c[column.name] for column in source_paths.columns)).where(
        table.c.tracked_path == one.key
    )
    if changeset is not None:
        wanted = wanted.where(table.c.changeset == changeset)
    return [dict(row._mapping) for row in conn.execute(wanted.order_by(table.c.revision))]
