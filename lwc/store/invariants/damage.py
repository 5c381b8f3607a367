"""Whether the database is whole: its pages, its schema, its references, and what cells hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, func, not_, or_, select

from lwc.domain.doctor import Flaw
from lwc.store import meta, tables
from lwc.store.dialects import sqlite, sqlite_schema
from lwc.store.tables import SCHEMA, metadata
from lwc.store.tables import drafts as drafted

# Lines that SQLite's own check prints before it gives up.
DAMAGE_MOST = 100

_STAMP = (
    "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]Z"
)
_JSON: tuple[ColumnElement[str], ...] = (
    tables.operations.c.detail,
    tables.requests.c.answer,
    *(
        table.c[name]
        for table in (tables.page_revisions, drafted.draft_page_revisions)
        for name in ("source_ids", "named_ids", "provenance")
    ),
    tables.jobs.c.evidence,
    tables.checks.c.paraphrases,
    drafted.draft_checks.c.paraphrases,
    tables.check_results.c.places,
    drafted.changesets.c.published,
    drafted.changesets.c.verified,
    drafted.draft_operations.c.detail,
    drafted.draft_completions.c.evidence,
    drafted.inverses.c.before,
)
# Ids that are given once for ever stand in these columns too.
_ALSO_GIVEN: dict[str, tuple[ColumnElement[int], ...]] = {
    "pages": (tables.page_revisions.c.page_id,),
    "source_ids": (tables.jobs.c.source_id,),
}


def engine(conn: Connection) -> Iterator[Flaw]:
    """What SQLite finds wrong with the file."""
    for said in sqlite_schema.integrity(conn, most=DAMAGE_MOST):
        yield Flaw(code="database_damaged", entity="database", key="wiki.db", facts={"what": said})


def schema(conn: Connection) -> Iterator[Flaw]:
    """Tables, columns and indexes that are not there, or that lwc does not know."""
    there = sqlite_schema.columns(conn)
    for table in metadata.sorted_tables:
        if table.name not in there:
            yield _differs("table", table.name, "is not there")
            continue
        for column in sorted(there[table.name] ^ set(table.columns.keys())):
            known = column in table.columns
            what = "is not there" if known else "is not known to it"
            yield _differs("column", f"{table.name}.{column}", what)
    for name in sorted((there.keys() ^ sqlite_schema.BESIDES) - set(metadata.tables)):
        yield _differs("table", name, "is not known to it" if name in there else "is not there")
    indexes = {str(index.name) for table in metadata.sorted_tables for index in table.indexes}
    for name in sorted(indexes - sqlite_schema.indexes(conn)):
        yield _differs("index", name, "is not there")


def _differs(entity: str, key: str, what: str) -> Flaw:
    return Flaw(code="schema_differs", entity=entity, key=key, facts={"what": what})


def references(conn: Connection) -> Iterator[Flaw]:
    """Rows that point nowhere."""
    for table, rowid, parent, _ in sqlite.foreign_keys_broken(conn):
        key = f"{table} row {rowid}" if rowid is not None else table
        yield Flaw(code="reference_broken", entity=table, key=key, facts={"parent": parent})


def identity(conn: Connection) -> Iterator[Flaw]:
    """The wiki's own name, and the two places that say which schema it has."""
    name = meta.value(conn, "store_id")
    if name is None or len(name) != 64 or set(name) - set("0123456789abcdef"):
        yield _unnamed("its store id is missing or damaged")
    found, marked = sqlite_schema.revision(conn), sqlite.version(conn)
    if found != SCHEMA or marked != int(SCHEMA):
        yield _unnamed(f"its schema is {found} in one place and {marked} in another")


def _unnamed(what: str) -> Flaw:
    return Flaw(code="identity_wrong", entity="database", key="wiki.db", facts={"what": what})


def cells(conn: Connection) -> Iterator[Flaw]:
    """Times, digests and JSON that are none; counted by column."""
    for table in metadata.sorted_tables:
        wrong = [(column, wanted, not_(right)) for column, wanted, right in _wanted(table)]
        if not wrong:
            continue
        counts = conn.execute(
            select(*(func.count().filter(condition) for _, _, condition in wrong)).select_from(
                table
            )
        ).one()
        for (column, wanted, _), count in zip(wrong, counts, strict=True):
            if count:
                yield Flaw(
                    code="cell_malformed",
                    entity=table.name,
                    key=f"{table.name}.{column}",
                    facts={"wanted": wanted, "rows": count},
                )


def _wanted(table: Table) -> Iterator[tuple[str, str, ColumnElement[bool]]]:
    """The columns of a table that hold more than any text, and when a cell of them is right."""
    json: Sequence[Any] = _JSON
    for column in table.columns:
        name = column.name
        if name.endswith("_at") or name == "lease_until":
            real = func.julianday(column).is_not(None)
            yield name, "a time", or_(column.is_(None), and_(column.bool_op("GLOB")(_STAMP), real))
        elif column is tables.projected.c.digest:
            continue  # while a file is being written it may hold one of two
        elif name.endswith(("digest", "checksum", "token_hash")):
            hexadecimal = not_(column.bool_op("GLOB")("*[^0-9a-f]*"))
            yield name, "a digest", and_(func.length(column) == 64, hexadecimal)
        elif any(column is one for one in json):
            # Older SQLite says of nothing that it is no JSON.
            yield name, "JSON", or_(column.is_(None), func.json_valid(column) == 1)


def sequences(conn: Connection) -> Iterator[Flaw]:
    """Counters that stand below an id that was given: it could be given again."""
    counters = {
        row.name: row.seq for row in conn.execute(select(sqlite.SEQUENCES)) if row.name is not None
    }
    for table in metadata.sorted_tables:
        if not table.dialect_options["sqlite"]["autoincrement"]:
            continue
        given = (table.c.id, *_ALSO_GIVEN.get(table.name, ()))
        highest = max(conn.execute(select(func.max(column))).scalar() or 0 for column in given)
        counter = counters.get(table.name, 0)
        if counter < highest:
            yield Flaw(
                code="sequence_behind",
                entity="counter",
                key=table.name,
                facts={"counter": counter, "highest": highest},
            )
