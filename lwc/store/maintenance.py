"""SQLite met as SQLite, for operators: SQL that only reads."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlite_utils import Database
from sqlite_utils.utils import dedupe_keys

from lwc.errors import QUERY_REFUSED, QUERY_TOO_SLOW, LwcError
from lwc.store.dialects import sqlite

QUERY_SECONDS = 2
# What one value, and what one answer, may hold.
VALUE_MOST = 64 * 1024 * 1024
ANSWER_MOST = 16 * 1024 * 1024
INSTRUCTIONS_BETWEEN_LOOKS = 10_000

_READING = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
)
_TELLING = frozenset(
    (
        *("application_id", "collation_list", "compile_options", "data_version", "database_list"),
        *("encoding", "freelist_count", "function_list", "journal_mode", "module_list"),
        *("page_count", "page_size", "pragma_list", "user_version"),
    )
)
# These take the name of a table or an index, or a number of lines; the others above would be set.
_TELLING_OF = frozenset(
    (
        *("foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo"),
        *("integrity_check", "quick_check", "table_info", "table_list", "table_xinfo"),
    )
)
# The words of engine errors that are about the wiki and not about what was asked.
_OF_THE_STORE = frozenset(
    (
        *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CORRUPT),
        *(sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What a query answered, as far as it was asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    has_more: bool


def query(conn: Connection, sql: str, *, most: int, seconds: float = QUERY_SECONDS) -> Rows:
    """The first rows of one statement that only reads.

    Whatever would write, attach or set something is refused before it runs, by SQLite itself.
    """
    database = _database(conn)
    with _only_reading(database.conn, seconds=seconds):
        try:
            cursor = database.execute(sql)
            if cursor.description is None:
                raise QUERY_REFUSED(what="it answers no rows")
            columns = dedupe_keys(column[0] for column in cursor.description)
            return _fetched(cursor, tuple(columns), most=most)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise _refusal(error, seconds=seconds) from error


def _database(conn: Connection) -> Database:
    """Our own connection, as sqlite-utils sees it; it opens none and changes nothing on it."""
    raw: sqlite3.Connection = conn.connection.driver_connection  # type: ignore[assignment]
    return Database(raw, execute_plugins=False, recursive_triggers=False)


@contextmanager
def _only_reading(raw: sqlite3.Connection, *, seconds: float) -> Iterator[None]:
    """Nothing can be written in the block, no statement runs long, no value is huge."""
    deadline = time.monotonic() + seconds
    longest = raw.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
    raw.execute("PRAGMA query_only=1")
    raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_MOST)
    raw.set_progress_handler(lambda: time.monotonic() > deadline, INSTRUCTIONS_BETWEEN_LOOKS)
    raw.text_factory = _text
    raw.set_authorizer(_authorized)
    try:
        yield
    finally:
        raw.set_authorizer(None)
        raw.text_factory = str
        raw.set_progress_handler(None, 0)
        raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        raw.execute("PRAGMA query_only=0")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _authorized(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """SQLite asks this of all that a statement would do, before it does any of it."""
    if action in _READING:
        return sqlite3.SQLITE_OK
    if (action, first) == (sqlite3.SQLITE_UPDATE, "sqlite_master"):
        # What a virtual table asks when it declares itself. Really written it cannot be: SQLite
        # keeps it from everybody, and the connection only reads.
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and first is not None:
        name = first.lower()
        if name in _TELLING_OF or (name in _TELLING and second is None):
            return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _fetched(cursor: sqlite3.Cursor, columns: tuple[str, ...], *, most: int) -> Rows:
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in cursor:
        if len(rows) == most or size > ANSWER_MOST:
            cursor.close()
            return Rows(columns=columns, rows=tuple(rows), has_more=True)
        rows.append(tuple(map(_plain, row)))
        size += sum(len(value) for value in rows[-1] if isinstance(value, str))
    return Rows(columns=columns, rows=tuple(rows), has_more=False)


def _plain(value: Any) -> Any:
    """A value as JSON can hold it; bytes, and numbers without end, as SQLite itself writes them."""
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "Inf" if value > 0 else "-Inf"
    return value


def _refusal(error: sqlite3.Error | sqlite3.Warning, *, seconds: float) -> LwcError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return QUERY_TOO_SLOW(seconds=seconds)
    if isinstance(error, sqlite3.Error) and code in _OF_THE_STORE:
        return sqlite.translated(error)
    return QUERY_REFUSED(what=str(error).rstrip("."))
