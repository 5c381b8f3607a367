"""Full-text search in SQLite: rows of FTS5 written, taken out by their old words, and matched.

The tables keep no content of their own. A row can therefore be taken out only with the very terms
it was written with. Its rowid is the id of the page; of a source, which may stand in several rows
for FTS5 gathers a whole row in memory, the id with the row's number above its 32 bits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Connection, TextClause, bindparam, column, table, text

from lwc.errors import STORE_CORRUPT

SOURCE_BITS = 32

# Every row of an index has one here; what lint compares with pages and sources.
PAGE_ROWS = table("page_fts_docsize", column("id", BigInteger))
SOURCE_ROWS = table("source_fts_docsize", column("id", BigInteger))

_INSERT_PAGE = text(
    "INSERT INTO page_fts (rowid, title, path, summary, body, parts)"
    " VALUES (:id, :title, :path, :summary, :body, :parts)"
)
_DELETE_PAGE = text(
    "INSERT INTO page_fts (page_fts, rowid, title, path, summary, body, parts)"
    " VALUES ('delete', :id, :title, :path, :summary, :body, :parts)"
)
_INSERT_SOURCE = text(
    "INSERT INTO source_fts (rowid, title, path, body, parts)"
    " VALUES (:id, :title, :path, :body, :parts)"
)
_DELETE_SOURCE = text(
    "INSERT INTO source_fts (source_fts, rowid, title, path, body, parts)"
    " VALUES ('delete', :id, :title, :path, :body, :parts)"
)

# How much a place counts, by its column in their order; as written in the statements below. All
# are multiples of the step.
PAGE_WEIGHTS = {"title": 3.0, "path": 2.0, "summary": 2.0, "body": 1.0, "parts": 0.5}
SOURCE_WEIGHTS = {"title": 3.0, "path": 1.0, "body": 1.0, "parts": 0.5}
WEIGHT_STEP = 0.5

# CROSS JOIN keeps the match the outer loop.
_PAGES = text(
    "SELECT page_fts.rowid AS id, 0 AS number, bm25(page_fts, 3.0, 2.0, 2.0, 1.0, 0.5) AS score"
    " FROM page_fts WHERE page_fts MATCH :expression"
    " ORDER BY score, page_fts.rowid LIMIT :limit OFFSET :offset"
)
_PAGES_COUNT = text("SELECT count(*) FROM page_fts WHERE page_fts MATCH :expression")
_PAGES_OF_KIND = text(
    "SELECT page_fts.rowid AS id, 0 AS number, bm25(page_fts, 3.0, 2.0, 2.0, 1.0, 0.5) AS score"
    " FROM page_fts CROSS JOIN pages ON pages.id = page_fts.rowid"
    " WHERE page_fts MATCH :expression AND pages.kind IN :kinds"
    " ORDER BY score, page_fts.rowid LIMIT :limit OFFSET :offset"
).bindparams(bindparam("kinds", expanding=True))
_PAGES_OF_KIND_COUNT = text(
    "SELECT count(*) FROM page_fts CROSS JOIN pages ON pages.id = page_fts.rowid"
    " WHERE page_fts MATCH :expression AND pages.kind IN :kinds"
).bindparams(bindparam("kinds", expanding=True))

# bm25() cannot stand under min(), so the rows are found first and grouped then. A plain column
# beside min() is that of the row with the least.
_SOURCES = text(
    "WITH found AS MATERIALIZED ("
    "SELECT source_fts.rowid & 4294967295 AS id, source_fts.rowid >> 32 AS number,"
    " bm25(source_fts, 3.0, 1.0, 1.0, 0.5) AS score"
    " FROM source_fts WHERE source_fts MATCH :expression)"
    " SELECT id, number, min(score) AS score FROM found GROUP BY id"
    " ORDER BY score, id LIMIT :limit OFFSET :offset"
)
_SOURCES_COUNT = text(
    "SELECT count(DISTINCT source_fts.rowid & 4294967295) FROM source_fts"
    " WHERE source_fts MATCH :expression"
)
# A source stands back when a page of kind source that matches too cites it.
_SOURCES_UNTOLD = text(
    "WITH found AS MATERIALIZED ("
    "SELECT source_fts.rowid & 4294967295 AS id, source_fts.rowid >> 32 AS number,"
    " bm25(source_fts, 3.0, 1.0, 1.0, 0.5) AS score"
    " FROM source_fts WHERE source_fts MATCH :expression)"
    " SELECT id, number, min(score) AS score FROM found WHERE id NOT IN ("
    "SELECT page_sources.source_id FROM page_fts"
    " CROSS JOIN pages ON pages.id = page_fts.rowid AND pages.kind = 'source'"
    " CROSS JOIN page_sources ON page_sources.page_id = pages.id"
    " WHERE page_fts MATCH :expression)"
    " GROUP BY id ORDER BY score, id LIMIT :limit OFFSET :offset"
)
_SOURCES_UNTOLD_COUNT = text(
    "SELECT count(DISTINCT source_fts.rowid & 4294967295) FROM source_fts"
    " WHERE source_fts MATCH :expression AND source_fts.rowid & 4294967295 NOT IN ("
    "SELECT page_sources.source_id FROM page_fts"
    " CROSS JOIN pages ON pages.id = page_fts.rowid AND pages.kind = 'source'"
    " CROSS JOIN page_sources ON page_sources.page_id = pages.id"
    " WHERE page_fts MATCH :expression)"
)

# FTS5 walks a word's rows backwards from the newest, so the limit bounds the cost of a common word.
_NEWEST_HOLDERS = text(
    "SELECT asked.key AS number,"
    " (SELECT json_group_array(rowid) FROM"
    " (SELECT rowid FROM page_fts WHERE page_fts MATCH asked.value ORDER BY rowid DESC LIMIT :most)"
    ") AS ids FROM json_each(:expressions) AS asked"
)

_PAGE_STATISTICS = text("SELECT block FROM page_fts_data WHERE id = 1")
_SOURCE_STATISTICS = text("SELECT block FROM source_fts_data WHERE id = 1")
# Of the live index also where a draft is laid over: the statistics are of its rows.
_PAGE_ROWS_COUNT = text("SELECT count(*) FROM main.page_fts_docsize")
_SOURCE_ROWS_COUNT = text("SELECT count(*) FROM main.source_fts_docsize")


def insert_page(conn: Connection, page_id: int, terms: Mapping[str, str]) -> None:
    conn.execute(_INSERT_PAGE, {"id": page_id, **terms})


def delete_page(conn: Connection, page_id: int, terms: Mapping[str, str]) -> None:
    conn.execute(_DELETE_PAGE, {"id": page_id, **terms})


def insert_source(
    conn: Connection, source_id: int, terms: Mapping[str, str], *, number: int
) -> None:
    """Write one row of a source; the rows are numbered from 0."""
    conn.execute(_INSERT_SOURCE, {"id": number << SOURCE_BITS | source_id, **terms})


def delete_source(
    conn: Connection, source_id: int, terms: Mapping[str, str], *, number: int
) -> None:
    conn.execute(_DELETE_SOURCE, {"id": number << SOURCE_BITS | source_id, **terms})


def clear(conn: Connection) -> None:
    """Take every row out of both indexes, whatever it holds."""
    conn.exec_driver_sql("INSERT INTO page_fts (page_fts) VALUES ('delete-all')")
    conn.exec_driver_sql("INSERT INTO source_fts (source_fts) VALUES ('delete-all')")


def pages(
    conn: Connection, expression: str, *, kinds: Sequence[str], limit: int, offset: int
) -> list[tuple[int, int, float]]:
    """Ids, rows and scores of pages, the lowest score first; ties by id, so that parts fit."""
    bound: dict[str, Any] = {"expression": expression, "limit": limit, "offset": offset}
    if kinds:
        bound["kinds"] = list(kinds)
    return _scored(conn, _PAGES_OF_KIND if kinds else _PAGES, bound)


def count_pages(conn: Connection, expression: str, *, kinds: Sequence[str]) -> int:
    if kinds:
        bound = {"expression": expression, "kinds": list(kinds)}
        return int(conn.execute(_PAGES_OF_KIND_COUNT, bound).scalar_one())
    return int(conn.execute(_PAGES_COUNT, {"expression": expression}).scalar_one())


def sources(
    conn: Connection, expression: str, *, untold_only: bool, limit: int, offset: int
) -> list[tuple[int, int, float]]:
    """As `pages`; `untold_only` leaves out what a matching page of kind source tells already."""
    bound = {"expression": expression, "limit": limit, "offset": offset}
    return _scored(conn, _SOURCES_UNTOLD if untold_only else _SOURCES, bound)


def count_sources(conn: Connection, expression: str, *, untold_only: bool) -> int:
    statement = _SOURCES_UNTOLD_COUNT if untold_only else _SOURCES_COUNT
    return int(conn.execute(statement, {"expression": expression}).scalar_one())


def newest_holders(
    conn: Connection, expressions: Sequence[str], *, most: int
) -> list[tuple[int, ...]]:
    """For each expression the newest pages that match it, at most `most`."""
    bound = {"expressions": json.dumps(list(expressions)), "most": most}
    rows = conn.execute(_NEWEST_HOLDERS, bound).fetchall()
    found = {int(row.number): tuple(json.loads(row.ids)) for row in rows}
    return [found[number] for number in range(len(expressions))]


def written_twice(conn: Connection) -> dict[str, int]:
    """How many rows of each index were written while they stood there already."""
    return {
        "page": _rows_counted(conn, _PAGE_STATISTICS) - conn.execute(_PAGE_ROWS_COUNT).scalar_one(),
        "source": _rows_counted(conn, _SOURCE_STATISTICS)
        - conn.execute(_SOURCE_ROWS_COUNT).scalar_one(),
    }


def scored(cell: object) -> float:
    """A score as a row holds it; where more rows match than are counted, it is none."""
    if not isinstance(cell, float):
        raise STORE_CORRUPT(what="the search index does not count the rows it holds")
    return cell


def numbers(record: object) -> tuple[int, ...]:
    """The numbers of a record of FTS5: seven bits a byte, the high bit says more follow."""
    found, value = [], 0
    for byte in record if isinstance(record, bytes) else b"":
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return tuple(found)


def _scored(
    conn: Connection, statement: TextClause, bound: Mapping[str, Any]
) -> list[tuple[int, int, float]]:
    return [
        (int(row.id), int(row.number), scored(row.score)) for row in conn.execute(statement, bound)
    ]


def _rows_counted(conn: Connection, statistics: TextClause) -> int:
    counted = numbers(conn.execute(statistics).scalar_one_or_none())
    return counted[0] if counted else 0
