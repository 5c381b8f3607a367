"""A wiki's database as an operator looks at it: asked with SQL, and examined for damage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lwc.domain.listing import check_part
from lwc.store import journal, maintenance
from lwc.store.maintenance import Damage
from lwc.wiki import Answer, Wiki

# A damaged text or file cannot be mended, only put back; a search index is made anew.
_HELP = {
    "search_index_missing": "lwc maintenance reindex",
    "search_index_orphan": "lwc maintenance reindex",
}
_RESTORE = "restore the wiki from a backup"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryAnswer(Answer):
    """The first rows of a query, each by its columns; names that occur twice are numbered."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    returned: int
    limit: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageFound:
    """Something that is not as it was kept, and what helps."""

    code: str
    place: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined(Answer):
    """What is damaged, and how many rows were there to be looked at; `sound` when nothing is."""

    revision: int
    sound: bool
    findings: tuple[DamageFound, ...]
    rows: Mapping[str, int]
    limit: int
    offset: int
    total: int
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


def examine(wiki: Wiki, *, limit: int = 100, offset: int = 0) -> Examined:
    """Whether everything is as it was kept: the file, its references, its index, every text.

    Damage is an answer, not a refusal, as long as the database can be opened.
    """
    check_part(limit=limit, offset=offset)
    with wiki.reading() as conn:
        found = tuple(maintenance.damages(conn))
        shown = found[offset : offset + limit]
        return Examined(
            **wiki.label(),
            revision=journal.revision(conn),
            sound=not found,
            findings=tuple(map(_told, shown)),
            rows=maintenance.counts(conn),
            limit=limit,
            offset=offset,
            total=len(found),
            has_more=offset + len(shown) < len(found),
        )


def _told(damage: Damage) -> DamageFound:
    return DamageFound(
        code=damage.code,
        place=damage.place,
        message=f"{damage.place}: {damage.what}",
        hint=_HELP.get(damage.code, _RESTORE),
    )
