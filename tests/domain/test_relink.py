from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.markdown import read_page
from lwc.domain.relink import relink
from lwc.domain.slug import collision_key


@pytest.mark.parametrize(
    "body, expected",
    [
        pytest.param("See [[old]].", "See [[new]].", id="plain"),
        pytest.param("See [[old|The Old]].", "See [[new|The Old]].", id="labelled"),
        pytest.param("See [[old#part|x]].", "See [[new#part|x]].", id="heading"),
        pytest.param("See ![[old]].", "See ![[new]].", id="embedded"),
        pytest.param("See [[ OLD ]].", "See [[ new ]].", id="other case and spaces"),
        pytest.param(
            "| a |\n|---|\n| [[old\\|x]] |\n", "| a |\n|---|\n| [[new\\|x]] |\n", id="cell"
        ),
        pytest.param("[[old]] and `[[old]]`", "[[new]] and `[[old]]`", id="code beside it"),
        pytest.param("`[[old]]` and [[old]]", "`[[old]]` and [[new]]", id="code before it"),
        pytest.param("> - [[old]]\n", "> - [[new]]\n", id="nested"),
        pytest.param("[^a]: see [[old]]\n\nx[^a]", "[^a]: see [[new]]\n\nx[^a]", id="footnote"),
    ],
)
def test_links_are_rewritten_where_they_stand(body: str, expected: str) -> None:
    assert relink(body, keys={"old"}, slug="new") == (expected, 1)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("```\n[[old]]\n```\n", id="fence"),
        pytest.param("    [[old]]\n", id="indented code"),
        pytest.param("<!-- [[old]] -->\n", id="comment"),
        pytest.param("a <!-- [[old]] --> b\n", id="comment in a line"),
        pytest.param("\\[[old]]\n", id="escaped"),
        pytest.param("[[older]] [[ol]] [[old\n]]", id="other names"),
        pytest.param('x[^a]\n\n[^a]: source:1 "as [[old]] says"\n', id="quoted words"),
        pytest.param("[old](old.md)\n", id="an ordinary link"),
        pytest.param("[[old", id="never closed"),
    ],
)
def test_what_is_no_wikilink_stays(body: str) -> None:
    assert relink(body, keys={"old"}, slug="new") == (body, 0)


@given(
    st.lists(
        st.sampled_from(
            [
                "[[old]]",
                "[[old|x]]",
                "`",
                "``",
                "\n",
                "\n\n",
                "[[other]]",
                "<!--",
                "-->",
                " w ",
                "]]",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_afterwards_no_link_leads_to_the_old_name_and_the_others_stay(body: str) -> None:
    before = [link.target for link in read_page(body).links]
    rewritten, count = relink(body, keys={"old"}, slug="new")
    after = [link.target for link in read_page(rewritten).links]
    assert count == before.count("old")
    assert after == ["new" if target == "old" else target for target in before]
    assert rewritten.replace("[[new", "[[old") == body


def test_every_name_of_the_page_is_rewritten() -> None:
    body = "[[one]] [[Two]] [[three]]"
    keys = {collision_key("ONE"), collision_key("two")}
    assert relink(body, keys=keys, slug="now") == ("[[now]] [[now]] [[three]]", 2)


def test_a_link_that_has_the_name_already_is_not_changed() -> None:
    assert relink("See [[ant]] and [[bee]].", keys=("ant", "bee"), slug="ant") == (
        "See [[ant]] and [[ant]].",
        1,
    )
    assert relink("See [[ant|it]].", keys=("ant", "bee"), slug="ant") == ("See [[ant|it]].", 0)
