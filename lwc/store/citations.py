"""The footnote citations of pages, as they were judged when the page was written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from lwc.domain.citation import CitationState, QuoteState
from lwc.store import cells
from lwc.store.tables import citations, pages


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCitation:
    """A citation and the page it stands on."""

    page_id: int
    slug: str
    citation: CitationState


def of_page(conn: Connection, page_id: int) -> tuple[CitationState, ...]:
    """The citations of a page in the order of its text."""
    rows = conn.execute(
        select(citations).where(citations.c.page_id == page_id).order_by(citations.c.ordinal)
    )
    return tuple(as_citation(row) for row in rows)


def of_source(conn: Connection, source_id: int) -> tuple[PageCitation, ...]:
    """The citations of a source, by page and in the order of its text."""
    return _of_source(conn, source_id)


def missing_for(conn: Connection, source_id: int) -> tuple[PageCitation, ...]:
    """The citations of a source whose quotes are not in its text."""
    return _of_source(conn, source_id, QuoteState.MISSING)


def located_for(conn: Connection, source_id: int) -> tuple[PageCitation, ...]:
    """The citations of a source whose quotes are in its text, exactly or after folding."""
    return _of_source(conn, source_id, QuoteState.EXACT, QuoteState.NEAR)


def _of_source(conn: Connection, source_id: int, *states: QuoteState) -> tuple[PageCitation, ...]:
    chosen = (
        select(citations, pages.c.slug)
        .join(pages, pages.c.id == citations.c.page_id)
        .where(citations.c.source_id == source_id)
        .order_by(pages.c.slug, citations.c.ordinal)
    )
    if states:
        chosen = chosen.where(citations.c.state.in_(states))
    return tuple(
        PageCitation(page_id=row.page_id, slug=row.slug, citation=as_citation(row))
        for row in conn.execute(chosen)
    )


def add(conn: Connection, page_id: int, judged: Sequence[CitationState]) -> None:
    """Give a page that has none its citations, in this order."""
    if judged:
        conn.execute(
            insert(citations),
            [
                {
                    "page_id": page_id,
                    "ordinal": ordinal,
                    "label": citation.label,
                    "source_id": citation.source_id,
                    "quote": citation.quote,
                    "state": citation.state.value,
                    "start": citation.start,
                    "end": citation.end,
                    "places": citation.places,
                    "score": None if citation.score is None else round(citation.score),
                    "found": citation.found,
                    "range_wrong": int(citation.range_wrong),
                    "weak": int(citation.weak),
                    "line": citation.line,
                }
                for ordinal, citation in enumerate(judged)
            ],
        )


def as_citation(row: Row[Any]) -> CitationState:
    return CitationState(
        source_id=row.source_id,
        label=row.label,
        quote=row.quote,
        state=cells.member(QuoteState, row.state),
        start=row.start,
        end=row.end,
        score=row.score,
        found=row.found,
        line=row.line,
        places=row.places,
        weak=bool(row.weak),
        range_wrong=bool(row.range_wrong),
    )
