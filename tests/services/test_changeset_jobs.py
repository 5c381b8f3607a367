"""Jobs and drafts: claims are live facts, completions are staged and hold their job."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Clock
from drafting import ACTS, AGENT, DRAFT, a_draft, a_file, add, drafted, publish
from ingesting import STRANGER, analyzed, claimed, outcomes, refused, the_job
from page_makers import put

from lwc.domain.ingest import JobState, Outcome
from lwc.errors import CHANGESET_CONFLICT, CLAIM_LOST, JOB_NOT_FOUND, JOB_PINNED
from lwc.services import changesets, completion, ingest, jobs, reading, steps
from lwc.services.completion import Waivers
from lwc.wiki import Wiki

complete = ACTS["ingest-complete"]
HOUR = 3600


def test_two_drafts_that_stage_the_same_text_share_its_one_job(furnished: Wiki) -> None:
    with a_draft(furnished, "one") as one, a_draft(furnished, "two") as two:
        a_file(one, "new.md", "A newcomer.")
        assert add(two, "new.md") == 4
        held = claimed(one, 4)
        assert jobs.show(two, 4).job.status is JobState.ANALYZING
        refused(CLAIM_LOST, lambda: steps.analyze(two, STRANGER, 4, text="Mine."))
        changesets.discard(furnished, AGENT, name="one")
        steps.analyze(two, AGENT, 4, text="A newcomer.", token=held.token)
    publish(furnished, "two")
    assert the_job(furnished, 4).state is JobState.GENERATING


def test_the_job_of_a_staged_source_goes_with_its_last_draft(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        a_file(draft, "new.md", "A newcomer.")
        analyzed(draft, 4)
        refused(JOB_NOT_FOUND, lambda: jobs.show(furnished, 4))
        changesets.discard(furnished, AGENT, name=DRAFT)
        a_file(furnished, "new.md", "A newcomer.")
    assert the_job(furnished, 4).attempts == 0


def test_the_next_job_of_the_live_wiki_is_never_a_staged_one(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        a_file(draft, "new.md", "A newcomer.")
        taken = [_next(furnished), _next(furnished), _next(furnished)]
        assert taken == [1, 3, None]
        assert _next(draft) == 4


def _next(wiki: Wiki) -> int | None:
    job = ingest.next_job(wiki, AGENT).job
    return None if job is None else job.source.id


def test_a_claim_in_a_draft_is_a_claim(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        claimed(draft, 1)
        job = the_job(furnished, 1)
        assert (job.state, job.agent) == (JobState.ANALYZING, AGENT.agent)
        reading.read(draft, AGENT, 1)
        assert jobs.show(furnished, 1).reading.delivered_chars > 0


class TestAJobWhoseCompletionIsStaged:
    @pytest.fixture
    def draft(self, furnished: Wiki) -> Wiki:
        with a_draft(furnished) as draft:
            complete(draft)
        return furnished

    def test_is_completed_in_the_draft_and_not_live(self, furnished: Wiki) -> None:
        with a_draft(furnished) as draft:
            complete(draft)
            assert jobs.show(draft, 2).job.status is JobState.COMPLETED
        assert jobs.show(furnished, 2).job.status is JobState.GENERATING

    def test_is_taken_by_nobody_when_its_lease_has_run_out(self, draft: Wiki, clock: Clock) -> None:
        clock.tick(HOUR)
        taken = [_next(draft), _next(draft), _next(draft)]
        assert taken == [1, 3, None]
        assert not jobs.listed(draft, expired=True).jobs

    @pytest.mark.parametrize(
        "step",
        [
            lambda wiki: steps.fail(wiki, AGENT, 2, message="No."),
            lambda wiki: steps.release(wiki, AGENT, 2),
            lambda wiki: steps.retry(wiki, AGENT, 2),
            lambda wiki: steps.retry(wiki, AGENT, 2, force=True, reason="Now."),
        ],
        ids=["fail", "release", "retry", "retry-force"],
    )
    def test_is_moved_by_no_step(
        self, draft: Wiki, clock: Clock, step: Callable[[Wiki], object]
    ) -> None:
        before = the_job(draft, 2)
        refused(JOB_PINNED, lambda: step(draft))
        clock.tick(HOUR)
        refused(JOB_PINNED, lambda: step(draft))
        assert the_job(draft, 2) == before

    def test_is_not_completed_live(self, draft: Wiki) -> None:
        put(draft, "late-live", "Late.\n", call=AGENT, kind="source", source_ids=(2,))
        waivers = Waivers(no_derived_pages_reason="None.", unread_reason="Short.")
        refused(JOB_PINNED, lambda: completion.complete(draft, AGENT, 2, waivers=waivers))

    def test_is_not_completed_in_another_draft(self, draft: Wiki) -> None:
        with a_draft(draft, "other") as other:
            refused(JOB_PINNED, lambda: complete(other))

    def test_is_not_completed_twice_in_its_draft(self, draft: Wiki) -> None:
        waivers = Waivers(no_derived_pages_reason="None.", unread_reason="Short.")
        with drafted(draft) as again:
            refused(JOB_PINNED, lambda: completion.complete(again, AGENT, 2, waivers=waivers))

    def test_has_a_heart_that_beats(self, draft: Wiki) -> None:
        steps.heartbeat(draft, AGENT, 2)
        assert the_job(draft, 2).pinned is not None

    def test_is_pending_again_when_the_draft_is_discarded(self, draft: Wiki) -> None:
        discarded = changesets.discard(draft, AGENT, name=DRAFT)
        assert discarded.released_jobs == (2,)
        job = the_job(draft, 2)
        assert (job.state, job.pinned) == (JobState.PENDING, None)
        assert outcomes(draft, 2) == [Outcome.RELEASED]

    def test_is_completed_by_the_publication(self, draft: Wiki, clock: Clock) -> None:
        clock.tick(HOUR)
        published = publish(draft)
        assert published.completed_jobs == (2,)
        job = the_job(draft, 2)
        assert (job.state, job.pinned) == (JobState.COMPLETED, None)
        assert outcomes(draft, 2) == [Outcome.COMPLETED]
        assert job.no_derived_pages_reason == "Nothing to say."

    def test_keeps_its_draft_from_publication_when_it_was_removed(self, draft: Wiki) -> None:
        with draft.writing(AGENT) as change:
            change.conn.exec_driver_sql("UPDATE jobs SET pinned = NULL WHERE source_id = 2")
        error = refused(CHANGESET_CONFLICT, lambda: publish(draft))
        assert [one["why"] for one in error.details["conflicts"]] == ["job_moved"]
