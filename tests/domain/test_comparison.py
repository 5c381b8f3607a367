from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.comparison import Held, counted, differences

contents = st.dictionaries(
    st.sampled_from(["page", "source"]),
    st.dictionaries(
        st.sampled_from("abcd"),
        st.integers(0, 2).map(lambda n: Held(state=(n,), shown={"n": n})),
    ),
)


def flat(contents: dict[str, dict[str, Held]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (entity, key): dict(one.shown)
        for entity, all_ in contents.items()
        for key, one in all_.items()
    }


@given(contents)
def test_nothing_differs_from_itself(one: dict[str, dict[str, Held]]) -> None:
    assert differences(one, one) == ()
    assert counted(()) == {}


@given(contents, contents)
def test_the_changes_make_one_of_the_other(
    before: dict[str, dict[str, Held]], after: dict[str, dict[str, Held]]
) -> None:
    made = {
        (entity, key): dict(one.shown)
        for entity, all_ in before.items()
        for key, one in all_.items()
    }
    changes = differences(before, after)
    for change in changes:
        place = change.entity, change.key
        assert change.change == (
            "added" if place not in made else "removed" if change.after is None else "changed"
        )
        assert change.before == made.pop(place, None)
        if change.after is not None:
            made[place] = dict(change.after)
    assert made == flat(after)
    assert sum(sum(numbers.values()) for numbers in counted(changes).values()) == len(changes)


@given(contents, contents)
def test_the_other_way_round_it_is_the_other_way_round(
    before: dict[str, dict[str, Held]], after: dict[str, dict[str, Held]]
) -> None:
    there = {(one.entity, one.key): one for one in differences(before, after)}
    back = {(one.entity, one.key): one for one in differences(after, before)}
    assert there.keys() == back.keys()
    for place, one in there.items():
        assert (one.before, one.after) == (back[place].after, back[place].before)
