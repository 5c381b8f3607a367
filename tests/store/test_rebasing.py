"""What a rebase does to the rows of a draft."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from drafting import AGENT, DRAFT, a_draft, a_file, publish
from hypothesis import given
from hypothesis import strategies as st
from ingesting import STRANGER
from page_makers import put
from sqlalchemy import select

from lwc.domain.changeset import Entity
from lwc.services import checks, page_moves
from lwc.store import drafts, pages, rebasing, staged_operations, staged_paths, staging, standing
from lwc.store.layers import Draft
from lwc.store.standing import Standing
from lwc.store.tables import metadata
from lwc.store.tables.drafts import draft_page_revisions, draft_pages
from lwc.wiki import Change, Wiki


@pytest.fixture
def draft(wiki: Wiki) -> Iterator[Wiki]:
    put(wiki, "page", "First.\n", call=AGENT)
    with a_draft(wiki) as opened:
        yield opened


def opened(change: Change) -> Draft:
    return drafts.opened(change.conn, DRAFT)


def the_page(change: Change, slug: str = "page") -> Standing:
    found = standing.of_draft(change.conn, opened(change))
    return next(one for one in found if one.staged.entity is Entity.PAGE and one.name == slug)


def numbers(change: Change) -> list[int]:
    wanted = select(draft_page_revisions.c.revision).order_by(draft_page_revisions.c.revision)
    return list(change.conn.execute(wanted).scalars())


def test_the_revisions_of_a_draft_step_over_one_another_when_they_count_on(
    wiki: Wiki, draft: Wiki
) -> None:
    for text in ("Second.\n", "Third.\n", "Fourth.\n"):
        put(draft, "page", text, call=AGENT)
    for text in ("Of the stranger.\n", "First.\n"):
        put(wiki, "page", text, call=STRANGER)
    with wiki.writing(AGENT) as change:
        assert numbers(change) == [2, 3, 4]
        assert rebasing.refresh(change.conn, opened(change), the_page(change))
        assert numbers(change) == [4, 5, 6]
        page = change.conn.execute(select(draft_pages)).one()
        assert page.revision == 6
        one = the_page(change)
        assert (one.moved, one.staged.base_revision) == (False, 3)
        assert not rebasing.refresh(change.conn, opened(change), one)


def test_a_page_that_becomes_another_has_left_no_row_under_its_old_id(
    wiki: Wiki, draft: Wiki
) -> None:
    put(draft, "fresh", "Of the draft, see [[page]].\n", call=AGENT, provenance=("hypothesis",))
    page_moves.rename(draft, AGENT, slug="fresh", to="fresher")
    page_moves.rename(draft, AGENT, slug="fresher", to="fresh")
    checks.add(draft, AGENT, slug="fresh", query="draft")
    put(wiki, "fresh", "Of the stranger.\n", call=STRANGER)
    taker_id = _id(wiki, "fresh")
    with wiki.writing(AGENT) as change:
        one = the_page(change, "fresh")
        old = one.key
        (live,) = pages.of_ids(change.conn, (taker_id,))
        assert rebasing.taker(change.conn, opened(change), one) == live
        rebasing.becomes(change.conn, opened(change), one, live)
        assert _ids(change) == {taker_id}
        again = the_page(change, "fresh")
        assert (again.key, again.staged.id) == (taker_id, one.staged.id)
        assert old != taker_id
        rebasing.settle(change.conn, opened(change), again)
    assert not standing_conflicts(wiki)
    publish(wiki)
    assert _id(wiki, "fresh") == taker_id


def _id(wiki: Wiki, slug: str) -> int:
    with wiki.reading() as conn:
        return pages.find(conn, slug).id


def _ids(change: Change) -> set[int]:
    """The pages of which a draft has rows."""
    found = {
        table.name: column
        for name, table in metadata.tables.items()
        if name.startswith("draft_")
        for column in table.columns
        if column.name == "page_id" or (name == "draft_pages" and column.name == "id")
    }
    return {
        number
        for column in found.values()
        for number in change.conn.execute(select(column)).scalars()
    }


def standing_conflicts(wiki: Wiki) -> tuple[Any, ...]:
    with wiki.reading() as conn:
        draft = drafts.opened(conn, DRAFT)
        return standing.conflicts(conn, draft, standing.of_draft(conn, draft))


def test_what_is_about_one_page_alone_is_told_from_what_did_more(wiki: Wiki, draft: Wiki) -> None:
    put(draft, "linking", "See [[page]].\n", call=AGENT)
    put(draft, "page", "Second.\n", call=AGENT)
    page_moves.rename(draft, AGENT, slug="page", to="renamed")
    with wiki.writing(AGENT) as change:
        one = the_page(change, "renamed").staged
        told = staged_operations.of(change.conn, opened(change), one)
        assert [(entry.action, entry.target) for entry in told] == [("page_put", "page")]
        assert staged_operations.drop_of(change.conn, opened(change), one) == 1
        assert staged_operations.of(change.conn, opened(change), one) == ()


def test_a_path_takes_its_rows_behind_those_that_live_has_added(wiki: Wiki) -> None:
    a_file(wiki, "notes.md", "First.")
    with a_draft(wiki) as draft:
        a_file(draft, "notes.md", "Of the draft.")
    a_file(wiki, "notes.md", "Of the stranger.")
    a_file(wiki, "notes.md", "First.")
    with wiki.writing(AGENT) as change:
        one = staging.find(change.conn, opened(change).id, Entity.PATH, "notes.md")
        assert one is not None
        rows = staged_paths.merged(change.conn, opened(change).id, one)
        assert [(row["revision"], row["source_id"]) for row in rows] == [
            (1, 1),
            (2, 3),
            (3, 1),
            (4, 2),
        ]


@given(
    live=st.lists(st.integers(1, 4), max_size=5),
    extra=st.lists(st.integers(5, 8), max_size=3),
)
def test_rows_of_a_path_never_share_a_number(live: list[int], extra: list[int]) -> None:
    before = [{"revision": n, "source_id": it} for n, it in enumerate(live, start=1)]
    added = [{"revision": n, "source_id": it} for n, it in enumerate(extra, start=1)]
    rows = [*before, *staged_paths.counted_on(added, after=len(live))]
    assert [row["source_id"] for row in sorted(rows, key=lambda row: row["revision"])] == [
        *live,
        *extra,
    ]
    assert len({row["revision"] for row in rows}) == len(rows)
