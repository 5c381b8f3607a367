"""Ranges against sets of numbers, which are what they stand for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain import ranges

RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12)
TOTALS = st.integers(0, 70)


def characters(parts: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> set[int]:
    return {place for start, end in parts for place in range(start, end)}


@given(RANGES)
def test_merging_keeps_exactly_the_same_characters(parts: list[tuple[int, int]]) -> None:
    assert characters(ranges.merge(parts)) == characters(parts)


@given(RANGES)
def test_merged_ranges_are_sorted_and_neither_overlap_nor_touch(
    parts: list[tuple[int, int]],
) -> None:
    merged = ranges.merge(parts)
    assert all(start < end for start, end in merged)
    assert all(left[1] < right[0] for left, right in pairwise(merged))


@given(RANGES)
def test_merging_again_changes_nothing(parts: list[tuple[int, int]]) -> None:
    merged = ranges.merge(parts)
    assert ranges.merge(merged) == merged
    assert ranges.merge(reversed(merged)) == merged


@given(RANGES, TOTALS)
def test_what_is_missing_is_the_rest(parts: list[tuple[int, int]], total: int) -> None:
    gaps = ranges.missing(parts, total)
    assert characters(gaps) == set(range(total)) - characters(parts)
    assert ranges.merge(gaps) == gaps


@given(RANGES, TOTALS)
def test_what_is_there_and_what_is_missing_make_the_whole(
    parts: list[tuple[int, int]], total: int
) -> None:
    assert ranges.missing([*parts, *ranges.missing(parts, total)], total) == ()


@given(RANGES)
def test_each_character_counts_once(parts: list[tuple[int, int]]) -> None:
    assert ranges.size(parts) == len(characters(parts))


@given(RANGES, TOTALS)
def test_the_share_is_whole_exactly_when_nothing_is_missing(
    parts: list[tuple[int, int]], total: int
) -> None:
    share = ranges.share(parts, total)
    assert 0.0 <= share <= 1.0
    assert (share == 1.0) == (not ranges.missing(parts, total))


@pytest.mark.parametrize(
    "parts, share",
    [
        pytest.param([], 0.0, id="nothing"),
        pytest.param([(0, 5)], 0.5, id="half"),
        pytest.param([(0, 5), (3, 10)], 1.0, id="overlapping"),
        pytest.param([(0, 99)], 1.0, id="beyond the end"),
    ],
)
def test_the_share_of_ten_characters(parts: list[tuple[int, int]], share: float) -> None:
    assert ranges.share(parts, 10) == share
