"""A wiki's database asked with SQL, as operators do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lwc.domain.listing import check_part
from lwc.store import maintenance
from lwc.wiki import Answer, Wiki


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnswer(Answer):
    """The first rows of a query, each by its columns; names that occur twice are numbered."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    returned: int
    limit: int
    has_more: bool


def query(wiki: Wiki, sql: str, *, limit: int = 100) -> QueryAnswer:
    """The first rows of one statement that only reads; whatever would change something is refused.

    Bytes are written as SQLite writes them, `X'00ff'`.
    """
    check_part(limit=limit)
    with wiki.reading() as conn:
        found = maintenance.query(conn, sql, most=limit)
    return QueryAnswer(
        **wiki.label(),
        columns=found.columns,
        rows=tuple(dict(zip(found.columns, row, strict=True)) for row in found.rows),
        returned=len(found.rows),
        limit=limit,
        has_more=found.has_more,
    )
