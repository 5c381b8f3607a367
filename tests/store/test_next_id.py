"""Ids that are taken before a row is written: never given twice, live or in a draft."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_makers import AUTHOR, put
from sqlalchemy import delete, insert, select

from lwc.services import checks
from lwc.store import drafts, tables
from lwc.store.dialects.sqlite import SEQUENCES, next_id
from lwc.wiki import Call, Wiki, open_wiki


@pytest.fixture
def draft(wiki: Wiki) -> Iterator[Wiki]:
    """A draft laid over the wiki."""
    with wiki.writing(AUTHOR) as change:
        drafts.begin(change.conn, "draft", author=change.agent, now=change.now)
    with open_wiki(wiki.workspace.root, changeset="draft") as opened:
        yield opened


def test_ids_count_on_whether_a_row_was_written_or_not(wiki: Wiki) -> None:
    with wiki.writing(Call()) as change:
        assert [next_id(change.conn, "checks") for _ in range(3)] == [1, 2, 3]
    put(wiki, "page")
    assert checks.add(wiki, AUTHOR, slug="page", query="word").check.id == 4


def test_an_id_of_a_row_that_is_gone_is_not_given_again(wiki: Wiki) -> None:
    put(wiki, "page")
    check = checks.add(wiki, AUTHOR, slug="page", query="word").check
    checks.remove(wiki, AUTHOR, check.id)
    with wiki.writing(Call()) as change:
        assert next_id(change.conn, "checks") == check.id + 1


def test_what_is_rolled_back_gives_its_ids_back(wiki: Wiki) -> None:
    def stopped() -> None:
        with wiki.writing(Call()) as change:
            next_id(change.conn, "checks")
            raise InterruptedError

    with pytest.raises(InterruptedError):
        stopped()
    with wiki.writing(Call()) as change:
        assert next_id(change.conn, "checks") == 1


def test_rows_that_are_inserted_without_an_id_come_behind(wiki: Wiki) -> None:
    values = {"slug": "a", "key": "a", "title": "A", "kind": "concept", "summary": ""}
    values |= {"author": "a", "created_at": "now", "updated_at": "now", "content_digest": "d"}
    put(wiki, "page")
    with wiki.writing(Call()) as change:
        digest = change.conn.execute(select(tables.pages.c.body_digest)).scalar_one()
        taken = next_id(change.conn, "pages")
        row = insert(tables.pages).values(**values, body_digest=digest, structural=0, revision=1)
        assert change.conn.execute(row.returning(tables.pages.c.id)).scalar_one() == taken + 1


def test_without_a_count_the_ids_that_stand_are_passed_over(wiki: Wiki) -> None:
    put(wiki, "page")
    with wiki.writing(Call()) as change:
        last = change.conn.execute(select(tables.pages.c.id)).scalar_one()
        change.conn.execute(delete(SEQUENCES))
        assert [next_id(change.conn, "pages") for _ in range(2)] == [last + 1, last + 2]


def test_ids_taken_in_a_draft_are_taken_live_too(wiki: Wiki, draft: Wiki) -> None:
    put(draft, "staged")
    put(wiki, "live")
    ids = []
    for opened in (draft, wiki, draft):
        with opened.staging(Call()) as change:
            ids += [next_id(change.conn, "checks"), next_id(change.conn, "pages")]
    assert ids == [1, 3, 2, 4, 3, 5]
