"""What the full-text indexes really hold: every word at its place, and what they count.

A table without content cannot be compared with its index by SQLite; it is read through `fts5vocab`,
which needs a name of its own for the length of the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, TextClause, text

PAGE_COLUMNS = ("title", "path", "summary", "body", "parts")
SOURCE_COLUMNS = ("title", "path", "body", "parts")


@dataclass(frozen=True, slots=True)
class Index:
    """An index with the statements that read it."""

    name: str
    columns: tuple[str, ...]
    make: TextClause
    sizes: TextClause
    totals: TextClause


INDEXES = (
    Index(
        "page_fts",
        PAGE_COLUMNS,
        text("CREATE VIRTUAL TABLE temp.lwc_words USING fts5vocab('main', 'page_fts', 'instance')"),
        text("SELECT id, sz FROM main.page_fts_docsize"),
        text("SELECT block FROM main.page_fts_data WHERE id = 1"),
    ),
    Index(
        "source_fts",
        SOURCE_COLUMNS,
        text(
            "CREATE VIRTUAL TABLE temp.lwc_words USING fts5vocab('main', 'source_fts', 'instance')"
        ),
        text("SELECT id, sz FROM main.source_fts_docsize"),
        text("SELECT block FROM main.source_fts_data WHERE id = 1"),
    ),
    Index(
        "draft_page_fts",
        PAGE_COLUMNS,
        text(
            "CREATE VIRTUAL TABLE temp.lwc_words"
            " USING fts5vocab('main', 'draft_page_fts', 'instance')"
        ),
        text("SELECT id, sz FROM main.draft_page_fts_docsize"),
        text("SELECT block FROM main.draft_page_fts_data WHERE id = 1"),
    ),
    Index(
        "draft_source_fts",
        SOURCE_COLUMNS,
        text(
            "CREATE VIRTUAL TABLE temp.lwc_words"
            " USING fts5vocab('main', 'draft_source_fts', 'instance')"
        ),
        text("SELECT id, sz FROM main.draft_source_fts_docsize"),
        text("SELECT block FROM main.draft_source_fts_data WHERE id = 1"),
    ),
)


@contextmanager
def words(conn: Connection, index: Index) -> Iterator[Iterator[tuple[bytes, int, bytes, int]]]:
    """Every word of an index: the word, its document, its column and its place there.

    Texts are bytes: there are very many of them, and damaged ones need not be UTF-8.
    """
    conn.execute(index.make)
    # Past SQLAlchemy, whose rows cost more than all that is done with them.
    raw: Any = conn.connection.driver_connection
    factory, raw.text_factory = raw.text_factory, bytes
    cursor = raw.execute("SELECT term, doc, col, offset FROM temp.lwc_words")
    try:
        yield cursor
    finally:
        cursor.close()
        raw.text_factory = factory
        conn.exec_driver_sql("DROP TABLE temp.lwc_words")


def sizes(conn: Connection, index: Index) -> dict[int, tuple[int, ...]]:
    """How many words each document has by column, as ranking counts them."""
    return {int(row.id): numbers(row.sz) for row in conn.execute(index.sizes)}


def totals(conn: Connection, index: Index) -> tuple[int, ...]:
    """How many documents there are, and how many words by column; empty for an empty index."""
    return numbers(conn.execute(index.totals).scalar())


def numbers(block: object) -> tuple[int, ...]:
    """The numbers a record of FTS5 holds: seven bits a byte, the high bit says more follow."""
    found, value = [], 0
    for byte in block if isinstance(block, bytes) else b"":
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return tuple(found)
