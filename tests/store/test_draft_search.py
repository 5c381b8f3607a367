"""A search in a draft answers what the same search will answer when the draft is live."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import storefiles
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingesting import a_source
from page_makers import AUTHOR, found, put
from sourcing import operations, refusal
from sqlalchemy import Connection

from lwc.errors import CHANGESET_RECORD_UNSUPPORTED, STORE_CORRUPT, LwcError
from lwc.services import changeset_publish, changesets, ingest, lint, page_moves, source_writes
from lwc.services import search as searching
from lwc.services import sources as source_reads
from lwc.store import candidates, draft_search, namesakes, search
from lwc.store.search import Matches
from lwc.wiki import Wiki, open_wiki

WORDS = ("lock", "store", "writer", "sessionTimeout", "session", "缓存", "数据库", "缓", "rare")
SLUGS = tuple(f"page-{number}" for number in range(6))
KINDS = ("concept", "entity", "source")
QUERIES = (
    ("lock",),
    ("lock", "store", "writer"),
    ("session", "timeout", "sessiontimeout"),
    ("缓",),
    ("rare", "数据", "缓", "lock"),
    ("lock", "lock"),
    ("unheard",),
    (),
)
WINDOWS = ((100, 0), (3, 1), (0, 0))
ASKED = ("store of writers", "sessionTimeout 缓 rare", "?!")

Op = tuple[Any, ...]
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
slugs = st.sampled_from(SLUGS)
kinds = st.sampled_from(KINDS)
ops = st.one_of(
    st.tuples(st.just("put"), slugs, texts, texts, texts, kinds, st.booleans()),
    st.tuples(st.just("put"), slugs, texts, texts, texts, kinds, st.booleans()),
    st.tuples(st.just("remove"), slugs),
    st.tuples(st.just("rename"), slugs, slugs),
    st.tuples(st.just("add"), st.integers(1, 4), texts),
    st.tuples(st.just("forget"), st.integers(1, 5)),
)


def do(wiki: Wiki, op: Op) -> str | None:
    """Done to a wiki or a draft; the code of the refusal where it is refused."""
    word, *given_ = op
    try:
        ACTS[word](wiki, *given_)
    except LwcError as error:
        return error.problem.code
    return None


def _put(
    wiki: Wiki, slug: str, title: str, summary: str, body: str, kind: str, citing: bool
) -> None:
    cited = tuple(one.id for one in source_reads.listed(wiki).sources) if citing else ()
    title = title or slug
    put(wiki, slug, f"{body}\n", title=title, summary=summary, kind=kind, source_ids=cited[:2])


def _add(wiki: Wiki, number: int, text: str) -> None:
    root = wiki.workspace.project_root
    (root / f"notes-{number}.md").write_text(f"{number} {text}\n", encoding="utf-8")
    source_writes.add(wiki, AUTHOR, path=f"notes-{number}.md", base=root)


ACTS: dict[str, Callable[..., object]] = {
    "put": _put,
    "remove": lambda wiki, slug: page_moves.remove(wiki, AUTHOR, slug=slug),
    "rename": lambda wiki, slug, to: page_moves.rename(wiki, AUTHOR, slug=slug, to=to),
    "add": _add,
    "forget": lambda wiki, number: source_writes.remove(wiki, AUTHOR, source_id=number),
}


@contextmanager
def a_project(empty_store: Path) -> Iterator[Path]:
    """A project of its own, for one example."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "staged"
        copied(empty_store, folder / ".lwc")
        yield folder


def copied(store: Path, to: Path) -> Path:
    with storefiles.closed_store():
        shutil.copytree(store, to)
    return to


def a_draft(wiki: Wiki, name: str = "x") -> Wiki:
    """A draft of this wiki, begun and opened."""
    changesets.draft(wiki, AUTHOR, name=name)
    return open_wiki(wiki.workspace.project_root, changeset=name)


def assert_equal(here: Matches, there: Matches) -> None:
    assert here.total == there.total
    assert [(hit.id, hit.offset) for hit in here.hits] == [
        (hit.id, hit.offset) for hit in there.hits
    ]
    scores = pytest.approx([hit.score for hit in there.hits], rel=0, abs=1e-9)
    assert [hit.score for hit in here.hits] == scores


def matches(conn: Connection) -> Iterator[Matches]:
    for terms in QUERIES:
        for limit, offset in WINDOWS:
            window = {"limit": limit, "offset": offset}
            yield search.match_pages(conn, terms, **window)
            yield search.match_pages(conn, terms, kinds=("entity", "source"), **window)
            yield search.match_sources(conn, terms, **window)
            yield search.match_sources(conn, terms, untold_only=True, **window)


def related(conn: Connection) -> list[tuple[object, object, object]]:
    """What is related to the terms, and why; and what is built upon it."""
    return [
        (
            search.related_pages(conn, terms, limit=3),
            candidates.candidates(conn, terms, limit=5),
            namesakes.near(conn, key="page-3", terms=terms),
        )
        for terms in QUERIES
    ]


def answers(wiki: Wiki) -> list[object]:
    """What the searches of a wiki answer, without the names of the wiki."""
    return [
        replace(searching.search(wiki, query=query, type=type, kinds=of, **window), stores=())
        for query in ASKED
        for type, of in (("auto", ()), ("auto", ("entity",)), ("page", ("source",)), ("all", ()))
        for window in ({}, {"limit": 2, "offset": 1})
    ]


def assert_equal_searches(draft: Wiki, live: Wiki) -> None:
    with draft.reading() as staged, live.reading() as conn:
        for here, there in zip(matches(staged), matches(conn), strict=True):
            assert_equal(here, there)
        assert related(staged) == related(conn)
    assert answers(draft) == answers(live)


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    before=st.lists(st.tuples(texts, texts, kinds), max_size=30),
    live_ops=st.lists(ops, max_size=6),
    staged_ops=st.lists(ops, max_size=10),
    looked_at=st.sampled_from((1, draft_search.CANDIDATES)),
)
def test_what_a_draft_finds_is_what_live_finds_with_the_same_content(
    empty_store: Path,
    before: list[tuple[str, str, str]],
    live_ops: list[Op],
    staged_ops: list[Op],
    looked_at: int,
) -> None:
    old: list[Op] = [
        ("put", f"old-{number}", title, "", body, kind, False)
        for number, (title, body, kind) in enumerate(before)
    ]
    with a_project(empty_store) as here, pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft_search, "CANDIDATES", looked_at)
        # So that a source of a few words stands in several rows.
        patch.setattr(search, "PIECE_CHARS", 24)
        patch.setattr(search, "CUT_CHARS", 8)
        with open_wiki(here) as base:
            for op in (*old, *live_ops):
                do(base, op)
        copied(here, there := here.parent / "live")
        with open_wiki(here) as base, open_wiki(there) as live, a_draft(base) as draft:
            for op in staged_ops:
                assert do(draft, op) == do(live, op)
            assert_equal_searches(draft, live)


def filled(wiki: Wiki) -> None:
    """Some pages and sources, one told by a page of kind source."""
    first = a_source(wiki, "The lock of the store. " * 3, name="told.md")
    a_source(wiki, "A rare writer holds the lock. " * 2, name="untold.md")
    put(wiki, "about", "It tells of the lock.\n", kind="source", source_ids=(first,))
    for number in range(6):
        put(wiki, f"page-{number}", "lock store " * number + "writer\n", title=f"Lock {number}")


def staged(draft: Wiki) -> None:
    """A change of each kind."""
    put(draft, "page-1", "Now it is rare: one lock.\n", title="Lock one", kind="entity")
    put(draft, "page-9", "A new store of locks and writers.\n")
    page_moves.remove(draft, AUTHOR, slug="page-2")
    page_moves.rename(draft, AUTHOR, slug="page-3", to="moved")
    a_source(draft, "Another rare lock of a store. " * 4, name="new.md")
    source_writes.remove(draft, AUTHOR, source_id=2)


def live_index(wiki: Wiki) -> list[object]:
    """Every row of the tables behind the live index."""
    with wiki.reading() as conn:
        return [
            conn.exec_driver_sql(f"SELECT * FROM {index}_{part} ORDER BY 1, 2").all()
            for index in ("page_fts", "source_fts")
            for part in ("data", "docsize", "idx", "config")
        ]


def found_by(wiki: Wiki) -> list[object]:
    """All that the searches of a wiki answer."""
    with wiki.reading() as conn:
        return [*matches(conn), related(conn), answers(wiki)]


def test_nothing_of_a_draft_changes_a_live_search(wiki: Wiki) -> None:
    filled(wiki)
    before = found_by(wiki), live_index(wiki)
    with a_draft(wiki) as draft:
        staged(draft)
        assert found_by(draft) != before[0]
        assert (found_by(wiki), live_index(wiki)) == before
    changesets.discard(wiki, AUTHOR, name="x")
    assert (found_by(wiki), live_index(wiki)) == before


def test_two_drafts_never_see_each_other(wiki: Wiki) -> None:
    filled(wiki)
    with a_draft(wiki, "x") as one, a_draft(wiki, "y") as other:
        untouched = found_by(other)
        staged(one)
        assert found_by(other) == untouched
        put(other, "page-1", "zebra\n")
        assert found(one, "zebra") == []
        assert found(other, "zebra") == ["page-1"]


def test_what_was_thrown_away_is_in_no_index(wiki: Wiki) -> None:
    filled(wiki)
    with a_draft(wiki) as draft:
        staged(draft)
    changesets.discard(wiki, AUTHOR, name="x")
    with wiki.reading() as conn:
        for index in ("draft_page_fts", "draft_source_fts"):
            rows = conn.exec_driver_sql(f"SELECT count(*) FROM {index}_docsize").scalar_one()
            assert rows == 0
    with a_draft(wiki) as anew:
        assert found(anew, "rare") == []


def test_what_a_draft_found_is_found_when_it_is_live(wiki: Wiki) -> None:
    filled(wiki)
    with a_draft(wiki) as draft:
        staged(draft)
        with draft.reading() as conn:
            before, near = [*matches(conn)], [one for one, *_ in related(conn)]
        shown = answers(draft)
    waived = changeset_publish.override(allow_lint_issues=True, reason="a test", findings=None)
    changeset_publish.publish(wiki, AUTHOR, name="x", waived=waived)
    with wiki.reading() as conn:
        for here, there in zip(before, matches(conn), strict=True):
            assert_equal(here, there)
        assert [one for one, *_ in related(conn)] == near
    assert answers(wiki) == shown


def test_a_draft_of_an_empty_wiki_finds_what_it_brings(wiki: Wiki) -> None:
    with a_draft(wiki) as draft:
        assert found(draft, "lock") == []
        put(draft, "one", "A lock.\n")
        assert found(draft, "lock") == ["one"]
        page_moves.remove(draft, AUTHOR, slug="one")
        assert found(draft, "lock") == []


def test_what_a_page_said_before_is_not_found_in_its_draft(wiki: Wiki) -> None:
    put(wiki, "one", "zebra\n")
    with a_draft(wiki) as draft:
        put(draft, "one", "heron\n")
        assert (found(draft, "zebra"), found(draft, "heron")) == ([], ["one"])
        assert (found(wiki, "zebra"), found(wiki, "heron")) == (["one"], [])
        (shown,) = searching.search(draft, query="heron").results
        assert shown.snippet == "heron"


def test_a_packet_of_a_draft_offers_what_is_staged(wiki: Wiki) -> None:
    source = a_source(wiki, "The heron stands in the water. " * 3)
    put(wiki, "old", "heron water\n")
    with a_draft(wiki) as draft:
        put(draft, "new", "heron water stands\n")
        page_moves.remove(draft, AUTHOR, slug="old")
        packet = ingest.claim(draft, AUTHOR, source)
        assert [page.slug for page in packet.pages] == ["new"]
        assert packet.pages[0].why.startswith("shares ")


def order(conn: Connection) -> list[str]:
    """What the pages that match are called, the best first, each up to its number."""
    hits = search.match_pages(conn, ("zebra", "heron"), limit=100).hits
    names = search.page_names(conn, [hit.id for hit in hits])
    return [names[hit.id][1].partition("-")[0] for hit in hits]


def test_the_order_is_certain_when_what_is_rare_becomes_common(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first by their live scores are the last ones then."""
    monkeypatch.setattr(draft_search, "CANDIDATES", 1)
    for word, number in (("zebra zebra", 9), ("heron", 5), ("nothing of them", 14)):
        for count in range(number):
            put(wiki, f"{word[:5]}-{count}", f"{word}\n", title="A title")
    with a_draft(wiki) as draft:
        with wiki.reading() as conn:
            assert order(conn)[:5] == ["heron"] * 5
        for count in range(12):
            put(draft, f"new-{count}", "heron\n", title="A title")
        with draft.reading() as conn:
            assert order(conn)[:9] == ["zebra"] * 9
            best = search.match_pages(conn, ("zebra", "heron"), limit=1)
            assert best.hits == search.match_pages(conn, ("zebra", "heron"), limit=100).hits[:1]


def test_what_a_draft_removes_is_no_row_that_stands_twice(wiki: Wiki) -> None:
    filled(wiki)
    with a_draft(wiki) as draft:
        staged(draft)
        assert [code for code in lint.lint(draft).counts if "index" in code] == []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM page_fts_docsize",
        "DELETE FROM draft_page_fts_docsize",
        "DELETE FROM page_fts_data WHERE id = 1",
        "UPDATE page_fts_data SET block = x'05' WHERE id = 1",
        "UPDATE page_fts_data SET block = x'010101010101' WHERE id = 1",
    ],
)
def test_an_index_that_counts_wrong_is_told(wiki: Wiki, damage: str) -> None:
    filled(wiki)
    with a_draft(wiki) as draft:
        staged(draft)
    database = wiki.workspace.database
    wiki.close()
    with storefiles.closed_store(), closing(sqlite3.connect(database)) as conn:
        conn.execute(damage)
        conn.commit()
    with open_wiki(wiki.workspace.project_root, changeset="x") as draft:
        refusal(lambda: searching.search(draft, query="lock"), STORE_CORRUPT)


def test_what_a_draft_was_asked_is_not_recorded(wiki: Wiki) -> None:
    with a_draft(wiki) as draft:
        before = operations(wiki)
        refusal(
            lambda: searching.search(draft, AUTHOR, query="lock", record=True),
            CHANGESET_RECORD_UNSUPPORTED,
        )
        refusal(
            lambda: searching.search_all((wiki, draft), AUTHOR, query="lock", record=True),
            CHANGESET_RECORD_UNSUPPORTED,
        )
        refusal(lambda: lint.lint(draft, AUTHOR, record=True), CHANGESET_RECORD_UNSUPPORTED)
        assert operations(wiki) == before
