"""How far a draft reaches in lint: nothing is left out, and nothing but that is looked at."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from drafting import ACTS, DRAFT, a_draft, furnish
from ingesting import AGENT, a_source
from page_makers import put
from sqlalchemy import event

from lwc.services import configuration, lint_baseline, page_moves, page_writes, source_writes
from lwc.store import drafts, lint_touched
from lwc.store.lint_touched import TOGETHER, Reach
from lwc.wiki import Wiki

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def reach(wiki: Wiki) -> Reach:
    with wiki.reading() as conn:
        return lint_touched.reach(conn, drafts.opened(conn, DRAFT))


def slugs(wiki: Wiki, found: Reach) -> set[str]:
    with wiki.reading() as conn:
        rows = conn.exec_driver_sql("SELECT id, slug FROM pages").all()
    return {row.slug for row in rows if row.id in found.page_ids}


def test_an_empty_draft_reaches_nothing(wiki: Wiki) -> None:
    furnish(wiki)
    a_draft(wiki).close()
    found = reach(wiki)
    assert (found.page_ids, found.source_ids, list(found.extents(NOW))) == (set(), set(), [])


def test_a_page_reaches_those_that_it_linked_to_and_the_sources_it_cited(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        put(draft, "store", "Nothing.\n", source_ids=(2,))
        found = reach(wiki)
        assert slugs(wiki, found) == {"store", "alone"}
        assert (found.source_ids, found.held) == ({1, 2}, set())
        assert found.written == {"store"}


def test_a_name_that_stays_reaches_nobody_who_links_to_it(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        put(draft, "alone", "Alone again.\n")
        assert slugs(wiki, reach(wiki)) == {"alone"}


def test_a_name_that_goes_reaches_who_links_to_it_now(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        page_moves.remove(draft, AGENT, slug="spare")
        put(wiki, "present", "See [[spare]].\n")
        found = reach(wiki)
        assert (slugs(wiki, found), found.removed) == ({"spare", "present"}, {"spare"})


def test_a_source_that_goes_reaches_who_cites_it_now(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        source_writes.remove(draft, AGENT, source_id=3)
        put(wiki, "present", "It is cited.\n", source_ids=(3,))
        found = reach(wiki)
        assert (slugs(wiki, found), found.source_ids, found.held) == ({"present"}, {3}, {3})


def test_a_source_that_comes_is_held(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        added = a_source(draft, "A newcomer.", name="new.md")
        assert reach(wiki).held == {added}


def test_a_staged_completion_holds_its_source(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        ACTS["ingest-complete"](draft)
        assert reach(wiki).held == {2}


def test_who_is_renamed_relinked_or_confirmed_is_not_written(wiki: Wiki) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        page_moves.rename(draft, AGENT, slug="alone", to="single")
        page_writes.confirm(draft, AGENT, slug="store", source_id=1)
        found = reach(wiki)
        assert (found.written, found.renamed) == (set(), {"alone": "single"})
        assert slugs(wiki, found) >= {"alone", "store"}


def test_a_long_reach_is_asked_about_in_parts_that_fit_a_statement() -> None:
    found = Reach(
        page_ids=frozenset(range(1, 2 * TOGETHER + 2)),
        source_ids=frozenset((1,)),
        written=frozenset(),
        held=frozenset(),
        renamed={},
        removed=frozenset(),
    )
    parts = list(found.extents(NOW))
    assert [len(part.page_ids or ()) for part in parts] == [TOGETHER, TOGETHER, 1]
    assert [part.source_ids for part in parts] == [(1,), (), ()]
    assert not any(part.whole for part in parts)


@pytest.mark.parametrize("act", ["many", "page-remove-and-put", "source-remove", "page-put-many"])
def test_the_gate_looks_at_what_is_touched_and_walks_through_no_table(wiki: Wiki, act: str) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        ACTS[act](draft)
    configuration.put(wiki, AGENT, values={"citations": "required"})
    steps: set[str] = set()

    def explain(conn: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            plan = cursor.connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps.update(row[3] for row in plan)

    with wiki.database.writing() as conn:
        opened = drafts.opened(conn, DRAFT)
        event.listen(conn, "before_cursor_execute", explain)
        lint_baseline.gate(conn, opened)
    # Nor through an index by what the rows are, in which those of the whole wiki stand.
    walks = {step for step in steps if re.search(r"^SCAN (?!anon_)|_(state|code|kind)\b", step)}
    assert walks <= {"SCAN settings"}
