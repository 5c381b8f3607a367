"""The packet of a claim: all an agent needs to begin, bounded, and rebuilt whenever it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lwc.domain.ingest import Job, JobState
from lwc.domain.lint import Finding
from lwc.domain.source import Source, Window, window
from lwc.domain.terms import key_terms
from lwc.errors import LIMIT_OUT_OF_RANGE
from lwc.services import holder
from lwc.services.source_views import SourceExcerpt, excerpt
from lwc.store import attempts, candidates, charter, journal, pages, sources, texts
from lwc.store.database import Connection
from lwc.store.journal import Operation
from lwc.store.lint import findings_of_pages
from lwc.wiki import Changed, Wiki

PAGES_DEFAULT = 50
PAGES_MOST = 1000
WINDOW_MOST = 1_000_000
RECENT_OPERATIONS = 10
FINDINGS_MOST = 50
# An analysis of an earlier attempt is shown up to here; `lwc ingest show` has the rest.
ANALYSIS_CHARS = 40_000
# The characters of a source that say which pages it is related to, and the terms made of them.
OPENING_CHARS = 20_000
TERMS_MOST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketSize:
    """How much a packet holds; without `source_chars` the window is as the wiki's settings say."""

    pages: int = PAGES_DEFAULT
    source_chars: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.pages <= PAGES_MOST:
            raise LIMIT_OUT_OF_RANGE(option="--context-limit", least=1, most=PAGES_MOST)
        if self.source_chars is not None and not 1 <= self.source_chars <= WINDOW_MOST:
            raise LIMIT_OUT_OF_RANGE(option="--source-max-chars", least=1, most=WINDOW_MOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A claim as it was decided: what the packet is built from. The token is nowhere else."""

    job: Job
    token: str
    window_chars: int
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The claim: its token is shown here and never again."""

    token: str
    agent: str
    attempt: int
    lease_expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedJob:
    """A job in the hands of its agent; `source.content` is the first window.

    `analysis` is the newest one of an earlier attempt.
    """

    source: SourceExcerpt
    source_window: Window
    status: JobState
    attempts: int
    analysis: str | None
    analysis_chars: int
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketPage:
    """A page that may have to do with the source, and why."""

    slug: str
    title: str
    kind: str
    summary: str
    provenance: tuple[str, ...]
    revision: int
    updated_at: datetime
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet(Changed):
    """What a claim answers. Without a job `reason` says why, and the rest is there all the same.

    `next` is the command to run next.
    """

    job: ClaimedJob | None
    reason: str | None
    schema: str | None
    purpose: str | None
    pages: tuple[PacketPage, ...]
    pages_total: int
    recent_operations: tuple[Operation, ...]
    open_findings: tuple[Finding, ...]
    open_findings_has_more: bool
    next: str | None


def build(wiki: Wiki, taken: Taken | None, *, size: PacketSize, revision: int) -> Packet:
    """The packet of a claim that was committed, or of a queue that was empty."""
    with wiki.reading() as conn:
        if taken is None:
            source, opening = None, ""
        else:
            source = sources.find(conn, taken.job.source_id)
            wanted = max(taken.window_chars, OPENING_CHARS)
            opening = texts.window(conn, source.digest, offset=0, size=wanted)
        terms = () if source is None else _terms(source, opening)
        chosen = candidates.candidates(conn, terms, limit=size.pages)
        findings = findings_of_pages(conn, [page_id for page_id, _ in chosen])
        return Packet(
            **wiki.label(),
            revision=revision,
            replayed=taken is not None and taken.replayed,
            job=None if taken is None or source is None else _job(conn, taken, source, opening),
            reason="queue_empty" if taken is None else None,
            schema=_charter(conn, "schema"),
            purpose=_charter(conn, "purpose"),
            pages=_pages(conn, chosen),
            pages_total=pages.total(conn),
            recent_operations=journal.recent(conn, limit=RECENT_OPERATIONS),
            open_findings=tuple(findings[:FINDINGS_MOST]),
            open_findings_has_more=len(findings) > FINDINGS_MOST,
            next=None if taken is None or source is None else _next(wiki, taken, source),
        )


def _terms(source: Source, opening: str) -> tuple[str, ...]:
    return key_terms(f"{source.title}\n{opening[:OPENING_CHARS]}", limit=TERMS_MOST)


def _job(conn: Connection, taken: Taken, source: Source, opening: str) -> ClaimedJob:
    job = taken.job
    content = opening[: taken.window_chars]
    analysis, analysis_chars = attempts.newest_analysis(
        conn, job.source_id, max_chars=ANALYSIS_CHARS
    )
    assert job.lease_until is not None, "a claimed job has a lease"
    assert job.agent is not None, "a claimed job has an agent"
    return ClaimedJob(
        source=excerpt(source, content),
        source_window=window(offset=0, returned=len(content), total=source.chars),
        status=job.state,
        attempts=job.attempts,
        analysis=analysis,
        analysis_chars=analysis_chars,
        claim=Claim(
            token=taken.token,
            agent=job.agent,
            attempt=job.attempt,
            lease_expires_at=job.lease_until,
        ),
    )


def _charter(conn: Connection, name: str) -> str | None:
    found = charter.newest(conn, name)
    return None if found is None else found.text


def _pages(conn: Connection, chosen: tuple[tuple[int, str], ...]) -> tuple[PacketPage, ...]:
    found = pages.summaries(conn, [page_id for page_id, _ in chosen])
    return tuple(
        PacketPage(
            slug=page.slug,
            title=page.title,
            kind=page.kind,
            summary=page.summary,
            provenance=page.provenance,
            revision=page.revision,
            updated_at=page.updated_at,
            why=why,
        )
        for page, (_, why) in zip(found, chosen, strict=True)
    )


def _next(wiki: Wiki, taken: Taken, source: Source) -> str:
    """Read on; or, where the first window was all, hand in the analysis."""
    if taken.window_chars < source.chars:
        return holder.command(wiki, "ingest", "read", source.id, token=taken.token)
    return holder.command(wiki, "ingest", "analyze", source.id, "--file", "-", token=taken.token)
