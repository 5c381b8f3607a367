from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sourcing import Add

from lwc.domain.ranges import merge
from lwc.services.coverage import Coverage, Covered, Span, coverage
from lwc.services.coverage_map import ALL, NONE, SOME, WIDTH, as_html, as_text, bar, percent
from lwc.wiki import Wiki


def covered(*ranges: tuple[int, int]) -> Covered:
    return Covered(
        ranges=tuple(Span(start=start, end=end) for start, end in ranges), chars=0, share=0.0
    )


@pytest.mark.parametrize(
    "ranges, total, cells",
    [
        ([], 600, NONE * 60),
        ([(0, 600)], 600, ALL * 60),
        ([(0, 5)], 600, SOME + NONE * 59),
        ([(0, 10), (595, 600)], 600, ALL + NONE * 58 + SOME),
        ([(0, 2), (2, 10)], 600, ALL + NONE * 59),
        ([(15, 25)], 600, NONE + SOME * 2 + NONE * 57),
        ([(1, 2)], 3, NONE * 20 + ALL * 20 + NONE * 20),
        ([(0, 1)], 1, ALL * 60),
    ],
    ids=["none", "all", "some", "ends", "joined", "across", "short", "one"],
)
def test_a_bar_shows_where_a_text_is_covered(
    ranges: list[tuple[int, int]], total: int, cells: str
) -> None:
    assert bar(covered(*ranges), total) == cells


@given(
    total=st.integers(1, 500),
    picked=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=8),
)
def test_a_bar_is_full_only_where_every_character_is_covered(
    total: int, picked: list[tuple[int, int]]
) -> None:
    ranges = merge((min(a, b, total), min(max(a, b), total)) for a, b in picked)
    had = {char for start, end in ranges for char in range(start, end)}
    drawn = bar(covered(*ranges), total)
    assert len(drawn) == WIDTH
    for cell, mark in enumerate(drawn):
        first, last = cell * total // WIDTH, -(-(cell + 1) * total // WIDTH)
        touched = [char in had for char in range(first, last)]
        assert mark == (ALL if all(touched) else SOME if any(touched) else NONE)


@pytest.mark.parametrize(
    "part, whole, words",
    [
        (0, 3, "0 %"),
        (1, 10_000, "<1 %"),
        (1, 100, "1 %"),
        (29, 100, "29 %"),
        (9_999, 10_000, "99 %"),
        (7, 7, "100 %"),
    ],
)
def test_only_all_is_a_hundred_percent(part: int, whole: int, words: str) -> None:
    assert percent(part, whole) == words


def test_the_text_has_a_bar_for_reading_for_citing_and_for_each_page(
    wiki: Wiki, cited: str
) -> None:
    lines = as_text(coverage(wiki, 1)).splitlines()
    assert lines[0] == "Source 1: a.md"
    assert lines[1] == "a.md, 100 characters"
    bars = {line.split()[0]: line for line in lines if NONE * 3 in line}
    assert list(bars) == ["read", "cited", "by-words", "whole"]
    assert bars["cited"].count(ALL) == 15
    assert bars["by-words"].endswith(" 26 %  1 exact, 1 missing")
    assert bars["whole"].endswith("  0 %  as a whole")
    assert len({line.index(NONE) for line in (bars["read"], bars["whole"])}) == 1


@pytest.fixture
def hostile(wiki: Wiki, add: Add, cited: str) -> Coverage:
    """A coverage whose every text is an attack."""
    attack = "\"'><script>alert(1)</script>\x1b]0;owned\x07\n\u202e"
    found = coverage(wiki, 1)
    return replace(
        found,
        source=replace(found.source, title=attack, path=attack),
        pages=tuple(replace(page, slug=attack, title=attack) for page in found.pages),
    )


def test_the_text_drives_no_terminal(hostile: Coverage) -> None:
    text = as_text(hostile)
    assert all(line.isprintable() for line in text.split("\n"))


def test_the_html_is_whole_and_without_scripts(hostile: Coverage) -> None:
    html = as_html(hostile)
    assert "<script" not in html
    assert "style" not in html
    tags: set[str] = set()

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)
            assert not [name for name, _ in attrs if name.startswith("on")]

    Parser().feed(html)
    assert tags == {"section", "h2", "p", "table", "tr", "th", "td", "svg", "title", "rect"}
    parsed = ElementTree.fromstring(html)
    assert len(parsed.findall("./table/tr")) == 4
