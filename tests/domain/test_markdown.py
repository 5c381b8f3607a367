from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.markdown import MOST_LEAD, read_page
from lwc.domain.pagetext import Link, LinkKind


def targets(body: str) -> list[str]:
    return [link.target for link in read_page(body).links]


@pytest.mark.parametrize(
    "body, target",
    [
        pytest.param("see [[alpha]]", "alpha", id="plain"),
        pytest.param("see [[ alpha beta ]]", "alpha beta", id="trimmed"),
        pytest.param("see [[alpha|shown]]", "alpha", id="with words to show"),
        pytest.param(r"see [[alpha\|shown]]", "alpha", id="with an escaped bar"),
        pytest.param("see [[alpha#part]]", "alpha", id="with a heading"),
        pytest.param("see [[alpha#part|shown]]", "alpha", id="with both"),
        pytest.param("![[alpha]]", "alpha", id="embedded"),
        pytest.param("see [[alpha_beta_gamma]]", "alpha_beta_gamma", id="with underscores"),
        pytest.param("see **[[alpha]]**", "alpha", id="within emphasis"),
        pytest.param("# On [[alpha]]", "alpha", id="in a heading"),
        pytest.param("- one\n- [[alpha]]", "alpha", id="in a list"),
        pytest.param("> [[alpha]]", "alpha", id="in a block quote"),
        pytest.param("| a |\n|---|\n| [[alpha\\|x]] |", "alpha", id="in a table cell"),
        pytest.param("[^n]: a note on [[alpha]]", "alpha", id="in an ordinary footnote"),
        pytest.param("[[alpha]]\n\n[alpha]: other", "alpha", id="named like a reference"),
        pytest.param("see [[页面]]", "页面", id="in Chinese"),
        pytest.param("see [[[alpha]]]", "alpha", id="in brackets"),
    ],
)
def test_a_wikilink_names_its_target(body: str, target: str) -> None:
    assert targets(body) == [target]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("`[[alpha]]`", id="inline code"),
        pytest.param("```\n[[alpha]]\n```", id="code fence"),
        pytest.param("~~~~ md\n[[alpha]]\n", id="open code fence"),
        pytest.param("text\n\n    [[alpha]]", id="indented code"),
        pytest.param("a <!-- [[alpha]] --> b", id="comment in text"),
        pytest.param("<!--\n[[alpha]]\n-->", id="comment block"),
        pytest.param("<div>\n[[alpha]]\n</div>", id="html block"),
        pytest.param('a <b title="[[alpha]]">b</b>', id="html attribute"),
        pytest.param(r"\[[alpha]]", id="escaped bracket"),
        pytest.param(r"[\[alpha]]", id="escaped second bracket"),
        pytest.param(r"\[\[alpha\]\]", id="all brackets escaped"),
        pytest.param("<https://example.org/alpha.md> <a@b.md>", id="autolinks"),
        pytest.param("[[al\npha]]", id="across lines"),
        pytest.param("[[alpha", id="not closed"),
        pytest.param("[[]]", id="empty"),
        pytest.param("[[ ]]", id="blank"),
        pytest.param("[[#part]]", id="heading of this page"),
        pytest.param("[[|shown]]", id="only words to show"),
        pytest.param("[[../secret]]", id="parent folder"),
        pytest.param(r"[[..\secret]]", id="parent folder, backslash"),
        pytest.param("[[javascript:alert(1)]]", id="scheme"),
        pytest.param("[[a\x07b]]", id="control character"),
        pytest.param("[[`code]] b`", id="code that begins within"),
        pytest.param('[^c]: source:1 "as [[alpha]] says"', id="quoted words of a citation"),
        pytest.param("[^c]: source:1 “one\n[[alpha]]\ntwo”", id="quoted words on their own line"),
        pytest.param('[^c]: source:1 "one\n\n    [[alpha]] two"', id="quoted second paragraph"),
    ],
)
def test_what_is_no_wikilink(body: str) -> None:
    assert targets(body) == []


def test_a_citation_may_link_outside_its_quote() -> None:
    assert targets('[^c]: source:1 "says [[no]] so", see [[yes]]') == ["yes"]


@pytest.mark.parametrize(
    "destination, target",
    [
        pytest.param("alpha.md", "alpha", id="file"),
        pytest.param("notes/alpha.md", "alpha", id="file in a folder"),
        pytest.param("../notes/alpha.md", "alpha", id="file elsewhere"),
        pytest.param("alpha.md#part", "alpha", id="with a fragment"),
        pytest.param("alpha.md?x=1", "alpha", id="with a query"),
        pytest.param("ALPHA.MD", "ALPHA", id="in capitals"),
        pytest.param("a%20b.md", "a b", id="percent-encoded"),
        pytest.param("<a b.md>", "a b", id="in angle brackets"),
        pytest.param("%E9%A1%B5.md", "页", id="percent-encoded Chinese"),
        pytest.param("页.md", "页", id="Chinese"),
    ],
)
def test_a_relative_markdown_link_names_a_page(destination: str, target: str) -> None:
    assert read_page(f"see [words]({destination})").links == (
        Link(target=target, line=1, kind=LinkKind.MARKDOWN),
    )


@pytest.mark.parametrize(
    "destination",
    [
        "https://example.org/README.md",
        "//example.org/README.md",
        "file:///README.md",
        "C:/notes/alpha.md",
        "/notes/alpha.md",
        "alpha.txt",
        "alpha.md.html",
        ".md",
        "#alpha.md",
        "a%2Fb.md",
        "..%5Csecret.md",
        "a%00b.md",
        "javascript:alert.md",
    ],
)
def test_other_links_name_no_page(destination: str) -> None:
    assert targets(f"see [words]({destination})") == []


def test_a_reference_link_names_a_page() -> None:
    assert targets("see [words][r]\n\n[r]: alpha.md") == ["alpha"]


def test_links_stand_in_the_order_of_the_text_with_their_lines() -> None:
    body = (
        "one [[a]] and\ntwo [x](b.md)\n[[c]]\n\n"
        "| t |\n|---|\n| [[d]] |\n\n"
        "> q\n> [[e]] `x\n> y` [[f]]\n"
    )
    found = [(link.target, link.line) for link in read_page(body).links]
    assert found == [("a", 1), ("b", 2), ("c", 3), ("d", 7), ("e", 10), ("f", 11)]


def test_lines_are_counted_alike_whatever_ends_them() -> None:
    for end in ("\n", "\r\n", "\r"):
        page = read_page(end.join(["# A", "", "one", "[[b]]", "", "[^c]: source:1"]))
        assert [link.line for link in page.links] == [4]
        assert [note.line for note in page.footnotes] == [6]


def test_every_definition_is_told_and_the_first_of_a_label_counts() -> None:
    page = read_page("a[^x]\n\n[^x]: first\n[^x]: second\n[^y]: alone\n")
    told = [(n.label, n.text, n.line, n.referenced, n.duplicate) for n in page.footnotes]
    assert told == [
        ("x", "first", 3, True, False),
        ("x", "second", 4, True, True),
        ("y", "alone", 5, False, False),
    ]


@pytest.mark.parametrize(
    "body, text",
    [
        pytest.param("[^x]: one\ntwo", "one\ntwo", id="lazy line"),
        pytest.param(
            "[^x]: one\n    two\n\n    three", "one\n    two\n\n    three", id="paragraphs"
        ),
        pytest.param("> [^x]: one\n> two", "one\ntwo", id="in a block quote"),
        pytest.param("- a\n\n  [^x]: one", "one", id="in a list"),
        pytest.param("text\n[^x]: one", "one", id="right after a paragraph"),
        pytest.param("[^x]:one", "one", id="without a space"),
        pytest.param("[^x]: `a` *b* \\[c", "`a` *b* \\[c", id="markup as it stands"),
        pytest.param("[^x]:", "", id="empty"),
    ],
)
def test_a_definition_keeps_its_raw_text(body: str, text: str) -> None:
    (note,) = read_page(body).footnotes
    assert (note.label, note.text) == ("x", text)


@pytest.mark.parametrize(
    "body",
    ["`[^x]: a`", "```\n[^x]: a\n```", "<!--\n[^x]: a\n-->", r"\[^x]: a", "[^x y]: a", "[^]: a"],
)
def test_what_is_no_definition(body: str) -> None:
    assert read_page(body).footnotes == ()


def test_marks_come_from_text_and_know_whether_they_are_defined() -> None:
    page = read_page("a[^x] `[^x]` b[^z] <!-- [^x] -->\nc[^x](d)\n\n[^x]: note\n")
    found = [(mark.label, mark.line, mark.defined) for mark in page.marks]
    assert found == [("x", 1, True), ("z", 1, False), ("x", 2, True)]


def test_a_mark_in_the_quoted_words_of_a_citation_is_none() -> None:
    page = read_page('a[^c]\n\n[^c]: source:1 "as [^n] says"\n[^n]: note')
    assert [mark.label for mark in page.marks] == ["c"]


def test_headings_have_level_line_and_plain_text() -> None:
    page = read_page("# One *two* `three`\n\ntext\n\nFour [[five|six]]\n---\n### [a](b.md)[^x]\n")
    found = [(heading.level, heading.text, heading.line) for heading in page.headings]
    assert found == [(1, "One two three", 1), (2, "Four six", 5), (3, "a", 7)]


def test_only_paragraphs_of_prose_are_told() -> None:
    body = (
        "# Heading of the page\n\n"
        "This is a claim with a source.[^c]\n\n"
        "This one is left without any.\n\n"
        "This one has a mark that leads nowhere.[^nowhere]\n\n"
        "- a list item with some words\n\n"
        "> a block quote with some words\n\n"
        "[[alpha and some more]] [a long link text](x.md)\n\n"
        "数据库只允许一个写入者。\n\n"
        '[^c]: source:1 "words"\n'
    )
    found = [(paragraph.line, paragraph.cited) for paragraph in read_page(body).paragraphs]
    assert found == [(3, True), (5, False), (7, False), (15, False)]


@pytest.mark.parametrize(
    "body, structural",
    [
        ("# Table of Contents\n", True),
        ("this is a DOCUMENT INDEX", True),
        ("# 文档目录", True),
        ("the protocol has contents", False),
    ],
)
def test_a_page_that_calls_itself_an_index_is_structural(body: str, structural: bool) -> None:
    assert read_page(body).structural is structural


def test_the_lead_is_the_first_paragraph_in_plain_words() -> None:
    page = read_page(
        "# T\n\n- item\n\nThe *store* [keeps](a.md) `one`\n[[writer|pen]].[^c]\n\nNext."
    )
    assert page.lead == "The store keeps one pen."


def test_a_long_lead_is_cut_between_words() -> None:
    lead = read_page("word " * 500).lead
    assert len(lead) <= MOST_LEAD
    assert lead.endswith("word…")


def test_a_page_without_text_has_nothing() -> None:
    page = read_page("")
    assert (page.links, page.footnotes, page.headings, page.lead) == ((), (), (), "")


@given(st.text(alphabet=st.sampled_from(list('[]()^!|`*_<>#-: \n\\"“”ab1.md源')), max_size=120))
def test_any_text_can_be_read(body: str) -> None:
    page = read_page(body)
    lines = len(body.splitlines()) + 1
    assert all(1 <= link.line <= lines for link in page.links)
    assert list(page.links) == sorted(page.links, key=lambda link: link.line)


WIDE_TABLE = "|a" * 60 + "\n" + "|-" * 60 + "\n" + "|x\n" * 60 + "\n"
SHAPES: dict[str, str | Callable[[int], str]] = {
    name: name
    for name in (
        "[[", "[^", "[", "![", "![[", "(", "*", "_", "`", "<", ">", "|", "]", "[a](", "[a][",
        "[[a]]", "[]", "*a_ ", "**a ", "a*b_c~", "`a``b", "a <!--", "a<![CDATA[", "<a b='", "<?",
        "> ", "- ", "1. ", "[^a]: ", "- a\n", "> a\n\n", "[a]: b\n", "|a|\n|-|\n", "[^a]: [[b]]\n",
        "&", "\\", "a\n", "---\n", "<div>\n", "\t",
    )
}  # fmt: skip
SHAPES |= {
    "brackets within brackets": lambda n: "[" * n + "]" * n,
    "lists within lists": lambda n: "".join("  " * (i % 40) + "- a\n" for i in range(n)),
    "quotes within quotes": lambda n: ("> " * 50 + "a\n") * (n // 50),
    "wide tables": lambda n: WIDE_TABLE * (n // 50),
    "almost tables": lambda n: "# a|\n|-|-|-|-|-|-|\n" * n,
    "quoted links": lambda n: '[^c]: source:1 "' + "[[a]] “ " * n,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_time_grows_with_the_length_of_the_body(shape: str | Callable[[int], str]) -> None:
    def cost(size: int) -> float:
        body = shape * size if isinstance(shape, str) else shape(size)
        begun = time.process_time()
        read_page(body)
        return time.process_time() - begun

    cost(10)
    short = min(cost(500) for _ in range(3))
    # Four times the length: four times as long, where the square would take sixteen times.
    assert min(cost(2_000) for _ in range(3)) < 10 * short + 0.002
