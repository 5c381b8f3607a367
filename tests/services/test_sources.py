from __future__ import annotations

from pathlib import Path

import pytest
from sourcing import Add, AddDir, claim, delivered, refusal

from lwc.errors import (
    INVALID_OFFSET,
    LIMIT_OUT_OF_RANGE,
    SOURCE_NOT_FOUND,
)
from lwc.services import sources
from lwc.store import settings as kept_settings
from lwc.wiki import Call, Wiki


def test_sources_are_listed_in_parts(wiki: Wiki, docs: Path, add_dir: AddDir) -> None:
    add_dir()
    part = sources.listed(wiki, limit=2)
    assert ([each.id for each in part.sources], part.total, part.has_more) == ([1, 2], 3, True)
    rest = sources.listed(wiki, limit=2, offset=2)
    assert ([each.id for each in rest.sources], rest.has_more) == ([3], False)


@pytest.mark.parametrize("limit", [0, 1001, -1], ids=str)
def test_a_list_is_bounded(wiki: Wiki, limit: int) -> None:
    refusal(lambda: sources.listed(wiki, limit=limit), LIMIT_OUT_OF_RANGE)
    refusal(lambda: sources.refs(wiki, 1, limit=limit), LIMIT_OUT_OF_RANGE)


def test_windows_follow_each_other_through_a_source(wiki: Wiki, add: Add) -> None:
    text = "aé雷𝄞\r\n" * 30_000
    add("a.md", text)
    seen, offset = "", 0
    while True:
        shown = sources.show(wiki, 1, offset_chars=offset, max_chars=50_000)
        assert shown.window.offset_chars == len(seen)
        seen += shown.source.content
        if shown.window.next_offset_chars is None:
            break
        offset = shown.window.next_offset_chars
    assert seen == text
    assert not shown.window.has_more


def test_a_window_is_bounded_by_the_setting_unless_asked(wiki: Wiki, call: Call, add: Add) -> None:
    add("a.md", "x" * 50_000)
    assert sources.show(wiki, 1).window.returned_chars == 40_000
    assert sources.show(wiki, 1, max_chars=10**7).window.returned_chars == 50_000
    with wiki.writing(call) as change:
        kept_settings.put(change.conn, "window_chars", "10", now=change.now)
    assert sources.show(wiki, 1).window.returned_chars == 10


def test_the_end_of_a_source_is_an_empty_window(wiki: Wiki, add: Add) -> None:
    add("a.md", "text")
    shown = sources.show(wiki, 1, offset_chars=4)
    assert (shown.source.content, shown.window.has_more) == ("", False)
    refusal(lambda: sources.show(wiki, 1, offset_chars=5), INVALID_OFFSET)
    refusal(lambda: sources.show(wiki, 1, max_chars=0), LIMIT_OUT_OF_RANGE)
    refusal(lambda: sources.show(wiki, 2), SOURCE_NOT_FOUND)


@pytest.mark.parametrize(
    "who, counts",
    [
        ({"agent": "reader"}, True),
        ({"agent": "stranger"}, False),
        ({"agent": "stranger", "token": "t0ken"}, True),
        ({"agent": "stranger", "token": "another"}, False),
        ({"agent": "reader", "token": "of another job"}, True),
    ],
    ids=["holder", "stranger", "token", "wrong token", "holder with another token"],
)
def test_what_the_holder_is_shown_counts_as_read(
    wiki: Wiki, add: Add, who: dict[str, str], counts: bool
) -> None:
    add("a.md", "x" * 100)
    claim(wiki, 1)
    before = wiki.revision()
    shown = sources.show(wiki, 1, offset_chars=10, max_chars=20, **who)  # type: ignore[arg-type]
    assert shown.recorded is counts
    assert delivered(wiki, 1) == (((10, 30),) if counts else ())
    assert wiki.revision() == before


def test_under_strict_claims_only_the_token_counts(wiki: Wiki, call: Call, add: Add) -> None:
    add("a.md", "x" * 100)
    claim(wiki, 1)
    with wiki.writing(call) as change:
        kept_settings.put(change.conn, "claims", "strict", now=change.now)
    assert not sources.show(wiki, 1, agent="reader").recorded
    assert sources.show(wiki, 1, agent="reader", token="t0ken").recorded


def test_nothing_counts_as_read_without_a_claim(wiki: Wiki, add: Add) -> None:
    add("a.md", "text")
    assert not sources.show(wiki, 1, agent="tester").recorded


def test_refs_tell_the_pages_and_the_state_of_their_quotes(wiki: Wiki, cited: str) -> None:
    told = sources.refs(wiki, 1)
    assert [(page.slug, page.title, page.provenance) for page in told.pages] == [
        ("by-words", "By words", ("source-grounded",)),
        ("whole", "Whole", ("source-grounded",)),
    ]
    by_words, whole = told.pages
    assert [(quote.label, quote.state, quote.start, quote.end) for quote in by_words.citations] == [
        ("a", "exact", 0, 26),
        ("b", "missing", None, None),
    ]
    assert whole.citations == ()
    part = sources.refs(wiki, 1, limit=1, offset=1)
    assert ([page.slug for page in part.pages], part.total, part.has_more) == (["whole"], 2, False)
