from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, insert, select, update

from lwc.errors import STORE_CORRUPT, LwcError
from lwc.store import tables, texts
from lwc.store.database import Connection, Database
from lwc.store.tables import text_parts

SMALL = 5
LONG = "".join(chr(0x4E00 + number % 5000) for number in range(23))

# One database serves every example: a text is kept once, whatever else is kept beside it.
quick = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def conn(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connection]:
    """A writing transaction in a store that cuts texts after a few characters."""
    monkeypatch.setattr(texts, "PART_CHARS", SMALL)
    database = Database(project / ".lwc" / "wiki.db")
    with database.writing() as opened:
        yield opened
    database.close()


@quick
@given(text=st.text(max_size=40))
def test_what_is_kept_comes_back_whole_under_its_digest(conn: Connection, text: str) -> None:
    digest = texts.put(conn, text)
    assert digest == sha256(text.encode()).hexdigest()
    assert texts.whole(conn, digest) == text
    assert texts.chars(conn, digest) == len(text)


@quick
@given(text=st.text(max_size=40), offset=st.integers(0, 50), size=st.integers(0, 50))
def test_a_window_is_a_slice_of_the_whole(
    conn: Connection, text: str, offset: int, size: int
) -> None:
    digest = texts.put(conn, text)
    assert texts.window(conn, digest, offset=offset, size=size) == text[offset : offset + size]


@quick
@given(text=st.text(max_size=40), size=st.integers(1, 12))
def test_the_windows_of_a_text_make_it_up(conn: Connection, text: str, size: int) -> None:
    digest = texts.put(conn, text)
    windows = [
        texts.window(conn, digest, offset=offset, size=size)
        for offset in range(0, len(text) + size, size)
    ]
    assert "".join(windows) == text


def test_a_window_may_be_asked_for_beyond_all_numbers(conn: Connection) -> None:
    digest = texts.put(conn, LONG)
    assert texts.window(conn, digest, offset=3, size=2**70) == LONG[3:]
    assert texts.window(conn, digest, offset=2**70, size=1) == ""


def test_a_window_reads_only_the_parts_it_shows(conn: Connection) -> None:
    digest = texts.put(conn, LONG)
    damage = update(text_parts).where(text_parts.c.digest == digest)
    conn.execute(damage.where(text_parts.c.start != 10).values(body="x"))
    assert texts.window(conn, digest, offset=10, size=SMALL) == LONG[10:15]


def test_a_text_is_kept_once(conn: Connection) -> None:
    first = texts.put(conn, LONG)
    before = conn.execute(select(func.count()).select_from(text_parts)).scalar_one()
    assert texts.put(conn, LONG) == first
    assert conn.execute(select(func.count()).select_from(text_parts)).scalar_one() == before


def test_the_parts_of_a_text_are_bounded_and_counted(conn: Connection) -> None:
    digest = texts.put(conn, LONG)
    rows = conn.execute(select(text_parts).where(text_parts.c.digest == digest)).all()
    assert [row.start for row in rows] == [0, 5, 10, 15, 20]
    assert max(len(row.body) for row in rows) == SMALL
    kept = conn.execute(select(tables.texts).where(tables.texts.c.digest == digest)).one()
    assert (kept.chars, kept.bytes) == (23, 69)


def spoil(conn: Connection, digest: str) -> None:
    part = (text_parts.c.digest == digest) & (text_parts.c.start == 10)
    conn.execute(update(text_parts).where(part).values(body="乀乁乂乃乄"))


def shorten(conn: Connection, digest: str) -> None:
    part = (text_parts.c.digest == digest) & (text_parts.c.start == 10)
    digest_of_less = sha256(LONG[10:14].encode()).hexdigest()
    conn.execute(
        update(text_parts).where(part).values(body=LONG[10:14], part_digest=digest_of_less)
    )


def lose(*starts: int) -> Callable[[Connection, str], None]:
    def damage(conn: Connection, digest: str) -> None:
        parts = (text_parts.c.digest == digest) & text_parts.c.start.in_(starts)
        conn.execute(delete(text_parts).where(parts))

    return damage


def lose_all(conn: Connection, digest: str) -> None:
    conn.execute(delete(tables.texts).where(tables.texts.c.digest == digest))


@pytest.mark.parametrize(
    "damage",
    [spoil, shorten, lose(10), lose(5, 10), lose(10, 15, 20), lose(0, 5, 10, 15, 20), lose_all],
    ids=["changed", "shortened", "a part", "two parts", "the end", "every part", "all of it"],
)
def test_damage_is_told_and_never_handed_out(
    conn: Connection, damage: Callable[[Connection, str], None]
) -> None:
    digest = texts.put(conn, LONG)
    damage(conn, digest)
    for read in (
        lambda: texts.whole(conn, digest),
        lambda: texts.window(conn, digest, offset=8, size=6),
        lambda: texts.window(conn, digest, offset=0, size=100),
    ):
        with pytest.raises(LwcError) as caught:
            read()
        assert caught.value.problem is STORE_CORRUPT
        assert digest[:12] in caught.value.message


def test_a_text_of_many_parts_is_cut_by_characters_not_bytes(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(project / ".lwc" / "wiki.db")
    text = "😀é維a" * texts.PART_CHARS
    with database.writing() as conn:
        digest = texts.put(conn, text)
        offset = 3 * texts.PART_CHARS - 2
        assert texts.window(conn, digest, offset=offset, size=4) == text[offset : offset + 4]
        assert texts.whole(conn, digest) == text
    database.close()


def test_a_part_without_its_text_cannot_be(conn: Connection) -> None:
    part = {"digest": "none", "start": 0, "part_digest": "none", "body": "a"}
    with pytest.raises(Exception, match="FOREIGN KEY"):
        conn.execute(insert(text_parts).values(part))
