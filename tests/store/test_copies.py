"""Copies of a database, and one in the place of a live one: what others see, what crashes leave."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from processes import apart
from sqlalchemy import Connection
from storefiles import closed_store

from lwc.errors import DATABASE_BUSY, DATABASE_FULL, LwcError
from lwc.services import charter
from lwc.store import meta, migrate, restoring
from lwc.store.database import Database
from lwc.store.dialects import sqlite, sqlite_copies
from lwc.wiki import Call, open_wiki

TEXT = "A line that takes room in the database.\n" * 4_000


@pytest.fixture
def live(project: Path) -> Path:
    with open_wiki(project) as wiki:
        charter.put(wiki, Call(), name="purpose", text=f"live\n{TEXT}")
    return project / ".lwc" / "wiki.db"


@pytest.fixture
def copy(tmp_path: Path, live: Path) -> Path:
    """A copy of the live database that says something else."""
    path = tmp_path / "copy.db"
    sqlite_copies.back_up(live, path)
    with restoring.connected(path, mode="scratch") as conn, conn.begin():
        meta.put(conn, "word", "copy")
        for number in range(40):
            meta.put(conn, f"filler {number}", TEXT)
    return path


@contextmanager
def candidate(path: Path) -> Iterator[Connection]:
    with restoring.connected(path, mode="scratch") as conn:
        yield conn


def word(path: Path) -> str | None:
    database = Database(path)
    with database.reading() as conn:
        found = meta.value(conn, "word")
    database.close()
    return found


class TestBackUp:
    def test_it_is_one_file_of_its_owner_alone(self, live: Path, tmp_path: Path) -> None:
        sqlite_copies.back_up(live, tmp_path / "one.db")
        assert (tmp_path / "one.db").stat().st_mode & 0o777 == 0o600
        with closing(sqlite3.connect(tmp_path / "one.db")) as conn:
            assert conn.execute("PRAGMA journal_mode").fetchone() == ("delete",)
            assert conn.execute("SELECT count(*) FROM charter").fetchone() == (3,)
        assert [name.name for name in tmp_path.iterdir() if "one" in name.name] == ["one.db"]

    def test_what_is_there_is_never_overwritten(self, live: Path, tmp_path: Path) -> None:
        (tmp_path / "one.db").write_text("mine")
        with pytest.raises(FileExistsError):
            sqlite_copies.back_up(live, tmp_path / "one.db")
        assert (tmp_path / "one.db").read_text() == "mine"

    def test_it_holds_what_stands_only_in_the_log(self, live: Path, tmp_path: Path) -> None:
        database = Database(live)
        with database.writing() as conn:
            meta.put(conn, "word", "in the log")
        assert Path(f"{live}-wal").stat().st_size
        sqlite_copies.back_up(live, tmp_path / "one.db")
        database.close()
        with closing(sqlite3.connect(tmp_path / "one.db")) as conn:
            said = conn.execute("SELECT value FROM meta WHERE key = 'word'").fetchone()
        assert said == ("in the log",)

    def test_on_a_full_disk_nothing_is_left(self, live: Path, tmp_path: Path) -> None:
        def work() -> list[Any]:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            with pytest.raises(LwcError):
                sqlite_copies.back_up(live, tmp_path / "one.db")
            return [name.name for name in tmp_path.iterdir() if name.name.startswith("one")]

        assert apart(work) == []


class TestReplace:
    def test_what_is_settled_last_is_copied_too(self, live: Path, copy: Path) -> None:
        with candidate(copy) as conn:

            def settle(last: Connection) -> str:
                meta.put(last, "word", "settled")
                for number in range(20):
                    meta.put(last, f"late {number}", TEXT)
                return "done"

            assert restoring.replace(live, conn, settle=settle) == "done"
        assert word(live) == "settled"
        database = Database(live)
        with database.reading() as conn:
            assert conn.exec_driver_sql("PRAGMA integrity_check").scalars().all() == ["ok"]
            assert meta.value(conn, "late 19") == TEXT
        database.close()

    def test_readers_keep_their_moment_and_later_ones_see_the_new_one(
        self, live: Path, copy: Path
    ) -> None:
        before, beside = Database(live), Database(live)
        with before.reading() as old:
            assert meta.value(old, "word") is None

            def settle(_: Connection) -> None:
                with beside.reading() as conn:
                    assert meta.value(conn, "word") is None

            with candidate(copy) as conn:
                restoring.replace(live, conn, settle=settle)
            assert meta.value(old, "word") is None
            assert meta.value(old, "filler 1") is None
            with beside.reading() as conn:
                assert meta.value(conn, "word") == "copy"
        with before.writing() as conn:
            assert meta.value(conn, "word") == "copy"
            meta.put(conn, "word", "written since")
        before.close()
        beside.close()
        assert word(live) == "written since"

    def test_nobody_writes_while_it_is_settled(
        self, live: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
        beside = Database(live)

        def settle(_: Connection) -> None:
            with pytest.raises(LwcError) as caught, beside.writing():
                pass
            assert caught.value.problem is DATABASE_BUSY

        with candidate(copy) as conn:
            restoring.replace(live, conn, settle=settle)
        beside.close()

    def test_when_settling_fails_nothing_is_changed(self, live: Path, copy: Path) -> None:
        def settle(conn: Connection) -> None:
            meta.put(conn, "word", "never")
            raise LookupError

        with candidate(copy) as conn, pytest.raises(LookupError):
            restoring.replace(live, conn, settle=settle)
        assert word(live) is None
        database = Database(live)
        with database.writing() as conn:  # the lock is free again
            meta.put(conn, "word", "mine")
        database.close()

    def test_a_busy_wiki_is_told_as_that(
        self, live: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
        holder = Database(live)
        with holder.writing(), candidate(copy) as conn, pytest.raises(LwcError) as caught:
            restoring.replace(live, conn, settle=lambda _: None)
        assert caught.value.problem is DATABASE_BUSY
        holder.close()
        assert word(live) is None

    @pytest.mark.parametrize("size", [1024, 8192, 65536])
    def test_pages_of_another_size_are_no_hindrance(
        self, live: Path, copy: Path, size: int
    ) -> None:
        with closing(sqlite3.connect(copy, isolation_level=None)) as conn:
            conn.execute(f"PRAGMA page_size={size}")
            conn.execute("VACUUM")
        with candidate(copy) as conn:
            restoring.replace(live, conn, settle=lambda _: None)
        assert word(live) == "copy"

    def test_a_smaller_copy_leaves_nothing_behind(self, live: Path, tmp_path: Path) -> None:
        database = Database(live)
        with database.writing() as conn:
            for number in range(60):
                meta.put(conn, f"filler {number}", TEXT)
        database.close()
        grown = live.stat().st_size
        migrate.make(tmp_path / "small.db")
        with candidate(tmp_path / "small.db") as conn:
            restoring.replace(live, conn, settle=lambda _: None)
        Database(live).close()
        database = Database(live)
        with database.reading() as conn:
            assert conn.exec_driver_sql("PRAGMA integrity_check").scalars().all() == ["ok"]
            assert meta.value(conn, "filler 1") is None
        database.close()
        assert live.stat().st_size < grown

    def test_on_a_full_disk_the_wiki_is_as_it_was(self, live: Path, copy: Path) -> None:
        def work() -> str:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
            with candidate(copy) as conn, pytest.raises(LwcError) as caught:
                restoring.replace(live, conn, settle=lambda _: None)
            return caught.value.problem.code

        assert apart(work) == DATABASE_FULL.code
        assert word(live) is None

    def test_killed_anywhere_it_is_the_one_or_the_other(self, live: Path, copy: Path) -> None:
        seed = 20261130
        chance = random.Random(seed)
        seen = set()
        began = time.perf_counter()
        assert restored(live, copy, kill_after=None)
        whole = time.perf_counter() - began
        for _ in range(25):
            with closed_store():
                for name in live.parent.glob("wiki.db*"):
                    name.unlink()
                with candidate(copy) as conn, conn.begin():
                    meta.put(conn, "word", "before")
                sqlite_copies.back_up(copy, live)
            with candidate(copy) as conn, conn.begin():
                meta.put(conn, "word", "after")
            restored(live, copy, kill_after=whole * 1.1 * chance.random())
            database = Database(live)
            with database.reading() as conn:
                said = conn.exec_driver_sql("PRAGMA integrity_check").scalars().all()
                assert said == ["ok"], seed
                seen.add(meta.value(conn, "word"))
            database.close()
        assert seen <= {"before", "after"}, seed


def restored(live: Path, copy: Path, *, kill_after: float | None) -> bool:
    """Put the copy in place in a process of its own; whether it was left to finish."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with candidate(copy) as conn:
                restoring.replace(live, conn, settle=lambda _: None)
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return status == 0
