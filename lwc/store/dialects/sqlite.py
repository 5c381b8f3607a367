"""SQLite: how it is opened and proved ours, locked, checkpointed, and how its errors read."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    Engine,
    column,
    create_engine,
    event,
    func,
    insert,
    select,
    table,
    update,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool, QueuePool

from lwc.errors import (
    COMMIT_UNKNOWN,
    DATABASE_BUSY,
    DATABASE_ERROR,
    DATABASE_FULL,
    STORE_CORRUPT,
    STORE_NEWER,
    STORE_NOT_LWC,
    STORE_READONLY,
    STORE_READONLY_LOG,
    LwcError,
)
from lwc.filesystem import STORE_FOLDER
from lwc.store.tables import APPLICATION_ID, SCHEMA

BUSY_SECONDS = 30
RETRY_AFTER_MS = 100
# Above this many bytes of write-ahead log a commit is followed by a checkpoint.
WAL_MOST = 4 * 1024 * 1024

# What is set on every connection and then read back; a pragma that does not take is silent.
PRAGMAS: tuple[tuple[str, int], ...] = (
    ("foreign_keys", 1),
    ("synchronous", 2),  # FULL: NORMAL loses acknowledged commands at power loss
    ("trusted_schema", 0),
    ("cell_size_check", 1),
    ("recursive_triggers", 0),
    # Checkpoints run only while no writer can commit: see `checkpoint`.
    ("wal_autocheckpoint", 0),
    ("journal_size_limit", WAL_MOST // 4),
)

# How a connection that writes keeps what it may have to undo.
JOURNALS = {"rw": "wal", "scratch": "memory"}

# Where SQLite keeps the highest id that each table with counting ids ever had.
SEQUENCES = table("sqlite_sequence", column("name"), column("seq"), schema="main")


def engine(path: Path, *, mode: str = "rw", foreign_keys: bool = True) -> Engine:
    """An engine over one database file; none creates it.

    `mode` is rw, ro or immutable, or scratch for a copy that may be lost with the machine.
    """

    def connect() -> sqlite3.Connection:
        return connected(path, mode=mode, foreign_keys=foreign_keys)

    made = create_engine(
        "sqlite+pysqlite://",
        creator=connect,
        poolclass=QueuePool if foreign_keys else NullPool,
        # SQL is compiled once a process; a wiki's commands use some hundred statements.
        query_cache_size=1000,
    )

    @event.listens_for(made, "begin")
    def _(conn: Connection) -> None:
        immediate = conn.get_execution_options().get("immediate", False)
        conn.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return made


def connected(path: Path, *, mode: str, foreign_keys: bool = True) -> sqlite3.Connection:
    """A connection to a database that was proved ours, for what an engine cannot do."""
    connection = sqlite3.connect(
        uri(path, mode),
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _prove(connection, path)
        if mode in JOURNALS:
            _pragma(connection, "journal_mode", JOURNALS[mode])
        for name, value in PRAGMAS:
            _pragma(connection, name, value if foreign_keys or name != "foreign_keys" else 0)
        if mode == "scratch":
            _pragma(connection, "synchronous", 0)
        # No command of ours attaches; a hostile schema must not either.
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    except sqlite3.Error as error:
        connection.close()
        if mode == "ro" and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN:
            raise STORE_READONLY_LOG(path=path.parent.name) from error
        raise translated(error, path=path) from error
    except UnicodeDecodeError as error:
        # What SQLite says of a damaged schema holds the schema's bytes.
        connection.close()
        raise STORE_CORRUPT(what="its schema cannot be read") from error
    except BaseException:
        connection.close()
        raise
    return connection


def uri(path: Path, mode: str) -> str:
    """How SQLite is told of a file, and how to open it."""
    words = {"immutable": "immutable=1", "scratch": "mode=rw"}.get(mode, f"mode={mode}")
    # As bytes, for a folder's name need not be UTF-8.
    return f"file:{quote(os.fsencode(path))}?{words}"


def _prove(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is not an lwc wiki, before anything is set on it."""
    if _value(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise STORE_NOT_LWC(path=path.name)
    found = int(_value(connection, "PRAGMA user_version"))
    if found > int(SCHEMA):
        raise STORE_NEWER(found=found, known=int(SCHEMA))
    strangers = _value(
        connection, "SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')"
    )
    if strangers:
        raise STORE_CORRUPT(what="its schema holds triggers or views that lwc never makes")


def _pragma(connection: sqlite3.Connection, name: str, value: int | str) -> None:
    connection.execute(f"PRAGMA {name}={value}")
    found = _value(connection, f"PRAGMA {name}")
    if found != value:
        raise DATABASE_ERROR(what=f"{name} stays {found}, not {value}")


def _value(connection: sqlite3.Connection, sql: str) -> Any:
    row = connection.execute(sql).fetchone()
    return None if row is None else row[0]


def born(path: Path) -> Engine:
    """An engine that makes the file `path` (which must not exist) and marks it as ours."""
    make_private(path)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    except sqlite3.Error as error:
        raise translated(error, path=path) from error
    finally:
        connection.close()
    return engine(path, foreign_keys=False)


def make_private(path: Path) -> None:
    """Make an empty file, which must not exist, that is its owner's alone whatever the umask."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def version(conn: Connection) -> int:
    """The number of the schema the file has."""
    return int(conn.exec_driver_sql("PRAGMA user_version").scalar_one())


def mark_version(conn: Connection, number: int) -> None:
    conn.exec_driver_sql(f"PRAGMA user_version={int(number)}")


def next_id(conn: Connection, name: str) -> int:
    """An id that no row of this table ever had, taken for good; also where a draft lies over it.

    For tables whose ids count on. An insert into a view answers no id, so it is asked for before.
    """
    counted = SEQUENCES.c.name == name
    raised = conn.execute(
        update(SEQUENCES).where(counted).values(seq=SEQUENCES.c.seq + 1).returning(SEQUENCES.c.seq)
    ).scalar_one_or_none()
    if raised is not None:
        return int(raised)
    # SQLite makes the row at the first insert, and goes by the ids that stand where it is missing.
    ids = table(name, column("id"), schema="main")
    first = 1 + int(conn.execute(select(func.coalesce(func.max(ids.c.id), 0))).scalar_one())
    conn.execute(insert(SEQUENCES).values(name=name, seq=first))
    return first


def raise_sequence(conn: Connection, name: str, reached: int) -> None:
    """Let a table that counts its ids go on behind this one, unless it is further already."""
    counted = SEQUENCES.c.name == name
    found = conn.execute(select(SEQUENCES.c.seq).where(counted)).scalar_one_or_none()
    if found is None:
        conn.execute(insert(SEQUENCES).values(name=name, seq=reached))
    elif found < reached:
        conn.execute(update(SEQUENCES).where(counted).values(seq=reached))


def foreign_keys_broken(conn: Connection) -> list[tuple[Any, ...]]:
    """The rows that point nowhere; empty when all is well."""
    return [tuple(row) for row in conn.exec_driver_sql("PRAGMA foreign_key_check").fetchall()]


def checkpoint(made: Engine, path: Path) -> None:
    """Move a long write-ahead log into the database, while no writer can commit.

    SQLite before 3.51.3 can corrupt a database when a writer resets the log during a checkpoint;
    holding the write lock on one connection while another checkpoints makes that impossible.
    """
    try:
        if os.stat(f"{path}-wal").st_size <= WAL_MOST:
            return
    except FileNotFoundError:
        return
    with made.connect() as holder, made.connect() as worker:
        with holder.execution_options(immediate=True).begin():
            # Past SQLAlchemy, which would begin a transaction that a checkpoint cannot be in.
            try:
                worker.connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            except sqlite3.Error as error:
                raise translated(error, path=path) from error


def translated(
    error: sqlite3.Error | DBAPIError, *, path: Path | None = None, committing: bool = False
) -> LwcError:
    """Our problem for an engine error."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        # The details are the contract's: scripts written for it wait as long as they are told.
        wait = {"retryable": True, "retry_after_ms": RETRY_AFTER_MS}
        return DATABASE_BUSY(seconds=BUSY_SECONDS, details=wait)
    if committing:
        return COMMIT_UNKNOWN(committed="unknown")
    # Even who reads needs 32 KiB for the index of the log.
    if primary == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE:
        return DATABASE_FULL()
    if primary == sqlite3.SQLITE_READONLY:
        return STORE_READONLY(path=STORE_FOLDER)
    if primary == sqlite3.SQLITE_NOTADB:
        return STORE_NOT_LWC(path=path.name if path else "the database")
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT):
        return STORE_CORRUPT(what=str(cause))
    return DATABASE_ERROR(what=str(cause))
