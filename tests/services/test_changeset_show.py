"""Looking at changesets: what a draft holds and lacks, and what became of others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Clock
from drafting import ACTS, DRAFT, Act, a_draft, live
from ingesting import AGENT, refused
from page_makers import cited, put
from processes import as_nobody
from storefiles import closed_store

from lwc.domain.changeset import Entity, Status, Verification
from lwc.errors import CHANGESET_NOT_FOUND, LIMIT_OUT_OF_RANGE, LwcError
from lwc.services import (
    changeset_diff,
    changeset_publish,
    changeset_rollback,
    changeset_show,
    changesets,
    charter,
    checks,
    completion,
    configuration,
    page_moves,
)
from lwc.services.changeset_show import DraftShown, EndedShown
from lwc.services.completion import Waivers
from lwc.services.lint_baseline import gate
from lwc.store import drafts
from lwc.wiki import Call, Wiki, open_wiki

BERTA = Call(agent="berta")


def shown(wiki: Wiki, name: str = DRAFT, **options: int) -> DraftShown:
    found = changeset_show.show(wiki, changeset=name, **options)
    assert isinstance(found, DraftShown)
    return found


def ended(wiki: Wiki, name: str = DRAFT, **options: int) -> EndedShown:
    found = changeset_show.show(wiki, changeset=name, **options)
    assert isinstance(found, EndedShown)
    return found


def publish(wiki: Wiki, *, name: str = DRAFT) -> LwcError | None:
    """The refusal of a publication without any waiver; none when it is published."""
    try:
        changeset_publish.publish(wiki, AGENT, name=name)
    except LwcError as error:
        return error
    return None


def test_a_draft_shows_what_was_done_in_it_newest_first(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet.\n", call=BERTA)
        put(draft, "fresh", "New, see [[alone]].\n", call=AGENT)
        charter.put(draft, AGENT, name="purpose", text="Be quiet.\n")
    found = shown(furnished, limit=2)
    assert [(one.id, one.action, one.target) for one in found.operations] == [
        (3, "purpose_set", "purpose"),
        (2, "page_put", "fresh"),
    ]
    assert (found.total, found.has_more, found.staged_operation_count) == (3, True, 3)
    assert found.action_counts == {"page_put": 2, "purpose_set": 1}
    assert found.entities == {Entity.CHARTER: 1, Entity.PAGE: 2}
    assert (found.empty, found.conflict, found.status) == (False, False, Status.DRAFT)
    assert (found.author, found.draft_revision) == (AGENT.agent, 3)
    assert found.base_revision == found.revision == furnished.revision()
    rest = shown(furnished, limit=2, offset=2)
    assert [(one.id, one.agent) for one in rest.operations] == [(1, "berta")]
    assert rest.has_more is False


def test_an_empty_draft_lacks_everything(furnished: Wiki) -> None:
    a_draft(furnished).close()
    found = shown(furnished)
    assert (found.empty, found.ready, found.entities, found.operations) == (True, False, {}, ())
    assert [one.code for one in found.missing] == ["changeset_empty"]


@pytest.mark.parametrize("policy", ["standard", "required"])
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_what_is_missing_is_what_publishing_refuses(furnished: Wiki, act: Act, policy: str) -> None:
    configuration.put(furnished, AGENT, values={"checks": policy})
    with a_draft(furnished) as draft:
        act(draft)
    before = live(furnished)
    found = shown(furnished)
    assert live(furnished) == before
    error = publish(furnished)
    assert found.ready is (error is None)
    assert found.ready is (not found.missing)
    if error is not None:
        first = found.missing[0]
        told = error.body()
        assert (first.code, first.reason) == (told["code"], told["reason"])
        assert (first.message, first.hint) == (told["message"], told["hint"])


def test_every_refusal_is_told_at_once(furnished: Wiki) -> None:
    configuration.put(furnished, AGENT, values={"checks": "required"})
    with a_draft(furnished) as draft:
        put(draft, "alone", "See [[nowhere]].\n", call=AGENT)
        put(draft, "spare", "A spare page.\n", call=AGENT)
    put(furnished, "spare", "Written live.\n", call=BERTA)
    found = shown(furnished)
    assert [one.code for one in found.missing] == [
        "changeset_conflict",
        "changeset_lint_failed",
        "check_missing",
    ]


def test_a_conflict_names_both_revisions_who_and_when(furnished: Wiki, clock: Clock) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "Drafted.\n", call=AGENT)
        put(draft, "spare", "Drafted twice.\n", call=AGENT)
    clock.tick(60)
    put(furnished, "spare", "Written live.\n", call=BERTA)
    found = shown(furnished)
    (conflict,) = found.conflicts
    assert (conflict.entity, conflict.identifier, conflict.why) == ("page", "spare", "changed")
    assert (conflict.base_revision, conflict.live_revision, conflict.draft_revision) == (2, 3, 4)
    assert (conflict.changed_by, conflict.changed_at) == ("berta", clock.moment)
    assert (found.conflict, found.conflicts_total) == (True, 1)
    put(furnished, "spare", "A spare page, written twice.\n", call=BERTA)
    assert shown(furnished).conflict is False


def test_lint_tells_what_is_introduced_and_what_is_inherited(furnished: Wiki) -> None:
    put(furnished, "old", "See [[lost]].\n", call=AGENT)
    with a_draft(furnished) as draft:
        put(draft, "alone", "See [[nowhere]].\n", call=AGENT)
    lint = shown(furnished).lint
    errors = [one for one in lint.introduced.issues if one.severity == "error"]
    assert [(one.page, one.target) for one in errors] == [("alone", "nowhere")]
    assert (lint.blocking, lint.touched.issues) == (1, ())
    assert lint.inherited["error"] == 1
    with furnished.reading() as conn:
        assert lint.digest == gate(conn, drafts.opened(conn, DRAFT)).digest
    waived = changeset_publish.override(
        allow_lint_issues=True, reason="Known.", findings=lint.digest
    )
    changeset_publish.publish(furnished, AGENT, name=DRAFT, waived=waived)


def test_checks_of_touched_pages_are_counted_those_that_lack_first(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "store", f"{cited(1)}\nSee [[alone]], who holds the lock.\n", call=AGENT)
        put(draft, "alone", "Nobody waits alone.\n\nMore.\n", call=AGENT)
        put(draft, "spare", "A spare page, quiet.\n", call=AGENT)
        checks.add(draft, AGENT, slug="spare", query="violet elephants")
        checks.add(draft, AGENT, slug="store", query="who holds the lock", paraphrases=("writer",))
    found = shown(furnished).checks
    assert [(page.page, page.checked, page.checks, page.held) for page in found.pages] == [
        ("spare", False, 1, 0),
        ("alone", False, 0, 0),
        ("store", True, 2, 2),
    ]
    assert [len(page.failed) for page in found.pages] == [1, 0, 0]
    assert found.totals == {
        "pages": 3,
        "checked": 1,
        "unchecked": 2,
        "checks": 3,
        "held": 2,
        "failed": 1,
    }
    assert found.policy == "standard"


def test_a_completion_names_the_gates_that_do_not_hold_now(furnished: Wiki) -> None:
    waivers = Waivers(no_derived_pages_reason="Nothing to say.", unread_reason="It is short.")
    with a_draft(furnished) as draft:
        put(draft, "late", "Late.\n", call=AGENT, kind="source", source_ids=(2,))
        completion.complete(draft, AGENT, 2, waivers=waivers)
        (done,) = shown(furnished).completions
        assert (done.job, done.ready, done.missing) == (2, True, ())
        page_moves.remove(draft, AGENT, slug="late")
    found = shown(furnished)
    (done,) = found.completions
    assert (done.ready, [one.gate for one in done.missing]) == (False, ["cited"])
    assert "changeset_completion_refused" in [one.code for one in found.missing]


def test_what_was_published_is_told_afterwards(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet, alone.\n", call=BERTA)
        put(draft, "fresh", "New, see [[alone]].\n", call=AGENT)
        page_moves.remove(draft, AGENT, slug="spare")
    assert publish(furnished) is None
    found = ended(furnished, limit=2)
    assert [(one.entity, one.identifier, one.done) for one in found.published] == [
        ("page", "alone", "changed"),
        ("page", "fresh", "created"),
        ("page", "spare", "removed"),
    ]
    assert (found.published_total, found.entities) == (3, {Entity.PAGE: 3})
    assert found.action_counts == {"page_put": 2, "page_remove": 1}
    own = found.published_revision
    assert own == found.revision == furnished.revision()
    assert [(one.id, one.action, one.target) for one in found.operations] == [
        (own - 1, "page_remove", "spare"),
        (own - 2, "page_put", "fresh"),
    ]
    assert (found.total, found.has_more, found.staged_operation_count) == (3, True, 3)
    assert found.verification is Verification.PENDING
    assert (found.empty, found.conflict, found.verified) == (False, False, None)
    (first,) = ended(furnished, limit=2, offset=2).operations
    assert (first.agent, first.detail["changeset"]) == ("berta", DRAFT)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_operations_of_a_publication_are_just_its_own(furnished: Wiki, act: Act) -> None:
    put(furnished, "noise", "Before.\n", call=AGENT)
    with a_draft(furnished) as draft:
        act(draft)
    before = shown(furnished, limit=1000)
    waived = changeset_publish.override(allow_lint_issues=True, reason="Test.", findings=None)
    if not before.empty:
        changeset_publish.publish(furnished, AGENT, name=DRAFT, waived=waived)
        put(furnished, "noise", "After.\n", call=AGENT)
        after = ended(furnished, limit=1000)
        assert [(one.action, one.target) for one in after.operations] == [
            (one.action, one.target) for one in before.operations
        ]
        assert all(one.detail["changeset"] == DRAFT for one in after.operations)


def test_a_rollback_is_told_and_what_was_discarded_kept_nothing(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
    publish(furnished)
    changeset_rollback.rollback(furnished, BERTA, changeset=DRAFT)
    found = ended(furnished)
    assert (found.status, found.ended_by) == (Status.ROLLED_BACK, "berta")
    assert found.rollback_revision == furnished.revision()
    assert (found.verification, len(found.published)) == (None, 1)
    with a_draft(furnished, "other") as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
    changesets.discard(furnished, AGENT, name="other")
    gone = ended(furnished, "other")
    assert (gone.status, gone.published, gone.operations) == (Status.DISCARDED, (), ())
    assert (gone.staged_operation_count, gone.empty) == (0, True)


def test_a_name_leads_to_the_draft_and_an_id_to_what_bore_it_before(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
    publish(furnished)
    first = ended(furnished)
    a_draft(furnished).close()
    assert shown(furnished).changeset_id != first.changeset_id
    assert ended(furnished, first.changeset_id) == first
    refused(CHANGESET_NOT_FOUND, lambda: changeset_show.show(furnished, changeset="gone"))
    refused(LIMIT_OUT_OF_RANGE, lambda: changeset_show.show(furnished, changeset=DRAFT, limit=0))


def test_the_list_has_drafts_first_and_counts_what_is_staged(furnished: Wiki) -> None:
    with a_draft(furnished, "first") as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
    publish(furnished, name="first")
    with a_draft(furnished, "second") as draft:
        put(draft, "spare", "Quiet.\n", call=AGENT)
        put(draft, "spare", "Quieter.\n", call=AGENT)
    a_draft(furnished, "third").close()
    changesets.discard(furnished, AGENT, name="third")
    a_draft(furnished, "fourth").close()
    found = changeset_show.list_(furnished)
    assert [(one.name, one.status, one.empty) for one in found.changesets] == [
        ("fourth", "draft", True),
        ("second", "draft", False),
        ("third", "discarded", True),
        ("first", "committed", False),
    ]
    assert [one.staged_operation_count for one in found.changesets] == [0, 2, 0, 1]
    assert [one.entities for one in found.changesets] == [{}, {"page": 1}, {}, {"page": 1}]
    assert (found.total, found.has_more) == (4, False)
    part = changeset_show.list_(furnished, limit=1, offset=1)
    assert ([one.name for one in part.changesets], part.has_more) == (["second"], True)
    some = changeset_show.list_(furnished, status=Status.COMMITTED)
    assert ([one.name for one in some.changesets], some.total) == (["first"], 1)


def test_a_draft_is_shown_from_the_draft_itself(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Quiet.\n", call=AGENT)
        assert shown(draft).operations == shown(furnished).operations
        assert changeset_show.list_(draft).total == 1


def test_who_may_only_read_a_wiki_sees_what_a_draft_holds(
    furnished: Wiki, open_folder: Path
) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "See [[nowhere]].\n", call=AGENT)
    expected = [one.code for one in shown(furnished).missing]
    furnished.close()
    with closed_store():
        project = Path(shutil.copytree(furnished.workspace.root, open_folder / "project"))
    for path in (*project.rglob("*"), project):
        path.chmod(0o555 if path.is_dir() else 0o444)

    def look() -> list[object]:
        with open_wiki(project) as wiki:
            found = shown(wiki)
            (page,) = changeset_diff.diff(wiki, changeset=DRAFT).pages
            listed = changeset_show.list_(wiki).total
            return [[one.code for one in found.missing], found.conflict, page.added, listed]

    assert as_nobody(look) == [expected, False, 1, 1]
