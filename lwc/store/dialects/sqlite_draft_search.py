"""The draft's full-text search in SQLite: rows written and published, and matched beside live ones.

Its tables keep their content, so that a row can be taken out by its number alone and be published
as it is. The rowid is that of the row in `staged`; of a source the piece's number stands above.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, TextClause, bindparam, text

from lwc.domain.bm25 import Collection
from lwc.domain.changeset import Entity
from lwc.errors import STORE_CORRUPT
from lwc.store.dialects.sqlite_layers import shadowed_pages
from lwc.store.dialects.sqlite_search import (
    PAGE_WEIGHTS,
    SOURCE_BITS,
    SOURCE_WEIGHTS,
    numbers,
    scored,
)

_LOW = (1 << SOURCE_BITS) - 1
# Behind every word that begins with what stands before it.
_LAST = "\U0010ffff"

_INSERT_PAGE = text(
    "INSERT INTO draft_page_fts (rowid, title, path, summary, body, parts)"
    " VALUES (:id, :title, :path, :summary, :body, :parts)"
)
_DELETE_PAGE = text("DELETE FROM draft_page_fts WHERE rowid = :id")
_INSERT_SOURCE = text(
    "INSERT INTO draft_source_fts (rowid, title, path, body, parts)"
    " VALUES (:id, :title, :path, :body, :parts)"
)
# A source has few rows, numbered from 0 without a gap.
_SOURCE_ROW = text("SELECT 1 FROM draft_source_fts_docsize WHERE id = :id")
_DELETE_SOURCE = text("DELETE FROM draft_source_fts WHERE rowid = :id")
# The live tables keep no content: what is published is written there from here.
_PUBLISH_PAGE = text(
    "INSERT INTO page_fts (rowid, title, path, summary, body, parts)"
    " SELECT :page, title, path, summary, body, parts FROM draft_page_fts WHERE rowid = :id"
)
_PUBLISH_SOURCE = text(
    "INSERT INTO source_fts (rowid, title, path, body, parts)"
    " SELECT :source, title, path, body, parts FROM draft_source_fts WHERE rowid = :id"
)


def _statement(sql: str) -> TextClause:
    """A statement put together from the constants of this module, once, when it is imported."""
    made = text(sql)
    return made.bindparams(bindparam("kinds", expanding=True)) if ":kinds" in sql else made


class Index:
    """The live table of one index with that of the drafts beside it.

    What a draft has touched is covered in the live table: the draft's own rows speak for it, or
    none do. A row that is staged goes by the number it will have in the live table.
    """

    def __init__(self, name: str, entity: Entity, weights: Mapping[str, float]) -> None:
        self.name = name
        self._drafted = f"draft_{name}"
        self._of_draft = f"staged.changeset = :draft AND staged.entity = '{entity}'"
        # By number, and the row in `staged`; a page that is shadowed has none.
        self._touched = f"SELECT staged.number, staged.id FROM main.staged WHERE {self._of_draft}"
        if entity is Entity.PAGE:
            self._touched += f" UNION ALL SELECT id, NULL FROM ({shadowed_pages(':draft')})"
        self._covered = f"(SELECT number FROM ({self._touched}))"
        self.score = f"bm25({name}, {', '.join(map(str, weights.values()))}) AS score"
        self.row = f"({self._drafted}.rowid >> {SOURCE_BITS} << {SOURCE_BITS}) + staged.number"

        docsize = f"main.{name}_docsize"
        rows = "(SELECT value FROM json_each(:rows))"
        weighed = " ".join(f"WHEN '{column}' THEN {weight}" for column, weight in weights.items())
        self.statistics = _statement(f"SELECT block FROM main.{name}_data WHERE id = 1")
        self.covered = self._sizes(docsize, "number")
        self.staged = self._sizes(f"main.{self._drafted}_docsize", "id")
        self.lengths = _statement(f"SELECT id, sz FROM {docsize} WHERE id IN {rows}")
        self.holders = _statement(
            f"SELECT count(*), count(CASE WHEN {name}.rowid & {_LOW} IN {self._covered} THEN 1 END)"
            f" FROM main.{name} WHERE {name} MATCH :expression"
        )
        # Without the plus each row would be looked for on its own, and the holders counted anew.
        self.scores = _statement(
            f"SELECT {name}.rowid, {self.score} FROM main.{name}"
            f" WHERE {name} MATCH :expression AND +{name}.rowid IN {rows}"
        )
        self.words = _statement(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{self._drafted}_words"
            f" USING fts5vocab(main, {self._drafted}, instance)"
        )
        self.occurrences = _statement(
            f"SELECT (doc >> {SOURCE_BITS} << {SOURCE_BITS}) + staged.number,"
            f" sum(CASE col {weighed} END) FROM temp.{self._drafted}_words"
            f" CROSS JOIN main.staged ON {self._of_draft} AND staged.id = doc & {_LOW}"
            " WHERE term BETWEEN :first AND :last GROUP BY doc"
        )

    def live(self, expression: str = ":expression") -> str:
        """The live rows that match and are not covered, as what stands behind FROM."""
        return (
            f"main.{self.name} WHERE {self.name} MATCH {expression}"
            f" AND {self.name}.rowid & {_LOW} NOT IN {self._covered}"
        )

    def drafted(self, expression: str = ":expression") -> str:
        """The same of the rows that are staged."""
        # CROSS JOIN keeps the match the outer loop.
        return (
            f"main.{self._drafted} CROSS JOIN main.staged"
            f" ON {self._of_draft} AND staged.id = {self._drafted}.rowid & {_LOW}"
            f" WHERE {self._drafted} MATCH {expression}"
        )

    def _sizes(self, docsize: str, start: str) -> TextClause:
        """The sizes of all rows that a draft has touched: those of a source follow one another."""
        step = 1 << SOURCE_BITS
        return _statement(
            "WITH RECURSIVE piece (row, at) AS ("
            f"SELECT number, {start} FROM ({self._touched})"
            f" UNION ALL SELECT piece.row + {step}, piece.at + {step} FROM piece"
            f" WHERE EXISTS (SELECT 1 FROM {docsize} WHERE id = piece.at))"
            f" SELECT piece.row, size.sz FROM piece CROSS JOIN {docsize} AS size"
            " ON size.id = piece.at"
        )


class Selection:
    """The documents of an index that a search lets through: conditions on live and staged rows."""

    def __init__(self, index: Index, live: str = "", staged: str = "") -> None:
        self.index = index
        self.count = _statement(
            f"SELECT (SELECT count(DISTINCT {index.name}.rowid & {_LOW}) FROM {index.live()}{live})"
            f" + (SELECT count(DISTINCT staged.number) FROM {index.drafted()}{staged})"
        )
        self.best = _statement(
            f"SELECT {index.name}.rowid, {index.score} FROM {index.live()}{live}"
            f" ORDER BY score, {index.name}.rowid LIMIT :most"
        )
        self.staged = _statement(f"SELECT {index.row} FROM {index.drafted()}{staged}")


_PAGES = Index("page_fts", Entity.PAGE, PAGE_WEIGHTS)
_SOURCES = Index("source_fts", Entity.SOURCE, SOURCE_WEIGHTS)
# What matching pages of kind source cite; a page that is not covered is as it is live.
_TOLD = (
    "SELECT source_id FROM main.page_sources WHERE page_id IN ("
    f"SELECT page_fts.rowid FROM {_PAGES.live()} AND EXISTS ("
    "SELECT 1 FROM main.pages WHERE pages.id = page_fts.rowid AND pages.kind = 'source'))"
    " UNION ALL SELECT source_id FROM main.draft_page_sources WHERE changeset = :draft"
    f" AND page_id IN (SELECT staged.number FROM {_PAGES.drafted()} AND EXISTS ("
    "SELECT 1 FROM main.draft_pages WHERE draft_pages.changeset = :draft"
    " AND draft_pages.id = staged.number AND draft_pages.kind = 'source'))"
)
PAGES = Selection(_PAGES)
PAGES_OF_KIND = Selection(
    _PAGES,
    live=" AND EXISTS (SELECT 1 FROM main.pages"
    " WHERE pages.id = page_fts.rowid AND pages.kind IN :kinds)",
    staged=" AND EXISTS (SELECT 1 FROM main.draft_pages WHERE draft_pages.changeset = :draft"
    " AND draft_pages.id = staged.number AND draft_pages.kind IN :kinds)",
)
SOURCES = Selection(_SOURCES)
SOURCES_UNTOLD = Selection(
    _SOURCES,
    live=f" AND source_fts.rowid & {_LOW} NOT IN ({_TOLD})",
    staged=f" AND staged.number NOT IN ({_TOLD})",
)
_NEWEST_HOLDERS = _statement(
    "SELECT asked.key AS number, (SELECT json_group_array(row) FROM (SELECT row FROM ("
    f"SELECT row FROM (SELECT page_fts.rowid AS row FROM {_PAGES.live('asked.value')}"
    " ORDER BY page_fts.rowid DESC LIMIT :most)"
    f" UNION ALL SELECT {_PAGES.row} AS row FROM {_PAGES.drafted('asked.value')})"
    " ORDER BY row DESC LIMIT :most)) AS ids FROM json_each(:expressions) AS asked"
)


def insert_page(conn: Connection, row: int, terms: Mapping[str, str]) -> None:
    conn.execute(_INSERT_PAGE, {"id": row, **terms})


def delete_page(conn: Connection, row: int) -> None:
    conn.execute(_DELETE_PAGE, {"id": row})


def insert_source(conn: Connection, row: int, terms: Mapping[str, str], *, number: int) -> None:
    conn.execute(_INSERT_SOURCE, {"id": number << SOURCE_BITS | row, **terms})


def delete_source(conn: Connection, row: int) -> None:
    for id_ in _pieces(conn, row):
        conn.execute(_DELETE_SOURCE, {"id": id_})


def publish_page(conn: Connection, row: int, page_id: int) -> None:
    """Make the live index find a page as the draft's index did."""
    conn.execute(_PUBLISH_PAGE, {"id": row, "page": page_id})


def publish_source(conn: Connection, row: int, source_id: int) -> None:
    """Make the live index find a source as the draft's index did."""
    for number, id_ in enumerate(_pieces(conn, row)):
        conn.execute(_PUBLISH_SOURCE, {"id": id_, "source": number << SOURCE_BITS | source_id})


def count(conn: Connection, selection: Selection, bound: Mapping[str, Any]) -> int:
    """How many documents match in a draft."""
    return int(conn.execute(selection.count, bound).scalar_one())


def best(
    conn: Connection, selection: Selection, bound: Mapping[str, Any], *, most: int
) -> list[tuple[int, float]]:
    """The live rows that the draft does not cover, with their scores as live, the best first."""
    found = conn.execute(selection.best, {**bound, "most": most})
    return [(int(row), scored(score)) for row, score in found]


def staged(conn: Connection, selection: Selection, bound: Mapping[str, Any]) -> list[int]:
    """The staged rows that match."""
    return [int(row) for row in conn.execute(selection.staged, bound).scalars()]


def collections(
    conn: Connection, index: Index, draft: int
) -> tuple[Collection, Collection, dict[int, int]]:
    """All that is live, all that will be, and the tokens of each row that is staged."""
    counted = numbers(conn.execute(index.statistics).scalar_one_or_none())
    before = Collection(rows=sum(counted[:1]), tokens=sum(counted[1:]))
    gone = _tokens(conn.execute(index.covered, {"draft": draft}))
    come = _tokens(conn.execute(index.staged, {"draft": draft}))
    after = Collection(
        rows=before.rows - len(gone) + len(come),
        tokens=before.tokens - sum(gone.values()) + sum(come.values()),
    )
    return before, after, come


def holders(conn: Connection, index: Index, draft: int, expression: str) -> tuple[int, int]:
    """How many live rows match, and how many of them the draft covers."""
    found = conn.execute(index.holders, {"draft": draft, "expression": expression}).one()
    return int(found[0]), int(found[1])


def occurrences(
    conn: Connection, index: Index, draft: int, term: str, *, begins: bool
) -> dict[int, float]:
    """How often a term, or all that it begins, stands in each staged row that holds it.

    Each place counts by the weight of its column.
    """
    conn.execute(index.words)
    last = term + _LAST if begins else term
    found = conn.execute(index.occurrences, {"draft": draft, "first": term, "last": last})
    return {int(row): float(often) for row, often in found}


def scores(
    conn: Connection, index: Index, rows: Sequence[int], expression: str
) -> dict[int, float]:
    """Those of these live rows that match, with their scores as live."""
    bound = {"rows": json.dumps(rows), "expression": expression}
    return {int(row): scored(score) for row, score in conn.execute(index.scores, bound)}


def lengths(conn: Connection, index: Index, rows: Sequence[int]) -> dict[int, int]:
    """The tokens of these live rows."""
    found = _tokens(conn.execute(index.lengths, {"rows": json.dumps(rows)}))
    if len(found) < len(rows):
        raise STORE_CORRUPT(what=f"{index.name} lacks the lengths of what it holds")
    return found


def newest_holders(
    conn: Connection, draft: int, expressions: Sequence[str], *, most: int
) -> list[tuple[int, ...]]:
    """For each expression the newest pages that match it in a draft, at most `most`."""
    bound = {"draft": draft, "expressions": json.dumps(list(expressions)), "most": most}
    rows = conn.execute(_NEWEST_HOLDERS, bound).all()
    found = {int(row.number): tuple(json.loads(row.ids)) for row in rows}
    return [found[number] for number in range(len(expressions))]


def _tokens(rows: Iterable[Any]) -> dict[int, int]:
    """By row how many tokens its columns hold together."""
    return {int(row): sum(numbers(sizes)) for row, sizes in rows}


def _pieces(conn: Connection, row: int) -> list[int]:
    found: list[int] = []
    while conn.execute(_SOURCE_ROW, {"id": len(found) << SOURCE_BITS | row}).first() is not None:
        found.append(len(found) << SOURCE_BITS | row)
    return found


def clear(conn: Connection) -> None:
    """Take every row out of the indexes of all drafts."""
    conn.exec_driver_sql("DELETE FROM draft_page_fts")
    conn.exec_driver_sql("DELETE FROM draft_source_fts")
