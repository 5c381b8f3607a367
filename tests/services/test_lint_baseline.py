"""The baseline of a draft: what it introduces and touches blocks, what it inherits is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from drafting import DRAFT, a_draft
from ingesting import AGENT, a_source
from tidying import TEXT, body, uncite, write

from lwc import wire
from lwc.domain.lint import Finding, Place, Severity, rule
from lwc.services import configuration, lint_baseline, page_moves, page_writes, source_writes
from lwc.services.lint_baseline import SHOWN, Baseline, compare
from lwc.store import drafts, layers
from lwc.store.lint_touched import Reach
from lwc.wiki import Wiki

NOTHING = {"error": 0, "warning": 0, "info": 0}
FALSE = "Only two writers can hold the lock at any moment."


def baseline(wiki: Wiki, name: str = DRAFT) -> Baseline:
    with wiki.reading() as conn:
        return lint_baseline.baseline(conn, drafts.opened(conn, name))


def gate(wiki: Wiki, name: str = DRAFT) -> Baseline:
    with wiki.database.writing() as conn:
        return lint_baseline.gate(conn, drafts.opened(conn, name))


def places(found: lint_baseline.Told) -> list[tuple[str, str | None, str | None]]:
    return [
        (one.code, one.page, one.target) for one in found.issues if one.severity is Severity.ERROR
    ]


def owe(wiki: Wiki, slug: str, *targets: str) -> None:
    """A page that links to what is not there."""
    write(wiki, slug, body(more=f"\nSee {' '.join(f'[[{one}]]' for one in targets)}.[^c1]\n"))


def test_a_draft_without_anything_changes_nothing(tidy: Wiki) -> None:
    with a_draft(tidy):
        found = baseline(tidy)
    assert (found.introduced.issues, found.touched.issues, found.blocking) == ((), (), 0)
    assert found.inherited == NOTHING


def test_fifty_errors_of_old_debt_do_not_stand_in_the_way_of_a_clean_draft(tidy: Wiki) -> None:
    for page in range(10):
        owe(tidy, f"old-{page}", *(f"gone-{page}-{number}" for number in range(5)))
    with a_draft(tidy) as draft:
        write(draft, "fresh")
        write(draft, "locks", body(more="\nSee [[fresh]].[^c1]\n"))
        found = baseline(tidy)
    assert (found.blocking, gate(tidy).blocking) == (0, 0)
    assert (places(found.introduced), places(found.touched)) == ([], [])
    assert found.inherited is not None
    assert found.inherited["error"] == 50


def test_an_introduced_error_is_told_and_no_other(tidy: Wiki) -> None:
    owe(tidy, "old", "gone")
    with a_draft(tidy) as draft:
        owe(draft, "locks", "nowhere")
        found = baseline(tidy)
    assert places(found.introduced) == [("dangling_link", "locks", "nowhere")]
    assert (places(found.touched), found.blocking) == ([], 1)


def test_an_old_error_on_a_page_that_is_written_is_touched(tidy: Wiki) -> None:
    owe(tidy, "old", "gone")
    with a_draft(tidy) as draft:
        write(draft, "old", body(more="\nMore.[^c1]\n\nSee [[gone]].[^c1]\n"))
        found = baseline(tidy)
    assert places(found.touched) == [("dangling_link", "old", "gone")]
    assert (places(found.introduced), found.blocking) == ([], 1)


def test_a_mended_error_is_neither(tidy: Wiki) -> None:
    owe(tidy, "old", "gone")
    with a_draft(tidy) as draft:
        write(draft, "old")
        found = baseline(tidy)
    assert (found.blocking, found.inherited) == (0, {**NOTHING, "info": 1})


@pytest.mark.parametrize(
    "act",
    [
        lambda draft: page_writes.confirm(draft, AGENT, slug="old", source_id=1),
        lambda draft: page_moves.rename(draft, AGENT, slug="locks", to="bolts"),
        lambda draft: page_moves.rename(draft, AGENT, slug="old", to="older"),
        lambda draft: [owe(draft, "old", *target) for target in ((), ("gone",))],
    ],
    ids=["confirmed", "relinked", "renamed", "written and put back"],
)
def test_an_old_error_is_inherited_by_a_page_that_is_only(tidy: Wiki, act: Any) -> None:
    owe(tidy, "old", "gone")
    with a_draft(tidy) as draft:
        act(draft)
        found = baseline(tidy)
    assert (places(found.introduced), places(found.touched), found.blocking) == ([], [], 0)
    assert found.inherited is not None
    assert found.inherited["error"] == 1


def test_a_page_that_is_renamed_and_written_is_the_same_page(tidy: Wiki) -> None:
    owe(tidy, "old", "gone")
    with a_draft(tidy) as draft:
        page_moves.rename(draft, AGENT, slug="old", to="older")
        owe(draft, "older", "gone", "nowhere")
        found = baseline(tidy)
    assert places(found.touched) == [("dangling_link", "older", "gone")]
    assert places(found.introduced) == [("dangling_link", "older", "nowhere")]


def test_a_page_that_live_began_to_link_to_cannot_be_removed_unseen(tidy: Wiki) -> None:
    write(tidy, "spare")
    with a_draft(tidy) as draft:
        page_moves.remove(draft, AGENT, slug="spare")
        assert gate(tidy).blocking == 0
        owe(tidy, "locks", "spare")
        found = gate(tidy)
    assert places(found.introduced) == [("dangling_link", "locks", "spare")]


def test_an_earlier_name_goes_with_its_page(tidy: Wiki) -> None:
    write(tidy, "spare")
    page_moves.rename(tidy, AGENT, slug="spare", to="kept")
    with a_draft(tidy) as draft:
        page_moves.remove(draft, AGENT, slug="kept")
        owe(tidy, "locks", "spare")
        assert places(gate(tidy).introduced) == [("dangling_link", "locks", "spare")]


def test_a_source_that_live_began_to_cite_cannot_be_removed_unseen(tidy: Wiki) -> None:
    source_id = a_source(tidy, TEXT[::-1], name="other.md")
    with a_draft(tidy) as draft:
        source_writes.remove(draft, AGENT, source_id=source_id)
        assert gate(tidy).blocking == 0
        write(tidy, "locks", source_ids=(1, source_id))
        found = baseline(tidy)
    assert places(found.introduced) == [("cited_source_gone", "locks", str(source_id))]


def test_a_completed_source_that_is_cited_no_more_is_introduced(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        uncite(draft, "locks")
        found = baseline(tidy)
    assert places(found.introduced) == [("completed_source_uncited", None, "1")]


def test_an_old_error_about_a_source_is_inherited_by_who_only_cites_it(tidy: Wiki) -> None:
    uncite(tidy, "notes", kind="source")
    with a_draft(tidy) as draft:
        write(draft, "locks", body(more="\nMore.[^c1]\n"))
        found = baseline(tidy)
    assert (found.blocking, found.inherited) == (0, {**NOTHING, "error": 1})


def test_a_page_without_a_quote_blocks_where_quotes_are_required(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        write(draft, text="One writer. See [[notes]].\n")
        free = baseline(tidy)
        assert (free.introduced.severities["warning"], free.blocking) == (1, 0)
        configuration.put(tidy, AGENT, values={"citations": "required"})
        found = gate(tidy)
    assert places(found.introduced) == [("citation_without_quote", "locks", "1")]
    assert found.blocking == 1


def test_of_equal_errors_the_new_one_is_introduced(tidy: Wiki) -> None:
    write(tidy, text=body(FALSE))
    more = "Everybody else may hold it as well."
    with a_draft(tidy) as draft:
        first = f'[^c2]: source:1 "{more}"\n'
        write(draft, text=body(FALSE).replace("\n[^c1]:", f"[^c2]\n\n{first}[^c1]:"))
        found = baseline(tidy)
    assert places(found.introduced) == places(found.touched) == [("citation_missing", "locks", "1")]
    assert found.introduced.issues[0].details["quote"] == more
    assert found.touched.issues[0].details["quote"] == FALSE


def test_warnings_are_told_and_do_not_block(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        write(draft, "locks", summary="")
        found = baseline(tidy)
    assert [one.code for one in found.introduced.issues] == ["missing_summary"]
    assert (found.blocking, gate(tidy).introduced.issues) == (0, ())


def test_a_page_that_loses_its_last_link_is_told_as_alone(tidy: Wiki) -> None:
    write(tidy, "leaf")
    owe(tidy, "locks", "leaf")
    with a_draft(tidy) as draft:
        write(draft, "locks")
        found = baseline(tidy)
    assert [(one.code, one.page) for one in found.introduced.issues] == [("orphan_page", "leaf")]


def test_errors_come_first_and_no_more_than_a_hundred_are_shown(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        owe(draft, "locks", *(f"gone-{number}" for number in range(SHOWN + 50)))
        write(draft, "bare", summary="")
        found = baseline(tidy)
    assert len(found.introduced.issues) == SHOWN
    assert {one.severity for one in found.introduced.issues} == {Severity.ERROR}
    assert found.introduced.severities["error"] == found.blocking == SHOWN + 50


def test_the_digest_names_the_errors_and_not_their_lines(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        clean = gate(tidy).digest
        write(draft, text=body(FALSE))
        first = gate(tidy).digest
        write(draft, text=body(FALSE, more="\nMore.[^c1]\n"), summary="")
        assert gate(tidy).digest == first == baseline(tidy).digest
        write(draft, text=body(FALSE.replace("two", "three")))
        assert len({clean, first, gate(tidy).digest}) == 3


def test_asking_leaves_the_connection_live(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        write(draft, "fresh")
    with tidy.database.writing() as conn:
        lint_baseline.gate(conn, drafts.opened(conn, DRAFT))
        assert layers.of(conn) is None
        live = conn.exec_driver_sql("SELECT slug FROM pages ORDER BY slug").scalars().all()
    assert live == ["locks", "notes"]


def test_the_answer_survives_its_json(tidy: Wiki) -> None:
    with a_draft(tidy) as draft:
        write(draft, text=body(FALSE), summary="")
        found = baseline(tidy)
    assert wire.load(Baseline, wire.plain(found)) == found


def a_reach(**fields: Any) -> Reach:
    empty: Mapping[str, Any] = {
        "page_ids": frozenset(),
        "source_ids": frozenset(),
        "written": frozenset(),
        "held": frozenset(),
        "renamed": {},
        "removed": frozenset(),
    }
    return Reach(**{**empty, **fields})


def dangling(page: str, target: str = "gone", line: int = 1) -> Finding:
    place = Place(page=page, target=target, line=line)
    return rule("dangling_link").finding(place, citations_policy="optional")


def test_names_that_change_hands_are_followed_to_their_pages() -> None:
    reach = a_reach(renamed={"a": "b", "b": "a"}, written=frozenset(("a", "b")))
    found = compare([dangling("a")], [dangling("b", line=7), dangling("a")], reach)
    assert found.touched == (dangling("b", line=7),)
    assert found.introduced == (dangling("a"),)


def test_a_page_that_takes_the_name_of_a_removed_one_does_not_take_its_debt() -> None:
    reach = a_reach(renamed={"b": "a"}, removed=frozenset(("a",)))
    assert compare([dangling("a")], [dangling("a")], reach).introduced == (dangling("a"),)


def test_so_many_are_old_as_there_were() -> None:
    found = compare(
        [dangling("a")] * 2, [dangling("a", line=line) for line in (3, 1, 2)], a_reach()
    )
    assert [one.line for one in found.inherited] == [1, 2]
    assert [one.line for one in found.introduced] == [3]


@pytest.mark.parametrize(("held", "touched"), [(frozenset((7,)), 1), (frozenset((8,)), 0)])
def test_what_is_wrong_with_a_source_is_touched_by_who_holds_it(
    held: frozenset[int], touched: int
) -> None:
    uncited = rule("completed_source_uncited")
    finding = uncited.finding(Place(target="7"), citations_policy="optional")
    found = compare([finding], [finding], a_reach(held=held))
    assert (len(found.touched), len(found.inherited)) == (touched, 1 - touched)
