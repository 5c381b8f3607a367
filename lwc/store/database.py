"""One database: reading and writing transactions, and engine errors as ours."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection as Connection
from sqlalchemy import Engine, RootTransaction
from sqlalchemy.exc import DBAPIError

from lwc.errors import STORE_READONLY, UNSAFE_CHARACTERS, LwcError
from lwc.filesystem import EFFECTIVE_RIGHTS
from lwc.store.dialects import sqlite


class Database:
    """The wiki's database. Every writing command is one `writing()`, which commits when left."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mode = _mode(path)
        self._engine: Engine = sqlite.engine(path, mode=self.mode)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one moment and ends soon: an open one holds up checkpoints."""
        with self._errors(), self._engine.connect() as conn:
            transaction = conn.begin()
            try:
                yield conn
            finally:
                # Nothing was written, and in a damaged file COMMIT fails after all was read.
                with suppress(DBAPIError):
                    transaction.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """BEGIN IMMEDIATE … COMMIT; rolled back when the block raises.

        An error of COMMIT itself is raised with `committed: "unknown"`.
        """
        if self.mode != "rw":
            raise STORE_READONLY(path=self.path.parent.name)
        with self._errors(), self._engine.connect() as plain:
            conn = plain.execution_options(immediate=True)
            transaction = _begin(conn)
            try:
                yield conn
            except BaseException:
                # SQLITE_FULL and its like have already ended the transaction inside the engine.
                with suppress(DBAPIError):
                    transaction.rollback()
                raise
            try:
                transaction.commit()
            except DBAPIError as error:
                # The transaction may be open still, and with it the lock: closing ends both.
                plain.invalidate()
                raise sqlite.translated(error, committing=True) from error
        self.shorten_log()

    def shorten_log(self) -> None:
        """After a commit, which stands whether or not the log could be shortened."""
        with suppress(LwcError, DBAPIError):
            sqlite.checkpoint(self._engine, self.path)

    def version(self) -> int:
        """The number of the schema the file has."""
        with self._errors(), self._engine.connect() as conn:
            return sqlite.version(conn)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise sqlite.translated(error, path=self.path) from error
        except UnicodeEncodeError as error:
            # Typed bytes that are no UTF-8 arrive as lone surrogates, which no database keeps.
            character = f"U+{ord(error.object[error.start]):04X}"
            raise UNSAFE_CHARACTERS(field="What was typed", character=character) from error


def _begin(conn: Connection) -> RootTransaction:
    """Take the write lock; when 30 seconds were not enough, once more after a moment."""
    try:
        return conn.begin()
    except DBAPIError as error:
        if not sqlite.translated(error).problem.retryable:
            raise
        time.sleep(random.uniform(0.05, 0.5))
        return conn.begin()


def _mode(path: Path) -> str:
    """How the file may be opened.

    A database in a folder that may not be written cannot have its side files made. Without a
    write-ahead log it is complete in itself and is read as immutable; with one, immutable would
    silently leave out what stands in the log, so it is opened read-only and SQLite decides.
    """
    names = (path.parent, path)
    if all(os.access(name, os.W_OK, effective_ids=EFFECTIVE_RIGHTS) for name in names):
        return "rw"
    try:
        log = os.stat(f"{path}-wal").st_size
    except FileNotFoundError:
        return "immutable"
    # An empty log that nobody has open is what a killed command left.
    return "ro" if log or os.path.exists(f"{path}-shm") else "immutable"
