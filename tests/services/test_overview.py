"""The overview and the journal: bounded, with totals, newest first."""

from __future__ import annotations

from typing import Any

import pytest
from ingesting import AGENT, a_source, claimed, refused
from page_makers import put

from lwc import wire
from lwc.errors import INVALID_OFFSET, INVALID_TIME, LIMIT_OUT_OF_RANGE
from lwc.services import charter
from lwc.services.overview import CHARTER_CHARS_MOST, Log, Overview, context, log
from lwc.wiki import Wiki


def test_a_wiki_is_shown_with_its_texts_pages_jobs_and_deeds(wiki: Wiki, clock: Any) -> None:
    source = a_source(wiki)
    claimed(wiki, source)
    for slug in ("b", "a", "c"):
        clock.tick(1)
        put(wiki, slug)
    clock.tick(1)
    put(wiki, "b", "Other.\n")
    [store] = context([wiki], limit=2).stores
    assert (store.scope, store.revision) == ("project", wiki.revision())
    assert store.store_id == wiki.store_id()
    assert store.schema.startswith("# Schema")
    assert store.purpose.startswith("# Purpose")
    assert [page.slug for page in store.pages] == ["b", "c"]
    assert (store.pages_total, store.has_more, store.sources_total) == (3, True, 1)
    assert store.jobs == {
        "pending": 0, "analyzing": 1, "generating": 0, "completed": 0, "failed": 0,
    }  # fmt: skip
    assert [(deed.action, deed.target) for deed in store.recent_operations] == [
        ("page_put", "b"),
        ("page_put", "c"),
    ]
    assert store.operations_total == 7


def test_the_rest_of_the_pages_is_reached_by_offset(wiki: Wiki) -> None:
    for number in range(5):
        put(wiki, f"p{number}")
    seen = [
        page.slug
        for at in range(0, 5, 2)
        for page in context([wiki], limit=2, offset=at).stores[0].pages
    ]
    assert sorted(seen) == [f"p{number}" for number in range(5)]
    assert not context([wiki], limit=2, offset=4).stores[0].has_more


def test_long_texts_are_cut_and_their_length_is_told(wiki: Wiki) -> None:
    charter.put(wiki, AGENT, name="schema", text="# Long\n" + "x" * 50_000)
    [store] = context([wiki], max_chars=10).stores
    assert (store.schema, store.schema_chars) == ("# Long\nxxx", 50_007)
    assert len(store.purpose) == 10
    assert len(context([wiki]).stores[0].schema) == 20_000


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"limit": 0}, LIMIT_OUT_OF_RANGE),
        ({"limit": 1001}, LIMIT_OUT_OF_RANGE),
        ({"offset": -1}, INVALID_OFFSET),
        ({"max_chars": 0}, LIMIT_OUT_OF_RANGE),
        ({"max_chars": CHARTER_CHARS_MOST + 1}, LIMIT_OUT_OF_RANGE),
    ],
    ids=str,
)
def test_an_overview_is_bounded(wiki: Wiki, asked: dict[str, int], problem: Any) -> None:
    refused(problem, lambda: context([wiki], **asked))


def test_the_journal_is_read_newest_first_in_parts(wiki: Wiki) -> None:
    for number in range(5):
        put(wiki, f"p{number}")
    whole = log(wiki, limit=1000)
    assert [deed.id for deed in whole.operations] == list(range(whole.total, 0, -1))
    part = log(wiki, limit=2, offset=1)
    assert part.operations == whole.operations[1:3]
    assert (part.total, part.has_more) == (whole.total, True)
    assert log(wiki, offset=10**18).operations == ()


def test_the_journal_is_filtered_by_action_target_and_time(wiki: Wiki, clock: Any) -> None:
    put(wiki, "a")
    clock.tick(60)
    put(wiki, "b")
    put(wiki, "a", "Again.\n")
    assert log(wiki, action="page_put").total == 3
    assert log(wiki, target="a").total == 2
    assert [deed.target for deed in log(wiki, action="page_put", target="b").operations] == ["b"]
    since = clock.moment.isoformat().replace("+00:00", "Z")
    assert log(wiki, since=since).total == 2
    assert log(wiki, since="2000-01-01").total == log(wiki).total
    assert log(wiki, since="2999-01-01").total == 0


def test_a_moment_that_is_none_is_refused(wiki: Wiki) -> None:
    refused(INVALID_TIME, lambda: log(wiki, since="yesterday"))


@pytest.mark.parametrize("asked", [{"limit": 0}, {"limit": 1001}], ids=str)
def test_the_journal_is_bounded(wiki: Wiki, asked: dict[str, int]) -> None:
    refused(LIMIT_OUT_OF_RANGE, lambda: log(wiki, **asked))


def test_the_answers_survive_their_json(wiki: Wiki) -> None:
    put(wiki, "a")
    overview, journal = context([wiki]), log(wiki)
    assert wire.load(Overview, wire.plain(overview)) == overview
    assert wire.load(Log, wire.plain(journal)) == journal
