"""The ingest machine, cell by cell: every event on a job in every state, as users cause it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from conftest import Clock
from ingesting import AGENT, Held, a_job, everything, in_state, summarised, the_job
from sqlalchemy import text

from lwc import clock as clock_module
from lwc.domain.ingest import (
    CLAIMED,
    LEASE_BELIEVED,
    STEPS,
    JobEvent,
    JobState,
    refusal,
    step,
)
from lwc.domain.machine import allowed, mermaid
from lwc.errors import CLAIM_REQUIRED, ILLEGAL_TRANSITION, LwcError
from lwc.services import completion, configuration, ingest, reading, steps
from lwc.services.completion import Waivers
from lwc.store import job_history, jobs
from lwc.wiki import Wiki

NONE_DERIVED = Waivers(no_derived_pages_reason="none")


def _retry(wiki: Wiki, job: Held) -> None:
    steps.retry(wiki, AGENT, job.id, token=job.token)


ACTS: dict[JobEvent, Callable[[Wiki, Held], object]] = {
    JobEvent.CLAIM: lambda wiki, job: ingest.claim(wiki, AGENT, job.id),
    JobEvent.READ: lambda wiki, job: reading.read(wiki, AGENT, job.id, token=job.token),
    JobEvent.HEARTBEAT: lambda wiki, job: steps.heartbeat(wiki, AGENT, job.id, token=job.token),
    JobEvent.ANALYZE: lambda wiki, job: steps.analyze(
        wiki, AGENT, job.id, text="Again.", token=job.token
    ),
    JobEvent.COMPLETE: lambda wiki, job: completion.complete(
        wiki, AGENT, job.id, waivers=NONE_DERIVED, token=job.token
    ),
    JobEvent.FAIL: lambda wiki, job: steps.fail(
        wiki, AGENT, job.id, message="No.", token=job.token
    ),
    JobEvent.RELEASE: lambda wiki, job: steps.release(wiki, AGENT, job.id, token=job.token),
    JobEvent.RETRY: _retry,
    JobEvent.REOPEN: lambda wiki, job: steps.reopen(wiki, AGENT, job.id, reason="A mistake."),
}
# The events a user causes by name; the others are what time makes of a claim, and are below.
CELLS = [
    pytest.param(state, event, id=f"{event} when {state}")
    for event, state in itertools.product(ACTS, JobState)
]


@pytest.mark.parametrize("state, event", CELLS)
def test_an_event_leads_where_the_table_says_or_changes_nothing(
    wiki: Wiki, state: JobState, event: JobEvent
) -> None:
    job = in_state(wiki, state)
    if event is JobEvent.COMPLETE and state is JobState.GENERATING:
        summarised(wiki, job.id)
    before = everything(wiki)
    if state in step(event).sources:
        ACTS[event](wiki, job)
        assert the_job(wiki, job.id).state is step(event).after(state)
        return
    with pytest.raises(LwcError) as caught:
        ACTS[event](wiki, job)
    assert caught.value.problem.code == "invalid_ingest_state"
    assert caught.value.details["allowed"] == list(allowed(STEPS, state))
    assert everything(wiki) == before


@pytest.mark.parametrize("state", JobState)
def test_taking_over_needs_a_claim_whose_lease_ran_out(
    wiki: Wiki, clock: Clock, state: JobState
) -> None:
    job = in_state(wiki, state)
    clock.tick(86_401)
    before = everything(wiki)
    if state in step(JobEvent.TAKE_OVER).sources:
        ingest.claim(wiki, AGENT, job.id)
        assert the_job(wiki, job.id).state is step(JobEvent.TAKE_OVER).after(state)
        assert [row.outcome for row in _attempts(wiki, job)] == ["expired", "active"]
    elif state is JobState.PENDING:
        ingest.claim(wiki, AGENT, job.id)
        assert [row.outcome for row in _attempts(wiki, job)] == ["active"]
    else:
        with pytest.raises(LwcError) as caught:
            ingest.claim(wiki, AGENT, job.id)
        assert caught.value.problem is ILLEGAL_TRANSITION
        assert everything(wiki) == before


@pytest.mark.parametrize("state", CLAIMED)
def test_a_live_claim_is_not_taken_over(wiki: Wiki, clock: Clock, state: JobState) -> None:
    job = in_state(wiki, state)
    clock.tick(1799)
    before = everything(wiki)
    with pytest.raises(LwcError) as caught:
        ingest.claim(wiki, AGENT, job.id)
    assert caught.value.problem is ILLEGAL_TRANSITION
    assert caught.value.details["agent"] == "tester"
    assert caught.value.details["lease_expires_at"] is not None
    assert everything(wiki) == before


@pytest.mark.parametrize("state", JobState)
def test_only_an_expired_claim_is_exhausted(wiki: Wiki, clock: Clock, state: JobState) -> None:
    job = in_state(wiki, state)
    configuration.put(wiki, AGENT, values={"max_attempts": "1"})
    clock.tick(86_401)
    before = the_job(wiki, job.id)
    with wiki.writing(AGENT) as change:
        failed = jobs.exhaust(change.conn, max_attempts=1, now=change.now)
    after = the_job(wiki, job.id)
    if state in step(JobEvent.EXHAUST).sources:
        assert [item.source_id for item in failed] == [job.id]
        assert after.state is step(JobEvent.EXHAUST).after(state)
        assert after.failure == "attempts_exhausted"
    else:
        assert failed == ()
        assert after == before


@pytest.mark.parametrize("event", JobEvent)
def test_every_event_has_one_row(event: JobEvent) -> None:
    assert [row.event for row in STEPS if row.event is event] == [event]


@pytest.mark.parametrize("event", sorted({JobEvent.READ, JobEvent.ANALYZE, JobEvent.COMPLETE}))
def test_a_step_on_a_pending_job_says_that_it_must_be_claimed(event: JobEvent) -> None:
    error = refusal(a_job(state=JobState.PENDING, agent=None), event)
    assert error.problem is CLAIM_REQUIRED
    assert error.hint == "Claim it first with `lwc ingest claim 1`."


def test_the_database_knows_the_states_and_what_a_claim_is(wiki: Wiki) -> None:
    """The CHECK constraints that the migration made are those of the table of states."""
    with wiki.reading() as conn:
        made = conn.execute(
            text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'jobs'")
        ).scalar_one()
    checks = re.findall(r"state IN \(([^)]*)\)", made)
    assert sorted(checks) == sorted(
        ", ".join(f"'{state}'" for state in states) for states in (JobState, CLAIMED)
    )
    assert "(token_hash IS NOT NULL AND lease_until IS NOT NULL AND agent IS NOT NULL)" in made


def test_the_picture_shows_every_transition() -> None:
    lines = mermaid(STEPS).splitlines()
    assert lines[0] == "stateDiagram-v2"
    assert "    pending --> analyzing: claim" in lines
    assert "    generating --> completed: complete" in lines
    assert len(lines) == 1 + sum(len(row.sources) for row in STEPS)


@pytest.mark.parametrize(
    "ahead, expired",
    [
        pytest.param(-1, True, id="ran out"),
        pytest.param(0, True, id="runs out now"),
        pytest.param(1, False, id="runs"),
        pytest.param(LEASE_BELIEVED, False, id="as far ahead as is believed"),
        pytest.param(LEASE_BELIEVED + 1, True, id="absurdly far ahead"),
    ],
)
def test_the_store_and_the_job_agree_on_what_is_expired(
    wiki: Wiki, ahead: int, expired: bool
) -> None:
    job = in_state(wiki, JobState.ANALYZING)
    found = the_job(wiki, job.id)
    assert found.lease_until is not None
    now = found.lease_until - timedelta(seconds=ahead)
    assert found.expired(now) is expired
    with wiki.reading() as conn:
        listed, _ = job_history.listed(conn, job_history.Wanted(expired_at=now), limit=10, offset=0)
    assert bool(listed) is expired
    assert clock_module.parse(clock_module.stamp(now)) == now


def _attempts(wiki: Wiki, job: Held) -> tuple[job_history.Attempt, ...]:
    with wiki.reading() as conn:
        found, _ = job_history.attempts_of(conn, job.id, limit=10)
    return found
