"""What is known of sources: listed, shown in windows, and which pages cite them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from lwc.domain.citation import CitationState
from lwc.domain.listing import check_part
from lwc.domain.source import Window, window
from lwc.errors import INVALID_OFFSET, LIMIT_OUT_OF_RANGE
from lwc.services.holder import claim_refusal
from lwc.services.source_views import SourceExcerpt, SourceView, excerpt, view
from lwc.store import citations, jobs, pages, readings, settings, sources, texts
from lwc.store.database import Connection
from lwc.wiki import Answer, Call, Change, Wiki

# A window may be as large as a source; a client that asks for all of one gets all of it.
LARGEST_WINDOW = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesListed(Answer):
    """A part of the list of sources, by id."""

    sources: tuple[SourceView, ...]
    limit: int
    offset: int
    total: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShown(Answer):
    """A window of a source; `recorded` tells whether it counts as read for a claim."""

    source: SourceExcerpt
    window: Window
    recorded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRef:
    """One quote of the source in a page, and whether it was found in the text."""

    label: str
    state: str
    quote: str | None
    start: int | None
    end: int | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRef:
    """A page that cites the source."""

    slug: str
    title: str
    kind: str
    summary: str
    provenance: tuple[str, ...]
    revision: int
    updated_at: datetime
    citations: tuple[CitationRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRefs(Answer):
    """The pages that cite a source, by slug."""

    source: SourceView
    pages: tuple[PageRef, ...]
    limit: int
    offset: int
    total: int
    has_more: bool


def listed(wiki: Wiki, *, limit: int = 100, offset: int = 0) -> SourcesListed:
    """The sources by id, without their texts."""
    check_part(limit=limit, offset=offset)
    with wiki.reading() as conn:
        total = sources.total(conn)
        found = sources.listed(conn, limit=limit, offset=offset)
    return SourcesListed(
        **wiki.label(),
        sources=tuple(view(source) for source in found),
        limit=limit,
        offset=offset,
        total=total,
        has_more=offset + len(found) < total,
    )


def show(
    wiki: Wiki,
    source_id: int,
    *,
    offset_chars: int = 0,
    max_chars: int | None = None,
    agent: str = "python",
    token: str | None = None,
) -> SourceShown:
    """A window of a source; without `max_chars` as large as the wiki's setting says.

    What the holder of its claim is shown, known by the token or by the agent's name, counts as
    read; everybody else just reads.
    """
    if max_chars is not None and not 1 <= max_chars <= LARGEST_WINDOW:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=LARGEST_WINDOW)
    with wiki.reading() as conn:
        source = sources.find(conn, source_id)
        if not 0 <= offset_chars <= source.chars:
            raise INVALID_OFFSET(most=source.chars)
        size = max_chars or settings.load(conn).number("window_chars")
        content = texts.window(conn, source.digest, offset=offset_chars, size=size)
        recorded = wiki.database.mode == "rw" and _is_held(conn, source_id, agent, token)
    shown = window(offset=offset_chars, returned=len(content), total=source.chars)
    if recorded:
        with wiki.writing(Call(agent=agent)) as change:
            # Asked again: somebody may have taken it over meanwhile.
            recorded = _is_held(change.conn, source_id, agent, token)
            if recorded:
                _record(change, source_id, shown)
    return SourceShown(
        **wiki.label(),
        source=excerpt(source, content),
        window=shown,
        recorded=recorded,
    )


def _is_held(conn: Connection, source_id: int, agent: str, token: str | None) -> bool:
    """Whether the claim on the source is the caller's, by token or, where that is enough, by name.

    A token of another job does not hinder: an agent keeps one in its environment.
    """
    job = jobs.find(conn, source_id)
    return job.claimed and any(
        claim_refusal(conn, job, token=given, agent=agent) is None for given in (token, None)
    )


def _record(change: Change, source_id: int, shown: Window) -> None:
    job = jobs.renew(change.conn, jobs.find(change.conn, source_id), now=change.now)
    end = shown.offset_chars + shown.returned_chars
    readings.deliver(change.conn, source_id, job.attempt, shown.offset_chars, end)


def refs(wiki: Wiki, source_id: int, *, limit: int = 100, offset: int = 0) -> SourceRefs:
    """The pages that cite a source, each with the state of its quotes."""
    check_part(limit=limit, offset=offset)
    with wiki.reading() as conn:
        source = sources.find(conn, source_id)
        citing = pages.citing(conn, source_id)
        quotes = defaultdict(list)
        for cited in citations.of_source(conn, source_id):
            quotes[cited.slug].append(_quote(cited.citation))
    shown = citing[offset : offset + limit]
    return SourceRefs(
        **wiki.label(),
        source=view(source),
        pages=tuple(
            PageRef(
                slug=page.slug,
                title=page.title,
                kind=page.kind,
                summary=page.summary,
                provenance=page.provenance,
                revision=page.revision,
                updated_at=page.updated_at,
                citations=tuple(quotes[page.slug]),
            )
            for page in shown
        ),
        limit=limit,
        offset=offset,
        total=len(citing),
        has_more=offset + len(shown) < len(citing),
    )


def _quote(citation: CitationState) -> CitationRef:
    return CitationRef(
        label=citation.label,
        state=citation.state.value,
        quote=citation.quote,
        start=citation.start,
        end=citation.end,
        line=citation.line,
    )
