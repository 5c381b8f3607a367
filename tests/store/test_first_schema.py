"""A wiki of the first schema with something in every table comes up to the schema of now whole."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from storefiles import closed_store
from worlds import furnish

import lwc.store.tables.drafts  # noqa: F401 (part of the metadata)
from lwc import packaged
from lwc.services import (
    archives,
    charter,
    checkpoint_diff,
    checkpoints,
    doctor,
    ingest,
    page_moves,
    pages,
    restore,
    search,
)
from lwc.store import migrate, tables
from lwc.store.migrate import Road
from lwc.wiki import Call, Wiki, open_wiki

# Of these the engine and Alembic keep count for themselves.
OWN = ("alembic_version", "sqlite_stat1")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose wiki has the first schema, with sources, claims and pages in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    furnish(folder)
    with open_wiki(folder) as wiki:
        charter.put(wiki, Call(request_id="r1"), name="purpose", text="# Known before\n")
    now = folder / ".lwc" / "wiki.db"
    first = tmp_path / "first.db"
    road = Road(scripts=packaged.folder("migrations"), head="0001")
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "our_road", lambda: road)
        migrate.make(first)
    with closed_store():
        _pour(now, first)
        # A wiki of then had nothing else in its folder.
        shutil.rmtree(now.parent)
        now.parent.mkdir(mode=0o700)
        first.replace(now)
    return folder


def _pour(source: Path, first: Path) -> None:
    """All rows of a wiki, as far as a wiki of the first schema has tables and columns for them."""
    with closing(sqlite3.connect(first, isolation_level=None)) as conn:
        conn.execute("ATTACH ? AS now", (str(source),))
        for table, columns in _columns(conn).items():
            names = ", ".join(f'"{column}"' for column in columns)
            conn.execute(f"DELETE FROM main.{table}")
            conn.execute(f"INSERT INTO main.{table} ({names}) SELECT {names} FROM now.{table}")


def _columns(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """The columns of every table that holds rows of its own, those of the search index as well."""
    tables = conn.execute(
        "SELECT name FROM main.sqlite_master"
        " WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    ).fetchall()
    return {
        name: [row[1] for row in conn.execute(f"PRAGMA main.table_info({name})")]
        for (name,) in tables
        if name not in OWN
    }


@contextmanager
def opened(project: Path) -> Iterator[sqlite3.Connection]:
    """The closed database as SQLite alone sees it."""
    with closing(sqlite3.connect(project / ".lwc" / "wiki.db")) as conn:
        yield conn


def rows(conn: sqlite3.Connection, columns: dict[str, list[str]]) -> dict[str, list[Any]]:
    found = {}
    for table, names in columns.items():
        listed = ", ".join(f'"{name}"' for name in names)
        found[table] = sorted(conn.execute(f"SELECT {listed} FROM {table}"), key=repr)
    # A new wiki's tables count from nothing, and do not say so.
    found["sqlite_sequence"] = [row for row in found["sqlite_sequence"] if row[1]]
    return found


def test_every_row_is_there_afterwards(project: Path) -> None:
    with opened(project) as conn:
        columns = _columns(conn)
        before = rows(conn, columns)
    filled = {name for name, found in before.items() if found}
    assert {
        *("texts", "text_parts", "sources", "source_paths", "jobs", "attempts", "analyses"),
        *("pages", "page_revisions", "page_sources", "citations", "links", "operations"),
        *("deliveries", "requests", "charter", "page_fts_data", "source_fts_data"),
    } <= filled
    with open_wiki(project) as wiki:
        assert wiki.database.version() == int(tables.SCHEMA)
    with opened(project) as conn:
        assert rows(conn, columns) == before
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []


def test_it_is_sound_and_goes_on(project: Path) -> None:
    with open_wiki(project) as wiki:
        assert doctor.examine(wiki).sound
        charter.put(wiki, Call(), name="purpose", text="# Known now\n")
        # With the first change what was there is projected, too.
        assert doctor.examine(wiki).findings == ()
        found = search.search(wiki, query="one writer at a time", type="all")
        assert {result.type for result in found.results} == {"page", "source"}
        assert pages.history(wiki, slug="alone").total == 2
        assert ingest.claim(wiki, Call(agent="ben"), 3).job is not None


def test_a_claim_is_held_by_who_held_it(project: Path) -> None:
    with open_wiki(project) as wiki, wiki.reading() as conn:
        held = conn.exec_driver_sql("SELECT agent, state, pinned FROM jobs WHERE source_id = 2")
        assert tuple(held.one()) == ("anna", "analyzing", None)


class TestTheCheckpointFromBefore:
    """What was kept before the migration has the first schema still, and is never changed."""

    @pytest.fixture
    def wiki(self, project: Path) -> Iterator[Wiki]:
        with open_wiki(project) as opened:
            yield opened

    @pytest.fixture
    def kept(self, wiki: Wiki) -> Iterator[Path]:
        (found,) = checkpoints.list_(wiki).checkpoints
        assert (found.kind, found.schema, found.usable) == ("pre-migrate", 1, True)
        path = checkpoints.folder_of(wiki) / f"{found.name}.db"
        before = path.read_bytes()
        yield path
        assert path.read_bytes() == before

    def test_it_is_looked_at_and_compared_as_if_it_had_the_newest(
        self, wiki: Wiki, kept: Path
    ) -> None:
        shown = checkpoints.show(wiki, name=kept.stem)
        assert (shown.own, shown.holds["pages"], shown.holds["checks"]) == (True, 4, 0)
        assert checkpoint_diff.diff(wiki, name=kept.stem).total == 0
        page_moves.remove(wiki, Call(), slug="alone")
        (gone,) = checkpoint_diff.diff(wiki, name=kept.stem).changes
        assert (gone.entity, gone.change) == ("page", "removed")

    def test_it_is_restored_in_the_newest_schema(self, wiki: Wiki, kept: Path) -> None:
        page_moves.remove(wiki, Call(), slug="alone")
        answer = restore.restore(wiki, Call(), name=kept.stem)
        assert answer.changes == {"page": {"added": 1, "removed": 0, "changed": 0}}
        assert wiki.database.version() == int(tables.SCHEMA)
        assert pages.show(wiki, slug="alone").page.body == "Second.\n"
        assert doctor.examine(wiki).findings == ()

    def test_and_a_wiki_is_made_of_it(self, wiki: Wiki, kept: Path, tmp_path: Path) -> None:
        place = tmp_path / "elsewhere"
        place.mkdir()
        environ = {"HOME": str(tmp_path)}
        told = archives.import_(place, path=kept, environ=environ, exclude_from_git=False)
        assert told.imported_schema == 1
        with open_wiki(place) as brought:
            assert brought.database.version() == int(tables.SCHEMA)
            assert pages.list_(brought).total == 4
            assert doctor.examine(brought).findings == ()
