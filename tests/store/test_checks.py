"""Checks in the database: results are kept of checks that are there, and never turned back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Clock
from page_makers import AUTHOR, put
from sqlalchemy import insert, select, update

from lwc.domain.changeset import Entity
from lwc.domain.check import Place
from lwc.errors import STORE_CORRUPT, LwcError
from lwc.services import checks as keeping
from lwc.services import page_moves
from lwc.store import checks, drafts, layers, pages, staging
from lwc.store.checks import CheckState, Chosen
from lwc.store.tables import check_results
from lwc.store.tables import checks as check_rows
from lwc.wiki import Wiki, open_wiki


@pytest.fixture
def two(wiki: Wiki) -> tuple[int, int]:
    """Two checks of a page."""
    put(wiki, "lock")
    first, second = (
        keeping.add(wiki, AUTHOR, slug="lock", query=query, paraphrases=("in other words",))
        for query in ("first", "second")
    )
    return first.check.id, second.check.id


def record(wiki: Wiki, found: dict[int, tuple[Place, ...]], *, revision: int) -> None:
    with wiki.writing(AUTHOR) as change:
        checks.record(change.conn, found, revision=revision, agent=change.agent, now=change.now)


def states(wiki: Wiki, **chosen: Any) -> list[CheckState]:
    with wiki.reading() as conn:
        return list(checks.listed(conn, Chosen(**chosen)))


def test_the_last_result_is_the_one_kept(wiki: Wiki, two: tuple[int, int], clock: Clock) -> None:
    first, second = two
    record(wiki, {first: (1, None), second: (2, 3)}, revision=5)
    clock.tick(60)
    record(wiki, {first: (4, 1)}, revision=5)
    one, other = states(wiki)
    assert one.last_run is not None
    assert other.last_run is not None
    assert (one.last_run.held, one.last_run.places) == (True, (4, 1))
    assert (one.last_run.agent, one.last_run.ran_at) == ("author", clock.moment)
    assert (other.last_run.held, other.last_run.places) == (True, (2, 3))
    assert other.last_run.ran_at < clock.moment


def test_a_result_of_an_earlier_revision_does_not_replace_a_later_one(
    wiki: Wiki, two: tuple[int, int]
) -> None:
    """Who began to run first may be done last."""
    first, _ = two
    record(wiki, {first: (1, 1)}, revision=9)
    record(wiki, {first: (None, None)}, revision=8)
    run = states(wiki)[0].last_run
    assert run is not None
    assert (run.held, run.revision) == (True, 9)


def test_no_result_is_kept_of_a_check_that_is_gone(wiki: Wiki, two: tuple[int, int]) -> None:
    first, second = two
    keeping.remove(wiki, AUTHOR, first)
    record(wiki, {first: (1, 1), second: (1, 1), 99: (1,)}, revision=5)
    with wiki.reading() as conn:
        assert list(conn.execute(select(check_results.c.check_id)).scalars()) == [second]


def test_nothing_recorded_changes_nothing(wiki: Wiki, two: tuple[int, int]) -> None:
    record(wiki, {}, revision=5)
    assert [one.last_run for one in states(wiki)] == [None, None]


def test_failed_are_those_that_did_not_hold_and_those_that_never_ran(
    wiki: Wiki, two: tuple[int, int]
) -> None:
    first, second = two
    assert [one.id for one in states(wiki, failed=True)] == [first, second]
    record(wiki, {first: (1, 1)}, revision=5)
    assert [one.id for one in states(wiki, failed=True)] == [second]
    record(wiki, {second: (1, None)}, revision=5)
    assert [one.id for one in states(wiki, failed=True)] == [second]
    with wiki.reading() as conn:
        assert checks.count(conn, Chosen(failed=True)) == 1
        assert checks.count(conn, Chosen(page_ids=())) == 0


def test_the_checks_of_a_page_are_dropped_before_it(wiki: Wiki, two: tuple[int, int]) -> None:
    put(wiki, "other")
    kept = keeping.add(wiki, AUTHOR, slug="other", query="word").check
    with wiki.writing(AUTHOR) as change:
        lock = checks.find(change.conn, two[0])
        assert lock.page == "lock"
        page_id = change.conn.execute(select(check_rows.c.page_id)).scalars().first()
        assert page_id is not None
        checks.drop_of_page(change.conn, page_id)
    assert states(wiki) == [kept]


def test_in_a_draft_the_checks_of_a_page_are_staged_away(wiki: Wiki, two: tuple[int, int]) -> None:
    with wiki.writing(AUTHOR) as change:
        drafts.begin(change.conn, "draft", author=change.agent, now=change.now)
    with open_wiki(wiki.workspace.root, changeset="draft") as draft:
        with draft.staging(AUTHOR) as change:
            checks.drop_of_page(change.conn, pages.find(change.conn, "lock").id)
            opened = layers.of(change.conn)
            assert opened is not None
            staged = staging.of_draft(change.conn, opened.id)
        assert [(one.entity, one.number) for one in staged] == [(Entity.CHECK, id_) for id_ in two]
        assert all(one.base_digest for one in staged)
        assert states(draft) == []
    assert [one.id for one in states(wiki)] == list(two)


def test_a_page_that_goes_takes_its_checks_and_their_results(
    wiki: Wiki, two: tuple[int, int]
) -> None:
    record(wiki, {two[0]: (1, 1)}, revision=5)
    page_moves.remove(wiki, AUTHOR, slug="lock")
    with wiki.reading() as conn:
        for table in (check_rows, check_results):
            assert conn.execute(select(table)).all() == []


def test_more_results_than_a_statement_takes_are_kept(wiki: Wiki, two: tuple[int, int]) -> None:
    first, _ = two
    with wiki.writing(AUTHOR) as change:
        row = change.conn.execute(select(check_rows).where(check_rows.c.id == first)).one()
        values = row._asdict()
        many = [{**values, "id": number} for number in range(100, 3100)]
        change.conn.execute(insert(check_rows), many)
    record(wiki, {one["id"]: (1, 1) for one in many}, revision=5)
    assert len(states(wiki, failed=True)) == 2


HARMS: dict[str, Callable[[], Any]] = {
    "paraphrases no JSON": lambda: update(check_rows).values(paraphrases="["),
    "paraphrases no list": lambda: update(check_rows).values(paraphrases='"word"'),
    "paraphrases no texts": lambda: update(check_rows).values(paraphrases="[1]"),
    "places no JSON": lambda: update(check_results).values(places="x"),
    "places no list": lambda: update(check_results).values(places="{}"),
    "places no numbers": lambda: update(check_results).values(places="[true]"),
    "a moment": lambda: update(check_results).values(ran_at="yesterday"),
}


@pytest.mark.parametrize("name", HARMS)
def test_a_cell_that_stands_for_nothing_is_damage(
    wiki: Wiki, two: tuple[int, int], name: str
) -> None:
    record(wiki, dict.fromkeys(two, (1, 1)), revision=5)
    with wiki.writing(AUTHOR) as change:
        change.conn.execute(HARMS[name]())
    with pytest.raises(LwcError) as caught:
        states(wiki)
    assert caught.value.problem is STORE_CORRUPT
