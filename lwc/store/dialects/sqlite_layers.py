"""A draft laid over the live tables in SQLite: views of the same names, and triggers that stage.

A name is looked for in the temporary schema first, so the same statements read live or draft. What
a statement writes through such a view goes to the draft's own rows; the entity must have been
touched before (`lwc.store.staging`), or the write is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import Connection, MetaData, Table

from lwc.domain.changeset import Entity
from lwc.store.dialects.sqlite_search import SOURCE_BITS
from lwc.store.tables import (
    aliases,
    charter,
    checks,
    citations,
    jobs,
    links,
    operations,
    page_notes,
    page_provenance,
    page_revisions,
    page_sources,
    pages,
    source_paths,
    sources,
)

_LOW = (1 << SOURCE_BITS) - 1


@dataclass(frozen=True, slots=True)
class Layer:
    """A table that drafts lie over: whose rows they are, and the column that says of which.

    Of a `history` only what live wrote after the base is covered. `number` tells keys that are
    ids from those that are names.
    """

    table: Table
    entity: Entity
    column: str
    history: bool = False
    number: bool = True


PAGE_TABLES = (pages, page_sources, page_provenance, links, citations, page_notes, aliases)

LAYERS: tuple[Layer, ...] = (
    Layer(pages, Entity.PAGE, "id"),
    *(Layer(table, Entity.PAGE, "page_id") for table in PAGE_TABLES if table is not pages),
    Layer(page_revisions, Entity.PAGE, "page_id", history=True),
    Layer(sources, Entity.SOURCE, "id"),
    Layer(source_paths, Entity.PATH, "tracked_path", number=False),
    Layer(charter, Entity.CHARTER, "name", history=True, number=False),
    Layer(checks, Entity.CHECK, "id"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laying:
    """One laying: of which draft, behind which live entry, and the live pages it shadows."""

    draft: int
    live_end: int
    shadowed: tuple[int, ...]


def shadowed_pages(draft: str) -> str:
    """The query for live pages whose name a page of the draft bears, or bore.

    Who made a page of that name live did not touch the draft's; in the draft the name is its own.
    It cannot be published so.
    """
    taken = (
        f'SELECT "key" FROM main.draft_pages WHERE changeset = {draft}'
        f' UNION ALL SELECT "key" FROM main.draft_aliases WHERE changeset = {draft}'
    )
    return (
        f'SELECT taker.id FROM main.pages AS taker WHERE taker."key" IN ({taken})'
        f" AND NOT EXISTS (SELECT 1 FROM main.staged WHERE staged.changeset = {draft}"
        " AND staged.entity = 'page' AND staged.number = taker.id)"
    )


def lay(conn: Connection, draft: int, *, live_end: int, reading: bool) -> None:
    """Lay a draft over this connection until `lift`, or until its transaction is rolled back.

    `live_end` is the end of the live journal; what the draft did stands behind it. Only who reads
    sees jobs as the draft will complete them, and the draft's journal: a writer claims live jobs.
    """
    shadowed = tuple(int(row[0]) for row in conn.exec_driver_sql(shadowed_pages(str(int(draft)))))
    laying = _Laying(draft=int(draft), live_end=int(live_end), shadowed=shadowed)
    for statement in _statements(laying, reading=reading):
        conn.exec_driver_sql(statement)


def lift(conn: Connection, *, reading: bool) -> None:
    """Take the draft off the connection again."""
    for name in _names(reading=reading):
        conn.exec_driver_sql(f"DROP VIEW IF EXISTS temp.{name}")


@cache
def beneath(table: Table) -> Table:
    """The live table itself, whatever is laid over it."""
    return table.to_metadata(MetaData(), schema="main")


def copy_page(conn: Connection, draft: int, page_id: int) -> None:
    """Stage the rows of a live page as the draft sees them; its revisions stay where they are."""
    for table in PAGE_TABLES:
        column = "id" if table is pages else "page_id"
        given_away = _given_away("live", int(draft)) if table is aliases else ""
        _copy(conn, table, f"{column} = :key{given_away}", draft, page_id)


def copy_row(conn: Connection, layer: Layer, draft: int, key: int | str) -> None:
    """Stage the live rows of a key of a table."""
    _copy(conn, layer.table, f"{layer.column} = :key", draft, key)


def _copy(conn: Connection, table: Table, where: str, draft: int, key: int | str) -> None:
    columns = _listed(_columns(table))
    where = where.replace(":key", "?")
    conn.exec_driver_sql(
        f"INSERT INTO main.draft_{table.name} (changeset, {columns})"
        f" SELECT ?, {columns} FROM main.{table.name} AS live WHERE {where}",
        (draft, key),
    )


def _names(*, reading: bool) -> Iterator[str]:
    yield from (layer.table.name for layer in LAYERS)
    if reading:
        yield from (jobs.name, operations.name, "page_fts_docsize", "source_fts_docsize")


def _statements(laying: _Laying, *, reading: bool) -> Iterator[str]:
    for layer in LAYERS:
        yield _view(layer, laying)
        if not reading:
            yield from _triggers(layer, laying.draft, laying.live_end)
    if reading:
        yield _jobs(laying.draft)
        yield _operations(laying.draft, laying.live_end)
        yield from _index_rows(laying)


def _view(layer: Layer, laying: _Laying) -> str:
    name, draft = layer.table.name, laying.draft
    columns = _columns(layer.table)
    staged = [
        f'"{column}" + {laying.live_end}' if column == "operation_id" else f'"{column}"'
        for column in columns
    ]
    return (
        f"CREATE TEMP VIEW {name} ({_listed(columns)}) AS"
        f" SELECT {_listed(columns)} FROM main.{name} AS live WHERE NOT EXISTS ("
        f"SELECT 1 FROM main.staged WHERE {_covers(layer, draft)}){_shadow(layer, laying)}"
        f" UNION ALL SELECT {', '.join(staged)} FROM main.draft_{name} WHERE changeset = {draft}"
    )


def _shadow(layer: Layer, laying: _Laying) -> str:
    """Pages whose name the draft has given away are not seen; their history is, as that of all."""
    if layer.entity is not Entity.PAGE or layer.history:
        return ""
    # Of a page that only bore such a name earlier, the page is seen and that name of it is not.
    given_away = _given_away("live", laying.draft) if layer.table is aliases else ""
    return _outside(f"live.{layer.column}", laying) + given_away


def _given_away(row: str, draft: int) -> str:
    """That no page of the draft bears, or bore, the name of a row."""
    return "".join(
        f" AND NOT EXISTS (SELECT 1 FROM main.{bearer} AS bearer"
        f' WHERE bearer.changeset = {draft} AND bearer."key" = {row}."key")'
        for bearer in ("draft_pages", "draft_aliases")
    )


def _outside(number: str, laying: _Laying) -> str:
    if not laying.shadowed:
        return ""
    return f" AND {number} NOT IN ({', '.join(map(str, laying.shadowed))})"


def _covers(layer: Layer, draft: int) -> str:
    key = "number" if layer.number else "key"
    later = " AND live.revision > staged.base_revision" if layer.history else ""
    return (
        f"staged.changeset = {draft} AND staged.entity = '{layer.entity}'"
        f" AND staged.{key} = live.{layer.column}{later}"
    )


def _triggers(layer: Layer, draft: int, live_end: int) -> Iterator[str]:
    name = layer.table.name
    columns = _columns(layer.table)
    values = ", ".join(_staged_value(column, live_end) for column in columns)
    yield (
        f"CREATE TEMP TRIGGER {name}_insert INSTEAD OF INSERT ON {name} BEGIN"
        f" {_touched(layer, draft, 'NEW')};"
        f" INSERT INTO draft_{name} (changeset, {_listed(columns)}) VALUES ({draft}, {values}); END"
    )
    keys = [column.name for column in layer.table.primary_key.columns]
    key = " AND ".join(f'"{column}" = OLD."{column}"' for column in keys)
    settings = ", ".join(f'"{column}" = {_staged_value(column, live_end)}' for column in columns)
    yield (
        f"CREATE TEMP TRIGGER {name}_update INSTEAD OF UPDATE ON {name} BEGIN"
        f" {_touched(layer, draft, 'OLD')};"
        f" UPDATE draft_{name} SET {settings} WHERE changeset = {draft} AND {key}; END"
    )
    yield (
        f"CREATE TEMP TRIGGER {name}_delete INSTEAD OF DELETE ON {name} BEGIN"
        f" {_touched(layer, draft, 'OLD')};"
        f" DELETE FROM draft_{name} WHERE changeset = {draft} AND {key}; END"
    )


def _staged_value(column: str, live_end: int) -> str:
    if column == "touched":
        # Later than every claim until now, and not later than the claims to come.
        return f'min(NEW."touched", {live_end + 1})'
    if column == "operation_id":
        return f'NEW."operation_id" - {live_end}'
    return f'NEW."{column}"'


def _touched(layer: Layer, draft: int, row: str) -> str:
    key = "number" if layer.number else "key"
    return (
        f"SELECT RAISE(ABORT, 'a draft wrote a {layer.entity} it had not touched')"
        f" WHERE NOT EXISTS (SELECT 1 FROM staged WHERE changeset = {draft}"
        f" AND entity = '{layer.entity}' AND {key} = {row}.{layer.column})"
    )


def _jobs(draft: int) -> str:
    """Jobs as the draft will leave them: what it completes is completed."""
    nulled = {"agent", "token_hash", "lease_until", "failure"}
    taken = {"no_derived_pages_reason", "unread_reason", "evidence"}
    columns = _columns(jobs)
    shown = []
    for column in columns:
        if column == "state":
            shown.append("CASE WHEN done.source_id IS NULL THEN live.state ELSE 'completed' END")
        elif column in nulled:
            shown.append(f'CASE WHEN done.source_id IS NULL THEN live."{column}" END')
        elif column == "updated_at":
            shown.append(
                "CASE WHEN done.source_id IS NULL THEN live.updated_at ELSE done.staged_at END"
            )
        elif column in taken:
            shown.append(
                f'CASE WHEN done.source_id IS NULL THEN live."{column}" ELSE done."{column}" END'
            )
        else:
            shown.append(f'live."{column}"')
    return (
        f"CREATE TEMP VIEW jobs ({_listed(columns)}) AS SELECT {', '.join(shown)}"
        " FROM main.jobs AS live LEFT JOIN main.draft_completions AS done"
        f" ON done.changeset = {draft} AND done.source_id = live.source_id"
        " AND done.attempt = live.attempt"
    )


def _operations(draft: int, live_end: int) -> str:
    columns = _columns(operations)
    staged = [f"sequence + {live_end}" if column == "id" else f'"{column}"' for column in columns]
    return (
        f"CREATE TEMP VIEW operations ({_listed(columns)}) AS"
        f" SELECT {_listed(columns)} FROM main.operations"
        f" UNION ALL SELECT {', '.join(staged)} FROM main.draft_{operations.name}"
        f" WHERE changeset = {draft} AND dropped = 0"
    )


def _index_rows(laying: _Laying) -> Iterator[str]:
    """Which documents the draft's search finds, as lint asks for them."""
    draft = laying.draft
    yield (
        "CREATE TEMP VIEW page_fts_docsize (id) AS"
        " SELECT id FROM main.page_fts_docsize AS live WHERE NOT EXISTS ("
        f"SELECT 1 FROM main.staged WHERE changeset = {draft} AND entity = 'page'"
        f" AND number = live.id){_outside('live.id', laying)}"
        " UNION ALL SELECT staged.number FROM main.staged"
        " CROSS JOIN main.draft_page_fts_docsize AS found ON found.id = staged.id"
        f" WHERE staged.changeset = {draft} AND staged.entity = 'page'"
    )
    yield (
        "CREATE TEMP VIEW source_fts_docsize (id) AS"
        " SELECT id FROM main.source_fts_docsize AS live WHERE NOT EXISTS ("
        f"SELECT 1 FROM main.staged WHERE changeset = {draft} AND entity = 'source'"
        f" AND number = live.id & {_LOW})"
        " UNION ALL SELECT staged.number FROM main.staged"
        " CROSS JOIN main.draft_source_fts_docsize AS found ON found.id = staged.id"
        f" WHERE staged.changeset = {draft} AND staged.entity = 'source'"
    )


def _columns(table: Table) -> Sequence[str]:
    return table.columns.keys()


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)
