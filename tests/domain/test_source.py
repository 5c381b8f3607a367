from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.source import LONGEST_TITLE, checked_title, window
from lwc.errors import BLANK, TOO_LONG, UNSAFE_CHARACTERS, LwcError, Problem


@given(total=st.integers(0, 50), size=st.integers(1, 60))
def test_windows_that_follow_each_other_cover_a_text_once(total: int, size: int) -> None:
    seen: list[int] = []
    offset: int | None = 0
    while offset is not None:
        shown = window(offset=offset, returned=min(size, total - offset), total=total)
        assert shown.has_more == (shown.next_offset_chars is not None)
        seen += range(shown.offset_chars, shown.offset_chars + shown.returned_chars)
        offset = shown.next_offset_chars
    assert seen == list(range(total))


def test_a_title_is_kept_without_the_blanks_around_it() -> None:
    assert checked_title("  Ein Titel – 標題 ") == "Ein Titel – 標題"


@pytest.mark.parametrize(
    "title, problem",
    [
        ("", BLANK),
        (" \n\t", BLANK),
        ("x" * (LONGEST_TITLE + 1), TOO_LONG),
        ("two\nlines", UNSAFE_CHARACTERS),
        ("esc\x1b]0;", UNSAFE_CHARACTERS),
        ("nul\0", UNSAFE_CHARACTERS),
        ("half \ud800 pair", UNSAFE_CHARACTERS),
    ],
    ids=["empty", "blank", "long", "newline", "escape", "nul", "surrogate"],
)
def test_a_title_that_cannot_be_kept_is_refused(title: str, problem: Problem) -> None:
    with pytest.raises(LwcError) as caught:
        checked_title(title)
    assert caught.value.problem is problem
