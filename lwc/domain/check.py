"""Retrieval checks: queries that must find a page, what they may be, and when they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lwc.domain.reason import checked
from lwc.domain.terms import query_terms
from lwc.errors import (
    CHECK_SAME_WORDS,
    CHECK_WITHOUT_WORDS,
    LIMIT_OUT_OF_RANGE,
    TOO_LONG,
    TOO_MANY_PARAPHRASES,
)

TOP = 5
TOP_MOST = 50
QUERY_MOST = 1_000
PARAPHRASES_MOST = 20
# Publishing asks all queries of all checks of a page.
CHECKS_MOST = 50

# Where a page stands among what a query finds, from 1; none when it is not among the first.
Place = int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What a check asks: every query must find its page among the first `top` pages."""

    query: str
    paraphrases: tuple[str, ...]
    top: int

    @property
    def queries(self) -> tuple[str, ...]:
        """The original and its paraphrases, in the order in which places are told."""
        return (self.query, *self.paraphrases)

    def asks_the_same(self, other: Questions) -> bool:
        """Whether both look for the same words, however they are written and ordered."""
        return self._asked() == other._asked()

    def _asked(self) -> tuple[frozenset[str], frozenset[frozenset[str]], int]:
        return words(self.query), frozenset(map(words, self.paraphrases)), self.top


def parse_questions(query: str, paraphrases: Iterable[str] = (), *, top: int = TOP) -> Questions:
    """The questions as they are kept; refused when one holds no word, or only those of another."""
    if not 1 <= top <= TOP_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--top", least=1, most=TOP_MOST)
    given = tuple(paraphrases)
    if len(given) > PARAPHRASES_MOST:
        raise TOO_MANY_PARAPHRASES(most=PARAPHRASES_MOST)
    original = _parse(query, field="The query")
    asked = {words(original): original}
    kept = []
    for text in given:
        paraphrase = _parse(text, field="A paraphrase")
        looked_for = words(paraphrase)
        if looked_for in asked:
            raise CHECK_SAME_WORDS(paraphrase=paraphrase, other=asked[looked_for])
        asked[looked_for] = paraphrase
        kept.append(paraphrase)
    return Questions(query=original, paraphrases=tuple(kept), top=top)


def words(query: str) -> frozenset[str]:
    """The words a search looks for; two queries that differ in nothing else are one."""
    return frozenset(query_terms(query).terms)


def holds(places: Sequence[Place]) -> bool:
    """Whether every query of a check found its page."""
    return None not in places


def is_checking(questions: Questions, places: Sequence[Place]) -> bool:
    """Whether the original and a paraphrase in other words found the page."""
    original, *others = places
    asked = words(questions.query)
    return original is not None and any(
        place is not None and words(paraphrase) != asked
        for paraphrase, place in zip(questions.paraphrases, others, strict=True)
    )


def _parse(text: str, *, field: str) -> str:
    if len(text.strip()) > QUERY_MOST:
        raise TOO_LONG(field=field, most=QUERY_MOST)
    query = " ".join(checked(text, field=field).split())
    if not words(query):
        raise CHECK_WITHOUT_WORDS(text=query)
    return query
