"""Wikis that are damaged in a known place, for what has to work for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from storefiles import closed_store

from lwc.wiki import Wiki, open_wiki


@contextmanager
def shredded(wiki: Wiki, table: str) -> Iterator[Wiki]:
    """The wiki, opened again after the pages of a table were overwritten."""
    wiki.close()
    path = wiki.workspace.database
    with closed_store(), closing(sqlite3.connect(path)) as conn:
        (size,) = conn.execute("PRAGMA page_size").fetchone()
        roots = conn.execute(
            "SELECT rootpage FROM sqlite_master WHERE tbl_name = ?", (table,)
        ).fetchall()
    with closed_store(), path.open("r+b") as file:
        for (root,) in roots:
            file.seek((root - 1) * size)
            file.write(b"\xff" * size)
    with open_wiki(wiki.workspace.root) as opened:
        yield opened
