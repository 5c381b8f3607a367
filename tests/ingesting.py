"""Jobs for tests: made, and brought into any state by the services that users call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from lwc.domain.ingest import Job, JobState, Outcome
from lwc.errors import LwcError, Problem
from lwc.services import completion, ingest, page_writes, source_writes, steps
from lwc.services.completion import Waivers
from lwc.services.packet import Claim, Packet
from lwc.store import job_history, jobs
from lwc.store.tables import analyses, attempts, deliveries, operations
from lwc.store.tables import jobs as job_rows
from lwc.wiki import Call, Wiki

AGENT = Call(agent="tester")
STRANGER = Call(agent="stranger")
WORDS = "Only one writer can hold the lock at any moment. "


@dataclass(frozen=True)
class Held:
    """A job and the token of its latest claim."""

    id: int
    token: str | None


def a_job(**changes: Any) -> Job:
    """A job as a value, claimed by `tester`."""
    base = Job(
        source_id=1,
        state=JobState.ANALYZING,
        attempts=1,
        attempt=1,
        agent="tester",
        lease_seconds=1800,
        lease_until=datetime(2026, 11, 30, 12, tzinfo=UTC),
        failure=None,
        no_derived_pages_reason=None,
        unread_reason=None,
        updated_at=datetime(2026, 11, 30, 11, tzinfo=UTC),
    )
    return replace(base, **changes)


def a_source(wiki: Wiki, text: str = WORDS, *, name: str = "notes.md") -> int:
    """A source of its own with this text; answers its id."""
    root = wiki.workspace.root
    (root / name).write_text(text, encoding="utf-8")
    return source_writes.add(wiki, AGENT, path=name, base=Path(root)).source.id


def claimed(wiki: Wiki, source_id: int, *, call: Call = AGENT, **options: Any) -> Held:
    """The job, claimed."""
    packet = ingest.claim(wiki, call, source_id, **options)
    assert packet.job is not None
    return Held(id=source_id, token=packet.job.claim.token)


def analyzed(wiki: Wiki, source_id: int, *, call: Call = AGENT) -> Held:
    """The job, claimed and analysed."""
    held = claimed(wiki, source_id, call=call)
    steps.analyze(wiki, call, source_id, text="It is about locks.", token=held.token)
    return held


def summarised(wiki: Wiki, source_id: int, *, slug: str = "notes", body: str = "Locks.\n") -> None:
    """A page of kind source that cites the source."""
    a_page(wiki, slug, kind="source", body=body, sources=(source_id,))


def in_state(wiki: Wiki, state: JobState) -> Held:
    """A job in this state, with the token of its claim when it has one."""
    source_id = a_source(wiki)
    if state is JobState.PENDING:
        return Held(id=source_id, token=None)
    if state is JobState.ANALYZING:
        return claimed(wiki, source_id)
    held = analyzed(wiki, source_id)
    if state is JobState.FAILED:
        steps.fail(wiki, AGENT, source_id, message="It was too hard.", token=held.token)
    if state is JobState.COMPLETED:
        summarised(wiki, source_id)
        completion.complete(
            wiki,
            AGENT,
            source_id,
            waivers=Waivers(no_derived_pages_reason="none"),
            token=held.token,
        )
    return held


def the_job(wiki: Wiki, source_id: int) -> Job:
    with wiki.reading() as conn:
        return jobs.find(conn, source_id)


def everything(wiki: Wiki) -> dict[str, list[tuple[Any, ...]]]:
    """All rows that the ingest of sources may change, and the journal."""
    with wiki.reading() as conn:
        return {
            table.name: [tuple(row) for row in conn.execute(select(table))]
            for table in (job_rows, attempts, analyses, deliveries, operations)
        }


def a_page(
    wiki: Wiki,
    slug: str,
    *,
    kind: str = "concept",
    body: str = "Locks.\n",
    sources: tuple[int, ...] = (),
) -> None:
    """A page, written as users write it."""
    page_writes.put(
        wiki, AGENT, slug=slug, title=slug.title(), kind=kind, body=body, source_ids=sources
    )


def refused(problem: Problem, act: Callable[[], object]) -> LwcError:
    """The refusal of an act that must be refused for this reason."""
    with pytest.raises(LwcError) as caught:
        act()
    assert caught.value.problem is problem
    return caught.value


def the_claim(packet: Packet) -> Claim:
    """The claim of a packet that has one."""
    assert packet.job is not None
    return packet.job.claim


def outcomes(wiki: Wiki, source_id: int) -> list[Outcome]:
    """How the attempts of a job ended, in order."""
    with wiki.reading() as conn:
        found, _ = job_history.attempts_of(conn, source_id, limit=1000)
    return [attempt.outcome for attempt in found]


def quoting(source_id: int, quote: str = WORDS.strip()) -> str:
    """A body whose one claim rests on a quote of the source."""
    return f'One writer.[^c1]\n\n[^c1]: source:{source_id} "{quote}"\n'
