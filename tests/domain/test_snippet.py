from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.snippet import SNIPPET_WIDTH, Snippet, best_window
from lwc.domain.terms import query_terms

FILLER = "Nothing of note stands in this sentence at all. " * 20


def window(text: str, query: str, *, width: int = SNIPPET_WIDTH) -> Snippet:
    return best_window(text, query_terms(query).terms, width=width)


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.marks]


def test_the_window_is_where_the_terms_stand_together() -> None:
    text = f"{FILLER}The cache is here. {FILLER}A cache is stale until invalidation. {FILLER}"
    snippet = window(text, "cache invalidation")
    assert marked(snippet) == ["cache", "invalidation"]
    assert snippet.text.startswith("A cache is stale until invalidation.")


def test_a_rare_term_outweighs_a_frequent_one() -> None:
    text = f"cache {FILLER}" * 20 + f"The epoch counts. {FILLER}"
    assert "epoch" in marked(window(text, "cache epoch"))


def test_offsets_count_code_points_of_the_text() -> None:
    text = "\U0001f600" * 300 + " 缓存 cache " + "x " * 300
    snippet = window(text, "cache")
    assert " ".join(text[snippet.start : snippet.end].split()) == snippet.text
    assert marked(snippet) == ["cache"]


@pytest.mark.parametrize(
    ("text", "query", "marks"),
    [
        ("多核处理器的缓存一致性协议。", "什么是缓存一致性", ["缓存一致性"]),
        ("大猫和小猫", "猫", ["猫", "猫"]),
        ("キャッシュの一貫性", "キャッシュ", ["キャッシュ"]),
        ("ｷｬｯｼｭの一貫性", "キャッシュ", ["ｷｬｯｼｭ"]),
        ("旅行ｶﾞｲﾄﾞの本", "ガイド", ["ｶﾞｲﾄﾞ"]),
        ("Cafe\u0301 au lait", "café", ["Cafe\u0301"]),
        ("Die Straße ist lang", "strasse", ["Straße"]),
        ("an of\ufb01ce", "office", ["of\ufb01ce"]),
        ("soft\u00adhy\u00adphen", "softhyphen", ["soft\u00adhy\u00adphen"]),
        (
            unicodedata.normalize("NFD", "한국어 문법"),
            "한국어",
            [unicodedata.normalize("NFD", "한국어")],
        ),
        ("यह हिन्दी है", "हिन्दी", ["हिन्दी"]),
        ("the protocol of stock", "toc", []),
        ("Storing stores stored", "store", ["Storing", "stores", "stored"]),
        ("ponies and a pony", "pony", ["ponies", "pony"]),
        ("sensibility, possibly", "possible sensible", ["sensibility", "possibly"]),
        ("call getSessionTimeout() or HTTPServer", "session server", ["Session", "Server"]),
        ("snake_case_name", "case", ["case"]),
        ("version 2026.4.10", "2026.4.10", ["2026", "4", "10"]),
        ("x² plus", "x2", ["x²"]),
        ("one \u0301cache", "\u0301one", ["one"]),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_what_was_asked_for_is_marked(text: str, query: str, marks: list[str]) -> None:
    assert marked(window(text, query)) == marks


def test_white_space_is_shown_as_one_space() -> None:
    snippet = window("  one\n\n\ttwo   cache\r\nthree  ", "cache")
    assert snippet.text == "one two cache three"
    assert marked(snippet) == ["cache"]


def test_without_a_match_it_is_the_beginning() -> None:
    snippet = window(f"\n\n{FILLER}", "absent")
    assert snippet.text.startswith("Nothing of note")
    assert snippet.text.endswith(("all.", "stands", "this", "in", "at", "sentence", "note", "of"))
    assert snippet.marks == ()


def test_nothing_has_an_empty_snippet() -> None:
    assert window("", "x") == Snippet(text="", start=0, end=0, marks=())
    assert best_window(" \n", ()).text == ""


@given(
    st.text(max_size=80)
    | st.lists(
        st.sampled_from(
            ["cache ", "缓存", "\n\n", "Straße. ", "e\u0301", "aB", "\u00ad", "ﷺ", " "]
        ),
        max_size=30,
    ).map("".join),
    st.sampled_from(["cache", "缓存一致", "strasse ab", "é", "صلى", "a b c"]),
    st.integers(min_value=1, max_value=60),
)
def test_any_snippet_fits_and_its_marks_are_apart(text: str, query: str, width: int) -> None:
    snippet = window(text, query, width=width)
    assert len(snippet.text) <= width
    assert " ".join(text[snippet.start : snippet.end].split()) == snippet.text
    edges = [edge for mark in snippet.marks for edge in mark]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(snippet.text) for edge in edges)


@pytest.mark.parametrize(
    "unit",
    ["a", "ab ", "ca", "cache", "缓存", "\u0316\u0301", "ß", "aB", "_", " ", "ﷺ", "\u1100\u1161"],
    ids=ascii,
)
def test_a_hundred_thousand_of_anything_have_a_snippet(unit: str) -> None:
    snippet = window(unit * 100_000, "cache 缓存 a ab ß 가")
    assert len(snippet.text) <= SNIPPET_WIDTH


def test_the_end_of_a_huge_text_is_not_looked_at() -> None:
    assert window("x " * 500_000 + "cache", "cache").marks == ()
