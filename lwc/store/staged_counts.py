"""How much stands in drafts: operations by action and entities by kind, for several at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Select, func, select

from lwc.store.tables.drafts import draft_operations, staged


def actions(conn: Connection, changesets: Collection[int]) -> dict[int, dict[str, int]]:
    """How often each action stands in the journals of these drafts."""
    wanted = select(draft_operations.c.changeset, draft_operations.c.action, func.count()).where(
        draft_operations.c.changeset.in_(changesets), draft_operations.c.dropped == 0
    )
    return _grouped(conn, wanted.group_by(draft_operations.c.changeset, draft_operations.c.action))


def entities(conn: Connection, changesets: Collection[int]) -> dict[int, dict[str, int]]:
    """How many entities of each kind these drafts have touched."""
    wanted = select(staged.c.changeset, staged.c.entity, func.count()).where(
        staged.c.changeset.in_(changesets)
    )
    return _grouped(conn, wanted.group_by(staged.c.changeset, staged.c.entity))


def _grouped(conn: Connection, wanted: Select[Any]) -> dict[int, dict[str, int]]:
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for changeset, name, count in conn.execute(wanted):
        found[changeset][name] = count
    return dict(found)
