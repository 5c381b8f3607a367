"""What a wiki holds, as one digest, and whether it holds together; for the fault harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select

from lwc import wire
from lwc.store import tables
from lwc.wiki import open_wiki

# Columns that hold the moment, or chance; everything else must come out the same.
VOLATILE = {
    "created_at",
    "updated_at",
    "claimed_at",
    "ended_at",
    "observed_at",
    "lease_until",
    "token_hash",
    "request_id",
}
# An answer holds a moment; that it is there is told by the operation.
LEFT_OUT = {"meta", "requests"}


def digest(project: Path) -> str:
    """Equal for two wikis that hold the same, but for times and tokens."""
    return wire.digest(content(project))


def content(project: Path) -> dict[str, list[Any]]:
    """Every row of every table, but for times and tokens."""
    with open_wiki(project) as wiki, wiki.reading() as conn:
        return {
            table.name: [
                [value for key, value in row._mapping.items() if key not in VOLATILE]
                for row in conn.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in tables.metadata.sorted_tables
            if table.name not in LEFT_OUT
        }


def unsound(project: Path) -> list[str]:
    """What does not hold together; empty when all is well."""
    found: list[str] = []
    with open_wiki(project) as wiki, wiki.reading() as conn:
        for pragma in ("integrity_check", "foreign_key_check"):
            rows = [tuple(row) for row in conn.exec_driver_sql(f"PRAGMA {pragma}")]
            found += [str(row) for row in rows if row != ("ok",)]
        for fts in ("page_fts", "source_fts"):
            documents = {row[0] for row in conn.exec_driver_sql(f"SELECT rowid FROM {fts}")}
            table = tables.pages if fts == "page_fts" else tables.sources
            ids = set(conn.execute(select(table.c.id)).scalars())
            if documents != ids:
                found.append(f"{fts} holds {documents}, not {ids}")
        sources = set(conn.execute(select(tables.sources.c.id)).scalars())
        jobs = set(conn.execute(select(tables.jobs.c.source_id)).scalars())
        if sources != jobs:
            found.append(f"sources {sources} and jobs {jobs} differ")
        for row in conn.execute(select(tables.text_parts)):
            if wire.text_digest(row.body) != row.part_digest:
                found.append(f"text {row.digest} is damaged")
    leftovers = [
        path.name for path in (project / ".lwc").iterdir() if path.name.endswith("-journal")
    ]
    return found + leftovers
