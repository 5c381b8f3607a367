"""The order of what a search found, and why: BM25 first, then how well title and path fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from lwc.domain.terms import query_terms

# Chosen on public collections: 0.3 helps most of them and harms none (from 0.5 code search loses).
TITLE_WEIGHT = 0.3
PATH_WEIGHT = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A document that the index offers."""

    identifier: str
    title: str
    path: str
    """A page's slug, a source's path."""
    bm25: float
    """As the index gives it: below zero, the lower the better."""
    type: str = "page"
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its place in the order."""

    candidate: Candidate
    score: float
    """The higher the better: the sum of the parts."""
    parts: tuple[tuple[str, float], ...]
    """What the score is made of."""

    @property
    def rank(self) -> float:
        """The lower the better, as search results show it."""
        return -self.score


def rank(
    candidates: Iterable[Candidate], terms: Iterable[str], *, pages_first: bool = False
) -> list[Ranked]:
    """The candidates, best first; equal ones by type and identifier.

    `bm25` counts in relation to the best of these candidates, so that lists of different wikis can
    be merged. With `pages_first` every source stands behind every page.
    """
    found = tuple(candidates)
    wanted = frozenset(terms)
    best = min((candidate.bm25 for candidate in found), default=0.0)
    ranked = [_ranked(candidate, wanted=wanted, best=best) for candidate in found]
    return sorted(ranked, key=lambda one: _order(one, pages_first=pages_first))


def _ranked(candidate: Candidate, *, wanted: frozenset[str], best: float) -> Ranked:
    parts = (
        ("bm25", round(candidate.bm25 / best, 6) if best < 0 else 0.0),
        ("title", round(TITLE_WEIGHT * _likeness(wanted, candidate.title), 6)),
        ("path", round(PATH_WEIGHT * _likeness(wanted, candidate.path), 6)),
    )
    return Ranked(candidate=candidate, score=sum(value for _, value in parts), parts=parts)


def _order(one: Ranked, *, pages_first: bool) -> tuple[bool, float, str, str]:
    behind = pages_first and one.candidate.type == "source"
    return behind, one.rank, one.candidate.type, one.candidate.identifier


def _likeness(wanted: frozenset[str], field: str) -> float:
    """From 0, no term in common (terms are whole words: no `toc` in `protocol`), to 1, the same."""
    terms = query_terms(field).terms
    if not wanted or not terms:
        return 0.0
    return len(wanted.intersection(terms)) / sqrt(len(wanted) * len(terms))
