"""Text that nobody can see, or that no database can keep, is refused and nothing is written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ingesting import refused

from lwc.domain.page import clean_title
from lwc.domain.reason import checked
from lwc.domain.source import checked_title
from lwc.errors import BLANK, UNSAFE_CHARACTERS, LwcError
from lwc.services import charter, page_writes
from lwc.wiki import Call, Wiki

UNSEEN = ["\u2800", "\u115f", "\ufe0f", " \u2800 \u3164 "]


@pytest.mark.parametrize("text", UNSEEN, ids=ascii)
@pytest.mark.parametrize(
    "take",
    [clean_title, checked_title, lambda text: checked(text, field="The reason")],
    ids=["page title", "source title", "reason"],
)
def test_a_name_or_reason_that_shows_nothing_is_refused(
    take: Callable[[str], str], text: str
) -> None:
    assert refused_in(lambda: take(text)) in ("blank", "unsafe_characters")


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b"], ids=["NUL", "lone surrogate"])
def test_a_text_that_cannot_be_kept_is_refused_from_python_too(
    wiki: Wiki, call: Call, text: str
) -> None:
    before = wiki.revision()
    for act in (
        lambda: page_writes.put(wiki, call, slug="a", title="A", body=text),
        lambda: charter.put(wiki, call, name="purpose", text=text),
    ):
        refused(UNSAFE_CHARACTERS, act)
    assert wiki.revision() == before


def refused_in(act: Callable[[], object]) -> str:
    with pytest.raises(LwcError) as caught:
        act()
    return str(caught.value.problem.name)


def test_the_refusal_of_a_blank_says_so() -> None:
    refused(BLANK, lambda: clean_title("\u2800"))
