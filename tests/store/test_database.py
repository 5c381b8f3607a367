from __future__ import annotations

import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from processes import apart, as_nobody, killed, race
from sqlalchemy import insert, select
from sqlalchemy.exc import DBAPIError
from storefiles import closed_store

from lwc.errors import (
    DATABASE_BUSY,
    STORE_CORRUPT,
    STORE_NEWER,
    STORE_NOT_LWC,
    STORE_READONLY,
    STORE_READONLY_LOG,
    STORE_UNFINISHED,
    LwcError,
    Problem,
)
from lwc.store import meta, tables, texts
from lwc.store.database import Connection, Database
from lwc.store.dialects import sqlite
from lwc.wiki import open_wiki

PRAGMAS = {**dict(sqlite.PRAGMAS), "journal_mode": "wal"}


@pytest.fixture
def path(project: Path) -> Path:
    return project / ".lwc" / "wiki.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database(path)
    yield opened
    opened.close()


@pytest.fixture
def not_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of commits that need not outlive a power cut."""
    quick = {**dict(sqlite.PRAGMAS), "synchronous": 0}
    monkeypatch.setattr(sqlite, "PRAGMAS", tuple(quick.items()))


def refused(work: Callable[[], object]) -> Problem:
    with pytest.raises(LwcError) as caught:
        work()
    return caught.value.problem


def write(database: Database, text: str) -> None:
    with database.writing() as conn:
        texts.put(conn, text)


class TestConnections:
    def pragmas(self, conn: Connection) -> dict[str, int | str]:
        return {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in PRAGMAS}

    def test_every_one_has_what_was_set(self, database: Database) -> None:
        with database.reading() as one, database.reading() as another, database.writing() as third:
            assert [self.pragmas(conn) for conn in (one, another, third)] == [PRAGMAS] * 3

    def test_so_has_one_that_may_only_read(self, database: Database, path: Path) -> None:
        with database.reading(), sqlite.engine(path, mode="ro").connect() as conn:
            assert self.pragmas(conn) == PRAGMAS
            with pytest.raises(DBAPIError, match="readonly"):
                conn.execute(insert(tables.meta).values(key="a", value="b"))

    def test_a_setting_that_does_not_take_is_told(self, path: Path) -> None:
        with closing(sqlite3.connect(":memory:")) as memory:
            with pytest.raises(LwcError, match="journal_mode stays memory, not wal"):
                sqlite._pragma(memory, "journal_mode", "wal")

    def test_no_second_database_can_be_attached(self, database: Database) -> None:
        with database.reading() as conn, pytest.raises(DBAPIError, match="attached"):
            conn.exec_driver_sql("ATTACH ':memory:' AS other")

    def test_the_file_is_proved_by_its_mark_and_version(self, database: Database) -> None:
        with database.reading() as conn:
            mark = conn.exec_driver_sql("PRAGMA application_id").scalar_one()
        assert mark.to_bytes(4, "big") == b"lwc1"
        assert database.version() == int(tables.SCHEMA)

    def test_a_row_that_points_nowhere_is_refused(self, database: Database) -> None:
        def point() -> None:
            with database.writing() as conn:
                conn.execute(insert(tables.page_sources).values(page_id=1, source_id=9, named=1))

        with pytest.raises(LwcError):
            point()


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garbled(path: Path) -> None:
    path.write_bytes(bytes(reversed(path.read_bytes())))


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE things (a)")


def changed(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            for statement in statements:
                conn.execute(statement)

    return change


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON operations BEGIN DELETE FROM pages; END"


class TestFilesThatAreNotOurs:
    @pytest.mark.parametrize(
        "damage, problem",
        [
            (cut(0), STORE_NOT_LWC),
            (cut(1), STORE_NOT_LWC),
            (cut(99), STORE_CORRUPT),
            (cut(100), STORE_CORRUPT),
            (cut(5000), STORE_CORRUPT),
            (half, STORE_CORRUPT),
            (garbled, STORE_NOT_LWC),
            (foreign, STORE_NOT_LWC),
            (changed("PRAGMA application_id=0"), STORE_NOT_LWC),
            (changed("PRAGMA user_version=9999"), STORE_NEWER),
            (changed("PRAGMA user_version=0"), STORE_UNFINISHED),
            (changed(TRIGGER), STORE_CORRUPT),
            (changed("CREATE VIEW v AS SELECT * FROM pages"), STORE_CORRUPT),
            (changed("PRAGMA journal_mode=delete", "PRAGMA user_version=9999"), STORE_NEWER),
        ],
        ids=[
            "empty",
            "one byte",
            "less than a header",
            "a header",
            "a page and a bit",
            "half",
            "garbled",
            "another program's",
            "unmarked",
            "a newer version's",
            "without a schema",
            "with a trigger",
            "with a view",
            "a newer version's without a log",
        ],
    )
    def test_each_is_refused_and_left_as_it_was(
        self, project: Path, path: Path, damage: Callable[[Path], None], problem: Problem
    ) -> None:
        with closed_store():
            damage(path)
            before = path.read_bytes()
        assert refused(lambda: open_wiki(project)) is problem
        with closed_store():
            assert path.read_bytes() == before
        assert [name for name in os.listdir(path.parent) if name.startswith("wiki")] == ["wiki.db"]

    def test_a_damaged_page_is_told_when_it_is_read(self, database: Database, path: Path) -> None:
        with database.reading() as conn:
            root = conn.exec_driver_sql(
                "SELECT rootpage FROM sqlite_master WHERE name = 'operations'"
            ).scalar_one()
            size = conn.exec_driver_sql("PRAGMA page_size").scalar_one()
        database.close()
        with closed_store(), path.open("r+b") as file:
            file.seek((root - 1) * size)
            file.write(b"\xff" * size)

        def read() -> None:
            with open_wiki(path.parent.parent) as wiki:
                wiki.revision()

        assert refused(read) is STORE_CORRUPT


class TestTransactions:
    @pytest.mark.usefixtures("not_synced")
    def test_increments_of_many_processes_are_never_lost(self, path: Path) -> None:
        def increment(_: int) -> None:
            database = Database(path)
            for _ in range(50):
                with database.writing() as conn:
                    meta.put(conn, "count", str(int(meta.value(conn, "count") or 0) + 1))
            database.close()

        race(16, increment)
        database = Database(path)
        with database.reading() as conn:
            assert meta.value(conn, "count") == "800"
        database.close()

    def test_a_writer_that_waits_too_long_is_told_that_the_wiki_is_busy(
        self, database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
        other = Database(path)
        with database.writing() as conn:
            meta.put(conn, "a", "1")
            with pytest.raises(LwcError) as caught:
                write(other, "too late")
        assert caught.value.problem is DATABASE_BUSY
        assert caught.value.body()["retryable"] is True
        assert caught.value.details == {"seconds": 0.05, "retryable": True, "retry_after_ms": 100}
        assert caught.value.committed is False
        write(other, "in time")
        other.close()

    def test_readers_do_not_wait_for_a_writer(self, database: Database) -> None:
        with database.writing() as conn:
            meta.put(conn, "a", "1")
            with database.reading() as reader:
                assert meta.value(reader, "a") is None

    def test_what_a_reading_transaction_writes_is_refused_beside_a_writer(
        self, database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
        other = Database(path)

        def write_while_reading() -> None:
            with other.reading() as conn:
                meta.value(conn, "a")
                write(database, "meanwhile")
                meta.put(conn, "a", "1")

        assert refused(write_while_reading) is DATABASE_BUSY
        other.close()

    def test_a_killed_writer_leaves_nothing_and_no_lock(self, path: Path) -> None:
        def die() -> None:
            with Database(path).writing() as conn:
                meta.put(conn, "a", "1")
                os.kill(os.getpid(), 9)

        assert killed(die)
        database = Database(path)
        with database.reading() as conn:
            assert meta.value(conn, "a") is None
        write(database, "no lock is left")
        database.close()


class TestTheLog:
    def size(self, path: Path) -> int:
        return Path(f"{path}-wal").stat().st_size

    @pytest.mark.usefixtures("not_synced")
    def test_it_stays_short_however_much_is_written(self, path: Path) -> None:
        database = Database(path)
        longest = 0
        for number in range(5_000):
            with database.writing() as conn:
                meta.put(conn, "count", str(number))
            longest = max(longest, self.size(path))
        database.close()
        assert sqlite.WAL_MOST * 0.9 < longest < sqlite.WAL_MOST * 1.1

    def test_a_reader_holds_it_up_and_the_next_commit_makes_up_for_it(
        self, database: Database, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "WAL_MOST", 100_000)
        with database.reading() as conn:
            meta.value(conn, "a")
            for number in range(10):
                write(database, f"{number}" * 50_000)
            assert self.size(path) > 500_000
        write(database, "the reader has gone")
        longest = self.size(path)
        for number in range(10, 30):
            write(database, f"{number}" * 25_000)
        assert self.size(path) == longest

    def test_a_commit_stands_though_the_log_cannot_be_shortened(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sqlite, "WAL_MOST", 100_000)
        database = Database(path)
        for number in range(4):
            write(database, f"{number}" * 50_000)
        database.close()
        held = path.stat().st_size

        def fill() -> bool:
            # The log still fits where the database cannot grow any more.
            resource.setrlimit(resource.RLIMIT_FSIZE, (held + 8_192, held + 8_192))
            opened = Database(path)
            write(opened, "x" * 150_000)
            grown = Path(f"{path}-wal").stat().st_size > sqlite.WAL_MOST
            with opened.reading() as conn:
                count = len(conn.execute(select(tables.texts.c.digest)).all())
            return grown and count == 7

        assert apart(fill)

    def test_closing_the_last_connection_leaves_the_database_alone(self, path: Path) -> None:
        database = Database(path)
        write(database, "a")
        database.close()
        assert [name for name in os.listdir(path.parent) if name.startswith("wiki")] == ["wiki.db"]


class TestWithoutTheRightToWrite:
    @pytest.fixture
    def project(self, project: Path, open_folder: Path) -> Path:
        return project.rename(open_folder / "project")

    def leave_a_log(self, path: Path) -> None:
        """Write, and die before the log is brought into the database."""

        def die() -> None:
            write(Database(path), "only in the log")
            os.kill(os.getpid(), 9)

        assert killed(die)

    def lock(self, path: Path) -> None:
        for name in path.parent.iterdir():
            name.chmod(0o444)
        path.parent.chmod(0o555)

    def texts_seen(self, path: Path) -> int:
        def look() -> int:
            database = Database(path)
            with database.reading() as conn:
                return len(conn.execute(select(tables.texts.c.digest)).all())

        seen: int = as_nobody(look)
        return seen

    def test_a_wiki_at_rest_is_read(self, path: Path) -> None:
        self.lock(path)
        assert self.texts_seen(path) == 2

    def test_a_log_with_its_index_is_read_too(self, path: Path) -> None:
        self.leave_a_log(path)
        self.lock(path)
        assert self.texts_seen(path) == 3

    def test_a_log_alone_is_never_left_out_without_a_word(self, path: Path) -> None:
        self.leave_a_log(path)
        Path(f"{path}-shm").unlink()
        self.lock(path)
        assert as_nobody(lambda: refused(Database(path).version).name) == STORE_READONLY_LOG.name

    def test_an_empty_log_is_no_log(self, path: Path) -> None:
        with closed_store():
            Path(f"{path}-wal").touch()
        self.lock(path)
        assert self.texts_seen(path) == 2

    def test_a_write_is_refused(self, path: Path) -> None:
        self.lock(path)
        assert as_nobody(lambda: refused(lambda: write(Database(path), "a")).name) == (
            STORE_READONLY.name
        )
