from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lwc.domain.terms import (
    QUERY_LIMIT,
    index_terms,
    key_terms,
    match_expression,
    parts_terms,
    query_terms,
)

TOKENIZER = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
SYNTAX = st.text(alphabet="abcN OTRADE\"'():*^+-{}\\.,;%_缓存のก\u0301\0", max_size=40)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute(f'CREATE VIRTUAL TABLE texts USING fts5(body, tokenize="{TOKENIZER}")')
    conn.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab(texts, 'instance')")
    yield conn
    conn.close()


def finds(index: sqlite3.Connection, query: str, text: str) -> bool:
    index.execute("DELETE FROM texts")
    index.execute("INSERT INTO texts(body) VALUES (?)", (index_terms(text),))
    expression = match_expression(query_terms(query).terms)
    found = index.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (expression,))
    return bool(found.fetchone()[0])


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Caches are invalidated", "cach ar invalid"),
        ("Version 2026.4.10 of snake_case", "version 2026 4 10 of snake case"),
        ("缓存一致性", "缓存 存一 一致 致性 性"),
        ("猫", "猫"),
        ("キャッシュ", "キャ ャッ ッシ シュ ュ"),
        ("캐시를", "캐시 시를 를"),
        ("naïve Ärzte", "naïve ärzte"),
        ("हिन्दी", "हिन्दी"),
        ("", ""),
        ("—!?", ""),
    ],
)
def test_texts_become_terms(text: str, terms: str) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("sessionTimeout", "session timeout"),
        ("HTTPServerError in parseXML2", "http server error pars xml"),
        ("Plain Words, HTTP, snake_case, iPhone", "phone"),
        ("日本 getUserName 語", "get user name"),
        ("a" * 100_000, ""),
    ],
    ids=["camel", "acronyms", "plain", "among CJK", "long"],
)
def test_names_in_camel_case_have_parts(text: str, parts: str) -> None:
    assert parts_terms(text) == parts


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("What is the session timeout?", ("session", "timeout")),
        ("the who", ("the", "who")),
        ("cache cached caching", ("cach",)),
        ("sessionTimeout", ("sessiontimeout", "session", "timeout")),
        ("什么是缓存一致性？", ("缓存", "存一", "一致", "致性")),
        ("誰が書いたのですか", ("が書", "書い", "いた", "たの")),
        ("是什么", ("是什", "什么")),
        ("猫", ("猫",)),
        ("的 Sqlite 在", ("sqlite",)),
        ("", ()),
        ("*?", ()),
    ],
)
def test_questions_become_the_terms_to_look_for(text: str, terms: tuple[str, ...]) -> None:
    assert query_terms(text).terms == terms


def test_a_long_question_is_cut_and_says_so() -> None:
    words = " ".join(f"word{n}" for n in range(QUERY_LIMIT + 1))
    asked = query_terms(words)
    assert asked.cut
    assert asked.terms == tuple(words.split()[:QUERY_LIMIT])
    assert not query_terms(words.rpartition(" ")[0]).cut
    assert query_terms("x" * 100_000).cut


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("invalidating caches", "The cache is invalidated."),
        ("猫", "大猫。"),
        ("猫", "猫科动物"),
        ("什么是一致性", "缓存一致性协议"),
        ("ＳＱＬｉｔｅ", "sqlite"),
        ("cafe\u0301", "CAFÉ"),
        ("हिन्दी", "यह हिन्दी है"),
        ("ภาษาไทย", "ใช้ ภาษาไทย ได้"),
        ("한국어", "한국어는 어렵다"),
        ("2026.4.10", "since 2026.4.10"),
        ("the who", "The Who played"),
    ],
)
def test_a_question_finds_its_text(index: sqlite3.Connection, query: str, text: str) -> None:
    assert finds(index, query, text)


def test_words_are_found_whole_only(index: sqlite3.Connection) -> None:
    assert not finds(index, "toc", "protocol and stock")
    assert not finds(index, "हि", "हिन्दी")


@settings(max_examples=300)
@given(st.text(max_size=60) | SYNTAX)
@example("ies 𰀀 \u0b82 \U00010570")
def test_the_tokenizer_leaves_every_term_whole(index: sqlite3.Connection, text: str) -> None:
    terms = index_terms(text)
    index.execute("DELETE FROM texts")
    index.execute("INSERT INTO texts(body) VALUES (?)", (terms,))
    tokens = index.execute("SELECT term FROM tokens ORDER BY offset").fetchall()
    assert [token for (token,) in tokens] == terms.split()


@settings(max_examples=300)
@given(st.text(max_size=60) | SYNTAX)
@example('"alpha')
@example("NEAR(a b)")
@example("title : secret")
@example("- title : alpha")
@example("{slug title}: x")
@example("a AND")
@example("\0")
def test_no_query_is_a_syntax_error(index: sqlite3.Connection, text: str) -> None:
    expression = match_expression(query_terms(text).terms)
    index.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (expression,)).fetchone()


@given(st.lists(SYNTAX, max_size=5))
def test_no_term_is_read_as_syntax(index: sqlite3.Connection, terms: list[str]) -> None:
    expression = match_expression(terms)
    index.execute("SELECT count(*) FROM texts WHERE texts MATCH ?", (expression,)).fetchone()


@given(st.text(max_size=60))
def test_a_text_is_found_by_itself(index: sqlite3.Connection, text: str) -> None:
    # What has words has a term to be found by, and each of its terms is in the index.
    indexed = set(index_terms(text).split()) | set(parts_terms(text).split())
    assert set(query_terms(text).terms) <= indexed
    assert bool(query_terms(text).terms) is bool(indexed)


@pytest.mark.parametrize("padding", range(12))
def test_terms_do_not_depend_on_where_a_large_text_is_cut(padding: int) -> None:
    # Pieces of a hundred thousand characters: the cut falls on every place of the line in turn.
    line = "alpha 缓存 e\u0301\n"
    text = "x" * padding + " " + line * 8_000
    assert index_terms(text).split()[-32_000:] == index_terms(line).split() * 8_000


def test_key_terms_are_those_a_text_is_about() -> None:
    text = (
        "# Cache invalidation\n\nThe cache of a service holds copies. Invalidation removes a copy"
        " when the origin changes. Caches without invalidation serve stale copies.\n"
    )
    assert key_terms(text, limit=2) == ("invalid", "cach")
    assert key_terms(text, limit=0) == ()
    assert "缓存" in key_terms("# 缓存\n\n缓存的一致性由协议保证，缓存失效时重新读取。", limit=3)
    assert key_terms("the and of 12 2026", limit=5) == ()


def test_key_terms_come_from_the_beginning_of_a_large_text() -> None:
    text = "alpha beta " * 10_000 + "omega " * 100_000
    assert set(key_terms(text, limit=9)) == {"alpha", "beta"}
