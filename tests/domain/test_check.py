"""What a retrieval check may ask, when two ask the same, and when a page is checked by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lwc.domain.check import (
    PARAPHRASES_MOST,
    QUERY_MOST,
    TOP_MOST,
    Place,
    Questions,
    holds,
    is_checking,
    parse_questions,
    words,
)
from lwc.errors import (
    BLANK,
    CHECK_SAME_WORDS,
    CHECK_WITHOUT_WORDS,
    LIMIT_OUT_OF_RANGE,
    TOO_LONG,
    TOO_MANY_PARAPHRASES,
    UNSAFE_CHARACTERS,
    LwcError,
    Problem,
)

QUERY = "one writer at a time"


def refused(act: Callable[[], object]) -> LwcError:
    with pytest.raises(LwcError) as caught:
        act()
    return caught.value


@pytest.mark.parametrize(
    "text, problem",
    [
        pytest.param("", BLANK, id="empty"),
        pytest.param(" \n\t", BLANK, id="blank"),
        pytest.param("\u200b", BLANK, id="nothing to be seen"),
        pytest.param("!? — …", CHECK_WITHOUT_WORDS, id="signs only"),
        pytest.param("x" * (QUERY_MOST + 1), TOO_LONG, id="too long"),
        pytest.param("one\x1b[2Jwriter", UNSAFE_CHARACTERS, id="a terminal control"),
        pytest.param("one\0writer", UNSAFE_CHARACTERS, id="NUL"),
        pytest.param("one\x1fwriter", UNSAFE_CHARACTERS, id="a separator no text has"),
        pytest.param("one\udcffwriter", UNSAFE_CHARACTERS, id="a lone surrogate"),
    ],
)
def test_a_text_nobody_can_look_for_is_refused(text: str, problem: Problem) -> None:
    assert refused(lambda: parse_questions(text)).problem is problem
    assert refused(lambda: parse_questions(QUERY, [text])).problem is problem


@pytest.mark.parametrize("top", [-1, 0, TOP_MOST + 1])
def test_a_page_is_looked_for_among_the_first_fifty_at_most(top: int) -> None:
    error = refused(lambda: parse_questions(QUERY, top=top))
    assert error.problem is LIMIT_OUT_OF_RANGE
    assert error.details == {"option": "--top", "least": 1, "most": TOP_MOST}


def test_the_ends_of_every_range_are_taken() -> None:
    many = [f"word{number}" for number in range(PARAPHRASES_MOST)]
    for top in (1, TOP_MOST):
        asked = parse_questions("x" * QUERY_MOST, many, top=top)
        assert (len(asked.queries), asked.top) == (1 + PARAPHRASES_MOST, top)
    error = refused(lambda: parse_questions(QUERY, [*many, "more"]))
    assert error.problem is TOO_MANY_PARAPHRASES


@pytest.mark.parametrize(
    "paraphrase",
    [
        pytest.param(QUERY, id="the query itself"),
        pytest.param("Writer, ONE time!", id="order, case and signs"),
        pytest.param("one writers times", id="endings"),
        pytest.param("at the time of one writer", id="words that every question has"),
        pytest.param("ｏｎｅ writer time", id="widths"),
    ],
)
def test_a_paraphrase_with_the_words_of_the_query_is_none(paraphrase: str) -> None:
    error = refused(lambda: parse_questions(QUERY, ["a single author", paraphrase]))
    assert error.problem is CHECK_SAME_WORDS
    assert error.details == {"paraphrase": paraphrase, "other": QUERY}


def test_a_paraphrase_is_none_of_another_paraphrase_either() -> None:
    error = refused(lambda: parse_questions(QUERY, ["x", "y", "X"]))
    assert error.problem is CHECK_SAME_WORDS
    assert error.details == {"paraphrase": "X", "other": "x"}


def test_queries_are_kept_as_written_on_one_line() -> None:
    asked = parse_questions("  Who may\n write? ", ["single\tauthor"], top=3)
    assert asked == Questions(query="Who may write?", paraphrases=("single author",), top=3)
    assert asked.queries == ("Who may write?", "single author")


@pytest.mark.parametrize(
    "query, paraphrases, top, same",
    [
        pytest.param("writer: ONE", ("author single", "lock"), 5, True, id="the same words"),
        pytest.param("one writer", ("lock", "single author"), 5, True, id="in another order"),
        pytest.param("one writer", ("single author",), 5, False, id="one paraphrase less"),
        pytest.param("one writer", ("single author", "lock"), 4, False, id="another top"),
        pytest.param("single author", ("one writer", "lock"), 5, False, id="another original"),
    ],
)
def test_checks_are_the_same_when_they_look_for_the_same_words(
    query: str, paraphrases: tuple[str, ...], top: int, same: bool
) -> None:
    one = parse_questions("one writer", ("single author", "lock"), top=5)
    assert one.asks_the_same(parse_questions(query, paraphrases, top=top)) is same


@pytest.mark.parametrize(
    "places, held, checking",
    [
        pytest.param((1, 2, 5), True, True, id="all find it"),
        pytest.param((1, None, 5), False, True, id="one paraphrase finds it"),
        pytest.param((1, None, None), False, False, id="no paraphrase finds it"),
        pytest.param((None, 1, 1), False, False, id="the original does not find it"),
    ],
)
def test_a_check_holds_by_all_its_queries_and_checks_its_page_by_two(
    places: tuple[Place, ...], held: bool, checking: bool
) -> None:
    asked = parse_questions("one writer", ("single author", "lock"))
    assert (holds(places), is_checking(asked, places)) == (held, checking)


def test_an_original_alone_holds_but_checks_nothing() -> None:
    assert holds((3,))
    assert not is_checking(parse_questions("one writer"), (3,))


def test_a_paraphrase_that_became_the_same_words_counts_for_nothing() -> None:
    """How texts are analysed may change between releases; what was kept stays."""
    kept = Questions(query="one writer", paraphrases=("writer one",), top=5)
    assert not is_checking(kept, (1, 1))


TEXTS = st.text("ab é漢字-. \n", min_size=1, max_size=12)


@given(TEXTS, TEXTS)
def test_two_queries_go_together_exactly_when_they_differ_in_words(one: str, other: str) -> None:
    assume(words(one) and words(other) and one.strip() and other.strip())
    if words(one) == words(other):
        assert refused(lambda: parse_questions(one, [other])).problem is CHECK_SAME_WORDS
    else:
        asked = parse_questions(one, [other])
        assert words(asked.query) == words(one)
        assert words(asked.paraphrases[0]) == words(other)
