from __future__ import annotations

import pytest
from conftest import Clock
from ingesting import (
    AGENT,
    STRANGER,
    WORDS,
    a_page,
    a_source,
    claimed,
    in_state,
    refused,
    summarised,
)

from lwc.domain.ingest import JobState, Outcome
from lwc.domain.ranges import Span
from lwc.errors import INVALID_INGEST_STATUS, INVALID_OFFSET, JOB_NOT_FOUND, LIMIT_OUT_OF_RANGE
from lwc.services import jobs, steps
from lwc.services.jobs import ANALYSIS_CHARS
from lwc.services.packet import PacketSize
from lwc.wiki import Wiki


def three_jobs(wiki: Wiki) -> list[int]:
    """A pending job, one of `tester`, and one of `stranger`."""
    ids = [a_source(wiki, f"Text {n}.", name=f"{n}.md") for n in range(3)]
    claimed(wiki, ids[1])
    claimed(wiki, ids[2], call=STRANGER, lease=60)
    return ids


def test_jobs_are_listed_by_source_with_title_and_lease(wiki: Wiki) -> None:
    ids = three_jobs(wiki)
    answer = jobs.listed(wiki)
    assert [row.source_id for row in answer.jobs] == ids
    assert [row.title for row in answer.jobs] == ["0.md", "1.md", "2.md"]
    assert [row.status for row in answer.jobs] == ["pending", "analyzing", "analyzing"]
    assert [row.agent for row in answer.jobs] == [None, "tester", "stranger"]
    assert [row.lease for row in answer.jobs] == [None, "live", "live"]
    assert (answer.total, answer.has_more) == (3, False)


def test_a_list_is_filtered_by_state_agent_and_lease(wiki: Wiki, clock: Clock) -> None:
    pending, mine, theirs = three_jobs(wiki)

    def found(**filters: object) -> list[int]:
        return [row.source_id for row in jobs.listed(wiki, **filters).jobs]  # type: ignore[arg-type]

    assert found(status="pending") == [pending]
    assert found(status="analyzing") == [mine, theirs]
    assert found(agent="stranger") == [theirs]
    assert found(expired=True) == []
    clock.tick(61)
    assert found(expired=True) == [theirs]
    assert found(expired=True, agent="tester") == []
    (row,) = jobs.listed(wiki, expired=True).jobs
    assert row.lease == "expired"


def test_a_list_has_limits_and_says_whether_there_is_more(wiki: Wiki) -> None:
    ids = three_jobs(wiki)
    answer = jobs.listed(wiki, limit=2)
    assert ([row.source_id for row in answer.jobs], answer.has_more) == (ids[:2], True)
    answer = jobs.listed(wiki, limit=2, offset=2)
    assert ([row.source_id for row in answer.jobs], answer.has_more) == (ids[2:], False)
    assert answer.total == 3


def test_a_state_that_is_none_is_refused(wiki: Wiki) -> None:
    error = refused(INVALID_INGEST_STATUS, lambda: jobs.listed(wiki, status="done"))
    assert error.details["known"] == list(JobState)


def test_bounds_of_lists_and_texts(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    refused(LIMIT_OUT_OF_RANGE, lambda: jobs.listed(wiki, limit=0))
    refused(LIMIT_OUT_OF_RANGE, lambda: jobs.listed(wiki, limit=1001))
    refused(INVALID_OFFSET, lambda: jobs.listed(wiki, offset=-1))
    refused(LIMIT_OUT_OF_RANGE, lambda: jobs.show(wiki, source_id, max_chars=0))
    refused(JOB_NOT_FOUND, lambda: jobs.show(wiki, 99))


def test_a_job_is_shown_with_its_history_and_what_was_read(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    held = claimed(wiki, source_id, size=PacketSize(source_chars=10))
    text = "b" * (ANALYSIS_CHARS + 1)
    steps.analyze(wiki, AGENT, source_id, text=text, token=held.token)
    summarised(wiki, source_id)
    shown = jobs.show(wiki, source_id)
    assert (shown.job.status, shown.source.chars) == (JobState.GENERATING, len(WORDS))
    assert "complete" in shown.allowed
    assert shown.reading.delivered == (Span(start=0, end=10),)
    assert shown.reading.missing == (Span(start=10, end=len(WORDS)),)
    assert shown.reading.share == round(10 / len(WORDS), 4)
    (attempt,) = shown.attempts
    assert (attempt.agent, attempt.outcome, attempt.ended_at) == ("tester", Outcome.ACTIVE, None)
    (analysis,) = shown.analyses
    assert (len(analysis.text), analysis.chars, analysis.has_more) == (4000, 4001, True)
    assert [(page.slug, page.fresh) for page in shown.citing_pages] == [("notes", True)]
    unheld = {view.gate: view.code for view in shown.gates if not view.held}
    assert unheld == {
        "covered": "source_not_fully_read",
        "integrated": "ingest_integration_required",
    }


def test_a_page_older_than_the_claim_is_not_fresh(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    a_page(wiki, "old", sources=(source_id,))
    claimed(wiki, source_id)
    a_page(wiki, "new", sources=(source_id,))
    pages = {page.slug: page.fresh for page in jobs.show(wiki, source_id).citing_pages}
    assert pages == {"old": False, "new": True}


@pytest.mark.parametrize("state", JobState)
def test_a_job_in_any_state_is_shown(wiki: Wiki, state: JobState) -> None:
    held = in_state(wiki, state)
    shown = jobs.show(wiki, held.id)
    assert shown.job.status is state
    assert bool(shown.evidence) is (state is JobState.COMPLETED)
