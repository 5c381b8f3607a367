"""The search index of a draft: what it has staged, kept beside the live index and never in it.

A document is known here by the row that says it is staged, so two drafts never meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from lwc.domain import bm25
from lwc.domain.bm25 import Collection
from lwc.domain.changeset import Entity
from lwc.domain.terms import is_prefix, match_expression
from lwc.errors import STORE_CORRUPT
from lwc.store.dialects import sqlite_draft_search as engine
from lwc.store.dialects.sqlite_search import SOURCE_BITS, WEIGHT_STEP
from lwc.store.layers import Draft
from lwc.store.tables.drafts import staged

# At least so many live rows are scored anew, and more of them until the order is certain.
CANDIDATES = 200
MORE = 8
# Rounding moves a score by less.
SURE = 1 + 1e-9

UNCOUNTED = "the search index does not count the words it holds"
_LOW = (1 << SOURCE_BITS) - 1

# As the live index answers: how many there are; of each its id, the number of its row, its score.
Scored = tuple[int, list[tuple[int, int, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A term of a query: how many rows hold it live and in the draft, and how often staged ones."""

    expression: str
    live_holders: int
    holders: int
    staged: Mapping[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What a query is asked of: all that is live, and all that will be when the draft is live."""

    index: engine.Index
    live: Collection
    merged: Collection
    phrases: tuple[Phrase, ...]

    def growth(self) -> float:
        """How many times as good a live score may be in the draft, at most."""
        holders = ((phrase.live_holders, phrase.holders) for phrase in self.phrases)
        return bm25.growth(self.live, self.merged, holders) * SURE


def put_page(conn: Connection, draft: Draft, page_id: int, terms: Mapping[str, str]) -> None:
    """Make a staged page findable in its draft."""
    engine.insert_page(conn, _row(conn, draft, Entity.PAGE, page_id), terms)


def drop_page(conn: Connection, draft: Draft, page_id: int) -> None:
    """Take a staged page out of its draft's index."""
    engine.delete_page(conn, _row(conn, draft, Entity.PAGE, page_id))


def put_source(
    conn: Connection, draft: Draft, source_id: int, pieces: Iterable[Mapping[str, str]]
) -> None:
    """Make a staged source findable in its draft, piece by piece."""
    row = _row(conn, draft, Entity.SOURCE, source_id)
    for number, piece in enumerate(pieces):
        engine.insert_source(conn, row, piece, number=number)


def drop_source(conn: Connection, draft: Draft, source_id: int) -> None:
    """Take a staged source out of its draft's index."""
    engine.delete_source(conn, _row(conn, draft, Entity.SOURCE, source_id))


def forget(conn: Connection, row: int, entity: Entity) -> None:
    """Take out whatever stands in the index for a staged entity."""
    if entity is Entity.PAGE:
        engine.delete_page(conn, row)
    elif entity is Entity.SOURCE:
        engine.delete_source(conn, row)


def clear(conn: Connection, changeset: int) -> None:
    """Take out all that a draft has staged."""
    wanted = select(staged.c.id, staged.c.entity).where(staged.c.changeset == changeset)
    for row, entity in conn.execute(wanted).all():
        forget(conn, row, Entity(entity))


def match_pages(
    conn: Connection,
    draft: Draft,
    terms: Sequence[str],
    *,
    kinds: Sequence[str],
    limit: int,
    offset: int,
) -> Scored:
    """What the live index answers once the draft is published."""
    selection = engine.PAGES_OF_KIND if kinds else engine.PAGES
    bound = {"kinds": list(kinds)} if kinds else {}
    return _match(conn, draft, selection, terms, bound, limit=limit, offset=offset)


def match_sources(
    conn: Connection,
    draft: Draft,
    terms: Sequence[str],
    *,
    untold_only: bool,
    limit: int,
    offset: int,
) -> Scored:
    """The same of sources."""
    selection = engine.SOURCES_UNTOLD if untold_only else engine.SOURCES
    return _match(conn, draft, selection, terms, {}, limit=limit, offset=offset)


def newest_holders(
    conn: Connection, draft: Draft, expressions: Sequence[str], *, most: int
) -> list[tuple[int, ...]]:
    """For each expression the newest pages that match it, at most `most`."""
    return engine.newest_holders(conn, draft.id, expressions, most=most)


def _match(
    conn: Connection,
    draft: Draft,
    selection: engine.Selection,
    terms: Sequence[str],
    more: Mapping[str, Any],
    *,
    limit: int,
    offset: int,
) -> Scored:
    bound = {"draft": draft.id, "expression": match_expression(terms), **more}
    total = engine.count(conn, selection, bound)
    if offset >= total or limit == 0:
        return total, []
    end = offset + limit
    found = _first(conn, draft, selection, terms, bound, end=end)
    return total, [(id_, number, score) for score, id_, number in found[offset:end]]


def _first(
    conn: Connection,
    draft: Draft,
    selection: engine.Selection,
    terms: Sequence[str],
    bound: Mapping[str, Any],
    *,
    end: int,
) -> list[tuple[float, int, int]]:
    """The documents that match, in order and right at least until `end`: score, id and row.

    SQLite finds the best by their live scores, and those are scored anew with the counts of the
    draft. It is enough when none behind them can have grown good enough to come before `end`.
    """
    index = selection.index
    live, merged, lengths = engine.collections(conn, index, draft.id)
    phrases = tuple(_phrase(conn, draft, index, term) for term in terms)
    corpus = Corpus(index=index, live=live, merged=merged, phrases=phrases)
    matching = engine.staged(conn, selection, bound)
    if not _counts(merged) or not lengths.keys() >= set(matching):
        raise STORE_CORRUPT(what=UNCOUNTED)
    scores = _scores(corpus, matching, lengths, [phrase.staged for phrase in phrases])
    most = max(CANDIDATES, 4 * end)
    while True:
        best = engine.best(conn, selection, bound, most=most)
        found = _by_document(scores | _live_scores(conn, corpus, [row for row, _ in best]))
        if len(best) < most:
            return found
        if len(found) >= end and found[end - 1][0] < best[-1][1] * corpus.growth():
            return found
        most *= MORE


def _phrase(conn: Connection, draft: Draft, index: engine.Index, term: str) -> Phrase:
    expression = match_expression((term,))
    live, covered = engine.holders(conn, index, draft.id, expression)
    held = engine.occurrences(conn, index, draft.id, term, begins=is_prefix(term))
    return Phrase(
        expression=expression,
        live_holders=live,
        holders=live - covered + len(held),
        staged=held,
    )


def _live_scores(conn: Connection, corpus: Corpus, rows: Sequence[int]) -> dict[int, float]:
    """Live rows that match, with the scores they have in the draft."""
    if not rows:
        return {}
    if not _counts(corpus.live):
        raise STORE_CORRUPT(what=UNCOUNTED)
    lengths = engine.lengths(conn, corpus.index, rows)
    often = [_often(conn, corpus, phrase, rows, lengths) for phrase in corpus.phrases]
    return _scores(corpus, rows, lengths, often)


def _often(
    conn: Connection,
    corpus: Corpus,
    phrase: Phrase,
    rows: Sequence[int],
    lengths: Mapping[int, int],
) -> dict[int, float]:
    """How often live rows hold a phrase: FTS5 does not say it, but its score for it alone does."""
    weight = corpus.live.weight(phrase.live_holders)
    alone = engine.scores(conn, corpus.index, rows, phrase.expression)
    told = {
        row: bm25.frequency(score, weight=weight, length=corpus.live.length(lengths[row]))
        for row, score in alone.items()
    }
    return {row: round(often / WEIGHT_STEP) * WEIGHT_STEP for row, often in told.items()}


def _scores(
    corpus: Corpus,
    rows: Iterable[int],
    lengths: Mapping[int, int],
    often: Sequence[Mapping[int, float]],
) -> dict[int, float]:
    weights = [corpus.merged.weight(phrase.holders) for phrase in corpus.phrases]
    return {
        row: bm25.score(
            [(weight, held.get(row, 0.0)) for weight, held in zip(weights, often, strict=True)],
            length=corpus.merged.length(lengths[row]),
        )
        for row in rows
    }


def _counts(found: Collection) -> bool:
    """Whether a collection in which something matches can be what is counted."""
    return found.rows > 0 and found.tokens > 0


def _by_document(scores: Mapping[int, float]) -> list[tuple[float, int, int]]:
    """Score, id and number of the row: of a document the row that matches best counts."""
    best: dict[int, tuple[float, int]] = {}
    for row, score in scores.items():
        one = score, row >> SOURCE_BITS
        best[row & _LOW] = min(one, best.get(row & _LOW, one))
    return sorted((score, id_, number) for id_, (score, number) in best.items())


def _row(conn: Connection, draft: Draft, entity: Entity, number: int) -> int:
    return int(
        conn.execute(
            select(staged.c.id).where(
                staged.c.changeset == draft.id,
                staged.c.entity == entity,
                staged.c.number == number,
            )
        ).scalar_one()
    )
