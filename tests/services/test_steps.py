"""The steps of a claimed job: who may take them, and what they leave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import Clock
from ingesting import (
    AGENT,
    STRANGER,
    a_source,
    analyzed,
    claimed,
    everything,
    in_state,
    outcomes,
    refused,
    the_claim,
    the_job,
)

from lwc.domain.ingest import JobState, Outcome
from lwc.errors import (
    BLANK,
    CLAIM_LOST,
    CLAIM_TOKEN_REQUIRED,
    REASON_REQUIRED,
    REQUEST_ID_REUSED,
    UNSAFE_CHARACTERS,
    Problem,
)
from lwc.services import configuration, ingest, jobs, steps
from lwc.wiki import Wiki


@pytest.mark.parametrize("step", ["analyze", "fail", "release", "heartbeat", "retry"])
def test_no_step_is_a_strangers(wiki: Wiki, step: str) -> None:
    held = claimed(wiki, a_source(wiki))
    before = everything(wiki)
    options = {"analyze": {"text": "Mine."}, "fail": {"message": "No."}}.get(step, {})
    act = getattr(steps, step)
    refused(CLAIM_LOST, lambda: act(wiki, STRANGER, held.id, **options))
    refused(CLAIM_LOST, lambda: act(wiki, AGENT, held.id, token="0" * 32, **options))
    assert everything(wiki) == before


def test_the_name_that_holds_the_claim_is_enough(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    assert steps.analyze(wiki, AGENT, held.id, text="By name.").job.status is JobState.GENERATING


def test_strict_claims_ask_for_the_token(wiki: Wiki) -> None:
    configuration.put(wiki, AGENT, values={"claims": "strict"})
    held = claimed(wiki, a_source(wiki))
    before = everything(wiki)
    refused(CLAIM_TOKEN_REQUIRED, lambda: steps.analyze(wiki, AGENT, held.id, text="By name."))
    assert everything(wiki) == before
    steps.analyze(wiki, STRANGER, held.id, text="By token.", token=held.token)


def test_a_lost_claim_is_told_before_the_new_holders_state(wiki: Wiki, clock: Clock) -> None:
    held = analyzed(wiki, a_source(wiki))
    clock.tick(1801)
    ingest.claim(wiki, STRANGER, held.id)
    refused(CLAIM_LOST, lambda: steps.analyze(wiki, AGENT, held.id, text="2", token=held.token))


def test_a_failure_is_told_until_the_next_claim_and_kept_in_the_history(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    answer = steps.fail(wiki, AGENT, held.id, message=" Too hard. ", token=held.token)
    assert (answer.job.status, answer.job.last_error) == (JobState.FAILED, "Too hard.")
    assert answer.job.agent is None
    assert answer.job.lease is None
    steps.retry(wiki, AGENT, held.id)
    shown = jobs.show(wiki, held.id)
    assert shown.job.last_error is None
    assert [(item.outcome, item.error) for item in shown.attempts] == [("failed", "Too hard.")]


def test_a_released_job_is_pending_again_without_a_failure(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    answer = steps.release(wiki, AGENT, held.id, reason="Out of tokens.", token=held.token)
    assert (answer.job.status, answer.job.last_error) == (JobState.PENDING, None)
    (attempt,) = jobs.show(wiki, held.id).attempts
    assert (attempt.outcome, attempt.error) == (Outcome.RELEASED, "Out of tokens.")


def test_every_version_of_an_analysis_is_kept(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    for version in (1, 2):
        held = claimed(wiki, source_id)
        text = f"Version {version}."
        answer = steps.analyze(wiki, AGENT, source_id, text=text, token=held.token)
        assert answer.analysis_version == version
        steps.release(wiki, AGENT, source_id, token=held.token)
    found = jobs.show(wiki, source_id).analyses
    assert [(item.version, item.attempt, item.text) for item in found] == [
        (1, 1, "Version 1."),
        (2, 2, "Version 2."),
    ]
    packet = ingest.claim(wiki, AGENT, source_id)
    assert packet.job is not None
    assert packet.job.analysis == "Version 2."


@pytest.mark.parametrize(
    "text, problem",
    [
        pytest.param(" \n", BLANK, id="blank"),
        pytest.param("a\0b", UNSAFE_CHARACTERS, id="NUL"),
        pytest.param("a\udcff", UNSAFE_CHARACTERS, id="a lone surrogate"),
    ],
)
def test_an_analysis_that_cannot_be_kept_is_refused(
    wiki: Wiki, text: str, problem: Problem
) -> None:
    held = claimed(wiki, a_source(wiki))
    refused(problem, lambda: steps.analyze(wiki, AGENT, held.id, text=text, token=held.token))
    assert the_job(wiki, held.id).state is JobState.ANALYZING


def test_reopening_takes_a_completed_job_up_again(wiki: Wiki) -> None:
    held = in_state(wiki, JobState.COMPLETED)
    assert jobs.show(wiki, held.id).evidence
    answer = steps.reopen(wiki, AGENT, held.id, reason="The schema changed.")
    assert (answer.job.status, answer.job.attempts) == (JobState.PENDING, 0)
    assert answer.job.no_derived_pages_reason is None
    assert jobs.show(wiki, held.id).evidence == ()
    assert the_claim(ingest.claim(wiki, AGENT, held.id)).attempt == 2


def test_a_claimed_job_is_retried_by_its_holder(wiki: Wiki) -> None:
    held = analyzed(wiki, a_source(wiki))
    answer = steps.retry(wiki, AGENT, held.id, token=held.token)
    assert answer.job.status is JobState.PENDING
    assert outcomes(wiki, held.id) == [Outcome.RETRIED]


def test_a_claimed_job_is_retried_by_anyone_when_its_lease_ran_out(
    wiki: Wiki, clock: Clock
) -> None:
    held = claimed(wiki, a_source(wiki))
    clock.tick(1801)
    steps.retry(wiki, STRANGER, held.id)
    assert outcomes(wiki, held.id) == [Outcome.EXPIRED]


def test_a_claimed_job_is_retried_by_force_with_a_reason(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    refused(REASON_REQUIRED, lambda: steps.retry(wiki, STRANGER, held.id, force=True))
    refused(BLANK, lambda: steps.retry(wiki, STRANGER, held.id, force=True, reason=" "))
    steps.retry(wiki, STRANGER, held.id, force=True, reason="It hangs.")
    (attempt,) = jobs.show(wiki, held.id).attempts
    assert (attempt.outcome, attempt.error) == (Outcome.RETRIED, "It hangs.")


def test_a_reset_needs_a_reason(wiki: Wiki) -> None:
    held = in_state(wiki, JobState.FAILED)
    refused(REASON_REQUIRED, lambda: steps.retry(wiki, AGENT, held.id, reset=True))


def test_a_request_id_is_for_one_command(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    call = replace(AGENT, request_id="r1", command="ingest fail", arguments={"message": "A"})
    first = steps.fail(wiki, call, held.id, message="A", token=held.token)
    again = steps.fail(wiki, call, held.id, message="A", token=held.token)
    assert again == replace(first, replayed=True)
    other = replace(call, arguments={"message": "B"})
    refused(REQUEST_ID_REUSED, lambda: steps.fail(wiki, other, held.id, message="B"))
