from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.projection import page_path
from lwc.domain.projection_whole import (
    LOG_HEAD,
    IndexedPage,
    LoggedOperation,
    Totals,
    changed_index,
    index_file,
    index_line,
    log_entries,
    on_a_line,
    overview_file,
)

KINDS = ("concept", "entity", "source", "decision", "index", "entities")
NOTHING = Totals(kinds={}, sources=0, created=None, updated=None)


def index(*pages: IndexedPage) -> str:
    return index_file(map(index_line, pages))


def a_page(slug: str, title: str = "", kind: str = "concept", summary: str = "") -> IndexedPage:
    return IndexedPage(slug=slug, title=title or slug, kind=kind, summary=summary)


def test_the_index_lists_pages_below_their_kinds_by_title() -> None:
    told = index(
        a_page("z", "alpha"),
        a_page("a", "Beta", summary="What it says."),
        a_page("d", "A choice", kind="decision"),
        a_page("o", "Odd", kind="con"),
    )
    assert told == (
        "# Index\n\n"
        "## Entities\n\nNone.\n\n"
        "## Concepts\n\n- [[concepts/z|alpha]]\n- [[concepts/a|Beta]] — What it says.\n\n"
        "## Sources\n\nNone.\n\n"
        "## Queries\n\nNone.\n\n"
        "## Comparisons\n\nNone.\n\n"
        "## Synthesis\n\nNone.\n\n"
        "## Decision\n\n- [[decision/d|A choice]]\n\n"
        "## Other\n\n- [[other/o|Odd]]\n"
    )


@pytest.mark.parametrize(
    "title, summary, told",
    [
        ("Array[0]|x", "", "- [[concepts/p|Array(0)/x]]"),
        ("[[evil]]", "", "- [[concepts/p|((evil))]]"),
        ("T", "see [[x]]", "- [[concepts/p|T]] — see \\[\\[x\\]\\]"),
        ("T", "%% hidden", "- [[concepts/p|T]] — \\%\\% hidden"),
        ("T", "<!-- a", "- [[concepts/p|T]] — \\<!-- a"),
        ("T", "`open", "- [[concepts/p|T]] — \\`open"),
        ("T", "$$ 1", "- [[concepts/p|T]] — \\$\\$ 1"),
        ("T", "snake_case *x*", "- [[concepts/p|T]] — snake_case *x*"),
    ],
)
def test_words_of_a_page_stay_on_its_line(title: str, summary: str, told: str) -> None:
    assert index_line(a_page("p", title, summary=summary)) == told


pages_made = st.dictionaries(
    st.sampled_from([f"p{number}" for number in range(8)]),
    st.tuples(
        st.sampled_from(["a", "B", "b", "[x]", "|", "ß", "SS", "— x", "None."]),
        st.sampled_from(KINDS),
        st.sampled_from(["", "sum", "# x", "- [[concepts/p0|x]]"]),
    ),
)


@given(before=pages_made, after=pages_made)
def test_a_changed_index_is_the_one_that_is_made_anew(
    before: dict[str, tuple[str, str, str]], after: dict[str, tuple[str, str, str]]
) -> None:
    was = {slug: a_page(slug, *rest) for slug, rest in before.items()}
    will = {slug: a_page(slug, *rest) for slug, rest in after.items()}
    touched = {slug for slug in {*was, *will} if was.get(slug) != will.get(slug)}
    changed, listed = changed_index(
        index(*was.values()),
        gone=[page_path(slug, was[slug].kind) for slug in touched if slug in was],
        come=[index_line(will[slug]) for slug in touched if slug in will],
    )
    assert changed == index(*will.values())
    assert listed == len(will)


def test_the_overview_tells_how_much_there_is_and_what_for() -> None:
    totals = Totals(
        kinds={"decision": 1, "concept": 2},
        sources=3,
        created="2026-01-01T00:00:00.000Z",
        updated="2026-02-01T00:00:00.000Z",
    )
    assert overview_file(totals, purpose="# Purpose\n\nTo know.\n") == (
        "---\n"
        'type: "overview"\n'
        'title: "Overview"\n'
        'created: "2026-01-01T00:00:00.000Z"\n'
        'updated: "2026-02-01T00:00:00.000Z"\n'
        "---\n\n"
        "# Overview\n\n"
        "- Pages: 3\n"
        "- Sources: 3\n\n"
        "## Kinds of page\n\n"
        "- concept: 2\n"
        "- decision: 1\n\n"
        "# Purpose\n\n"
        "To know.\n"
    )


def test_the_overview_of_an_empty_wiki_tells_no_moments() -> None:
    told = overview_file(NOTHING, purpose="")
    assert "created" not in told
    assert told.endswith("## Kinds of page\n\nNone.\n")


def test_the_log_tells_an_operation_below_its_day() -> None:
    operation = LoggedOperation(
        7, "page_put", "locks", '{"created":true}', "anna", "2026-11-30T18:25:47.123Z"
    )
    assert LOG_HEAD + log_entries([operation]) == (
        "# Log\n\n"
        "## 2026-11-30 page_put locks\n\n"
        "2026-11-30T18:25:47.123Z, operation 7, anna\n\n"
        '```json\n{"created":true}\n```\n'
    )


@given(st.text(max_size=60))
def test_a_hostile_target_stays_on_one_line_and_drives_no_terminal(target: str) -> None:
    line = on_a_line(target)
    assert len(line.splitlines()) <= 1
    assert "\x1b" not in line
    assert "[[" not in line
    assert "%%" not in line
