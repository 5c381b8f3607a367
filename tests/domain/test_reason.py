from __future__ import annotations

import pytest

from lwc.domain.reason import LONGEST, checked, checked_if_given
from lwc.errors import BLANK, TOO_LONG, UNSAFE_CHARACTERS, LwcError, Problem


@pytest.mark.parametrize(
    "text, problem",
    [
        pytest.param("", BLANK, id="empty"),
        pytest.param(" \n\t", BLANK, id="blank"),
        pytest.param("x" * (LONGEST + 1), TOO_LONG, id="too long"),
        pytest.param("a\x1b[2Jb", UNSAFE_CHARACTERS, id="a terminal control"),
        pytest.param("a\0b", UNSAFE_CHARACTERS, id="NUL"),
        pytest.param("a\udcffb", UNSAFE_CHARACTERS, id="a lone surrogate"),
    ],
)
def test_a_reason_that_cannot_be_kept_is_refused(text: str, problem: Problem) -> None:
    with pytest.raises(LwcError) as caught:
        checked(text, field="The reason")
    assert caught.value.problem is problem
    assert "The reason" in caught.value.message


def test_a_reason_is_kept_without_the_blanks_around_it() -> None:
    assert checked("  two\n\tlines 二 \n", field="The reason") == "two\n\tlines 二"
    assert checked("x" * LONGEST, field="The reason") == "x" * LONGEST


def test_no_reason_stays_none() -> None:
    assert checked_if_given(None, field="The reason") is None
