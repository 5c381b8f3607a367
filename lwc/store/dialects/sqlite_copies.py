"""Whole copies of a database: taken in one step, told by what they are, and put in its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from lwc.errors import COMMIT_UNKNOWN, DATABASE_BUSY, DATABASE_FULL, STORE_CORRUPT, LwcError
from lwc.store.dialects import sqlite

A = TypeVar("A")

# Pages of one step while a copy is put in place of the live wiki: fewer than the smallest wiki
# has, for between the first step and the second the lock is held and the history is settled.
STEP = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a database file says of itself: whose it is, and at which revision and schema."""

    store_id: str
    revision: int
    schema: int


def back_up(source: Path, target: Path, *, mode: str = "rw") -> None:
    """One moment of a database as a file of its own, by the backup API in one step.

    The copy is one file without a log, readable without side files. Backups in several steps begin
    anew for ever beside a writer; copying the file of an open database would lose its locks.
    """
    sqlite.make_private(target)
    try:
        with closing(_plain(source, mode)) as from_, closing(_plain(target, "rw")) as to:
            from_.backup(to)
            to.execute("PRAGMA journal_mode=delete").fetchall()
    except sqlite3.Error as error:
        os.unlink(target)
        raise sqlite.translated(error, path=source) from error
    except BaseException:
        os.unlink(target)
        raise


def identity(path: Path) -> Identity:
    """What a closed copy says of itself; refused when it is no wiki of ours, or is damaged."""
    with closing(sqlite.connected(path, mode="immutable")) as conn:
        try:
            (schema,) = conn.execute("PRAGMA user_version").fetchone()
            ids = conn.execute("SELECT value FROM meta WHERE key = 'store_id'").fetchone()
            (last,) = conn.execute("SELECT coalesce(max(id), 0) FROM operations").fetchone()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise STORE_CORRUPT(what=str(error)) from error
    if ids is None or not isinstance(last, int) or schema == 0:
        raise STORE_CORRUPT(what="it was never finished")
    return Identity(store_id=str(ids[0]), revision=last, schema=schema)


def flaw(path: Path) -> str | None:
    """What SQLite finds wrong with the structure of a closed copy; none when it is whole."""
    with closing(sqlite.connected(path, mode="immutable")) as conn:
        try:
            said = conn.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            return str(error)
    return None if said == ("ok",) else str(said[0])


def definitions(path: Path) -> dict[str, str]:
    """How everything in a closed copy is made; blanks and quotes around names mean nothing."""
    with closing(sqlite.connected(path, mode="immutable")) as conn:
        try:
            rows = conn.execute("SELECT type || ' ' || name, sql FROM sqlite_master").fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise STORE_CORRUPT(what=str(error)) from error
    return {
        name: "".join((sql or "").replace('"', "").split())
        for name, sql in rows
        # Statistics that SQLite keeps for itself where it was asked to.
        if not name.startswith("table sqlite_stat")
    }


def replace(live: Path, candidate: Connection, *, settle: Callable[[], A]) -> A:
    """Make the live database what the candidate is, in one transaction of the live one.

    `settle` runs once the live database is locked and may change the candidate still, through this
    very connection, which is what is copied then. Whoever reads meanwhile sees the wiki before,
    whole, and who reads later the one after. When it raises, nothing is changed.
    """
    source = candidate.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    settled: list[A] = []

    def locked(status: int, remaining: int, _: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            wait = {"retryable": True, "retry_after_ms": sqlite.RETRY_AFTER_MS}
            raise DATABASE_BUSY(seconds=sqlite.BUSY_SECONDS, details=wait)
        if not settled:
            assert remaining, "a wiki has more pages than one step copies"
            settled.append(settle())

    with closing(sqlite.connected(live, mode="rw", foreign_keys=False)) as target:
        _fit(source, target)
        try:
            source.backup(target, pages=STEP, progress=locked)
        except sqlite3.Error as error:
            raise _failure(error, settled=bool(settled)) from error
    return settled[0]


def _fit(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Give the candidate pages as large as those of the live database, which cannot change."""
    (size,) = target.execute("PRAGMA page_size").fetchone()
    if source.execute("PRAGMA page_size").fetchone() == (size,):
        return
    source.execute(f"PRAGMA page_size={int(size)}")
    # What no connection of ours may do otherwise, SQLite does by itself to rewrite a file.
    source.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
    source.execute("VACUUM")
    source.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)


def _failure(error: sqlite3.Error, *, settled: bool) -> LwcError:
    told = sqlite.translated(error)
    if not settled or told.problem is DATABASE_FULL:
        # What found no room was never committed.
        return told
    return COMMIT_UNKNOWN(committed="unknown")


def _plain(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(
        sqlite.uri(path, mode), uri=True, timeout=sqlite.BUSY_SECONDS, isolation_level=None
    )
