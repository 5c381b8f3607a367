from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.page_lines import MOST_PAGES, PageLine, parse_page_lines
from lwc.errors import INVALID_PAGES_FILE, LwcError

PAGE: dict[str, Any] = {"slug": "a", "title": "A", "body": "Some text."}


def line_of(**changed: Any) -> str:
    return json.dumps({**PAGE, **changed})


def refused(text: str) -> LwcError:
    with pytest.raises(LwcError) as caught:
        parse_page_lines(text)
    assert caught.value.problem is INVALID_PAGES_FILE
    return caught.value


def test_what_is_left_out_is_as_page_put_has_it() -> None:
    assert parse_page_lines(line_of()) == (
        PageLine(line=1, slug="a", title="A", body="Some text.", kind="concept", summary=""),
    )


def test_what_is_said_is_taken() -> None:
    said = {
        **{"kind": "source", "summary": "s", "sources": [2, 1], "provenance": ["hypothesis"]},
        **{"if_revision": 0},
    }
    (page,) = parse_page_lines(line_of(**said))
    assert page.sources == (2, 1)
    assert page.provenance == ("hypothesis",)
    assert (page.kind, page.summary, page.if_revision) == ("source", "s", 0)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n \n"])
def test_pages_stand_one_a_line_and_blank_lines_count(end: str) -> None:
    text = end.join([line_of(slug="a"), line_of(slug="b"), ""])
    pages = parse_page_lines(text)
    assert [page.slug for page in pages] == ["a", "b"]
    assert pages[1].line == end.count("\n") + 1


def test_a_line_separator_in_a_text_ends_no_line() -> None:
    text = json.dumps({**PAGE, "body": "a\u2028b\x85c"}, ensure_ascii=False)
    assert parse_page_lines(text)[0].body == "a\u2028b\x85c"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("hello", id="no-json"),
        pytest.param("[" * 100_000, id="bomb"),
        pytest.param("[]", id="list"),
        pytest.param(line_of() + line_of(), id="two-on-a-line"),
        pytest.param('{"slug": "a", "title": "A"}', id="no-body"),
        pytest.param(line_of(colour="red"), id="unknown-field"),
        pytest.param(line_of()[:-1] + ', "slug": "b"}', id="twice"),
        pytest.param(line_of(body=None), id="body-null"),
        pytest.param(line_of(kind=None), id="kind-null"),
        pytest.param(line_of(sources=1), id="sources-no-list"),
        pytest.param(line_of(sources=["1"]), id="source-a-text"),
        pytest.param(line_of(sources=[True]), id="source-true"),
        pytest.param(line_of(sources=[1.0]), id="source-a-float"),
        pytest.param(line_of(sources=[0]), id="source-zero"),
        pytest.param(line_of(sources=[2**63]), id="source-too-large"),
        pytest.param(line_of(provenance=[1]), id="provenance-a-number"),
        pytest.param(line_of(if_revision=-1), id="revision-negative"),
        pytest.param(line_of(if_revision=True), id="revision-true"),
        pytest.param(line_of(if_revision="1"), id="revision-a-text"),
    ],
)
def test_a_line_that_is_no_page_is_named(written: str) -> None:
    error = refused(f"{line_of()}\n\n{written}\n{line_of()}")
    assert error.details["line"] == 3


def test_the_column_of_bad_json_is_told() -> None:
    error = refused(line_of() + '\n{"slug": oops}')
    assert (error.details["line"], error.details["column"]) == (2, 10)


@pytest.mark.parametrize("text", ["", "\n", " \r\n\n"])
def test_a_file_without_pages_is_refused(text: str) -> None:
    assert "no page" in refused(text).message


def test_more_pages_than_allowed_are_refused() -> None:
    text = f"{line_of()}\n" * (MOST_PAGES + 1)
    assert refused(text).details["line"] == MOST_PAGES + 1


@given(
    st.lists(
        st.fixed_dictionaries(
            {"slug": st.text(), "title": st.text(), "body": st.text()},
            optional={"sources": st.lists(st.integers(1, 2**63 - 1)), "summary": st.text()},
        ),
        min_size=1,
    )
)
def test_all_pages_come_back_as_written(pages: list[dict[str, Any]]) -> None:
    text = "\n".join(json.dumps(page, ensure_ascii=False) for page in pages)
    for page, read in zip(pages, parse_page_lines(text), strict=True):
        assert (read.slug, read.title, read.body) == (page["slug"], page["title"], page["body"])
        assert list(read.sources) == page.get("sources", [])
        assert read.summary == page.get("summary", "")
