"""How a person sees what was found: places, passages, what to do; nothing drives the terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Result
from page_makers import put

from lwc.wiki import Wiki

Lwc = Callable[..., Result]


@pytest.fixture
def locks(wiki: Wiki) -> None:
    for number in range(3):
        put(wiki, f"lock{number}", "The lock \x1b[31mis held. [[Gone]]\n", title="The lock")


@pytest.mark.usefixtures("locks")
def test_a_search_shows_each_passage_and_how_to_go_on(lwc: Lwc) -> None:
    shown = lwc("search", "lock", "--limit", "2", "--output", "text").out
    assert "lock0  The lock  concept" in shown
    assert "The lock \\u001b[31mis held." in shown
    assert "2 of 3 found; more with --offset 2" in shown
    assert "\x1b" not in shown


def test_a_search_that_finds_nothing_says_so(lwc: Lwc) -> None:
    assert "0 of 0 found" in lwc("search", "lock", "--output", "text").out
    assert "holds no word" in lwc("search", "--output", "text", "--", "-").out


@pytest.mark.usefixtures("locks")
def test_lint_shows_place_message_and_hint(lwc: Lwc) -> None:
    shown = lwc("lint", "--code", "dangling_link", "--output", "text").out
    assert "error  dangling_link  lock0:1" in shown
    assert "lock0 links to Gone, and there is no such page." in shown
    assert "lwc search -- Gone" in shown
    assert "3 of 3 findings" in shown


def test_a_wiki_that_is_in_order_is_said_to_be(lwc: Lwc) -> None:
    assert "Nothing is wrong." in lwc("lint", "--output", "text").out
