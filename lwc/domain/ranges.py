"""Ranges of code points, half open: joined, and measured against a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range as answers show it: the code points from `start` up to `end`."""

    start: int
    end: int


def merge(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The same characters as sorted ranges that neither overlap nor touch; empty ones vanish."""
    merged: list[Range] = []
    for start, end in sorted(part for part in ranges if part[0] < part[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def missing(ranges: Iterable[Range], total: int) -> tuple[Range, ...]:
    """What `ranges` leave out of `0..total`."""
    gaps: list[Range] = []
    reached = 0
    for start, end in merge(ranges):
        if start >= total:
            break
        if start > reached:
            gaps.append((reached, start))
        reached = max(reached, end)
    if reached < total:
        gaps.append((reached, total))
    return tuple(gaps)


def size(ranges: Iterable[Range]) -> int:
    """How many characters the ranges cover, each counted once."""
    return sum(end - start for start, end in merge(ranges))


def share(ranges: Iterable[Range], total: int) -> float:
    """The covered part of `0..total`, from 0 to 1; of nothing everything is covered."""
    if total <= 0:
        return 1.0
    return 1.0 - size(missing(ranges, total)) / total


def spans(ranges: Iterable[Range]) -> tuple[Span, ...]:
    return tuple(Span(start=start, end=end) for start, end in ranges)
