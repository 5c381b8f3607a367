"""What SQLite says of its own file: whether it is whole, and how its tables are made."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import Connection, text

# Tables that SQLAlchemy does not make: Alembic's and those of full-text search.
BESIDES = frozenset(
    (
        *("alembic_version", "page_vocab"),
        *("page_fts", "source_fts", "draft_page_fts", "draft_source_fts"),
    )
)
# Tables that SQLite makes for itself.
_OWN = frozenset(("sqlite_sequence", "sqlite_stat1", "sqlite_stat4")) | frozenset(
    f"{index}{part}"
    for index in BESIDES
    for part in ("_config", "_content", "_data", "_docsize", "_idx")
)
# Versions before this one can lose a log's end when a writer resets it during a checkpoint.
_LOG_RESET_FIXED = (3, 51, 3)
_LOG_RESET_FIXED_BEFORE = {(3, 44): 6, (3, 50): 7}

_COLUMNS = text(
    "SELECT made.name AS name, info.name AS part FROM main.sqlite_master AS made,"
    " pragma_table_info(made.name) AS info WHERE made.type = 'table'"
)
_INDEXES = text("SELECT name FROM main.sqlite_master WHERE type = 'index'")
_REVISION = text("SELECT version_num FROM main.alembic_version")


def integrity(conn: Connection, *, most: int) -> Iterator[str]:
    """What SQLite's own check finds wrong, at most so many lines."""
    for number, (said,) in enumerate(conn.exec_driver_sql("PRAGMA main.integrity_check")):
        if number == most:
            return
        if said != "ok":
            yield str(said)


def columns(conn: Connection) -> dict[str, set[str]]:
    """The tables that are there, each with its columns; without those SQLite makes for itself."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in conn.execute(_COLUMNS):
        found[row.name].add(row.part)
    return {name: parts for name, parts in found.items() if name not in _OWN}


def indexes(conn: Connection) -> set[str]:
    return set(conn.execute(_INDEXES).scalars())


def revision(conn: Connection) -> str | None:
    """The revision that Alembic says the schema has."""
    return conn.execute(_REVISION).scalar()


def library() -> dict[str, str]:
    """The version of SQLite, and whether the bug of the log's reset is in it.

    Our checkpoints run only while no writer can commit, where it cannot happen.
    """
    version = sqlite3.sqlite_version_info
    least = _LOG_RESET_FIXED_BEFORE.get(version[:2])
    fixed = version >= _LOG_RESET_FIXED or (least is not None and version[2] >= least)
    return {"version": sqlite3.sqlite_version, "log_reset_bug": "fixed" if fixed else "guarded"}
