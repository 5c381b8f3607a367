from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from lwc import clock, wire
from lwc.domain.source import Source
from lwc.domain.terms import query_terms
from lwc.errors import SOURCE_NOT_FOUND, LwcError
from lwc.store import charter, jobs, search, sources, texts
from lwc.store.tables import metadata, source_ids
from lwc.wiki import Call, Wiki

NOW = clock.now()


def put(conn: Connection, text: str, path: str = "a.md", title: str = "A") -> Source:
    source, _ = sources.add(
        conn,
        text=text,
        digest=wire.text_digest(text),
        size=len(text.encode()),
        title=title,
        origin=path,
        path=path,
        now=NOW,
    )
    return source


def found(conn: Connection, words: str) -> list[int]:
    """The sources that a search finds."""
    terms = query_terms(words).terms
    return [hit.id for hit in search.match_sources(conn, terms, limit=9).hits]


def rows(conn: Connection, *but: str) -> dict[str, int]:
    """How many rows each table has."""
    return {
        table.name: conn.execute(select(func.count()).select_from(table)).scalar_one()
        for table in metadata.tables.values()
        if table.name not in but
    }


def test_a_source_is_found_as_it_was_added(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        made = put(change.conn, "größer\r\n", "docs/ä.md", "Title")
        assert sources.find(change.conn, made.id) == made
        assert (made.chars, made.bytes, made.created_at) == (8, 10, NOW)
        assert texts.whole(change.conn, made.digest) == "größer\r\n"
        assert jobs.find(change.conn, made.id).state == "pending"
        assert found(change.conn, "größer") == [made.id]


def test_a_text_is_one_source_with_the_name_it_had_first(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        first = put(change.conn, "text", "a.md", "First")
        assert put(change.conn, "text", "b.md", "Second") == first
        assert sources.total(change.conn) == 1


def test_an_id_stays_bound_to_its_text_for_ever(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        first, second = put(change.conn, "one"), put(change.conn, "two")
        sources.remove(change.conn, second)
        sources.remove(change.conn, first)
        third = put(change.conn, "three")
        assert third.id > second.id
        assert (put(change.conn, "two").id, put(change.conn, "one").id) == (second.id, first.id)


def test_removing_leaves_nothing_but_the_id(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        stays = put(change.conn, "another text stays")
        before = rows(change.conn, "source_ids")
        made = put(change.conn, "the text that goes", "gone.md")
        sources.observe_path(change.conn, "gone.md", made.id, NOW)
        sources.remove(change.conn, made)
        assert rows(change.conn, "source_ids") == before
        assert change.conn.execute(select(func.count()).select_from(source_ids)).scalar_one() == 2
        assert found(change.conn, "goes gone") == []
        assert found(change.conn, "another") == [stays.id]
        with pytest.raises(LwcError) as caught:
            sources.find(change.conn, made.id)
        assert caught.value.problem is SOURCE_NOT_FOUND


def test_a_text_that_something_else_holds_outlives_its_source(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        made = put(change.conn, "the purpose, word for word")
        charter.put(change.conn, "purpose", "the purpose, word for word", author="a", now=NOW)
        sources.remove(change.conn, made)
        newest = charter.newest(change.conn, "purpose")
        assert newest is not None
        assert newest.text == "the purpose, word for word"


def test_a_path_that_returns_to_an_earlier_text_gets_a_third_revision(
    wiki: Wiki, call: Call
) -> None:
    with wiki.writing(call) as change:
        a, b = put(change.conn, "a"), put(change.conn, "b")
        seen = [
            sources.observe_path(change.conn, "p.md", source.id, NOW + timedelta(seconds=moment))
            for moment, source in enumerate((a, a, b, b, a))
        ]
        assert [(head.revision, head.source_id, new) for head, new in seen] == [
            (1, a.id, True),
            (1, a.id, False),
            (2, b.id, True),
            (2, b.id, False),
            (3, a.id, True),
        ]


def test_a_source_may_be_the_head_of_several_paths(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        made = put(change.conn, "a")
        for path in ("x.md", "y.md"):
            sources.observe_path(change.conn, path, made.id, NOW)
        assert [head.tracked_path for head in sources.paths_of(change.conn, made.id)] == [
            "x.md",
            "y.md",
        ]


def test_a_path_whose_head_goes_is_forgotten_whole(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        old, head = put(change.conn, "old"), put(change.conn, "head")
        for source in (old, head):
            sources.observe_path(change.conn, "p.md", source.id, NOW)
        sources.observe_path(change.conn, "q.md", head.id, NOW)
        sources.observe_path(change.conn, "q.md", old.id, NOW)
        forgotten = sources.remove(change.conn, head)
        assert forgotten.affected_paths == ("p.md", "q.md")
        assert forgotten.untracked_paths == ("p.md",)
        assert forgotten.removed_path_revisions == 3
        left = sources.heads(change.conn, ("p.md", "q.md"))
        assert {path: (head.revision, head.source_id) for path, head in left.items()} == {
            "q.md": (2, old.id)
        }


def test_only_sources_are_known(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        a, b = put(change.conn, "a"), put(change.conn, "b")
        sources.remove(change.conn, a)
        many = range(1, 2_000)
        assert sources.known(change.conn, many) == {b.id}
        assert sources.known(change.conn, ()) == set()
        assert set(sources.by_digest(change.conn, (b.digest, a.digest, "0"))) == {b.digest}
        assert sources.digests(change.conn) == {b.digest}


def test_sources_are_listed_by_id(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        made = [put(change.conn, f"text {number}") for number in range(5)]
        assert sources.listed(change.conn, limit=2, offset=1) == tuple(made[1:3])
        assert sources.listed(change.conn, limit=9, offset=5) == ()


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("abc")), max_size=12))
def test_revisions_of_a_path_are_its_changes_in_order(
    wiki: Wiki, steps: list[tuple[str, str]]
) -> None:
    expected: dict[str, list[str]] = {}
    with wiki.database.writing() as conn:
        for path, text in steps:
            made = put(conn, text)
            head, new = sources.observe_path(conn, path, made.id, NOW)
            history = expected.setdefault(path, [])
            assert new == (not history or history[-1] != text)
            if new:
                history.append(text)
            assert head.revision == len(history)
        for text in "abc":
            there = sources.by_digest(conn, (wire.text_digest(text),))
            for source in there.values():
                sources.remove(conn, source)
        assert sources.heads(conn, expected) == {}
        assert rows(conn, "source_ids")["source_paths"] == 0
