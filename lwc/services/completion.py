"""Completing a job: its gates judged on what the wiki holds, and the evidence kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lwc import clock, wire
from lwc.domain import gate
from lwc.domain.ingest import Gate, Job, JobEvent, JobState, Outcome, permits, refusal
from lwc.domain.ranges import missing
from lwc.domain.reason import checked_if_given
from lwc.errors import CLAIM_REQUIRED, LwcError
from lwc.services import holder
from lwc.services.job_views import JobMoved, JobView, view
from lwc.store import attempts, citations, jobs, pages, readings, settings, sources
from lwc.store.citations import PageCitation
from lwc.store.database import Connection
from lwc.store.pages import CitingPage
from lwc.wiki import Answer, Call, Change, Wiki, replayable

SOURCE_KIND = "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """A gate; what stands in its way has the shape of a refusal, and is null when it holds."""

    gate: Gate
    held: bool
    code: str | None
    reason: str | None
    message: str | None
    hint: str | None
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvidence:
    """A page that cites the source, at the revision it had."""

    slug: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Integration:
    """How many pages cite the source, by whether they only summarise it."""

    source_summary_pages: int
    derived_pages: int
    no_derived_pages_reason: str | None
    evidence: tuple[PageEvidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed(JobMoved):
    """A completed job, and what its completion rests on."""

    integration: Integration
    gates: tuple[GateView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked(Answer):
    """What completing would meet now; `ready` when every gate holds. Nothing was changed."""

    ready: bool
    job: JobView
    integration: Integration
    gates: tuple[GateView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """Why something that completion asks for is not there."""

    no_derived_pages_reason: str | None = None
    unread_reason: str | None = None

    def checked(self) -> Waivers:
        """The same without blanks around; refused when one is blank."""
        return Waivers(
            no_derived_pages_reason=checked_if_given(
                self.no_derived_pages_reason, field="--no-derived-pages-reason"
            ),
            unread_reason=checked_if_given(self.unread_reason, field="--unread-reason"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The gates of a job, with what they were judged on."""

    job: Job
    facts: gate.Facts
    gates: tuple[gate.Judged, ...]
    citing: tuple[CitingPage, ...]

    @property
    def unread_reason(self) -> str | None:
        """The reason, as far as there was need of it."""
        unread = missing(self.facts.delivered, self.facts.chars)
        return self.facts.unread_reason if unread else None

    @property
    def reasons(self) -> dict[str, str | None]:
        """Why something is not there, as it is kept with the job."""
        return {
            "no_derived_pages_reason": self.facts.no_derived_pages_reason,
            "unread_reason": self.unread_reason,
        }

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The pages that a completion rests on, as they are kept with the job."""
        return [{"slug": page.slug, "revision": page.revision} for page in self.citing]

    def told(self) -> dict[str, Any]:
        """What the journal says of a completion."""
        return {
            "source_summary_pages": len(self.facts.source_pages),
            "derived_pages": len(self.facts.derived_pages),
            "evidence": self.evidence,
            **self.reasons,
        }

    def integration(self) -> Integration:
        return Integration(
            source_summary_pages=len(self.facts.source_pages),
            derived_pages=len(self.facts.derived_pages),
            no_derived_pages_reason=self.facts.no_derived_pages_reason,
            evidence=tuple(
                PageEvidence(slug=page.slug, revision=page.revision) for page in self.citing
            ),
        )

    def refusal(self) -> LwcError | None:
        """Why the job cannot be completed, with every gate that does not hold; none when all do."""
        refused = gate.leading(self.gates, claimed=self.job.claimed)
        if refused is not None:
            unheld = [item for item in self.views() if not item.held]
            refused.details["gates"] = [wire.plain(item) for item in unheld]
        return refused

    def views(self) -> tuple[GateView, ...]:
        return tuple(_gate(item) for item in self.gates)


@replayable(Completed)
def complete(
    wiki: Wiki,
    call: Call,
    source_id: int,
    *,
    waivers: Waivers | None = None,
    token: str | None = None,
) -> Completed:
    """Complete a job whose knowledge is in pages.

    Every gate is judged in the transaction of the step. A refusal lists all that do not hold under
    `gates` in its details; the first one's code leads.
    """
    waivers = (waivers or Waivers()).checked()
    with wiki.staging(call) as change:
        conn = change.conn
        job = jobs.find(conn, source_id)
        lost = _claim_refusal(conn, job, token=token, agent=change.agent)
        judged = _judge(wiki, conn, job, waivers=waivers, lost=lost)
        refused = judged.refusal()
        if refused is not None:
            raise refused
        holder.refuse_pinned(conn, job)
        job = _completed(change, judged) if change.draft is None else _staged(change, judged)
        return change.finish(
            Completed(
                **wiki.label(),
                revision=change.revision,
                job=view(job, now=change.now),
                integration=judged.integration(),
                gates=judged.views(),
            )
        )


def _completed(change: Change, judged: Judgement) -> Job:
    """Take the step, keep what it rests on, and journal both."""
    job = take_step(change.conn, judged, now=change.now)
    change.record("ingest_complete", job.source_id, **judged.told())
    return job


def take_step(conn: Connection, judged: Judgement, *, now: datetime) -> Job:
    """Complete a job whose gates hold, and keep what that rests on."""
    job = jobs.move(
        conn,
        judged.job,
        JobEvent.COMPLETE,
        now=now,
        changes={
            "failure": None,
            "pinned": None,
            "evidence": jobs.kept_evidence(judged.evidence),
            **judged.reasons,
        },
    )
    attempts.end(conn, job.source_id, outcome=Outcome.COMPLETED, now=now)
    return job


def _staged(change: Change, judged: Judgement) -> Job:
    """Keep the step for the publication; until then the draft holds the job."""
    draft = change.draft
    assert draft is not None, "only a draft stages"
    # Only who works in a draft pays for the tables of drafts.
    from lwc.store import completions

    job = completions.stage(
        change.conn,
        draft,
        judged.job,
        reasons=judged.reasons,
        evidence=judged.evidence,
        agent=change.agent,
        now=change.now,
    )
    change.record("ingest_complete", job.source_id, **judged.told())
    return replace(
        job,
        state=JobState.COMPLETED,
        agent=None,
        lease_until=None,
        no_derived_pages_reason=judged.facts.no_derived_pages_reason,
        unread_reason=judged.unread_reason,
    )


def check(
    wiki: Wiki,
    call: Call,
    source_id: int,
    *,
    waivers: Waivers | None = None,
    token: str | None = None,
) -> Checked:
    """What `complete` would meet now; it changes nothing, not even the lease."""
    waivers = (waivers or Waivers()).checked()
    with wiki.reading() as conn:
        job = jobs.find(conn, source_id)
        lost = _claim_refusal(conn, job, token=token, agent=call.agent)
        judged = _judge(wiki, conn, job, waivers=waivers, lost=lost)
        return Checked(
            **wiki.label(),
            ready=all(item.held for item in judged.gates),
            job=view(job, now=clock.now()),
            integration=judged.integration(),
            gates=judged.views(),
        )


def overview(wiki: Wiki, conn: Connection, job: Job) -> Judgement:
    """The gates as they stand for whoever holds the job."""
    unheld = None if job.claimed else _unclaimed(job)
    return _judge(wiki, conn, job, waivers=Waivers(), lost=unheld)


def judge(wiki: Wiki, conn: Connection, job: Job, *, waivers: Waivers) -> Judgement:
    """The gates of a job whose holder is known, as this connection sees the wiki."""
    return _judge(wiki, conn, job, waivers=waivers, lost=None)


def _claim_refusal(conn: Connection, job: Job, *, token: str | None, agent: str) -> LwcError | None:
    if not job.claimed:
        return _unclaimed(job)
    return holder.claim_refusal(conn, job, token=token, agent=agent)


def _unclaimed(job: Job) -> LwcError:
    return CLAIM_REQUIRED(job=job.source_id, state=job.state, event=JobEvent.COMPLETE)


def _judge(
    wiki: Wiki, conn: Connection, job: Job, *, waivers: Waivers, lost: LwcError | None
) -> Judgement:
    in_force = settings.load(conn)
    citing = pages.citing(conn, job.source_id)
    summaries = {page.id for page in citing if page.kind == SOURCE_KIND}
    located = citations.located_for(conn, job.source_id)
    facts = gate.Facts(
        source_id=job.source_id,
        state=None if permits(job, JobEvent.COMPLETE) else refusal(job, JobEvent.COMPLETE),
        claim=lost,
        chars=sources.find(conn, job.source_id).chars,
        delivered=readings.ranges(conn, job.source_id, job.attempt),
        unread_reason=waivers.unread_reason,
        source_pages=tuple(page.slug for page in citing if page.kind == SOURCE_KIND),
        derived_pages=tuple(page.slug for page in citing if page.kind != SOURCE_KIND),
        no_derived_pages_reason=waivers.no_derived_pages_reason,
        touched=any(page.touched > (job.claim_operation or 0) for page in citing),
        touch_required=in_force.word("policy") == "strict",
        unfound=tuple(_unfound(item) for item in citations.missing_for(conn, job.source_id)),
        quoted=any(item.page_id in summaries for item in located),
        quote_required=in_force.word("citations") == "required",
        read_on=holder.command(wiki, "ingest", "read", job.source_id),
    )
    return Judgement(job=job, facts=facts, gates=gate.judge(facts), citing=citing)


def _unfound(item: PageCitation) -> dict[str, Any]:
    citation = item.citation
    return {
        "slug": item.slug,
        "label": citation.label,
        "line": citation.line,
        "quote": citation.quote,
        "found": citation.found,
    }


def _gate(item: gate.Judged) -> GateView:
    refused = item.refusal
    return GateView(
        gate=item.gate,
        held=item.held,
        code=None if refused is None else refused.problem.code,
        reason=None if refused is None else refused.problem.name,
        message=None if refused is None else refused.message,
        hint=None if refused is None else refused.hint,
        details={} if refused is None else dict(refused.details),
    )
