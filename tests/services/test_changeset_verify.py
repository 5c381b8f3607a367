"""Verifying a publication: on the live wiki, as it is by then."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from drafting import ACTS, DRAFT, Act, a_draft, a_file
from ingesting import AGENT, refused
from page_makers import cited, put
from sqlalchemy import select
from storefiles import closed_store

from lwc.domain.changeset import Status, Verification
from lwc.errors import (
    CHANGESET_NOT_FOUND,
    CHANGESET_NOT_PUBLISHED,
    CHANGESET_VERIFICATION_FAILED,
    STALE_REVISION,
    LwcError,
)
from lwc.services import (
    changeset_publish,
    changeset_rollback,
    changeset_show,
    changeset_verify,
    changesets,
    checks,
    completion,
    configuration,
    overview,
    page_moves,
    pages,
    source_writes,
    steps,
)
from lwc.services.changeset_show import EndedShown
from lwc.services.changeset_verify import ChangesetVerified
from lwc.services.completion import Waivers
from lwc.store.tables import operations
from lwc.wiki import Call, Wiki, open_wiki

BERTA = Call(agent="berta")
WAIVERS = Waivers(no_derived_pages_reason="Nothing to say.", unread_reason="It is short.")


def publish(wiki: Wiki, *, waive: bool = False) -> None:
    waived = changeset_publish.override(
        allow_lint_issues=waive, reason="Known." if waive else None, findings=None
    )
    changeset_publish.publish(wiki, AGENT, name=DRAFT, waived=waived)


def verify(wiki: Wiki, *, call: Call = BERTA) -> ChangesetVerified:
    return changeset_verify.verify(wiki, call, changeset=DRAFT)


def failing(wiki: Wiki, *, call: Call = BERTA) -> LwcError:
    """The refusal of a verification that fails."""
    return refused(CHANGESET_VERIFICATION_FAILED, lambda: verify(wiki, call=call))


def shown(wiki: Wiki) -> EndedShown:
    found = changeset_show.show(wiki, changeset=DRAFT)
    assert isinstance(found, EndedShown)
    return found


@pytest.fixture
def published(furnished: Wiki) -> Wiki:
    """A wiki in which a draft was published: a page with checks, and another one."""
    with a_draft(furnished) as draft:
        put(draft, "alone", "Nobody waits alone any more.\n", call=AGENT)
        put(draft, "fresh", "New, see [[alone]].\n", call=AGENT)
        checks.add(draft, AGENT, slug="alone", query="nobody", paraphrases=("any more",))
    publish(furnished)
    return furnished


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_what_was_just_published_holds_unless_a_check_fails(furnished: Wiki, act: Act) -> None:
    with a_draft(furnished) as draft:
        act(draft)
    found = changeset_show.show(furnished, changeset=DRAFT)
    assert isinstance(found, changeset_show.DraftShown)
    if found.empty:
        return
    publish(furnished, waive=True)
    if found.checks.totals["failed"]:
        failing(furnished)
        return
    answer = verify(furnished)
    assert (answer.verified, answer.problems, answer.errors) == (True, (), ())
    assert answer.waived == found.lint.blocking


def test_it_is_recorded_who_found_it_to_hold_when(published: Wiki) -> None:
    before = published.revision()
    answer = verify(published)
    assert answer.verification is Verification.PASSED
    assert (answer.published_revision, answer.status) == (before, Status.COMMITTED)
    assert answer.revision == published.revision() == before + 1
    found = shown(published)
    assert found.verification is Verification.PASSED
    report = found.verified
    assert report is not None
    assert (report["revision"], report["by"], report["problems"]) == (before + 1, "berta", [])
    with published.reading() as conn:
        row = conn.execute(select(operations).where(operations.c.id == before + 1)).one()
    assert (row.action, row.target, row.agent) == ("changeset_verify", DRAFT, "berta")
    run = pages.show(published, slug="alone").checks
    assert run is not None
    assert [one.last_run.revision if one.last_run else None for one in run] == [before + 1]


def test_pages_without_checks_are_a_warning_unless_the_policy_asks_for_them(
    published: Wiki,
) -> None:
    answer = verify(published)
    assert answer.warnings == ("no original and paraphrase are there that find fresh",)
    assert answer.checks.totals["unchecked"] == 1
    configuration.put(published, AGENT, values={"checks": "required"})
    error = failing(published)
    assert error.details["what"] == ["no original and paraphrase are there that find fresh"]


def _break_a_link(wiki: Wiki) -> None:
    put(wiki, "alone", "Nobody waits alone any more, see [[nowhere]].\n", call=AGENT)


def _remove_the_page(wiki: Wiki) -> None:
    put(wiki, "fresh", "New.\n", call=AGENT)
    put(wiki, "store", cited(1), call=AGENT)
    page_moves.remove(wiki, AGENT, slug="alone")


def _say_it_otherwise(wiki: Wiki) -> None:
    put(wiki, "alone", "It is lonely.\n", call=AGENT)


@pytest.mark.parametrize(
    "harm, told",
    [
        pytest.param(
            _break_a_link, "alone links to nowhere, and there is no such page", id="a broken link"
        ),
        pytest.param(_remove_the_page, "page alone was removed since", id="a removed page"),
        pytest.param(_say_it_otherwise, "check 2 does not find alone", id="a check"),
    ],
)
def test_what_does_not_hold_any_more_is_refused_and_recorded(
    published: Wiki, harm: Callable[[Wiki], None], told: str
) -> None:
    harm(published)
    error = failing(published)
    assert error.details["what"] == [told]
    assert error.committed is True
    assert error.details["revision"] == published.revision()
    found = shown(published)
    assert (found.verification, found.status) == (Verification.FAILED, Status.COMMITTED)
    assert found.verified is not None
    assert found.verified["problems"] == [told]


def test_it_passes_when_it_was_mended(published: Wiki) -> None:
    _break_a_link(published)
    failing(published)
    put(published, "alone", "Nobody waits alone any more, again.\n", call=AGENT)
    assert verify(published).verified
    assert shown(published).verification is Verification.PASSED


def test_old_errors_on_other_pages_and_on_pages_only_relinked_do_not_count(
    furnished: Wiki,
) -> None:
    put(furnished, "readers", "See [[store]] and [[lost]].\n", call=AGENT)
    put(furnished, "other", "See [[lost]].\n", call=AGENT)
    with a_draft(furnished) as draft:
        page_moves.rename(draft, AGENT, slug="store", to="storage")
    publish(furnished)
    assert verify(furnished).errors == ()


def test_errors_it_was_published_with_are_counted_as_known(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "See [[nowhere]].\n", call=AGENT)
    publish(furnished, waive=True)
    answer = verify(furnished)
    assert (answer.verified, answer.waived, answer.errors) == (True, 1, ())
    put(furnished, "alone", "See [[nowhere]] and [[elsewhere]].\n", call=AGENT)
    error = failing(furnished)
    assert [one["target"] for one in error.details["findings"]] == ["elsewhere"]


def test_a_source_it_made_must_be_there(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        a_file(draft, "new.md", "A newcomer.")
    publish(furnished)
    source_writes.remove(furnished, AGENT, source_id=4)
    assert failing(furnished).details["absent"] == [
        {"entity": "source", "identifier": "4", "what": "was removed since"}
    ]


def test_a_job_it_completed_must_be_cited(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "late", "Late.\n", call=AGENT, kind="source", source_ids=(2,))
        completion.complete(draft, AGENT, 2, waivers=WAIVERS)
    publish(furnished)
    verify(furnished)
    page_moves.remove(furnished, AGENT, slug="late")
    assert {one["code"] for one in failing(furnished).details["findings"]} == {
        "completed_source_uncited"
    }
    steps.reopen(furnished, AGENT, 2, reason="Uncited.")
    assert failing(furnished).details["what"] == ["page late was removed since"]


def test_a_page_that_search_does_not_know_is_found(published: Wiki) -> None:
    published.close()
    root = published.workspace.root
    _forget_in_the_index(root, slug="fresh")
    with open_wiki(root) as wiki:
        assert failing(wiki).details["what"] == ["page fresh is not in the search index"]


def _forget_in_the_index(root: Path, *, slug: str) -> None:
    with closed_store(), closing(sqlite3.connect(root / ".lwc" / "wiki.db")) as conn:
        conn.execute(
            "DELETE FROM page_fts_docsize WHERE id = (SELECT id FROM pages WHERE slug = ?)",
            (slug,),
        )
        conn.commit()


def test_a_repeated_request_answers_what_was_found_then(published: Wiki) -> None:
    call = replace(BERTA, request_id="v1")
    first = verify(published, call=call)
    _break_a_link(published)
    again = verify(published, call=call)
    assert (again.replayed, again.revision) == (True, first.revision)
    bad = replace(BERTA, request_id="v2")
    error = failing(published, call=bad)
    put(published, "alone", "Nobody waits alone any more.\n", call=AGENT)
    repeated = failing(published, call=bad)
    assert (repeated.details["replayed"], repeated.committed) == (True, True)
    assert repeated.details["what"] == error.details["what"]


def test_it_is_bound_to_the_revision_that_was_seen(published: Wiki) -> None:
    seen = published.revision()
    verify(published, call=replace(BERTA, if_revision=seen))
    refused(STALE_REVISION, lambda: verify(published, call=replace(BERTA, if_revision=seen)))


def test_only_what_is_published_can_be_verified(furnished: Wiki) -> None:
    refused(CHANGESET_NOT_FOUND, lambda: verify(furnished))
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
    refused(CHANGESET_NOT_PUBLISHED, lambda: verify(furnished))
    publish(furnished)
    verify(furnished)
    changeset_rollback.rollback(furnished, AGENT, changeset=DRAFT)
    refused(CHANGESET_NOT_PUBLISHED, lambda: verify(furnished))
    assert shown(furnished).verification is None
    a_draft(furnished).close()
    changesets.discard(furnished, AGENT, name=DRAFT)
    refused(CHANGESET_NOT_PUBLISHED, lambda: verify(furnished))


def test_verifying_changes_no_content(published: Wiki) -> None:
    before = [overview.context((published,)).stores[0].pages, pages.list_(published).pages]
    verify(published)
    after = [overview.context((published,)).stores[0].pages, pages.list_(published).pages]
    assert after == before
