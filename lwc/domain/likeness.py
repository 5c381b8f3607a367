"""Names so much alike that two pages may be about one thing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

ALIKE = 92
MOST_ALIKE = 5

_NUMBER = re.compile(r"\d+")


def alike(slug: str, title: str, others: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The slugs of the others, given as (slug, title), that are nearly called this; best first.

    Case does not count, and names that differ in a number are names of two things.
    """
    scores = {
        other: max(_score(slug, other), _score(title, other_title)) for other, other_title in others
    }
    close = sorted((-score, other) for other, score in scores.items() if score >= ALIKE)
    return tuple(other for _, other in close[:MOST_ALIKE])


def _score(one: str, other: str) -> float:
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return 0
    return fuzz.ratio(one.casefold(), other.casefold(), score_cutoff=ALIKE)
