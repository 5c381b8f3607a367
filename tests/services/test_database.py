from __future__ import annotations

import pytest
from ingesting import refused
from page_makers import put

from lwc.errors import LIMIT_OUT_OF_RANGE, QUERY_REFUSED, QUERY_TOO_SLOW
from lwc.services import database
from lwc.store import maintenance
from lwc.wiki import Wiki

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


class TestQuery:
    def test_rows_are_told_by_column_and_bounded(self, wiki: Wiki) -> None:
        put(wiki, "alpha")
        put(wiki, "beta")
        found = database.query(wiki, "SELECT slug, revision FROM pages ORDER BY slug", limit=1)
        assert found.columns == ("slug", "revision")
        assert found.rows == ({"slug": "alpha", "revision": 1},)
        assert (found.returned, found.has_more) == (1, True)

    def test_an_empty_answer_still_names_its_columns(self, wiki: Wiki) -> None:
        found = database.query(wiki, "SELECT slug FROM pages")
        assert (found.columns, found.rows, found.has_more) == (("slug",), (), False)

    def test_a_name_that_occurs_twice_is_numbered(self, wiki: Wiki) -> None:
        assert database.query(wiki, "SELECT 1 AS x, 2 AS x").rows == ({"x": 1, "x_2": 2},)

    @pytest.mark.parametrize(
        "value, shown",
        [("x'00ff'", "X'00ff'"), ("9e999", "Inf"), ("-9e999", "-Inf"), ("NULL", None)],
    )
    def test_what_json_cannot_hold_is_written_as_sqlite_does(
        self, wiki: Wiki, value: str, shown: object
    ) -> None:
        assert database.query(wiki, f"SELECT {value} AS it").rows == ({"it": shown},)

    def test_text_that_is_not_utf8_is_shown_all_the_same(self, wiki: Wiki) -> None:
        assert database.query(wiki, "SELECT CAST(x'41ff' AS TEXT) AS it").rows == (
            {"it": "A\ufffd"},
        )

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT rowid, bm25(page_fts) FROM page_fts WHERE page_fts MATCH 'x'",
            "SELECT value FROM json_each('[1, 2]')",
            "SELECT name FROM pragma_table_info('pages')",
            "PRAGMA table_info(pages)",
            "PRAGMA user_version",
            "EXPLAIN QUERY PLAN SELECT * FROM pages",
            "VALUES (1), (2)",
            "-- a comment\nSELECT 1",
        ],
    )
    def test_reading_is_permitted_in_every_form(self, wiki: Wiki, sql: str) -> None:
        assert database.query(wiki, sql).columns

    @pytest.mark.parametrize(
        "sql",
        [
            "",
            "-- nothing",
            "SELEKT 1",
            "SELECT 1; SELECT 2",
            "SELECT ?",
            "DELETE FROM pages",
            "WITH x AS (SELECT 1) DELETE FROM pages",
            "INSERT INTO pages SELECT * FROM pages RETURNING id",
            "INSERT INTO page_fts (page_fts) VALUES ('delete-all')",
            "UPDATE sqlite_master SET sql = ''",
            "CREATE TEMP TABLE x (y)",
            "DROP TABLE pages",
            "ATTACH 'other.db' AS other",
            "VACUUM INTO 'copy.db'",
            "PRAGMA user_version = 9",
            "PRAGMA query_only = 0",
            "PRAGMA journal_mode = delete",
            "PRAGMA wal_checkpoint(TRUNCATE)",
            "PRAGMA optimize",
            "PRAGMA writable_schema = 1",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SAVEPOINT x",
            "REINDEX",
            "ANALYZE",
            "SELECT load_extension('x')",
            "SELECT zeroblob(1000000000)",
        ],
    )
    def test_whatever_would_change_something_is_refused(self, wiki: Wiki, sql: str) -> None:
        put(wiki, "alpha")
        refused(QUERY_REFUSED, lambda: database.query(wiki, sql))
        assert put(wiki, "beta").revision == 3, "the wiki can be written as before"
        assert not list(wiki.workspace.root.glob("*.db"))

    def test_a_query_without_end_is_stopped(
        self, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with wiki.reading() as conn:
            refused(QUERY_TOO_SLOW, lambda: maintenance.query(conn, ENDLESS, most=1, seconds=0.01))
        assert put(wiki, "alpha").created

    def test_an_answer_is_bounded_in_size_too(
        self, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(maintenance, "ANSWER_MOST", 10)
        found = database.query(wiki, "SELECT 'twelve chars' FROM json_each('[1, 2, 3]')")
        assert (found.returned, found.has_more) == (1, True)

    def test_the_limit_has_its_range(self, wiki: Wiki) -> None:
        refused(LIMIT_OUT_OF_RANGE, lambda: database.query(wiki, "SELECT 1", limit=1001))
