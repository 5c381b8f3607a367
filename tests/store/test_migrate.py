from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from processes import apart, as_nobody, killed, race
from sqlalchemy import create_engine, select
from storefiles import closed_store

import lwc.store.tables.drafts  # noqa: F401 (part of the metadata)
from lwc import packaged
from lwc import wiki as wiki_module
from lwc.errors import (
    DATABASE_BUSY,
    MIGRATION_REQUIRED,
    PROJECT_ROOT_ESCAPE,
    STORE_CORRUPT,
    STORE_MIGRATION_FAILED,
    STORE_NEWER,
    STORE_UNFINISHED,
    LwcError,
    Problem,
)
from lwc.services import charter, maintenance
from lwc.store import journal, migrate, tables, texts
from lwc.store.dialects import sqlite
from lwc.store.migrate import Road
from lwc.wiki import Call, open_wiki
from lwc.workspace import Scope

OURS = tables.SCHEMA
NOW = int(OURS)
LATER = f"{NOW + 1:04d}"
HEAD = f'''"""A later schema, as a release to come may bring it."""

from __future__ import annotations

import os

import sqlalchemy as sa
from alembic import op

revision = "{LATER}"
down_revision = "{OURS}"


def upgrade() -> None:
'''
# A table made and filled from old rows, and one rebuilt that others point to: what is hard.
STEPS = (
    """
    op.create_table("milestones", sa.Column("name", sa.Text()), sqlite_strict=True)
""",
    """
    op.execute("INSERT INTO milestones SELECT name || revision FROM charter")
""",
    """
    with op.batch_alter_table("texts") as texts:
        texts.add_column(sa.Column("language", sa.Text(), nullable=False, server_default="und"))
""",
    """
    with op.batch_alter_table("texts", recreate="always") as texts:
        texts.alter_column("language", server_default=None)
""",
)
WORKS = "".join(STEPS)
KILL = """
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def path(project: Path) -> Path:
    """A wiki of the schema of now, with something in it."""
    with open_wiki(project) as wiki:
        charter.put(wiki, Call(), name="purpose", text="# Known before\n" * 10_000)
    return project / ".lwc" / "wiki.db"


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Road]:
    """Makes this program one of a later schema, whose migration does `works`."""

    def make(works: str = WORKS) -> Road:
        scripts = tmp_path / "scripts"
        if not scripts.exists():
            shutil.copytree(packaged.folder("migrations"), scripts)
        (scripts / "versions" / f"{LATER}_a_later_one.py").write_text(HEAD + works)
        road = Road(scripts=scripts, head=LATER)
        know(monkeypatch, road.head)
        monkeypatch.setattr(migrate, "our_road", lambda: road)
        return road

    return make


def know(patch: pytest.MonkeyPatch, schema: str) -> None:
    """Make this program one that knows this schema."""
    for module in (tables, tables.base, sqlite, wiki_module):
        patch.setattr(module, "SCHEMA", schema)


def rows(path: Path) -> dict[str, list[Any]]:
    """All that the tables of the schema of now hold, under their columns of now."""
    engine = create_engine("sqlite://", creator=lambda: sqlite3.connect(path))
    with engine.connect() as conn:
        held = {
            table.name: [tuple(row) for row in conn.execute(select(table))]
            for table in tables.metadata.sorted_tables
        }
    engine.dispose()
    return held


def shape(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(
            "SELECT name, coalesce(sql, '') FROM sqlite_master ORDER BY name"
        ).fetchall()


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as conn:
        return int(conn.execute("PRAGMA user_version").fetchone()[0])


def checkpoints(path: Path) -> list[Path]:
    return sorted(path.parent.glob("checkpoints/*.db"))


def refused(work: Callable[[], object]) -> LwcError:
    with pytest.raises(LwcError) as caught:
        work()
    return caught.value


class TestTheRoad:
    def test_an_older_wiki_is_brought_up_when_it_is_opened(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        before = rows(path)
        later()
        with open_wiki(path.parent.parent) as wiki:
            assert wiki.database.version() == NOW + 1
            assert charter.show(wiki, "purpose").text.startswith("# Known before")
            with wiki.reading() as conn:
                names = conn.exec_driver_sql("SELECT name FROM milestones ORDER BY name")
                assert names.scalars().all() == ["purpose1", "purpose2", "schema1"]
        after = rows(path)
        assert after == before

    def test_it_can_be_written_to_afterwards(self, path: Path, later: Callable[..., Road]) -> None:
        road = later()
        migrate.bring_up(path, road=road)
        with open_wiki(path.parent.parent) as wiki, wiki.writing(Call()) as change:
            assert journal.revision(change.conn) == 2
            assert change.record("config_set", "policy") == 3
            assert sqlite.foreign_keys_broken(change.conn) == []

    def test_a_copy_from_before_is_kept_that_only_its_owner_reads(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        before, shape_before = rows(path), shape(path)
        later()
        report = maintenance.migrate(path.parent.parent, scope=Scope.PROJECT, environ={})
        (copy,) = checkpoints(path)
        assert (report.before, report.after, report.migrated) == (NOW, NOW + 1, True)
        assert report.backup == copy.stem
        assert copy.name.startswith(f"pre-migrate-{OURS}-")
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
        assert (version(copy), shape(copy), rows(copy)) == (NOW, shape_before, before)

    def test_the_copy_is_a_whole_wiki_of_its_time(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        later()
        migrate.bring_up(path)
        (copy,) = checkpoints(path)
        with closed_store():
            shutil.copy(copy, path)
        with pytest.MonkeyPatch.context() as patch:
            know(patch, OURS)
            with open_wiki(path.parent.parent, migrate=False) as wiki:
                assert charter.show(wiki, "purpose").text.startswith("# Known before")

    def test_the_copy_holds_what_is_only_in_the_log_yet(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        road = later()
        engine = sqlite.engine(path)
        with engine.connect().execution_options(immediate=True) as conn, conn.begin():
            digest = texts.put(conn, "only in the log")
        migrate.bring_up(path, road=road)
        engine.dispose()
        (copy,) = checkpoints(path)
        assert digest in {row[0] for row in rows(copy)["texts"]}

    def test_a_wiki_that_is_up_is_left_alone(self, path: Path) -> None:
        with closed_store():
            before = path.read_bytes()
        done = maintenance.migrate(path.parent.parent, scope=Scope.PROJECT, environ={})
        assert (done.before, done.after, done.migrated, done.backup) == (NOW, NOW, False, None)
        with closed_store():
            assert path.read_bytes() == before
        assert checkpoints(path) == []

    def test_processes_that_come_together_do_it_once(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        later()
        before = rows(path)

        def arrive(_: int) -> list[Any]:
            with open_wiki(path.parent.parent) as wiki, wiki.reading() as conn:
                done = conn.exec_driver_sql("SELECT count(*) FROM milestones").scalar_one()
                return [wiki.database.version(), done]

        assert race(4, arrive) == [[NOW + 1, 3]] * 4
        assert rows(path) == before
        assert 1 <= len(checkpoints(path)) <= 4

    def test_it_is_refused_where_it_is_not_wanted(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        before = rows(path)
        later()
        error = refused(lambda: open_wiki(path.parent.parent, migrate=False))
        assert error.problem is MIGRATION_REQUIRED
        assert error.details == {"found": NOW, "known": NOW + 1}
        assert (version(path), rows(path), checkpoints(path)) == (NOW, before, [])

    def test_and_where_the_wiki_may_only_be_read(
        self, open_folder: Path, path: Path, later: Callable[..., Road]
    ) -> None:
        later()
        project = path.parent.parent.rename(open_folder / "project")
        for name in (*project.rglob("*"), project):
            name.chmod(0o555 if name.is_dir() else 0o444)

        def look() -> list[str]:
            return [
                refused(lambda: open_wiki(project, environ={})).problem.name,
                refused(
                    lambda: maintenance.migrate(project, scope=Scope.PROJECT, environ={})
                ).problem.name,
            ]

        assert as_nobody(look) == ["migration_required", "store_readonly"]


class TestWhatGoesWrong:
    @pytest.mark.parametrize(
        "works, problem",
        [
            (WORKS + '    op.execute("SELECT nothing")\n', STORE_MIGRATION_FAILED),
            (WORKS + '    op.execute("DELETE FROM texts")\n', STORE_CORRUPT),
        ],
        ids=["an error", "rows that point nowhere"],
    )
    def test_a_migration_that_fails_leaves_the_wiki_as_it_was(
        self, path: Path, later: Callable[..., Road], works: str, problem: Problem
    ) -> None:
        before, shape_before = rows(path), shape(path)
        later(works)
        error = refused(lambda: open_wiki(path.parent.parent))
        assert error.problem is problem
        assert (version(path), shape(path), rows(path)) == (NOW, shape_before, before)
        (copy,) = checkpoints(path)
        if problem is STORE_MIGRATION_FAILED:
            assert error.details["backup"] == copy.stem
            assert copy.stem in error.hint

    def test_it_can_be_tried_again(self, path: Path, later: Callable[..., Road]) -> None:
        later(WORKS + '    op.execute("SELECT nothing")\n')
        refused(lambda: open_wiki(path.parent.parent))
        later()
        with open_wiki(path.parent.parent) as wiki:
            assert wiki.database.version() == NOW + 1
        assert len(checkpoints(path)) == 2

    @pytest.mark.parametrize("done", range(len(STEPS) + 1))
    def test_killed_anywhere_it_was_not_begun(
        self, path: Path, later: Callable[..., Road], done: int
    ) -> None:
        before, shape_before = rows(path), shape(path)
        later("".join(STEPS[:done]) + KILL)
        assert killed(lambda: open_wiki(path.parent.parent))
        assert (version(path), shape(path), rows(path)) == (NOW, shape_before, before)
        later()
        with open_wiki(path.parent.parent) as wiki:
            assert wiki.database.version() == NOW + 1
        assert rows(path) == before

    def test_killed_after_its_commit_it_is_done(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        before = rows(path)
        road = later()

        def migrate_and_die() -> None:
            migrate.bring_up(path, road=road)
            os.kill(os.getpid(), 9)

        assert killed(migrate_and_die)
        assert (version(path), rows(path)) == (NOW + 1, before)

    def test_without_room_for_the_copy_nothing_is_begun(
        self, path: Path, later: Callable[..., Road]
    ) -> None:
        before = rows(path)
        road = later()

        def bring_up() -> str:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            return refused(lambda: migrate.bring_up(path, road=road)).problem.code

        assert apart(bring_up) == "database_error"
        assert (version(path), rows(path), checkpoints(path)) == (NOW, before, [])

    def test_a_busy_wiki_is_told_as_that_and_left(
        self, path: Path, later: Callable[..., Road], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        road = later()
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
        engine = sqlite.engine(path)
        with engine.connect().execution_options(immediate=True) as conn, conn.begin():
            assert refused(lambda: migrate.bring_up(path, road=road)).problem is DATABASE_BUSY
        engine.dispose()
        assert version(path) == NOW

    def test_a_newer_wiki_is_not_taken_back(self, path: Path, later: Callable[..., Road]) -> None:
        road = later()
        migrate.bring_up(path, road=road)
        with pytest.MonkeyPatch.context() as patch:
            know(patch, OURS)
            error = refused(lambda: open_wiki(path.parent.parent))
        assert error.problem is STORE_NEWER
        assert error.details == {"found": NOW + 1, "known": NOW}

    def test_a_wiki_without_any_schema_is_not_filled_with_one(self, path: Path) -> None:
        with closed_store(), closing(sqlite3.connect(path)) as conn:
            conn.execute("PRAGMA user_version=0")
        assert refused(lambda: open_wiki(path.parent.parent)).problem is STORE_UNFINISHED
        error = refused(
            lambda: maintenance.migrate(path.parent.parent, scope=Scope.PROJECT, environ={})
        )
        assert error.problem is STORE_UNFINISHED

    def test_a_link_in_the_place_of_the_copies_is_refused(
        self, path: Path, later: Callable[..., Road], tmp_path: Path
    ) -> None:
        later()
        (path.parent / "checkpoints").symlink_to(tmp_path)
        assert refused(lambda: open_wiki(path.parent.parent)).problem is PROJECT_ROOT_ESCAPE
        assert version(path) == NOW


def test_a_new_database_is_ours_whole_and_private(project: Path) -> None:
    made = project / "new.db"
    store_id = migrate.make(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert version(made) == int(tables.SCHEMA)
    assert dict(rows(made)["meta"])["store_id"] == store_id
    assert set(os.listdir(project)) == {".lwc", "new.db"}


def test_a_new_database_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "new.db").write_text("mine")
    with pytest.raises(FileExistsError):
        migrate.make(tmp_path / "new.db")
    assert (tmp_path / "new.db").read_text() == "mine"
