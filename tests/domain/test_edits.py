from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.edits import MOST_EDITS, Edit, apply_edits, parse_edits
from lwc.errors import EDIT_NOT_UNIQUE, INVALID_EDITS, LwcError


def test_edits_come_in_the_order_written() -> None:
    text = '[{"old": "a", "new": "b"}, {"new": "", "old": "c\\n"}]'
    assert parse_edits(text) == (Edit(old="a", new="b"), Edit(old="c\n", new=""))


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("hello", id="no-json"),
        pytest.param("[" * 100_000, id="bomb"),
        pytest.param("{}", id="object"),
        pytest.param('{"old": "a", "new": "b"}', id="no-list"),
        pytest.param("[]", id="empty-list"),
        pytest.param('["a"]', id="text"),
        pytest.param('[{"old": "a"}]', id="no-new"),
        pytest.param('[{"new": "a"}]', id="no-old"),
        pytest.param('[{"old": "", "new": "a"}]', id="empty-old"),
        pytest.param('[{"old": 1, "new": "a"}]', id="number"),
        pytest.param('[{"old": "a", "new": null}]', id="null"),
        pytest.param('[{"old": "a", "new": "b", "all": true}]', id="unknown-field"),
        pytest.param('[{"old": "a", "old": "b", "new": "c"}]', id="twice"),
        pytest.param(json.dumps([{"old": "a", "new": "b"}] * (MOST_EDITS + 1)), id="too-many"),
    ],
)
def test_what_are_no_edits_is_refused(written: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_edits(written)
    assert caught.value.problem is INVALID_EDITS


def test_each_edit_is_looked_for_in_what_the_last_left() -> None:
    edits = [Edit(old="one", new="two"), Edit(old="two", new="three")]
    assert apply_edits("one page", edits, slug="p") == "three page"


@pytest.mark.parametrize(
    "old, count",
    [
        pytest.param("zebra", 0, id="missing"),
        pytest.param("a a", 2, id="over-itself"),
        pytest.param(" a", 3, id="three"),
        pytest.param("PAGE", 0, id="other-case"),
    ],
)
def test_an_old_text_that_is_not_there_once_refuses_all(old: str, count: int) -> None:
    edits = [Edit(old="page", new="text"), Edit(old=old, new="x")]
    with pytest.raises(LwcError) as caught:
        apply_edits("page: a a a", edits, slug="p")
    assert caught.value.problem is EDIT_NOT_UNIQUE
    assert caught.value.details == {"edit": 2, "index": 1, "count": count, "slug": "p"}


def test_an_edit_of_a_long_uniform_body_is_counted_at_once() -> None:
    body = "a" * 2_000_000
    with pytest.raises(LwcError):
        apply_edits(body, [Edit(old="a" * 1_000_001, new="")], slug="p")


_text = st.text(st.sampled_from("ab\n"), max_size=6)


@given(_text, _text, st.text(st.sampled_from("ab\n"), min_size=1, max_size=4), _text)
def test_an_edit_replaces_the_one_place_or_is_refused(
    before: str, after: str, old: str, new: str
) -> None:
    body = before + old + after
    places = [at for at in range(len(body)) if body.startswith(old, at)]
    try:
        edited = apply_edits(body, [Edit(old=old, new=new)], slug="p")
    except LwcError:
        assert len(places) > 1
    else:
        assert places == [len(before)]
        assert edited == before + new + after


@given(st.recursive(st.none() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_any_json_is_edits_or_a_refusal(value: Any) -> None:
    with pytest.raises(LwcError) as caught:
        parse_edits(json.dumps(value))
    assert caught.value.problem is INVALID_EDITS
