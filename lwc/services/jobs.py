"""What is known of ingest jobs: listed, and one shown with its whole history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lwc import clock
from lwc.domain import ranges
from lwc.domain.ingest import STEPS, JobEvent, JobState
from lwc.domain.listing import check_part
from lwc.domain.machine import allowed
from lwc.errors import INVALID_INGEST_STATUS, LIMIT_OUT_OF_RANGE
from lwc.services import completion, source_views
from lwc.services.completion import GateView, PageEvidence
from lwc.services.job_views import JobView, Lease, lease, view
from lwc.services.source_views import SourceView
from lwc.store import job_history, jobs, readings, sources
from lwc.store.job_history import Analysis, Attempt, Listed, Wanted
from lwc.wiki import Answer, Wiki

HISTORY_MOST = 100
RANGES_MOST = 100
CITING_MOST = 100
ANALYSIS_CHARS = 4_000
ANALYSIS_CHARS_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job in a list: what `JobView` tells, and the title where a person looks for it."""

    source_id: int
    title: str
    status: JobState
    attempts: int
    attempt: int
    agent: str | None
    lease: Lease | None
    lease_expires_at: datetime | None
    last_error: str | None
    no_derived_pages_reason: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsListed(Answer):
    """A part of the list of jobs, by source id."""

    jobs: tuple[JobRow, ...]
    limit: int
    offset: int
    total: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisView:
    """One version of the analysis; `text` is its beginning as far as was asked for."""

    version: int
    attempt: int
    agent: str
    content_hash: str
    chars: int
    text: str
    has_more: bool
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was handed over in the current attempt, which proves reading, not understanding."""

    attempt: int
    chars: int
    delivered_chars: int
    share: float
    delivered: tuple[ranges.Span, ...]
    missing: tuple[ranges.Span, ...]
    delivered_total: int
    missing_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingPageView:
    """A page that cites the source; `fresh` when written or confirmed since the last claim."""

    slug: str
    title: str
    kind: str
    revision: int
    fresh: bool
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JobShown(Answer):
    """A job: its state, what it allows, its history, its reading, its pages and its gates."""

    job: JobView
    source: SourceView
    allowed: tuple[JobEvent, ...]
    gates: tuple[GateView, ...]
    reading: Reading
    citing_pages: tuple[CitingPageView, ...]
    citing_pages_total: int
    attempts: tuple[Attempt, ...]
    attempts_total: int
    analyses: tuple[AnalysisView, ...]
    analyses_total: int
    evidence: tuple[PageEvidence, ...]


def listed(
    wiki: Wiki,
    *,
    status: str | None = None,
    agent: str | None = None,
    expired: bool = False,
    limit: int = 100,
    offset: int = 0,
) -> JobsListed:
    """Jobs by source id; `expired` asks for claims whose lease ran out."""
    check_part(limit=limit, offset=offset)
    now = clock.now()
    wanted = Wanted(
        state=None if status is None else _state(status),
        agent=agent,
        expired_at=now if expired else None,
    )
    with wiki.reading() as conn:
        found, total = job_history.listed(conn, wanted, limit=limit, offset=offset)
    return JobsListed(
        **wiki.label(),
        jobs=tuple(_row(item, now=now) for item in found),
        limit=limit,
        offset=offset,
        total=total,
        has_more=offset + len(found) < total,
    )


def _state(status: str) -> JobState:
    try:
        return JobState(status)
    except ValueError:
        raise INVALID_INGEST_STATUS(status=status, known=list(JobState)) from None


def _row(item: Listed, *, now: datetime) -> JobRow:
    job = item.job
    return JobRow(
        source_id=job.source_id,
        title=item.title,
        status=job.state,
        attempts=job.attempts,
        attempt=job.attempt,
        agent=job.agent,
        lease=lease(job, now=now),
        lease_expires_at=job.lease_until,
        last_error=job.failure,
        no_derived_pages_reason=job.no_derived_pages_reason,
        updated_at=job.updated_at,
    )


def show(wiki: Wiki, source_id: int, *, max_chars: int = ANALYSIS_CHARS) -> JobShown:
    """One job; of each analysis the first `max_chars` characters."""
    if not 1 <= max_chars <= ANALYSIS_CHARS_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=ANALYSIS_CHARS_MOST)
    with wiki.reading() as conn:
        job = jobs.find(conn, source_id)
        source = sources.find(conn, source_id)
        judged = completion.overview(wiki, conn, job)
        tries, tries_total = job_history.attempts_of(conn, source_id, limit=HISTORY_MOST)
        texts, texts_total = job_history.analyses_of(
            conn, source_id, limit=HISTORY_MOST, max_chars=max_chars
        )
        return JobShown(
            **wiki.label(),
            job=view(job, now=clock.now()),
            source=source_views.view(source),
            allowed=allowed(STEPS, job.state),
            gates=judged.views(),
            reading=_reading(
                job.attempt, readings.ranges(conn, source_id, job.attempt), source.chars
            ),
            citing_pages=tuple(
                CitingPageView(
                    slug=page.slug,
                    title=page.title,
                    kind=page.kind,
                    revision=page.revision,
                    fresh=page.touched > (job.claim_operation or 0),
                    updated_at=page.updated_at,
                )
                for page in judged.citing[:CITING_MOST]
            ),
            citing_pages_total=len(judged.citing),
            attempts=tries,
            attempts_total=tries_total,
            analyses=tuple(_analysis(item) for item in texts),
            analyses_total=texts_total,
            evidence=tuple(PageEvidence(**item) for item in job_history.evidence(conn, source_id)),
        )


def _reading(attempt: int, delivered: tuple[ranges.Range, ...], chars: int) -> Reading:
    gaps = ranges.missing(delivered, chars)
    return Reading(
        attempt=attempt,
        chars=chars,
        delivered_chars=ranges.size(delivered),
        share=round(ranges.share(delivered, chars), 4),
        delivered=ranges.spans(delivered[:RANGES_MOST]),
        missing=ranges.spans(gaps[:RANGES_MOST]),
        delivered_total=len(delivered),
        missing_total=len(gaps),
    )


def _analysis(item: Analysis) -> AnalysisView:
    return AnalysisView(
        version=item.version,
        attempt=item.attempt,
        agent=item.agent,
        content_hash=item.digest,
        chars=item.chars,
        text=item.text,
        has_more=len(item.text) < item.chars,
        created_at=item.created_at,
    )
