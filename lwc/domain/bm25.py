"""BM25 as FTS5 reckons it, so that what is scored here stands rightly among what it scores.

The formula is that of `fts5Bm25Function` and `fts5Bm25GetData` in SQLite's `ext/fts5/fts5_aux.c`,
in the same order of operations: equal documents have equal scores there and here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log

K1 = 1.2
B = 0.75
# A phrase that half of the documents hold, or more of them, still counts a little.
LEAST_WEIGHT = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What a score knows of all documents: how many they are, and their tokens together."""

    rows: int
    tokens: int

    def weight(self, holders: int) -> float:
        """How much a phrase tells which so many of the documents hold."""
        others = (self.rows - holders + 0.5) / (holders + 0.5)
        return log(others) if others > 1.0 else LEAST_WEIGHT

    def length(self, tokens: int) -> float:
        """How long a document of so many tokens is among these, as `score` takes it."""
        return K1 * (1 - B + B * tokens / (self.tokens / self.rows))


def score(phrases: Iterable[tuple[float, float]], *, length: float) -> float:
    """The score of a document: the lower the better.

    Of each phrase, in the order of the query, these are its weight and how often the document holds
    it, each place counted by the weight of its column.
    """
    found = 0.0
    for weight, frequency in phrases:
        found += weight * ((frequency * (K1 + 1.0)) / (frequency + length))
    return -1.0 * found


def frequency(score: float, *, weight: float, length: float) -> float:
    """How often a document holds a phrase, from its score for this phrase alone; about exact."""
    told = -score / weight
    return length * told / (K1 + 1.0 - told)


def growth(before: Collection, after: Collection, holders: Iterable[tuple[int, int]]) -> float:
    """How many times as good the score of a document may be, at most, when others come and go.

    `holders` are of each phrase those before and those after. A longer average helps a document by
    no more than it grew, and a weight that grew by no more than the weight that grew most.
    """
    longer = (after.tokens * before.rows) / (after.rows * before.tokens)
    weights = (after.weight(then) / before.weight(now) for now, then in holders)
    return max(1.0, longer) * max(weights, default=1.0)
