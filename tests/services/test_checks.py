"""Checks kept with pages and run by the real search: where the page stands is what agents see."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Clock
from ingesting import a_source, refused
from page_makers import AUTHOR, put, rows
from processes import as_nobody
from storefiles import closed_store

from lwc.domain.check import CHECKS_MOST, TOP_MOST
from lwc.errors import (
    CHECK_NOT_FOUND,
    CHECK_SAME_WORDS,
    INVALID_OFFSET,
    LIMIT_OUT_OF_RANGE,
    PAGE_NOT_FOUND,
    REQUEST_ID_REUSED,
    SLUG_RENAMED,
    STALE_REVISION,
    TOO_MANY_CHECKS,
)
from lwc.services import checks, page_moves, page_writes, pages
from lwc.services.checks import RESULTS_SHOWN, CheckAdded, CheckOutcome, ChecksRun
from lwc.services.search import RERANKED, search
from lwc.store import drafts
from lwc.wiki import Call, Wiki, open_wiki

READER = Call(agent="reader")


@pytest.fixture
def locks(wiki: Wiki) -> Wiki:
    """Three pages that tell of locks and one that does not."""
    put(wiki, "lock", "A lock is held by one writer.\n", title="The lock", summary="Locks.")
    put(wiki, "lease", "A lease is a lock that ends by itself.\n", title="Leases")
    put(wiki, "door", "The lock of a door is no lock of ours. Nor is a writer of letters.\n")
    put(wiki, "cheese", "Cheese is made of milk.\n")
    return wiki


@pytest.fixture
def draft(locks: Wiki) -> Iterator[Wiki]:
    """A draft laid over the wiki of locks."""
    with locks.writing(AUTHOR) as change:
        drafts.begin(change.conn, "draft", author=change.agent, now=change.now)
    with open_wiki(locks.workspace.root, changeset="draft") as opened:
        yield opened


def add(wiki: Wiki, slug: str, query: str, *paraphrases: str, **more: int) -> CheckAdded:
    return checks.add(wiki, AUTHOR, slug=slug, query=query, paraphrases=paraphrases, **more)


def run(wiki: Wiki, *slugs: str, call: Call = READER, failed: bool = False) -> ChecksRun:
    return checks.run(wiki, call, slugs=slugs, failed=failed)


def only(ran: ChecksRun) -> CheckOutcome:
    (outcome,) = ran.checks
    return outcome


class TestAdding:
    def test_a_check_stands_with_its_page(self, locks: Wiki, clock: Clock) -> None:
        added = add(locks, "lock", " who writes ", "single\nwriter", top=3)
        check = added.check
        assert added.created
        assert (check.id, check.page, check.query, check.top) == (1, "lock", "who writes", 3)
        assert check.paraphrases == ("single writer",)
        assert (check.author, check.created_at) == ("author", clock.moment)
        assert (check.last_run, check.page_changed) == (None, False)
        assert checks.list_(locks).checks == (check,)
        assert pages.show(locks, slug="lock").checks == (check,)
        assert pages.show(locks, slug="cheese").checks == ()

    def test_it_is_one_entry_of_the_journal(self, locks: Wiki) -> None:
        before = locks.revision()
        assert add(locks, "lock", "writer").revision == before + 1 == locks.revision()
        entry = rows(locks)["operations"][-1]
        assert entry[1:4] == ("check_add", "lock", '{"check_id":1}')

    def test_the_same_check_again_changes_nothing(self, locks: Wiki) -> None:
        first = add(locks, "lock", "one writer", "exclusive access", "mutex")
        again = add(locks, "lock", "Writer: one!", "mutexes", "access, exclusively")
        assert not again.created
        assert (again.check, again.revision) == (first.check, first.revision)

    @pytest.mark.parametrize(
        "slug, words, top",
        [
            pytest.param("lock", ("one writer", "mutex"), 5, id="a paraphrase less"),
            pytest.param("lock", ("mutex", "one writer", "exclusive"), 5, id="another original"),
            pytest.param("lock", ("one writer", "mutex", "exclusive"), 4, id="another top"),
            pytest.param("door", ("one writer", "mutex", "exclusive"), 5, id="another page"),
        ],
    )
    def test_what_asks_otherwise_is_another_check(
        self, locks: Wiki, slug: str, words: tuple[str, ...], top: int
    ) -> None:
        add(locks, "lock", "one writer", "mutex", "exclusive")
        assert add(locks, slug, *words, top=top).created

    def test_it_needs_the_page_by_its_own_name(self, locks: Wiki) -> None:
        refused(PAGE_NOT_FOUND, lambda: add(locks, "nowhere", "writer"))
        page_moves.rename(locks, AUTHOR, slug="lock", to="the-lock")
        error = refused(SLUG_RENAMED, lambda: add(locks, "lock", "writer"))
        assert error.details["now"] == "the-lock"

    def test_a_bad_question_is_refused_before_anything_is_done(self, locks: Wiki) -> None:
        before = rows(locks)
        refused(CHECK_SAME_WORDS, lambda: add(locks, "lock", "writer", "writers"))
        refused(LIMIT_OUT_OF_RANGE, lambda: add(locks, "lock", "writer", top=TOP_MOST + 1))
        assert rows(locks) == before

    def test_a_page_has_only_so_many(self, locks: Wiki) -> None:
        for number in range(CHECKS_MOST):
            add(locks, "lock", f"word{number}")
        error = refused(TOO_MANY_CHECKS, lambda: add(locks, "lock", "one more"))
        assert error.details == {"slug": "lock", "most": CHECKS_MOST}
        assert not add(locks, "lock", "word1").created

    def test_a_repeated_request_adds_no_second_one(self, locks: Wiki) -> None:
        call = replace(AUTHOR, request_id="r1", command="check add")
        first = checks.add(locks, call, slug="lock", query="writer")
        checks.remove(locks, AUTHOR, first.check.id)
        again = checks.add(locks, call, slug="lock", query="writer")
        assert again == replace(first, replayed=True)
        other = replace(call, command="check remove")
        refused(REQUEST_ID_REUSED, lambda: checks.remove(locks, other, 1))

    def test_it_is_bound_to_the_revision_that_was_seen(self, locks: Wiki) -> None:
        late = replace(AUTHOR, if_revision=locks.revision() - 1)
        refused(STALE_REVISION, lambda: checks.add(locks, late, slug="lock", query="writer"))


class TestRemoving:
    def test_a_check_that_is_removed_is_told_once_more(self, locks: Wiki) -> None:
        check = add(locks, "lock", "writer", "mutex").check
        gone = checks.remove(locks, AUTHOR, check.id)
        assert (gone.removed, gone.check) == (True, check)
        assert checks.list_(locks).checks == ()
        assert rows(locks)["operations"][-1][1:3] == ("check_remove", "lock")
        error = refused(CHECK_NOT_FOUND, lambda: checks.remove(locks, AUTHOR, check.id))
        assert error.details == {"check": check.id}

    def test_its_id_is_not_given_again(self, locks: Wiki) -> None:
        checks.remove(locks, AUTHOR, add(locks, "lock", "writer").check.id)
        assert add(locks, "lock", "writer").check.id == 2


class TestTheirPage:
    def test_a_renamed_page_keeps_its_checks(self, locks: Wiki) -> None:
        add(locks, "lock", "writer")
        page_moves.rename(locks, AUTHOR, slug="lock", to="the-lock")
        (check,) = checks.list_(locks, slug="lock").checks
        assert check.page == "the-lock"
        assert only(run(locks, "lock")).page == "the-lock"

    def test_a_removed_page_takes_them_and_does_not_bring_them_back(self, locks: Wiki) -> None:
        add(locks, "lock", "writer")
        run(locks)
        revision = page_moves.remove(locks, AUTHOR, slug="lock").restore_revision
        assert checks.list_(locks).total == 0
        page_writes.restore(locks, AUTHOR, slug="lock", revision=revision)
        assert checks.list_(locks).total == 0
        assert run(locks).total == 0

    def test_a_revision_of_before_shows_none(self, locks: Wiki) -> None:
        add(locks, "lock", "writer")
        put(locks, "lock", "Another text.\n")
        assert pages.show(locks, slug="lock", revision=1).checks is None


class TestListing:
    def test_checks_stand_by_page_in_parts_that_fit_together(self, locks: Wiki) -> None:
        ids = [add(locks, slug, "word").check.id for slug in ("lock", "cheese", "door")]
        ids += [add(locks, "cheese", "milk").check.id]
        lists = [checks.list_(locks, limit=2, offset=offset) for offset in (0, 2, 4)]
        assert [[check.id for check in one.checks] for one in lists] == [[2, 4], [3, 1], []]
        assert sorted(ids) == [1, 2, 3, 4]
        assert [one.has_more for one in lists] == [True, False, False]
        assert {one.total for one in lists} == {4}
        assert [check.id for check in checks.list_(locks, slug="cheese").checks] == [2, 4]

    def test_parts_that_cannot_be_are_refused(self, locks: Wiki) -> None:
        refused(LIMIT_OUT_OF_RANGE, lambda: checks.list_(locks, limit=0))
        refused(INVALID_OFFSET, lambda: checks.run(locks, READER, offset=-1))
        refused(PAGE_NOT_FOUND, lambda: checks.list_(locks, slug="nowhere"))
        refused(PAGE_NOT_FOUND, lambda: run(locks, "lock", "nowhere"))

    def test_the_last_result_is_shown_and_whether_the_page_was_written_since(
        self, locks: Wiki, clock: Clock
    ) -> None:
        add(locks, "lock", "writer", "milk")
        ran = run(locks)
        (check,) = checks.list_(locks).checks
        assert check.last_run is not None
        assert (check.last_run.held, check.last_run.places) == (False, (1, None))
        assert (check.last_run.revision, check.last_run.agent) == (ran.revision, "reader")
        assert check.last_run.ran_at == clock.moment
        assert not check.page_changed
        put(locks, "cheese", "Another page.\n")
        assert not checks.list_(locks).checks[0].page_changed
        put(locks, "lock", "Who has a lock has milk.\n")
        assert checks.list_(locks).checks[0].page_changed
        run(locks)
        assert not checks.list_(locks).checks[0].page_changed


class TestRunning:
    def test_each_query_tells_where_it_found_the_page(self, locks: Wiki) -> None:
        add(locks, "lock", "lock", "held by a writer", "milk", top=2)
        ran = run(locks)
        outcome = only(ran)
        assert (outcome.page, outcome.top, outcome.held) == ("lock", 2, False)
        assert (outcome.query, outcome.place) == ("lock", 1)
        assert [(one.slug, one.place) for one in outcome.results] == [("lock", 1)]
        assert outcome.results[0].title == "The lock"
        writer, milk = outcome.paraphrases
        assert (writer.query, writer.place) == ("held by a writer", 1)
        assert (milk.place, [one.slug for one in milk.results]) == (None, ["cheese"])
        assert not ran.held
        assert ran.totals == {"checks": 1, "held": 0, "failed": 1, "queries": 3}

    @pytest.mark.parametrize("top, place", [(1, None), (2, None), (3, 3), (50, 3)])
    def test_a_page_behind_the_first_is_not_found(
        self, locks: Wiki, top: int, place: int | None
    ) -> None:
        add(locks, "lease", "lock", top=top)
        outcome = only(run(locks))
        assert (outcome.place, outcome.held) == (place, place is not None)
        assert [one.slug for one in outcome.results] == ["lock", "door", "lease"][:top]

    @pytest.mark.parametrize("query", ["lock", "locks writer letters", "lease", "Zeppelin"])
    def test_the_place_is_that_among_the_results_of_a_search(self, locks: Wiki, query: str) -> None:
        source = a_source(locks, "The lock, the lease and the writer.")
        put(locks, "paper", "On the lock.\n", kind="source", source_ids=(source,))
        for slug in ("lock", "lease", "door", "paper"):
            add(locks, slug, query)
        for type_ in ("auto", "page", "all"):
            found = search(locks, query=query, type=type_, limit=5).results
            places = {one.identifier: at for at, one in enumerate(found, start=1)}
            for outcome in run(locks).checks:
                assert outcome.place == places.get(outcome.page)

    def test_the_place_is_right_among_more_pages_than_are_ranked_by_name(self, wiki: Wiki) -> None:
        for number in range(RERANKED + 5):
            put(wiki, f"p{number}", "Lock.\n" + "Word.\n" * (number % 7), title=f"P {number}")
            add(wiki, f"p{number}", "lock", top=TOP_MOST)
        found = search(wiki, query="lock", type="page", limit=TOP_MOST).results
        places = {one.identifier: at for at, one in enumerate(found, start=1)}
        ran = checks.run(wiki, READER, limit=1000)
        assert {one.page: one.place for one in ran.checks if one.place} == places
        assert ran.totals == {
            "checks": RERANKED + 5,
            "held": TOP_MOST,
            "failed": RERANKED + 5 - TOP_MOST,
            "queries": RERANKED + 5,
        }
        assert max(len(one.results) for one in ran.checks) == RESULTS_SHOWN

    def test_those_that_failed_are_shown_first(self, locks: Wiki) -> None:
        for slug, query in (("lock", "lock"), ("door", "milk"), ("cheese", "milk")):
            add(locks, slug, query)
        shown = [checks.run(locks, READER, limit=2, offset=offset) for offset in (0, 2)]
        assert [[one.page for one in part.checks] for part in shown] == [
            ["door", "cheese"],
            ["lock"],
        ]
        assert [part.has_more for part in shown] == [True, False]
        assert {part.held for part in shown} == {False}
        assert {part.totals["failed"] for part in shown} == {1}

    def test_only_the_pages_that_are_named_are_meant(self, locks: Wiki) -> None:
        for slug in ("lock", "door", "cheese"):
            add(locks, slug, "lock")
        assert {one.page for one in run(locks, "lock", "door").checks} == {"lock", "door"}
        assert run(locks, "lock").held
        assert [check.last_run is None for check in checks.list_(locks).checks] == [
            True,
            False,
            False,
        ]

    def test_those_that_held_are_left_out_when_only_failed_ones_are_wanted(
        self, locks: Wiki
    ) -> None:
        for slug in ("lock", "cheese"):
            add(locks, slug, "lock")
        run(locks)
        add(locks, "door", "lock")
        assert {one.page for one in run(locks, failed=True).checks} == {"cheese", "door"}
        assert {one.page for one in run(locks, failed=True).checks} == {"cheese"}
        put(locks, "cheese", "A lock on cheese.\n")
        assert run(locks, failed=True).held
        assert run(locks, failed=True).total == 0

    def test_a_run_is_no_change_of_the_wiki(self, locks: Wiki) -> None:
        add(locks, "lock", "lock")
        before, revision = rows(locks), locks.revision()
        ran = run(locks)
        assert (ran.revision, ran.recorded) == (revision, True)
        assert (rows(locks), locks.revision()) == (before, revision)

    def test_nothing_to_run_is_nothing_wrong(self, locks: Wiki) -> None:
        ran = run(locks)
        assert (ran.held, ran.total, ran.totals["checks"]) == (True, 0, 0)

    def test_progress_is_told(self, locks: Wiki) -> None:
        for slug in ("lock", "door"):
            add(locks, slug, "lock")
        told: list[tuple[int, int]] = []
        checks.run(locks, READER, progress=lambda done, total: told.append((done, total)))
        assert told == [(0, 2), (1, 2)]

    def test_a_repeated_request_answers_what_was_found_then(self, locks: Wiki) -> None:
        add(locks, "lock", "lock", "milk")
        call = replace(READER, request_id="r1", command="check run")
        first = run(locks, call=call)
        put(locks, "lock", "A lock of milk.\n")
        assert run(locks, call=call) == replace(first, replayed=True)
        assert not checks.list_(locks).checks[0].last_run.held  # type: ignore[union-attr]
        assert run(locks).held

    def test_it_is_bound_to_the_revision_that_was_seen(self, locks: Wiki) -> None:
        add(locks, "lock", "lock")
        seen = replace(READER, if_revision=locks.revision())
        assert run(locks, call=seen).recorded
        put(locks, "lock", "Another.\n")
        refused(STALE_REVISION, lambda: run(locks, call=seen))


class TestStanding:
    def test_a_page_is_checked_by_an_original_and_a_paraphrase(self, locks: Wiki) -> None:
        add(locks, "lock", "lock", "held by a writer", "milk")
        add(locks, "lease", "lease")
        add(locks, "cheese", "lock", "milk")
        with locks.reading() as conn:
            found = checks.standing(conn, [4, 1, 99, 2, 3])
        assert [one.page for one in found] == ["cheese", "lock", "lease", "door"]
        told = {one.page: (one.paraphrased, one.checked, len(one.failed)) for one in found}
        assert told == {
            "lock": (True, True, 1),
            "lease": (False, False, 0),
            "cheese": (True, False, 1),
            "door": (False, False, 0),
        }
        assert [len(one.outcomes) for one in found] == [1, 1, 1, 0]


class TestDrafts:
    def test_a_check_of_a_draft_is_seen_only_there(self, locks: Wiki, draft: Wiki) -> None:
        added = add(draft, "lock", "lock")
        assert (added.changeset, added.draft_revision) == ("draft", 1)
        assert added.revision == locks.revision()
        assert checks.list_(locks).total == 0
        assert [one.id for one in checks.list_(draft).checks] == [added.check.id]
        assert add(locks, "lock", "lock").check.id == added.check.id + 1

    def test_a_live_check_is_removed_in_the_draft_alone(self, locks: Wiki, draft: Wiki) -> None:
        check = add(locks, "lock", "lock").check
        assert checks.remove(draft, AUTHOR, check.id).removed
        assert checks.list_(draft).total == 0
        assert checks.list_(locks).checks == (check,)
        refused(CHECK_NOT_FOUND, lambda: checks.remove(draft, AUTHOR, check.id))

    def test_a_page_of_the_draft_can_be_checked_there(self, locks: Wiki, draft: Wiki) -> None:
        put(draft, "zeppelin", "A lighter ship.\n")
        add(draft, "zeppelin", "ships", "lighter than air")
        ran = run(draft)
        assert (ran.held, ran.recorded, ran.changeset) == (True, False, "draft")
        assert ran.draft_revision == 2
        assert checks.list_(draft).checks[0].last_run is None
        refused(PAGE_NOT_FOUND, lambda: add(locks, "zeppelin", "ships"))

    def test_the_draft_is_what_its_checks_are_run_on(self, locks: Wiki, draft: Wiki) -> None:
        check = add(locks, "cheese", "lock").check
        put(draft, "cheese", "A lock on cheese.\n", title="Lock")
        assert only(run(draft)).held
        assert not only(run(locks)).held
        (staged,) = checks.list_(draft).checks
        assert staged.id == check.id
        assert (staged.last_run is not None, staged.page_changed) == (True, True)
        assert not checks.list_(locks).checks[0].page_changed
        with draft.reading() as conn:
            assert not checks.standing(conn, [4])[0].failed
        with locks.reading() as conn:
            assert len(checks.standing(conn, [4])[0].failed) == 1

    def test_a_run_in_a_draft_keeps_nothing_of_live_results(self, locks: Wiki, draft: Wiki) -> None:
        add(locks, "lock", "held by one")
        run(locks)
        before = checks.list_(locks).checks
        put(draft, "lock", "Nothing.\n", title="Nothing")
        assert not run(draft, failed=False).held
        assert checks.list_(locks).checks == before
        assert run(draft, failed=True).total == 0

    def test_a_page_removed_in_the_draft_has_no_checks_there(
        self, locks: Wiki, draft: Wiki
    ) -> None:
        add(locks, "cheese", "milk")
        page_moves.remove(draft, AUTHOR, slug="cheese")
        assert checks.list_(draft).total == 0
        assert run(draft).total == 0
        assert checks.list_(locks).total == 1

    def test_it_is_bound_to_the_revision_of_the_draft(self, draft: Wiki) -> None:
        bound = replace(AUTHOR, if_revision=0)
        assert checks.add(draft, bound, slug="lock", query="lock").draft_revision == 1
        refused(STALE_REVISION, lambda: checks.add(draft, bound, slug="lock", query="door"))
        refused(STALE_REVISION, lambda: run(draft, call=bound))
        assert run(draft, call=replace(READER, if_revision=1)).held


def test_who_may_only_read_a_wiki_runs_its_checks(locks: Wiki, open_folder: Path) -> None:
    add(locks, "lock", "lock")
    locks.close()
    with closed_store():
        project = Path(shutil.copytree(locks.workspace.root, open_folder / "project"))
    for path in (*project.rglob("*"), project):
        path.chmod(0o555 if path.is_dir() else 0o444)

    def look() -> list[bool]:
        with open_wiki(project) as wiki:
            ran = run(wiki)
            return [ran.held, ran.recorded, checks.list_(wiki).checks[0].last_run is None]

    assert as_nobody(look) == [True, False, True]
