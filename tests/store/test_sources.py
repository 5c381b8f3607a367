from __future__ import annotations

import pytest
from sqlalchemy import Connection, func, select

from lwc import clock, wire
from lwc.domain.source import PathHead, Source, head_after
from lwc.domain.terms import query_terms
from lwc.errors import SOURCE_NOT_FOUND, LwcError
from lwc.store import charter, jobs, search, sources, texts
from lwc.store.tables import metadata, source_ids
from lwc.wiki import Call, Wiki

NOW = clock.now()


def put(conn: Connection, text: str, path: str = "a.md", title: str = "A") -> Source:
    """Makes a source of a text that is none."""
    digest = wire.text_digest(text)
    made = Source(
        id=sources.ids_of(conn, (digest,))[digest],
        digest=digest,
        title=title,
        origin=path,
        path=path,
        chars=len(text),
        bytes=len(text.encode()),
        created_at=NOW,
    )
    sources.make(conn, made, text=text)
    return made


def observe(conn: Connection, path: str, *seen: Source) -> None:
    """The path holds these sources one after the other."""
    for source in seen:
        head = sources.heads(conn, (path,)).get(path)
        after = head_after(head, tracked=path, source_id=source.id)
        sources.advance(conn, (after,), NOW)


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


def test_a_digest_gets_its_id_once_and_in_order(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        first = sources.ids_of(change.conn, ("c", "a", "c", "b"))
        assert sorted(first, key=first.__getitem__) == ["c", "a", "b"]
        assert sources.ids_of(change.conn, ("a", "d")) == {"a": first["a"], "d": first["b"] + 1}
        assert sources.ids_of(change.conn, ()) == {}


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
        before = rows(change.conn, "source_ids", "outbox")
        made = put(change.conn, "the text that goes", "gone.md")
        observe(change.conn, "gone.md", made)
        sources.remove(change.conn, made)
        assert rows(change.conn, "source_ids", "outbox") == before
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
        observe(change.conn, "p.md", a, b, a)
        assert sources.heads(change.conn, ("p.md", "q.md")) == {
            "p.md": PathHead(tracked_path="p.md", revision=3, source_id=a.id)
        }


def test_a_source_may_be_the_head_of_several_paths(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        made = put(change.conn, "a")
        for path in ("x.md", "y.md"):
            observe(change.conn, path, made)
        assert [head.tracked_path for head in sources.paths_of(change.conn, made.id)] == [
            "x.md",
            "y.md",
        ]


def test_a_path_whose_head_goes_is_forgotten_whole(wiki: Wiki, call: Call) -> None:
    with wiki.writing(call) as change:
        old, head = put(change.conn, "old"), put(change.conn, "head")
        observe(change.conn, "p.md", old, head)
        observe(change.conn, "q.md", head, old)
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
