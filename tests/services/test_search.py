"""Searching: pages first, sources that no page tells of after them, in parts that fit together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingesting import a_source, refused
from page_makers import AUTHOR, put

from lwc import wire
from lwc.errors import (
    BLANK_QUERY,
    INVALID_OFFSET,
    KIND_NEEDS_PAGES,
    LIMIT_OUT_OF_RANGE,
    STALE_REVISION,
    UNKNOWN_SEARCH_TYPE,
)
from lwc.services import workspaces
from lwc.services.search import RERANKED, SearchAnswer, search, search_all
from lwc.store import journal
from lwc.store import search as index
from lwc.wiki import Call, Wiki, open_wiki
from lwc.workspace import Scope

LOCKS = "Only one writer can hold the lock at any moment."


def names(answer: SearchAnswer) -> list[str]:
    return [f"{result.type}:{result.identifier}" for result in answer.results]


@pytest.fixture
def locks(wiki: Wiki) -> Wiki:
    """Two sources on locks; a source page tells of the first, a concept page of both."""
    first = a_source(wiki, f"# Locks\n\n{LOCKS}\n", name="locks.md")
    second = a_source(wiki, "A lock is released at the end. Nobody says when.", name="more.md")
    put(wiki, "locks-paper", "The paper on the lock.\n", kind="source", source_ids=(first,))
    put(wiki, "lock", "A lock is held by one.\n", source_ids=(first, second), summary="Locks.")
    return wiki


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["page:lock", "page:locks-paper", "source:2"]),
        ({"type": "page"}, ["page:lock", "page:locks-paper"]),
        ({"type": "source"}, ["source:1", "source:2"]),
        ({"type": "all"}, ["page:lock", "page:locks-paper", "source:1", "source:2"]),
        ({"kinds": ("concept",)}, ["page:lock", "source:1", "source:2"]),
        ({"kinds": (" Source ",)}, ["page:locks-paper", "source:2"]),
        ({"kinds": ("source", "concept")}, ["page:lock", "page:locks-paper", "source:2"]),
        ({"kinds": ("concept",), "type": "page"}, ["page:lock"]),
        ({"kinds": ("entity",), "type": "page"}, []),
    ],
    ids=str,
)
def test_types_and_kinds_choose_what_is_found(
    locks: Wiki, asked: dict[str, object], expected: list[str]
) -> None:
    answer = search(locks, query="lock", **asked)  # type: ignore[arg-type]
    found = names(answer)
    assert sorted(found) == sorted(expected)
    assert [name.partition(":")[0] for name in found] == sorted(
        name.partition(":")[0] for name in found
    )
    assert answer.total == len(expected) == sum(answer.totals.values())


def test_a_page_tells_what_it_is_and_what_it_rests_on(wiki: Wiki) -> None:
    source = a_source(wiki, LOCKS)
    quotes = f'[^a]: source:{source} "{LOCKS}"\n[^b]: source:{source} "two writers"\n'
    body = f"Writers wait.[^a][^b]\n\n{quotes}"
    put(wiki, "lock", body, title="The lock", summary="One holds it.", provenance=("hypothesis",))
    [result] = search(wiki, query="writers wait", type="page").results
    assert (result.scope, result.type, result.identifier) == ("project", "page", "lock")
    assert (result.title, result.kind, result.summary) == ("The lock", "concept", "One holds it.")
    assert result.provenance == ("source-grounded", "hypothesis")
    assert result.source_ids == (source,)
    assert result.citations == {"exact": 1, "missing": 1}
    assert result.rank < 0


def test_a_source_tells_where_it_is_and_how_often_it_is_quoted(wiki: Wiki) -> None:
    source = a_source(wiki, LOCKS, name="locks.md")
    put(wiki, "a", f'Held.[^a]\n\n[^a]: source:{source} "{LOCKS}"\n')
    [result] = search(wiki, query="moment", type="source").results
    assert (result.type, result.identifier, result.path) == ("source", str(source), "locks.md")
    assert (result.kind, result.summary, result.provenance) == (None, None, None)
    assert result.citations == {"exact": 1}


def test_the_snippet_is_the_best_passage_with_its_matches_marked(wiki: Wiki) -> None:
    text = "Nothing of note. " * 100 + LOCKS + " Nothing again." * 100
    put(wiki, "a", text + "\n")
    [result] = search(wiki, query="writers held the lock").results
    marked = [result.snippet[start:end] for start, end in result.marks]
    assert marked == ["writer", "lock"]
    assert len(result.snippet) <= 180
    assert text[result.snippet_offset :].startswith(result.snippet[:20])


def test_signs_of_markup_stay_text_in_a_snippet(wiki: Wiki) -> None:
    put(wiki, "a", "The <b>lock</b> & more.\n")
    [result] = search(wiki, query="lock").results
    assert result.snippet == "The <b>lock</b> & more."
    assert [result.snippet[start:end] for start, end in result.marks] == ["lock"]


def test_a_match_deep_in_a_source_is_shown(wiki: Wiki) -> None:
    text = "Nothing of note here. " * 5_000 + "The zebra holds it."
    a_source(wiki, text)
    [result] = search(wiki, query="zebra").results
    assert "zebra" in result.snippet
    assert text[result.snippet_offset :].startswith(result.snippet[:10])


def test_a_match_in_a_later_piece_of_a_long_source_is_shown(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PIECE_CHARS", 70_000)
    a_source(wiki, "lock " * 60_000 + "zebra " + "lock " * 10_000)
    answer = search(wiki, query="zebra lock")
    assert answer.total == 1
    assert "zebra" in answer.results[0].snippet


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000"], ids=repr)
def test_a_blank_query_is_refused(wiki: Wiki, query: str) -> None:
    refused(BLANK_QUERY, lambda: search(wiki, query=query))


@pytest.mark.parametrize("query", ["*", '""', "()", "\u200b", "\ud800", "😀", "---"], ids=ascii)
def test_a_query_without_words_finds_nothing_and_says_why(locks: Wiki, query: str) -> None:
    answer = search(locks, query=query)
    assert (answer.results, answer.total, answer.query.terms) == ((), 0, ())
    assert answer.query.notice
    wire.encode(answer).encode("utf-8")


def test_a_long_query_is_cut_with_a_notice_and_never_refused(locks: Wiki) -> None:
    words = " ".join(f"word{number}" for number in range(100))
    answer = search(locks, query=f"lock {words}")
    assert answer.query.cut
    assert len(answer.query.terms) == 64
    assert answer.query.notice
    assert "page:lock" in names(answer)
    assert search(locks, query=f"{words} lock").total == 0


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(min_size=1, max_size=80).filter(str.strip))
def test_any_query_has_an_answer(locks: Wiki, query: str) -> None:
    answer = search(locks, query=query, limit=1000)
    assert answer.total == len(answer.results)
    for result in answer.results:
        assert all(0 <= start < end <= len(result.snippet) for start, end in result.marks)


@pytest.mark.parametrize(
    "query", ["数据库的锁", "ロックを保持", "잠금을"], ids=["han", "kana", "hangul"]
)
def test_scripts_without_spaces_are_found_by_their_pairs(wiki: Wiki, query: str) -> None:
    put(wiki, "a", f"前置文字{query}之后。\n")
    put(wiki, "b", "完全无关的文字。\n")
    assert names(search(wiki, query=query)) == ["page:a"]


def test_title_and_path_lift_a_page(wiki: Wiki) -> None:
    put(wiki, "long", "zebra " * 30 + "\n", title="Other")
    put(wiki, "zebra", "About the zebra and very many other things of all kinds.\n", title="Zebra")
    assert names(search(wiki, query="zebra"))[0] == "page:zebra"


def test_parts_of_the_results_fit_together(wiki: Wiki) -> None:
    for number in range(RERANKED + 10):
        put(
            wiki,
            f"p{number:02}",
            f"The lock {'lock ' * (number % 7)}\n",
            title=f"Lock {number % 5}",
        )
    for number in range(5):
        a_source(wiki, f"The lock of source {number}.", name=f"s{number}.md")
    whole = search(wiki, query="lock", limit=1000)
    parts: list[str] = []
    offset = 0
    while True:
        part = search(wiki, query="lock", limit=7, offset=offset)
        assert part.total == whole.total == RERANKED + 15
        parts += names(part)
        offset += 7
        if not part.has_more:
            break
    assert parts == names(whole)
    ranks = [result.rank for result in whole.results if result.type == "page"]
    assert ranks == sorted(ranks)


def test_many_sources_never_push_out_the_pages(wiki: Wiki) -> None:
    for number in range(30):
        a_source(wiki, f"lock {'lock ' * 20} {number}", name=f"lock{number}.md")
    put(wiki, "a", "A long text in which the lock is named once among many other words.\n")
    assert names(search(wiki, query="lock", limit=1)) == ["page:a"]
    assert names(search(wiki, query="lock", limit=1, type="all")) == ["page:a"]


def test_a_source_stands_back_also_for_a_page_outside_the_part_shown(wiki: Wiki) -> None:
    source = a_source(wiki, "The lock.")
    put(wiki, "a", "lock lock lock\n", title="Lock")
    put(wiki, "paper", "Some words and the lock.\n", kind="source", source_ids=(source,))
    answer = search(wiki, query="lock", limit=1)
    assert answer.totals == {"page": 2, "source": 0}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"limit": 0}, LIMIT_OUT_OF_RANGE),
        ({"limit": 1001}, LIMIT_OUT_OF_RANGE),
        ({"offset": -1}, INVALID_OFFSET),
        ({"offset": 2**63}, INVALID_OFFSET),
        ({"type": "pages"}, UNKNOWN_SEARCH_TYPE),
        ({"type": "source", "kinds": ("concept",)}, KIND_NEEDS_PAGES),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(
    wiki: Wiki, asked: dict[str, object], problem: object
) -> None:
    refused(problem, lambda: search(wiki, query="lock", **asked))  # type: ignore[arg-type]


def test_an_offset_beyond_everything_is_an_empty_part(locks: Wiki) -> None:
    answer = search(locks, query="lock", offset=2**63 - 1)
    assert (answer.results, answer.total, answer.has_more) == ((), 3, False)


@pytest.fixture
def both(wiki: Wiki, tmp_path: Path) -> Iterator[list[Wiki]]:
    """The project's wiki and the user's own."""
    environ = {"HOME": str(tmp_path / "home")}
    workspaces.init(tmp_path, scope=Scope.GLOBAL, environ=environ, exclude_from_git=False)
    with open_wiki(tmp_path, scope="global", environ=environ) as other:
        yield [wiki, other]


def test_wikis_take_turns_pages_first_the_project_before_the_global(both: list[Wiki]) -> None:
    project, other = both
    for number in range(3):
        put(project, f"p{number}", "lock " * (number + 1) + "\n", title="x")
    put(other, "g", "The lock, named once in a very long text about other things.\n", title="x")
    a_source(other, "The lock.")
    answer = search_all(both, query="lock")
    assert [result.scope for result in answer.results] == [
        "project", "global", "project", "project", "global",
    ]  # fmt: skip
    assert [result.type for result in answer.results] == ["page"] * 4 + ["source"]
    assert [store.scope for store in answer.stores] == ["project", "global"]
    parts = [search_all(both, query="lock", limit=2, offset=at).results for at in (0, 2, 4)]
    assert tuple(result for part in parts for result in part) == answer.results


def test_a_search_is_entered_in_every_journal_when_asked_for_and_once(both: list[Wiki]) -> None:
    before = [wiki.revision() for wiki in both]
    search_all(both, AUTHOR, query="lock")
    assert [wiki.revision() for wiki in both] == before
    call = Call(agent="a", request_id="once", command="search")
    search_all(both, call, query="lock", limit=7, record=True)
    search_all(both, call, query="lock", limit=7, record=True)
    for wiki in both:
        with wiki.reading() as conn:
            [entry] = journal.recent(conn, limit=10, action="search")
        assert (entry.target, entry.detail, entry.agent) == ("lock", {"limit": 7}, "a")


def test_a_search_can_be_bound_to_a_revision(wiki: Wiki) -> None:
    old = Call(if_revision=wiki.revision() - 1)
    refused(STALE_REVISION, lambda: search(wiki, old, query="lock"))
    refused(STALE_REVISION, lambda: search(wiki, old, query="lock", record=True))


def test_the_answer_survives_its_json(locks: Wiki) -> None:
    answer = search(locks, query="lock")
    assert wire.load(SearchAnswer, wire.plain(answer)) == answer
