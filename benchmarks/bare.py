"""Bare sqlite3 with the wiki's own settings: what the figures of writing are compared with."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from lwc.store.dialects.sqlite import BUSY_SECONDS, PRAGMAS


def connected(path: Path) -> sqlite3.Connection:
    """A database of its own, set as a wiki's is."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode=wal")
    for name, value in PRAGMAS:
        connection.execute(f"PRAGMA {name}={value}")
    return connection


def with_jobs(path: Path, jobs: int) -> Path:
    """A database of pending jobs and nothing else."""
    connection = connected(path)
    connection.execute(
        "CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, agent TEXT) STRICT"
    )
    connection.execute("CREATE INDEX jobs_by_state ON jobs (state, id)")
    connection.execute("BEGIN IMMEDIATE")
    numbers = ((number,) for number in range(1, jobs + 1))
    connection.executemany("INSERT INTO jobs VALUES (?, 'pending', NULL)", numbers)
    connection.execute("COMMIT")
    connection.close()
    return path


def claimed(connection: sqlite3.Connection) -> int | None:
    """Claim one job in a transaction of its own; none when there is none."""
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute(
        "UPDATE jobs SET state = 'claimed', agent = 'bench' WHERE id ="
        " (SELECT id FROM jobs WHERE state = 'pending' ORDER BY id LIMIT 1) RETURNING id"
    ).fetchone()
    connection.execute("COMMIT")
    return None if found is None else int(found[0])


def committed(connection: sqlite3.Connection, times: int) -> None:
    """So many transactions of one small row each."""
    connection.execute("CREATE TABLE IF NOT EXISTS rows (text TEXT) STRICT")
    for number in range(times):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO rows VALUES (?)", (f"row {number}",))
        connection.execute("COMMIT")


def stored(path: Path, texts: list[tuple[str, str, str]]) -> None:
    """Texts with their path and digest, in one transaction."""
    connection = connected(path)
    connection.execute("CREATE TABLE texts (digest TEXT, path TEXT, body TEXT) STRICT")
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO texts VALUES (?, ?, ?)", texts)
    connection.execute("COMMIT")
    connection.close()
