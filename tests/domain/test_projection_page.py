from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.citation import QuoteState, citation_marks
from lwc.domain.markdown import read_page
from lwc.domain.projection_page import CitedAt, ProjectedPage, page_file, quoted

RAW = "raw/sources/12--notes.md"
LINK = f"([12--notes.md](../../{RAW}), exact)"
MOMENT = datetime(2026, 11, 30, 18, 25, 47, 123000, UTC)
PAGE = ProjectedPage(
    title="Locks",
    kind="concept",
    summary="",
    body="Locks.\n",
    sources=(),
    provenance=(),
    aliases=(),
    citations=(),
    created_at=MOMENT,
    updated_at=MOMENT,
)


def body_of(body: str, *, state: QuoteState = QuoteState.EXACT) -> str:
    """The body as it is projected, with the footnotes that its text has."""
    marks = citation_marks(read_page(body))
    cited = tuple(
        CitedAt(label=mark.label, line=mark.line, source_id=mark.source_id, state=state)
        for mark in marks
    )
    page = replace(PAGE, body=body, sources=((12, RAW),), citations=cited)
    return page_file(page).partition("\n---\n\n")[2]


def test_a_page_is_its_front_matter_and_its_body() -> None:
    page = replace(
        PAGE,
        summary='Who may "write".',
        sources=((12, RAW), (13, "raw/sources/13--b.md")),
        provenance=("source-grounded", "hypothesis"),
        aliases=("old-locks",),
    )
    assert page_file(page) == (
        "---\n"
        'type: "concept"\n'
        'title: "Locks"\n'
        "sources:\n"
        '  - "raw/sources/12--notes.md"\n'
        '  - "raw/sources/13--b.md"\n'
        "provenance:\n"
        '  - "source-grounded"\n'
        '  - "hypothesis"\n'
        'created: "2026-11-30T18:25:47.123Z"\n'
        'updated: "2026-11-30T18:25:47.123Z"\n'
        'summary: "Who may \\"write\\"."\n'
        "aliases:\n"
        '  - "old-locks"\n'
        "---\n"
        "\n"
        "Locks.\n"
    )


def test_lists_that_are_empty_say_so_and_the_rest_is_left_out() -> None:
    head = page_file(PAGE).split("\n---\n")[0]
    assert "sources:\n  []\nprovenance:\n  []\n" in head
    assert "summary" not in head
    assert "aliases" not in head


@pytest.mark.parametrize(
    "title",
    [
        "yes",
        "- a",
        "a: b",
        "# a",
        "---",
        "&a *b !c",
        "{a}",
        "[a]",
        "'single'",
        '"double"',
        "back\\slash",
        "tab\tand\nline",
        "\x00\x1b\x7f\x85",
        "\u2028\u2029\ufeff",
        "\u202egnp.exe",
        "%x @y `z",
        "ends with space ",
        "语言 über 👩‍👩‍👧",
    ],
)
def test_a_hostile_title_is_one_quoted_scalar(title: str) -> None:
    # JSON's texts are YAML's double-quoted scalars, but for characters above U+FFFF.
    scalar = quoted(title)
    assert json.loads(scalar) == title
    assert scalar.count("\n") == 0
    assert page_file(replace(PAGE, title=title)).split("\n")[2] == f"title: {scalar}"


@given(st.text(alphabet=st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])))
def test_any_text_is_read_back_from_its_scalar(text: str) -> None:
    scalar = quoted(text)
    assert json.loads(scalar) == text
    assert len(scalar.splitlines()) == 1


def test_what_json_cannot_say_is_said_as_yaml_does() -> None:
    assert quoted("a\U000e0001b") == '"a\\U000e0001b"'


@pytest.mark.parametrize(
    "body, told",
    [
        pytest.param("a\r\nb\rc", "a\nb\nc\n", id="line ends"),
        pytest.param("a\n\n\n", "a\n", id="one line end at last"),
        pytest.param("\n\na", "\n\na\n", id="blank lines before"),
        pytest.param("---\ntype: x\n---\n\na", "---\ntype: x\n---\n\na\n", id="front matter"),
        pytest.param("a\x0bb\u2028c", "a\x0bb\u2028c\n", id="no line ends"),
    ],
)
def test_a_body_is_kept_as_it_is(body: str, told: str) -> None:
    assert page_file(replace(PAGE, body=body)).partition("\n---\n\n")[2] == told


def test_front_matter_of_a_body_is_no_part_of_ours() -> None:
    told = page_file(replace(PAGE, body='---\ntitle: "Other"\n---\nText'))
    assert told.startswith('---\ntype: "concept"\ntitle: "Locks"\n')
    assert told.index('title: "Other"') > told.index("\n---\n")


@pytest.mark.parametrize(
    "body, told",
    [
        pytest.param(
            'A.[^c]\n\n[^c]: source:12 "the words"',
            f'A.[^c]\n\n[^c]: source:12 {LINK} "the words"\n',
            id="a quote",
        ),
        pytest.param(
            'A.[^c]\n\n[^c]: source:12#0-9 "the words", p. 3',
            f'A.[^c]\n\n[^c]: source:12#0-9 {LINK} "the words", p. 3\n',
            id="a range and more",
        ),
        pytest.param("A.[^c]\n\n[^c]: source:12", f"A.[^c]\n\n[^c]: source:12 {LINK}\n", id="bare"),
        pytest.param(
            'A.[^c]\n\n[^c]:\n    source:12 "the words"',
            f'A.[^c]\n\n[^c]:\n    source:12 {LINK} "the words"\n',
            id="on the next line",
        ),
        pytest.param(
            'A.[^c]\r\n\r\n[^c]: source:12 "the\r\n  words"\r\n',
            f'A.[^c]\n\n[^c]: source:12 {LINK} "the\n  words"\n',
            id="over lines",
        ),
        pytest.param(
            '> A.[^c]\n>\n> [^c]: source:12 "the words"',
            f'> A.[^c]\n>\n> [^c]: source:12 {LINK} "the words"\n',
            id="in a quotation",
        ),
        pytest.param(
            'A.[^c]\n\n- [^c]: source:12 "the words"',
            f'A.[^c]\n\n- [^c]: source:12 {LINK} "the words"\n',
            id="in a list",
        ),
        pytest.param(
            'A.[^a]B.[^b]\n\n[^a]: source:12 "one two"\n[^b]: source:12 "three"',
            f'A.[^a]B.[^b]\n\n[^a]: source:12 {LINK} "one two"\n[^b]: source:12 {LINK} "three"\n',
            id="two",
        ),
        pytest.param(
            'A.[^c]\n\n[^c]: source:12 "a"\n[^c]: source:12 "b"',
            f'A.[^c]\n\n[^c]: source:12 {LINK} "a"\n[^c]: source:12 "b"\n',
            id="the first of one label",
        ),
        pytest.param(
            "`[^c]: source:12`\n\n[^c]: see elsewhere",
            "`[^c]: source:12`\n\n[^c]: see elsewhere\n",
            id="no citation",
        ),
        pytest.param(
            'A.[^c]\n\n```\n[^c]: source:12 "x"\n```\n',
            'A.[^c]\n\n```\n[^c]: source:12 "x"\n```\n',
            id="code",
        ),
    ],
)
def test_a_citation_leads_to_the_file_of_its_source(body: str, told: str) -> None:
    assert body_of(body) == told


@pytest.mark.parametrize(
    "state, told",
    [
        (QuoteState.EXACT, ", exact)"),
        (QuoteState.NEAR, ", near)"),
        (QuoteState.MISSING, ", missing)"),
        (QuoteState.NONE, "(../../raw/sources/12--notes.md))"),
    ],
)
def test_a_citation_says_how_its_quote_stands(state: QuoteState, told: str) -> None:
    assert told in body_of('A.[^c]\n\n[^c]: source:12 "the words"', state=state)


@given(
    st.lists(
        st.sampled_from(
            [
                "[^a]: source:12 ",
                "[^b]:\n    source:12#0-5 ",
                '"the words"',
                "„other words“",
                "[^a]",
                "[^b]",
                "> ",
                "- ",
                "\n",
                "\n\n",
                "\r\n",
                "    ",
                "text ",
                "`",
                "[[link]]",
            ]
        ),
        max_size=14,
    )
)
def test_what_is_copied_back_cites_as_before(parts: list[str]) -> None:
    body = "".join(parts)
    before = citation_marks(read_page(body))
    after = citation_marks(read_page(body_of(body)))
    assert [(mark.label, mark.source_id, mark.quote, mark.start) for mark in after] == [
        (mark.label, mark.source_id, mark.quote, mark.start) for mark in before
    ]
