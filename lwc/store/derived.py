"""How much the database holds beside what was written: the search index, and the log before it."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy import Connection, func, select

from lwc.store.dialects import sqlite_search as engine


def indexed(conn: Connection) -> tuple[int, int]:
    """How many pages and how many sources the search index knows."""
    documents = engine.SOURCE_ROWS.c.id.bitwise_and((1 << engine.SOURCE_BITS) - 1)
    counts = (
        select(func.count()).select_from(engine.PAGE_ROWS).scalar_subquery(),
        select(func.count(documents.distinct())).scalar_subquery(),
    )
    pages, sources = conn.execute(select(*counts)).one()
    return int(pages), int(sources)


def log_bytes(path: Path) -> int:
    """How long the write-ahead log of a database is."""
    try:
        return os.stat(f"{path}-wal").st_size
    except OSError:
        return 0
