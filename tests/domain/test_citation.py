from __future__ import annotations

import pytest

from lwc.domain.citation import (
    MOST_CITATIONS,
    MOST_QUOTED,
    CitationMark,
    citation_marks,
    is_weak,
    opens_citation,
)
from lwc.domain.markdown import read_page
from lwc.errors import INVALID_SPAN, TOO_LONG, TOO_MANY, LwcError


def marks(body: str) -> tuple[CitationMark, ...]:
    return citation_marks(read_page(body))


@pytest.mark.parametrize(
    "text, source_id, quote, claimed",
    [
        pytest.param("source:12", 12, None, None, id="without a quote"),
        pytest.param('source:12 "one writer"', 12, "one writer", None, id="straight"),
        pytest.param("source:12 “one writer”", 12, "one writer", None, id="curly"),
        pytest.param("source:12 „ein Autor“", 12, "ein Autor", None, id="German"),
        pytest.param('source:12"one writer"', 12, "one writer", None, id="without a space"),
        pytest.param('source:12#18-19 "a"', 12, "a", (18, 19), id="with a range"),
        pytest.param("source:12#0-7", 12, None, (0, 7), id="only a range"),
        pytest.param('source:3 "a "b" c"', 3, 'a "b" c', None, id="quotes within"),
        pytest.param('source:3 “a "b" c”', 3, 'a "b" c', None, id="mixed quotes within"),
        pytest.param('source:3, page 4: "a" (revised)', 3, "a", None, id="words around it"),
        pytest.param('source:3 "one\ntwo"', 3, "one\ntwo", None, id="on two lines"),
        pytest.param('source:3\n    "one"', 3, "one", None, id="on the next line"),
        pytest.param('source:3 "*a* `b` \\[c] [[d]]"', 3, "*a* `b` \\[c] [[d]]", None, id="raw"),
        pytest.param('source:3 "not closed', 3, None, None, id="one mark only"),
        pytest.param('source:3 ""', 3, None, None, id="empty"),
        pytest.param('source:3 " "', 3, None, None, id="blank"),
        pytest.param("source:9223372036854775807", 2**63 - 1, None, None, id="the greatest id"),
    ],
)
def test_a_footnote_that_names_a_source_is_a_citation(
    text: str, source_id: int, quote: str | None, claimed: tuple[int, int] | None
) -> None:
    start, end = claimed or (None, None)
    assert marks(f"claim[^c]\n\n[^c]: {text}\n") == (
        CitationMark(label="c", source_id=source_id, quote=quote, start=start, end=end, line=3),
    )


@pytest.mark.parametrize(
    "text",
    [
        "an ordinary note",
        "see source:12",
        "source:0",
        "source:012",
        "source:-1",
        "source:1_0",
        "source:1e3",
        "source:٣",
        "source: 12",
        "source:twelve",
        "source:",
        "Source:12",
        "source:9223372036854775808",
        "source:99999999999999999999",
        "`source:12`",
        "",
    ],
)
def test_a_footnote_that_names_none_stays_ordinary(text: str) -> None:
    assert not opens_citation(text)
    assert marks(f"claim[^c]\n\n[^c]: {text}\n") == ()


@pytest.mark.parametrize(
    "span",
    ["5-2", "5-5", "-1-5", "5", "abc", "5-", "-5", "", "1-2-3", "1–5", "٣-٥", "1.0-5", "0x1-5",
     "1-9999999999999999999"],
)  # fmt: skip
def test_a_range_that_cannot_be_is_refused(span: str) -> None:
    with pytest.raises(LwcError) as caught:
        marks(f'claim[^c]\n\n[^c]: source:12#{span} "words"\n')
    assert caught.value.problem is INVALID_SPAN
    assert caught.value.details == {"label": "c", "span": f"#{span}"}


def test_the_first_definition_of_a_label_counts() -> None:
    found = marks('[^c]: source:1 "first"\n[^c]: source:2#9-1 "second"\n[^d]: source:3\n')
    assert [(mark.label, mark.source_id, mark.quote) for mark in found] == [
        ("c", 1, "first"),
        ("d", 3, None),
    ]


def test_an_unreferenced_citation_is_one() -> None:
    assert len(marks("[^c]: source:1\n")) == 1


def test_a_citation_in_code_is_none() -> None:
    assert marks("```\n[^c]: source:1\n```\n") == ()


def test_a_quote_may_be_as_long_as_the_limit_and_no_longer() -> None:
    (mark,) = marks(f'[^c]: source:1 "{"a" * MOST_QUOTED}"')
    assert mark.quote is not None
    with pytest.raises(LwcError) as caught:
        marks(f'[^c]: source:1 "{"a" * (MOST_QUOTED + 1)}"')
    assert caught.value.problem is TOO_LONG


def test_a_page_may_have_as_many_citations_as_the_limit_and_no_more() -> None:
    body = "".join(f"[^{number}]: source:1\n" for number in range(MOST_CITATIONS))
    assert len(marks(body)) == MOST_CITATIONS
    with pytest.raises(LwcError) as caught:
        marks(f"{body}[^one-more]: source:1\n")
    assert caught.value.problem is TOO_MANY


@pytest.mark.parametrize(
    "quote, places, weak",
    [
        pytest.param("only one writer can hold the lock", 1, False, id="long enough"),
        pytest.param("one writer at a time", 1, False, id="twenty characters"),
        pytest.param("one writer at a tim", 1, True, id="nineteen characters"),
        pytest.param("one     \n    writer", 1, True, id="whitespace is no length"),
        pytest.param("only one writer can hold the lock", 3, False, id="in three places"),
        pytest.param("only one writer can hold the lock", 4, True, id="in four places"),
        pytest.param("只允许一个写入者", 1, False, id="eight Han characters"),
        pytest.param("只允许一个写入", 1, True, id="seven Han characters"),
        pytest.param("ロックを保持できる", 1, False, id="kana"),
        pytest.param("the first writer … holds the lock", 1, False, id="telling parts"),
        pytest.param("the first writer holds … lock", 1, True, id="one telling part"),
        pytest.param("one writer … a time", 1, True, id="an ellipsis is no length"),
    ],
)
def test_a_quote_is_weak_when_short_or_common(quote: str, places: int, weak: bool) -> None:
    assert is_weak(quote, places) is weak
