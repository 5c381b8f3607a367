"""Any body is read: whatever Markdown stands in it, nothing raises and every place is a line."""

from __future__ import annotations

import re
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from lwc.domain.citation import citation_marks
from lwc.domain.markdown import read_page
from lwc.errors import LwcError

# Every construct of the grammar, whole and broken, to be strung together in any order.
PIECES = (
    *(
        "<https://a.b/c.md>",
        "<a@b.c>",
        "<a@b",
        "https://a.b",
        "[a](b.md)",
        "[a](b.md 'c')",
        "[a](<b c.md>)",
    ),
    *(
        "[a][b]",
        "[b]: c.md",
        "[b]: c.md 'd'",
        "[a]",
        "![a](b.md)",
        "![[a]]",
        "![a][b]",
        "[![a](b)](c.md)",
    ),
    *(
        "[[a]]",
        "[[a|b]]",
        "[[a\\|b]]",
        "[[a#b]]",
        "[[a",
        "]]",
        "\\[[a]]",
        "[[../a]]",
        "[ [a]]",
        "[[]]",
    ),
    *(
        "[^a]",
        '[^a]: source:1 "b"',
        '[^a]: source:1#2-9 "b"',
        "[^b]: b [[c]]",
        "[^]",
        "[^a",
        "^[a]",
    ),
    *(
        "`a`",
        "``",
        "```",
        "~~~",
        "    a",
        "\t",
        "<!-- [[a]] -->",
        "<b>",
        "</b>",
        "<div>",
        "<?a?>",
        "<![CDATA[a]]>",
    ),
    *(
        "# a",
        "a\n===",
        "a\n---",
        "---",
        "> ",
        "- ",
        "1. ",
        "* a",
        "| a | b |",
        "|---|---|",
        "|",
        "\\",
        "&amp;",
        "&#0;",
    ),
    *(
        "**a**",
        "_a_",
        "~~a~~",
        "***",
        '"',
        "“",
        "…",
        "\n",
        "\n\n",
        " ",
        "  \n",
        "a",
        "文",
        "\u0000",
        "\ufeff",
        "\u2028",
    ),
)
BODIES = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=25).map("".join)


@settings(max_examples=600, deadline=None)
@given(BODIES)
def test_any_body_is_read(body: str) -> None:
    page = read_page(body)
    lines = len(re.split(r"\r\n|\r|\n", body))  # as CommonMark counts them
    places = [one.line for one in (*page.links, *page.footnotes, *page.headings, *page.paragraphs)]
    assert all(1 <= line <= lines for line in places), (places, lines)
    with suppress(LwcError):
        citation_marks(page)
