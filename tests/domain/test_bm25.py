from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lwc.domain import bm25
from lwc.domain.bm25 import Collection

WEIGHTS = (3.0, 0.5)
WORDS = ("lock", "store", "writer", "數", "數據")
PHRASES = st.sampled_from((*WORDS, "數*", "unheard"))
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
Row = tuple[str, str]
Rows = Sequence[Row]
ROWS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute("CREATE VIRTUAL TABLE texts USING fts5(title, body)")
    yield conn
    conn.close()


def by_sqlite(index: sqlite3.Connection, rows: Rows, phrases: Sequence[str]) -> dict[int, float]:
    """The rows that match, by their number, with the scores that FTS5 gives them."""
    index.execute("DELETE FROM texts")
    numbered = [(number, *row) for number, row in enumerate(rows)]
    index.executemany("INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)", numbered)
    quoted = (f'"{phrase[:-1]}"*' if phrase.endswith("*") else f'"{phrase}"' for phrase in phrases)
    return dict(
        index.execute(
            "SELECT rowid, bm25(texts, ?, ?) FROM texts WHERE texts MATCH ?",
            (*WEIGHTS, " OR ".join(quoted)),
        ).fetchall()
    )


def collection(rows: Rows) -> Collection:
    return Collection(rows=len(rows), tokens=sum(map(tokens, rows)))


def tokens(row: Row) -> int:
    return sum(len(column.split()) for column in row)


def held(row: Row, phrase: str) -> float:
    """In how many places a row holds a word, or what begins as it does; weighed by column."""
    return sum(
        weight * sum(_is(phrase, word) for word in column.split())
        for weight, column in zip(WEIGHTS, row, strict=True)
    )


def _is(phrase: str, word: str) -> bool:
    return word.startswith(phrase[:-1]) if phrase.endswith("*") else word == phrase


def holders(rows: Rows, phrase: str) -> int:
    return sum(held(row, phrase) > 0 for row in rows)


def here(rows: Rows, phrases: Sequence[str], row: Row) -> float:
    among = collection(rows)
    weighed = [(among.weight(holders(rows, phrase)), held(row, phrase)) for phrase in phrases]
    return bm25.score(weighed, length=among.length(tokens(row)))


@settings(max_examples=150, deadline=None)
@given(rows=ROWS, phrases=st.lists(PHRASES, min_size=1, max_size=5))
def test_it_reckons_as_sqlite_does(
    index: sqlite3.Connection, rows: Rows, phrases: list[str]
) -> None:
    there = by_sqlite(index, rows, phrases)
    found = {number: here(rows, phrases, rows[number]) for number in there}
    assert found == pytest.approx(there, rel=1e-12, abs=0)


@settings(max_examples=150, deadline=None)
@given(rows=ROWS, phrase=PHRASES)
def test_a_score_tells_how_often_a_phrase_is_held(
    index: sqlite3.Connection, rows: Rows, phrase: str
) -> None:
    among = collection(rows)
    weight = among.weight(holders(rows, phrase))
    for number, score in by_sqlite(index, rows, [phrase]).items():
        length = among.length(tokens(rows[number]))
        told = bm25.frequency(score, weight=weight, length=length)
        assert told == pytest.approx(held(rows[number], phrase), rel=1e-9)


@pytest.mark.parametrize("often", [0.5, 1_000_000.0, 10_000_000.0])
def test_however_often_it_is_told_to_the_half(often: float) -> None:
    among = Collection(rows=2, tokens=40_000_000)
    length = among.length(20_000_000)
    score = bm25.score([(among.weight(1), often)], length=length)
    told = bm25.frequency(score, weight=among.weight(1), length=length)
    assert told == pytest.approx(often, abs=0.2)


@given(rows=ROWS, gone=ROWS, come=ROWS, phrases=st.lists(PHRASES, min_size=1, max_size=4))
def test_no_score_grows_more_than_is_told(
    rows: Rows, gone: Rows, come: Rows, phrases: list[str]
) -> None:
    before, after = [*rows, *gone], [*rows, *come]
    assume(collection(before).tokens and collection(after).tokens)
    most = bm25.growth(
        collection(before),
        collection(after),
        [(holders(before, phrase), holders(after, phrase)) for phrase in phrases],
    )
    for row in rows:
        assert here(after, phrases, row) >= here(before, phrases, row) * most * (1 + 1e-12)


def test_a_word_that_most_documents_hold_still_counts_a_little() -> None:
    among = Collection(rows=10, tokens=100)
    assert among.weight(6) == bm25.LEAST_WEIGHT
    assert among.weight(4) > bm25.LEAST_WEIGHT


def test_a_count_that_cannot_be_is_no_error() -> None:
    assert Collection(rows=2, tokens=10).weight(5) == bm25.LEAST_WEIGHT
