"""A checkpoint opened to be looked at, or made ready to take the place of the live wiki."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from lwc.domain import invariants
from lwc.domain.doctor import Flaw
from lwc.domain.lint import Severity
from lwc.errors import CHECKPOINT_INVALID
from lwc.store import checkpoints
from lwc.store.checkpoints import Checkpoint
from lwc.store.dialects import sqlite, sqlite_copies
from lwc.store.invariants import damage as damages
from lwc.store.invariants import texts
from lwc.store.tables import SCHEMA

A = TypeVar("A")

# What no repair makes anew; whether pages are what their texts say is the doctor's to find.
EXAMINED: tuple[Callable[[Connection], Iterator[Flaw]], ...] = (
    damages.engine,
    damages.schema,
    damages.references,
    damages.identity,
    damages.cells,
    damages.sequences,
    texts.contents,
)


@contextmanager
def opened(checkpoint: Checkpoint) -> Iterator[Connection]:
    """A checkpoint to read, as if it had the schema of now."""
    if checkpoints.identified(checkpoint).schema < int(SCHEMA):
        with candidate(checkpoint) as conn:
            yield conn
        return
    with connected(checkpoint.path, mode="immutable") as conn:
        yield conn


@contextmanager
def candidate(checkpoint: Checkpoint) -> Iterator[Connection]:
    """A copy of a checkpoint that has the schema of now and may be changed."""
    identity = checkpoints.identified(checkpoint)
    with checkpoints.scratch(checkpoint.path.parent) as copy:
        checkpoints.copy_out(checkpoint, copy)
        with checkpoints.told(checkpoint.name):
            if identity.schema < int(SCHEMA):
                _bring_up(copy)
        with connected(copy, mode="scratch") as conn:
            yield conn


def prove(conn: Connection, name: str) -> None:
    """Refuse a copy in which anything is damaged that cannot be made anew."""
    what = damage(conn)
    if what is not None:
        raise CHECKPOINT_INVALID(name=name, what=what)


def damage(conn: Connection) -> str | None:
    """What is wrong with the file, the schema or the texts of a copy; none when nothing is."""
    with conn.begin() as transaction:
        try:
            return next(_damages(conn), None)
        except DBAPIError as error:
            return sqlite.translated(error).message.rstrip(".")
        except (TypeError, ValueError, OverflowError):
            # A damaged row can hold what the schema forbids.
            return "a row holds what it cannot"
        finally:
            transaction.rollback()


def _damages(conn: Connection) -> Iterator[str]:
    for examine in EXAMINED:
        for flaw in examine(conn):
            row = invariants.BY_CODE[flaw.code]
            if row.severity is Severity.ERROR:
                yield row.diagnosis(flaw).message.rstrip(".")


def replace(live: Path, conn: Connection, *, settle: Callable[[Connection], A]) -> A:
    """Put the candidate in the place of the live wiki, whole or not at all.

    `settle` is called once nobody else can write to the live wiki, to change the candidate last.
    """

    def within() -> A:
        with conn.begin():
            return settle(conn)

    try:
        return sqlite_copies.replace(live, conn, settle=within)
    except DBAPIError as error:
        raise sqlite.translated(error) from error


@contextmanager
def connected(path: Path, *, mode: str) -> Iterator[Connection]:
    engine = sqlite.engine(path, mode=mode)
    try:
        with engine.connect() as conn:
            yield conn
    finally:
        engine.dispose()


def _bring_up(path: Path) -> None:
    # Alembic costs 0.4 s to import; only an older copy pays.
    from lwc.store import migrate

    migrate.bring_up_copy(path)
