"""Claims: which job is taken by whom, and what becomes of one that runs out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import Clock
from ingesting import (
    AGENT,
    STRANGER,
    a_source,
    claimed,
    everything,
    outcomes,
    refused,
    the_claim,
    the_job,
)
from sqlalchemy import select

from lwc.domain.claim import token_hash
from lwc.domain.ingest import JobState, Outcome
from lwc.errors import (
    ATTEMPTS_EXHAUSTED,
    CLAIM_LOST,
    ILLEGAL_TRANSITION,
    JOB_NOT_FOUND,
    LIMIT_OUT_OF_RANGE,
    STALE_REVISION,
)
from lwc.services import configuration, ingest, steps
from lwc.services.packet import PacketSize
from lwc.store.tables import requests
from lwc.wiki import Call, Wiki


def test_next_takes_the_lowest_pending_job(wiki: Wiki) -> None:
    ids = [a_source(wiki, f"Text {n}.", name=f"{n}.md") for n in range(3)]
    taken = [ingest.next_job(wiki, AGENT).job for _ in ids]
    assert [job.source.id for job in taken if job] == ids


def test_an_empty_queue_is_an_answer_and_no_change(wiki: Wiki) -> None:
    before = everything(wiki)
    packet = ingest.next_job(wiki, AGENT)
    assert (packet.job, packet.reason, packet.next) == (None, "queue_empty", None)
    assert packet.schema
    assert packet.purpose
    assert everything(wiki) == before


def test_an_empty_queue_is_not_remembered_under_a_request_id(wiki: Wiki) -> None:
    call = replace(AGENT, request_id="r1")
    assert ingest.next_job(wiki, call).job is None
    a_source(wiki)
    assert ingest.next_job(wiki, call).job is not None


def test_the_token_is_kept_only_as_its_hash(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    call = replace(AGENT, request_id="r1", command="ingest claim")
    token = the_claim(ingest.claim(wiki, call, source_id)).token
    assert the_job(wiki, source_id).token_hash == token_hash(token)
    with wiki.reading() as conn:
        kept = conn.execute(select(requests.c.answer)).scalars().all()
    assert token not in str(kept)
    assert token not in str(everything(wiki))


def test_a_claim_tells_who_holds_it_until_when(wiki: Wiki, clock: Clock) -> None:
    found = the_claim(ingest.claim(wiki, AGENT, a_source(wiki), lease=60))
    assert (found.agent, found.attempt) == ("tester", 1)
    assert (found.lease_expires_at - clock.moment).total_seconds() == 60


def test_the_lease_is_the_settings_unless_asked(wiki: Wiki, clock: Clock) -> None:
    configuration.put(wiki, AGENT, values={"lease_seconds": "600"})
    found = the_claim(ingest.claim(wiki, AGENT, a_source(wiki)))
    assert (found.lease_expires_at - clock.moment).total_seconds() == 600


@pytest.mark.parametrize("lease", [0, 59, 86_401])
def test_a_lease_is_a_minute_to_a_day(wiki: Wiki, lease: int) -> None:
    source_id = a_source(wiki)
    refused(LIMIT_OUT_OF_RANGE, lambda: ingest.claim(wiki, AGENT, source_id, lease=lease))
    assert the_job(wiki, source_id).state is JobState.PENDING


def test_a_claim_is_in_the_journal(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    packet = ingest.claim(wiki, AGENT, source_id)
    (_, newest) = everything(wiki)["operations"][-2:]
    assert newest[:3] == (packet.revision, "ingest_claim", str(source_id))


def test_a_claim_bound_to_another_revision_takes_nothing(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    call = replace(AGENT, if_revision=1)
    refused(STALE_REVISION, lambda: ingest.claim(wiki, call, source_id))
    assert the_job(wiki, source_id).state is JobState.PENDING


def test_there_is_no_claim_on_what_is_no_job(wiki: Wiki) -> None:
    refused(JOB_NOT_FOUND, lambda: ingest.claim(wiki, AGENT, 99))


def test_next_takes_an_expired_job_over(wiki: Wiki, clock: Clock) -> None:
    source_id = a_source(wiki)
    old = claimed(wiki, source_id)
    clock.tick(1800)
    found = the_claim(ingest.next_job(wiki, STRANGER))
    assert (found.agent, found.attempt) == ("stranger", 2)
    assert found.token != old.token
    assert outcomes(wiki, source_id) == [Outcome.EXPIRED, Outcome.ACTIVE]


def test_a_lease_given_by_a_clock_that_was_years_ahead_does_not_lock_the_job(
    wiki: Wiki, clock: Clock
) -> None:
    source_id = a_source(wiki)
    clock.tick(10 * 365 * 86_400)
    claimed(wiki, source_id)
    clock.tick(-10 * 365 * 86_400)
    assert the_claim(ingest.next_job(wiki, STRANGER)).attempt == 2


def test_the_late_holder_of_a_job_that_was_taken_over_loses_it(wiki: Wiki, clock: Clock) -> None:
    source_id = a_source(wiki)
    old = claimed(wiki, source_id)
    clock.tick(1801)
    ingest.claim(wiki, STRANGER, source_id)
    before = everything(wiki)
    error = refused(
        CLAIM_LOST, lambda: steps.analyze(wiki, AGENT, source_id, text="Late.", token=old.token)
    )
    assert error.details["agent"] == "stranger"
    assert error.details["attempt"] == 2
    assert error.details["since"] is not None
    assert everything(wiki) == before


def test_a_holder_whose_job_nobody_took_goes_on_and_renews_the_lease(
    wiki: Wiki, clock: Clock
) -> None:
    held = claimed(wiki, a_source(wiki))
    clock.tick(5000)
    answer = steps.analyze(wiki, AGENT, held.id, text="Slow.", token=held.token)
    assert answer.job.lease == "live"
    assert answer.job.lease_expires_at is not None
    assert (answer.job.lease_expires_at - clock.moment).total_seconds() == 1800


def test_a_heartbeat_extends_the_lease_by_its_length_and_moves_no_revision(
    wiki: Wiki, clock: Clock
) -> None:
    held = claimed(wiki, a_source(wiki), lease=120)
    before = wiki.revision()
    clock.tick(100)
    answer = steps.heartbeat(wiki, AGENT, held.id, token=held.token)
    assert (answer.lease_expires_at - clock.moment).total_seconds() == 120
    assert answer.revision == wiki.revision() == before


def expire(wiki: Wiki, clock: Clock, source_id: int, *, times: int) -> None:
    for _ in range(times):
        ingest.claim(wiki, AGENT, source_id)
        clock.tick(1801)


def test_next_fails_an_expired_claim_at_the_limit_and_takes_another(
    wiki: Wiki, clock: Clock
) -> None:
    first, second = (a_source(wiki, f"Text {n}.", name=f"{n}.md") for n in range(2))
    expire(wiki, clock, first, times=3)
    packet = ingest.next_job(wiki, AGENT)
    assert packet.job is not None
    assert packet.job.source.id == second
    failed = the_job(wiki, first)
    assert (failed.state, failed.failure) == (JobState.FAILED, "attempts_exhausted")
    assert outcomes(wiki, first) == [Outcome.EXPIRED] * 3
    assert "ingest_fail" in [row[1] for row in everything(wiki)["operations"]]


def test_claiming_an_exhausted_job_fails_it_and_says_so(wiki: Wiki, clock: Clock) -> None:
    source_id = a_source(wiki)
    expire(wiki, clock, source_id, times=3)
    error = refused(ATTEMPTS_EXHAUSTED, lambda: ingest.claim(wiki, AGENT, source_id))
    assert error.committed is True
    assert the_job(wiki, source_id).state is JobState.FAILED
    refused(ILLEGAL_TRANSITION, lambda: ingest.claim(wiki, AGENT, source_id))


def test_a_retry_keeps_the_count_and_is_refused_at_the_limit(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    for attempt in (1, 2, 3):
        held = claimed(wiki, source_id)
        steps.fail(wiki, AGENT, source_id, message=f"No {attempt}.", token=held.token)
        if attempt < 3:
            assert steps.retry(wiki, AGENT, source_id).job.attempts == attempt
    before = everything(wiki)
    refused(ATTEMPTS_EXHAUSTED, lambda: steps.retry(wiki, AGENT, source_id))
    assert everything(wiki) == before


def test_a_reset_counts_anew_and_history_keeps_all(wiki: Wiki, clock: Clock) -> None:
    source_id = a_source(wiki)
    expire(wiki, clock, source_id, times=3)
    ingest.next_job(wiki, AGENT)
    answer = steps.retry(wiki, AGENT, source_id, reset=True, reason="A better agent.")
    assert (answer.job.attempts, answer.job.attempt) == (0, 3)
    assert answer.job.last_error is None
    found = the_claim(ingest.claim(wiki, AGENT, source_id))
    assert found.attempt == 4
    assert len(outcomes(wiki, source_id)) == 4


def test_a_repeated_claim_keeps_its_attempt_and_gets_a_new_token(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    call = replace(AGENT, request_id="r1", command="ingest next")
    first = ingest.next_job(wiki, call)
    again = ingest.next_job(wiki, call)
    assert (first.replayed, again.replayed) == (False, True)
    assert again.job is not None
    assert again.job.source.id == source_id
    assert again.job.source.content
    assert the_claim(again).attempt == 1
    old, new = the_claim(first).token, the_claim(again).token
    refused(CLAIM_LOST, lambda: steps.heartbeat(wiki, AGENT, source_id, token=old))
    steps.heartbeat(wiki, AGENT, source_id, token=new)
    assert again.revision == first.revision


@pytest.mark.parametrize("caller", [AGENT, STRANGER], ids=["taken over", "another agent"])
def test_a_repeated_claim_of_an_attempt_that_is_not_the_callers_is_lost(
    wiki: Wiki, clock: Clock, caller: Call
) -> None:
    source_id = a_source(wiki)
    asked = {"request_id": "r1", "command": "ingest next"}
    ingest.next_job(wiki, replace(AGENT, **asked))
    if caller is AGENT:
        clock.tick(1801)
        ingest.claim(wiki, STRANGER, source_id)
    before = everything(wiki)
    refused(CLAIM_LOST, lambda: ingest.next_job(wiki, replace(caller, **asked)))
    assert everything(wiki) == before


@pytest.mark.parametrize(
    "size",
    [{"pages": 0}, {"pages": 1001}, {"source_chars": 0}, {"source_chars": 1_000_001}],
    ids=str,
)
def test_a_packet_has_bounds(size: dict[str, int]) -> None:
    refused(LIMIT_OUT_OF_RANGE, lambda: PacketSize(**size))
