"""Completion gate by gate, on a wiki whose pages are written as users write them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from conftest import Clock
from ingesting import (
    AGENT,
    STRANGER,
    WORDS,
    Held,
    a_page,
    a_source,
    analyzed,
    claimed,
    everything,
    quoting,
    refused,
    the_job,
)

from lwc.domain.ingest import Gate, JobEvent, JobState, step
from lwc.errors import (
    BLANK,
    CITATION_MISSING,
    CITATION_REQUIRED,
    CLAIM_LOST,
    CLAIM_REQUIRED,
    CLAIM_TOKEN_REQUIRED,
    DERIVED_PAGES_EXIST,
    ILLEGAL_TRANSITION,
    INTEGRATION_REQUIRED,
    PAGES_NOT_TOUCHED,
    SOURCE_NOT_FULLY_READ,
    SOURCE_SUMMARY_MISSING,
    Problem,
)
from lwc.services import completion, configuration, ingest, jobs, page_writes, reading, steps
from lwc.services.completion import Checked, Completed, Waivers
from lwc.services.packet import PacketSize
from lwc.wiki import Wiki

NOTHING_DERIVED = Waivers(no_derived_pages_reason="It is an index.")


def a_finished_job(wiki: Wiki, *, quote: str | None = None) -> Held:
    """A job that has all that completion asks for."""
    held = analyzed(wiki, a_source(wiki))
    body = "Locks.\n" if quote is None else quoting(held.id, quote)
    a_page(wiki, "notes", kind="source", body=body, sources=(held.id,))
    a_page(wiki, "locks", sources=(held.id,))
    return held


def complete(wiki: Wiki, held: Held, waivers: Waivers | None = None) -> Completed:
    return completion.complete(wiki, AGENT, held.id, waivers=waivers, token=held.token)


def check(wiki: Wiki, held: Held, waivers: Waivers | None = None) -> Checked:
    return completion.check(wiki, AGENT, held.id, waivers=waivers, token=held.token)


def test_a_job_whose_knowledge_is_in_pages_is_completed(wiki: Wiki) -> None:
    answer = complete(wiki, a_finished_job(wiki))
    assert answer.job.status is JobState.COMPLETED
    assert (answer.job.agent, answer.job.lease) == (None, None)
    assert (answer.integration.source_summary_pages, answer.integration.derived_pages) == (1, 1)
    assert [view.gate for view in answer.gates] == [Gate.STATE, *step(JobEvent.COMPLETE).gates]
    assert all(view.held for view in answer.gates)


def test_completion_keeps_its_evidence(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    page_writes.put(
        wiki, AGENT, slug="locks", title="Locks", body="Locks, again.\n", source_ids=(held.id,)
    )
    complete(wiki, held)
    evidence = jobs.show(wiki, held.id).evidence
    assert [(page.slug, page.revision) for page in evidence] == [("locks", 2), ("notes", 1)]
    entry = everything(wiki)["operations"][-1]
    assert entry[1] == "ingest_complete"
    assert '"evidence":[{"revision":2,"slug":"locks"},{"revision":1,"slug":"notes"}]' in entry[3]


def _not_analyzed(wiki: Wiki) -> Held:
    return claimed(wiki, a_source(wiki))


def _unread(wiki: Wiki) -> Held:
    source_id = a_source(wiki)
    held = claimed(wiki, source_id, size=PacketSize(source_chars=10))
    steps.analyze(wiki, AGENT, source_id, text="Half of it.", token=held.token)
    a_page(wiki, "notes", kind="source", sources=(source_id,))
    a_page(wiki, "locks", sources=(source_id,))
    return held


def _not_cited(wiki: Wiki) -> Held:
    held = analyzed(wiki, a_source(wiki))
    a_page(wiki, "locks", sources=(held.id,))
    return held


def _not_integrated(wiki: Wiki) -> Held:
    held = analyzed(wiki, a_source(wiki))
    a_page(wiki, "notes", kind="source", sources=(held.id,))
    return held


def _misquoted(wiki: Wiki) -> Held:
    return a_finished_job(wiki, quote="Two writers can hold the lock at any moment.")


UNHELD = [
    pytest.param(_not_analyzed, Gate.STATE, ILLEGAL_TRANSITION, id="not analysed"),
    pytest.param(_unread, Gate.COVERED, SOURCE_NOT_FULLY_READ, id="not read whole"),
    pytest.param(_not_cited, Gate.CITED, SOURCE_SUMMARY_MISSING, id="no source page"),
    pytest.param(_not_integrated, Gate.INTEGRATED, INTEGRATION_REQUIRED, id="nothing integrated"),
    pytest.param(_misquoted, Gate.QUOTED, CITATION_MISSING, id="a quote that is not there"),
]


@pytest.mark.parametrize("make, gate, problem", UNHELD)
def test_a_gate_that_does_not_hold_refuses_and_nothing_changes(
    wiki: Wiki, make: Callable[[Wiki], Held], gate: Gate, problem: Problem
) -> None:
    held = make(wiki)
    before = everything(wiki)
    error = refused(problem, lambda: complete(wiki, held))
    assert error.details["gates"][0]["gate"] == gate
    assert error.details["gates"][0]["code"] == problem.code
    assert everything(wiki) == before
    checked = check(wiki, held)
    assert checked.ready is False
    assert gate in [view.gate for view in checked.gates if not view.held]
    assert everything(wiki) == before


def test_every_gate_that_does_not_hold_is_told_and_the_first_leads(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    held = claimed(wiki, source_id, size=PacketSize(source_chars=10))
    steps.analyze(wiki, AGENT, source_id, text="Nothing yet.", token=held.token)
    error = refused(SOURCE_NOT_FULLY_READ, lambda: complete(wiki, held))
    assert [gate["gate"] for gate in error.details["gates"]] == ["covered", "cited", "integrated"]
    assert error.details["missing"] == [{"start": 10, "end": len(WORDS)}]
    assert error.details["next"] == f"lwc ingest read {source_id}"


def test_reading_on_opens_the_coverage_gate(wiki: Wiki) -> None:
    held = _unread(wiki)
    reading.read(wiki, AGENT, held.id, token=held.token)
    assert complete(wiki, held).job.unread_reason is None


def test_unread_parts_are_passed_with_a_reason_that_is_kept(wiki: Wiki) -> None:
    held = _unread(wiki)
    answer = complete(wiki, held, Waivers(unread_reason=" Tables of numbers. "))
    assert answer.job.unread_reason == "Tables of numbers."
    assert the_job(wiki, held.id).unread_reason == "Tables of numbers."


def test_a_reason_nobody_needed_is_not_kept(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    assert complete(wiki, held, Waivers(unread_reason="Too long.")).job.unread_reason is None


def test_a_source_that_adds_nothing_is_completed_with_a_reason(wiki: Wiki) -> None:
    answer = complete(wiki, _not_integrated(wiki), NOTHING_DERIVED)
    assert answer.job.no_derived_pages_reason == "It is an index."
    assert answer.integration.no_derived_pages_reason == "It is an index."


def test_that_reason_is_refused_when_something_was_derived(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    error = refused(DERIVED_PAGES_EXIST, lambda: complete(wiki, held, NOTHING_DERIVED))
    assert error.details["pages"] == ["locks"]


@pytest.mark.parametrize(
    "waivers",
    [Waivers(no_derived_pages_reason=" "), Waivers(unread_reason="")],
    ids=["no derived pages", "unread"],
)
def test_a_blank_reason_is_refused(wiki: Wiki, waivers: Waivers) -> None:
    held = a_finished_job(wiki)
    refused(BLANK, lambda: complete(wiki, held, waivers))
    refused(BLANK, lambda: check(wiki, held, waivers))


def test_the_claim_is_a_gate(wiki: Wiki, clock: Clock) -> None:
    held = a_finished_job(wiki)
    refused(CLAIM_LOST, lambda: completion.complete(wiki, STRANGER, held.id))
    clock.tick(1801)
    ingest.claim(wiki, STRANGER, held.id)
    before = everything(wiki)
    error = refused(CLAIM_LOST, lambda: complete(wiki, held))
    assert error.details["agent"] == "stranger"
    assert everything(wiki) == before


def test_strict_claims_ask_for_the_token(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    configuration.put(wiki, AGENT, values={"claims": "strict"})
    refused(CLAIM_TOKEN_REQUIRED, lambda: completion.complete(wiki, AGENT, held.id))
    assert complete(wiki, held).job.status is JobState.COMPLETED


def test_a_job_nobody_claimed_cannot_be_completed(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    refused(CLAIM_REQUIRED, lambda: completion.complete(wiki, AGENT, source_id))


def test_completing_twice_is_refused_and_a_repeated_request_is_answered(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    call = replace(AGENT, request_id="r1", command="ingest complete")
    first = completion.complete(wiki, call, held.id, token=held.token)
    again = completion.complete(wiki, call, held.id, token=held.token)
    assert again == replace(first, replayed=True)
    error = refused(ILLEGAL_TRANSITION, lambda: complete(wiki, held))
    assert error.problem.name == "bad_state"


def test_a_retry_rides_on_old_pages_unless_the_policy_is_strict(wiki: Wiki) -> None:
    held = a_finished_job(wiki, quote=WORDS.strip())
    steps.retry(wiki, AGENT, held.id, token=held.token)
    held = analyzed(wiki, held.id)
    assert check(wiki, held).ready is True
    configuration.put(wiki, AGENT, values={"policy": "strict"})
    refused(PAGES_NOT_TOUCHED, lambda: complete(wiki, held))
    page_writes.confirm(wiki, AGENT, slug="locks", source_id=held.id)
    assert complete(wiki, held).job.status is JobState.COMPLETED


def test_a_page_written_since_the_claim_is_fresh(wiki: Wiki) -> None:
    configuration.put(wiki, AGENT, values={"policy": "strict"})
    held = a_finished_job(wiki, quote=WORDS.strip())
    assert complete(wiki, held).job.status is JobState.COMPLETED


def test_a_missing_quote_is_named_with_its_page(wiki: Wiki) -> None:
    held = _misquoted(wiki)
    error = refused(CITATION_MISSING, lambda: complete(wiki, held))
    (citation,) = error.details["citations"]
    assert (citation["slug"], citation["label"]) == ("notes", "c1")
    assert citation["quote"].startswith("Two writers")


def test_a_quote_of_another_source_does_not_matter(wiki: Wiki) -> None:
    other = a_source(wiki, "Something else altogether.", name="other.md")
    held = a_finished_job(wiki)
    body = quoting(other, "This stands nowhere in it.")
    a_page(wiki, "mixed", body=body, sources=(held.id,))
    assert complete(wiki, held).job.status is JobState.COMPLETED


def test_required_citations_ask_for_a_quote_in_the_source_page(wiki: Wiki) -> None:
    configuration.put(wiki, AGENT, values={"citations": "required"})
    held = a_finished_job(wiki)
    a_page(wiki, "quoting", body=quoting(held.id))
    refused(CITATION_REQUIRED, lambda: complete(wiki, held))
    a_page(wiki, "notes", kind="source", body=quoting(held.id))
    assert complete(wiki, held).job.status is JobState.COMPLETED


def test_checking_a_finished_job_says_that_it_is_ready_and_changes_nothing(wiki: Wiki) -> None:
    held = a_finished_job(wiki)
    before = everything(wiki)
    checked = check(wiki, held)
    assert checked.ready is True
    assert checked.job.status is JobState.GENERATING
    assert everything(wiki) == before
