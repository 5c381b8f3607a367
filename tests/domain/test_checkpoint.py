from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.checkpoint import (
    AUTOMATIC,
    Kind,
    Making,
    automatic_name,
    is_name,
    kind_of,
    parse_name,
    spare,
)
from lwc.errors import CHECKPOINT_NAME_INVALID, LwcError

MOMENT = datetime(2026, 11, 30, 18, 25, 47, 123_000, UTC)


@pytest.mark.parametrize(
    "name",
    ["a", "before-the-move", "v1.0", "2026-11-30", "_", "Größe", "检查点", "a" * 80, "pre-release"],
)
def test_one_safe_segment_is_a_name(name: str) -> None:
    assert parse_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", ".", "..", ".hidden", "-rf", "a/b", "/etc/passwd", "../one", "a\\b", "a b"),
        *("a\x00b", "a\nb", "a\n", "a:b", "a*", "~", "$HOME", "a\u202eb", "e\u0301", "\udc80"),
        *("a" * 81, "检" * 27, "name\u200b"),
    ],
    ids=ascii,
)
def test_anything_else_is_none(name: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_name(name)
    assert caught.value.problem is CHECKPOINT_NAME_INVALID


@pytest.mark.parametrize("kind", AUTOMATIC)
def test_nobody_gives_the_names_that_lwc_gives(kind: Kind) -> None:
    name = automatic_name(kind, now=MOMENT, mark="a1b2c3")
    assert name == f"{kind}-20261130T182547123-a1b2c3"
    assert is_name(name)
    assert kind_of(name) is kind
    with pytest.raises(LwcError):
        parse_name(name)


makings = st.lists(
    st.tuples(
        st.sampled_from(Kind), st.integers(0, 5).map(lambda days: MOMENT + timedelta(days=days))
    ),
    max_size=20,
).map(
    lambda made: [
        (f"{number:02d}", Making(kind=kind, made_at=moment))
        for number, (kind, moment) in enumerate(made)
    ]
)


@given(makings, st.integers(0, 6), st.sets(st.sampled_from(Kind)))
def test_the_newest_of_each_kind_stay_and_other_kinds_are_left_alone(
    made: list[tuple[str, Making]], keep: int, kinds: set[Kind]
) -> None:
    going = spare(made, keep=keep, kinds=tuple(kinds))
    assert len(set(going)) == len(going)
    of = dict(made)
    for kind in Kind:
        all_of = [name for name, making in made if making.kind is kind]
        left = [name for name in all_of if name not in going]
        assert len(left) == (min(keep, len(all_of)) if kind in kinds else len(all_of))
        gone = [of[name].made_at for name in all_of if name in going]
        if gone and left:
            assert max(gone) <= min(of[name].made_at for name in left)
    moments = [of[name].made_at for name in going]
    assert moments == sorted(moments)
