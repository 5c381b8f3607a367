"""Which parts of a source were handed over for reading, and which are cited by which page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lwc.domain.citation import QuoteState
from lwc.domain.ranges import Range, Span, merge, missing, share, size, spans
from lwc.services.source_views import SourceView, view
from lwc.store import citations, jobs, pages, readings, sources
from lwc.wiki import Answer, Wiki


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """Some of a text: disjoint ranges in order, their characters and their share of the whole."""

    ranges: tuple[Span, ...]
    chars: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCoverage:
    """What a page cites of the source; a quote that was not found covers nothing."""

    slug: str
    title: str
    kind: str
    cited: Covered
    exact: int
    near: int
    missing: int
    unquoted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(Answer):
    """How much of a source was handed over in the latest attempt and in all, and how much is cited.

    Handed over means that the text was given out, not that it was understood.
    """

    source: SourceView
    total_chars: int
    attempt: int
    delivered: Covered
    undelivered: tuple[Span, ...]
    delivered_ever: Covered
    cited: Covered
    pages: tuple[PageCoverage, ...]


def coverage(wiki: Wiki, source_id: int) -> Coverage:
    """The coverage of a source, its citing pages in the order of their slugs."""
    with wiki.reading() as conn:
        source = sources.find(conn, source_id)
        attempt = jobs.find(conn, source_id).attempt
        delivered = {
            number: readings.ranges(conn, source_id, number) for number in range(1, attempt + 1)
        }
        citing = pages.citing(conn, source_id)
        cited: dict[str, list[Range]] = defaultdict(list)
        states: dict[str, Counter[QuoteState]] = defaultdict(Counter)
        for found in citations.of_source(conn, source_id):
            citation = found.citation
            states[found.slug][citation.state] += 1
            if citation.start is not None and citation.end is not None:
                cited[found.slug].append((citation.start, citation.end))
    total = source.chars
    latest = delivered.get(attempt, ())
    return Coverage(
        **wiki.label(),
        source=view(source),
        total_chars=total,
        attempt=attempt,
        delivered=_covered(latest, total),
        undelivered=spans(missing(latest, total)),
        delivered_ever=_covered(_joined(delivered.values()), total),
        cited=_covered(_joined(cited.values()), total),
        pages=tuple(
            PageCoverage(
                slug=page.slug,
                title=page.title,
                kind=page.kind,
                cited=_covered(cited[page.slug], total),
                exact=states[page.slug][QuoteState.EXACT],
                near=states[page.slug][QuoteState.NEAR],
                missing=states[page.slug][QuoteState.MISSING],
                unquoted=states[page.slug][QuoteState.NONE],
            )
            for page in citing
        ),
    )


def _covered(ranges: Iterable[Range], total: int) -> Covered:
    merged = merge(ranges)
    return Covered(ranges=spans(merged), chars=size(merged), share=share(merged, total))


def _joined(several: Iterable[Iterable[Range]]) -> list[Range]:
    return [part for ranges in several for part in ranges]
