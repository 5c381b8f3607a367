"""The search index: nothing stays behind, any text is a query, and filters stand inside SQL."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from page_makers import AUTHOR, put
from sqlalchemy import Connection

from lwc.domain.terms import query_terms
from lwc.store import search
from lwc.wiki import Wiki

FEW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WORDS = st.text(max_size=60) | st.text(alphabet="aé文の한-_. \n\u0301\u200bA1", max_size=60)


def integrity(conn: Connection) -> None:
    conn.exec_driver_sql("INSERT INTO page_fts (page_fts) VALUES ('integrity-check')")
    conn.exec_driver_sql("INSERT INTO source_fts (source_fts) VALUES ('integrity-check')")


def words(conn: Connection, table: str) -> list[str]:
    """Every word an index holds, from its own lists."""
    conn.exec_driver_sql("DROP TABLE IF EXISTS temp.held")
    conn.exec_driver_sql(f"CREATE VIRTUAL TABLE temp.held USING fts5vocab(main, {table}, row)")
    return list(conn.exec_driver_sql("SELECT term FROM temp.held ORDER BY term").scalars())


def pages_with(wiki: Wiki, *terms: str, **options: object) -> list[int]:
    with wiki.reading() as conn:
        found = search.match_pages(conn, terms, **{"limit": 1000, **options})  # type: ignore[arg-type]
        return [hit.id for hit in found.hits]


@FEW
@given(title=WORDS, slug=WORDS, summary=WORDS, body=WORDS)
def test_a_page_that_is_taken_out_leaves_no_word(
    wiki: Wiki, title: str, slug: str, summary: str, body: str
) -> None:
    terms = search.analyse_page(title=title, slug=slug, summary=summary, body=body)
    with wiki.writing(AUTHOR) as change:
        search.index_page(change.conn, 1, terms)
        search.drop_page(change.conn, 1, terms)
        integrity(change.conn)
        assert words(change.conn, "page_fts") == []


@FEW
@given(title=WORDS, path=WORDS, text=WORDS)
def test_a_source_that_is_taken_out_leaves_no_word(
    wiki: Wiki, title: str, path: str, text: str
) -> None:
    with wiki.writing(AUTHOR) as change:
        pieces = tuple(search.analyse_source(title=title, path=path, text=text))
        search.index_source(change.conn, 1, pieces)
        search.drop_source(change.conn, 1, pieces)
        integrity(change.conn)
        assert words(change.conn, "source_fts") == []


@FEW
@given(
    query=st.text(max_size=200) | st.text(alphabet="\"'*^:(){}+-~ ANDORNEAR\0\ud800", max_size=40)
)
def test_any_text_is_a_query(wiki: Wiki, query: str) -> None:
    with wiki.reading() as conn:
        terms = query_terms(query).terms
        assert search.match_pages(conn, terms, limit=5).total == 0
        assert search.match_sources(conn, terms, untold_only=True, limit=5).total == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"alpha', 1),
        ("alpha)", 1),
        ("a AND", 0),
        ("NEAR(", 1),
        ("title:secret", 1),
        ("title:unheard", 0),
        ("- title : alpha", 1),
        ("{slug title}: x", 0),
        ("alpha NOT alpha", 1),
        ("^secret", 1),
    ],
)
def test_signs_in_a_query_are_no_operators_and_no_column_filters(
    wiki: Wiki, query: str, found: int
) -> None:
    put(wiki, "one", "Secret: alpha is near.\n", title="Other")
    with wiki.reading() as conn:
        assert search.match_pages(conn, query_terms(query).terms, limit=5).total == found


def test_a_long_source_stands_in_several_rows_and_is_one_source(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "PIECE_CHARS", 2_000)
    text = "lock writer " * 500 + "zebra " + "lock writer " * 100
    pieces = tuple(search.analyse_source(title="big", path="docs/big.md", text=text))
    with wiki.writing(AUTHOR) as change:
        conn = change.conn
        search.index_source(conn, 7, pieces)
        found = search.match_sources(conn, ("lock", "zebra"), limit=5)
        assert (found.total, [hit.id for hit in found.hits]) == (1, [7])
        assert 0 < found.hits[0].offset <= text.index("zebra")
        search.drop_source(conn, 7, pieces)
        assert words(conn, "source_fts") == []


def test_a_source_is_cut_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PIECE_CHARS", 2_000)
    pieces = tuple(search.analyse_source(title="t", path="t", text="elephant " * 600))
    assert len(pieces) > 2
    assert {word for piece in pieces for word in piece.body.split()} == {"eleph"}


def test_many_matching_sources_never_push_out_a_page(wiki: Wiki) -> None:
    put(wiki, "one", "A lock.\n")
    with wiki.writing(AUTHOR) as change:
        for number in range(1, 200):
            pieces = search.analyse_source(title="lock", path="lock", text="lock lock lock")
            search.index_source(change.conn, number, pieces)
    assert len(pages_with(wiki, "lock", limit=5)) == 1


def test_kinds_are_filtered_before_the_limit(wiki: Wiki) -> None:
    for number in range(30):
        put(wiki, f"c{number}", "lock lock lock\n", title="lock")
    put(wiki, "e", "A very long text about many things and one lock.\n", kind="entity")
    assert len(pages_with(wiki, "lock", kinds=("entity",), limit=1)) == 1


def test_parts_of_a_list_fit_together(wiki: Wiki) -> None:
    for number in range(25):
        put(wiki, f"p{number}", "The same lock.\n", title="same")
    whole = pages_with(wiki, "lock")
    parts = [id_ for at in range(0, 25, 4) for id_ in pages_with(wiki, "lock", limit=4, offset=at)]
    assert len(whole) == 25
    assert parts == whole


def test_related_pages_tell_what_they_share_and_prefer_rare_terms(wiki: Wiki) -> None:
    for number in range(10):
        put(wiki, f"common{number}", "lock store\n")
    put(wiki, "rare", "lock zebra\n")
    with wiki.reading() as conn:
        first, *rest = search.related_pages(conn, ("lock", "zebra", "unheard"), limit=3)
        rare = conn.exec_driver_sql("SELECT id FROM pages WHERE slug = 'rare'").scalar_one()
    assert first == (rare, "shares zebra, lock")
    assert len(rest) == 2


def test_of_a_common_term_only_the_newest_pages_are_looked_at(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "NEWEST_LOOKED_AT", 3)
    for number in range(8):
        put(wiki, f"p{number}", "lock\n")
    with wiki.reading() as conn:
        related = search.related_pages(conn, ("lock",), limit=100)
        newest = conn.exec_driver_sql("SELECT id FROM pages ORDER BY id DESC LIMIT 3").scalars()
        assert [page_id for page_id, _ in related] == list(newest)


def test_an_index_that_is_made_anew_is_the_same(wiki: Wiki) -> None:
    put(wiki, "one", "lock 数据库 sessionTimeout\n")
    with wiki.writing(AUTHOR) as change:
        before = words(change.conn, "page_fts")
        assert search.rebuild(change.conn) == (1, 0)
        assert words(change.conn, "page_fts") == before
        integrity(change.conn)


def test_the_engine_keeps_words_with_vowel_marks_whole(wiki: Wiki) -> None:
    with wiki.writing(AUTHOR) as change:
        terms = search.analyse_page(title="", slug="", summary="", body="हिन्दी में")
        search.index_page(change.conn, 1, terms)
        assert words(change.conn, "page_fts") == ["में", "हिन्दी"]


@pytest.mark.parametrize("table", ["page_fts", "source_fts"])
def test_the_index_keeps_every_place_and_no_text(wiki: Wiki, table: str) -> None:
    """With less than all places bm25() is 0 for every row, without a word."""
    with wiki.reading() as conn:
        found = conn.exec_driver_sql("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
        made = found.scalar_one()
    assert "content=''" in made
    assert "detail" not in made
