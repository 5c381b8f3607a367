from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

import lwc.store.tables.drafts  # noqa: F401 (part of the metadata)
from lwc import packaged
from lwc.store import migrate, tables
from lwc.store.dialects import sqlite

# Made for SQLite alone, or by SQLite and Alembic for themselves.
OTHERS = (
    *("page_fts", "source_fts", "page_vocab", "draft_page_fts", "draft_source_fts"),
    *("sqlite_", "alembic_"),
)


def test_the_revisions_end_where_the_tables_are() -> None:
    config = Config()
    config.set_main_option("script_location", str(packaged.folder("migrations")))
    assert ScriptDirectory.from_config(config).get_heads() == [tables.SCHEMA]
    assert migrate.our_road().head == tables.SCHEMA


def test_the_revisions_make_the_schema_that_the_tables_describe(project: Path) -> None:
    described = create_engine("sqlite://")
    with described.connect() as conn:
        tables.metadata.create_all(conn)
        wanted = definitions(conn)
    described.dispose()
    migrated = sqlite.engine(project / ".lwc" / "wiki.db")
    with migrated.connect() as conn:
        assert definitions(conn) == wanted
    migrated.dispose()


def test_alembic_sees_no_difference_either(project: Path) -> None:
    engine = sqlite.engine(project / ".lwc" / "wiki.db")
    with engine.connect() as conn:
        options = {
            "compare_type": True,
            "include_name": lambda name, kind, parents: (
                kind != "table" or name in tables.metadata.tables
            ),
        }
        context = MigrationContext.configure(conn, opts=options)
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


@pytest.mark.parametrize("table", tables.metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_is_strict_and_its_constraints_have_names(table: Any) -> None:
    assert table.dialect_options["sqlite"]["strict"]
    assert all(constraint.name for constraint in table.constraints)


def definitions(conn: Connection) -> dict[str, list[str]]:
    rows = conn.exec_driver_sql("SELECT name, sql FROM sqlite_master")
    return {name: definition(sql) for name, sql in rows if not name.startswith(OTHERS)}


def definition(sql: str | None) -> list[str]:
    """A definition as the set of its parts: order, blanks and quotes around names mean nothing.

    SQLite itself puts the name of a renamed table into quotes.
    """
    text = " ".join((sql or "").replace('"', "").split())
    head, _, rest = text.partition("(")
    body, _, tail = rest.rpartition(")")
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(body):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(body[begin:at].strip())
            begin = at + 1
    return [head.strip(), *sorted([*parts, body[begin:].strip()]), tail.strip()]
