from __future__ import annotations

import pytest
from ingesting import a_source, refused
from page_makers import AUTHOR, TEXT, cited, put

from lwc.errors import PAGE_NOT_FOUND
from lwc.services import page_moves
from lwc.store import aliases, citations, pages, revisions
from lwc.store.pages import IDS_AT_ONCE
from lwc.store.revisions import Deed
from lwc.wiki import Wiki


@pytest.mark.parametrize("name", ["new", "NEW", "old", "Old"])
def test_a_page_is_found_by_every_name_it_has_or_had(wiki: Wiki, name: str) -> None:
    put(wiki, "old")
    page_moves.rename(wiki, AUTHOR, slug="old", to="new")
    with wiki.reading() as conn:
        page = pages.find(conn, name)
        assert (page.slug, page.key) == ("new", "new")
        assert pages.body(conn, page) == "Locks.\n"
        assert aliases.keys_of_page(conn, page.id) == ("old",)


def test_no_page_is_a_refusal(wiki: Wiki) -> None:
    with wiki.reading() as conn:
        refused(PAGE_NOT_FOUND, lambda: pages.find(conn, "none"))
        assert pages.at(conn, "none") is None


def test_pages_that_cite_a_source_are_told_with_what_they_rest_on(wiki: Wiki) -> None:
    source, other = a_source(wiki, TEXT), a_source(wiki, "Another.\n", name="b.md")
    last = put(wiki, "b", cited(source), provenance=("agent-observed", "user-provided"))
    put(wiki, "a", kind="source", source_ids=(source,))
    put(wiki, "c", source_ids=(other,))
    with wiki.reading() as conn:
        first, second = pages.citing(conn, source)
    assert (first.slug, first.kind, first.provenance) == ("a", "source", ("source-grounded",))
    assert second.slug == "b"
    assert second.provenance == ("source-grounded", "user-provided", "agent-observed")
    assert second.touched == last.revision


def test_summaries_keep_the_order_asked_for_and_leave_out_what_is_gone(wiki: Wiki) -> None:
    for slug in ("a", "b"):
        put(wiki, slug)
    with wiki.reading() as conn:
        ids = {slug: pages.find(conn, slug).id for slug in ("a", "b")}
        found = pages.summaries(conn, (ids["b"], 99, ids["a"], ids["b"]))
        assert [page.slug for page in found] == ["b", "a"]
        assert pages.summaries(conn, ()) == ()


def test_more_ids_than_a_statement_takes_are_no_hindrance(wiki: Wiki) -> None:
    put(wiki, "a")
    with wiki.reading() as conn:
        page = pages.find(conn, "a")
        many = (*range(10_000, 10_000 + 2 * IDS_AT_ONCE), page.id)
        assert pages.of_ids(conn, many) == (page,)
        assert len(pages.provenance_of(conn, many)) == len(many)
        assert pages.total(conn) == 1


def test_citations_are_found_by_page_and_by_source(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "b", cited(source))
    put(wiki, "a", cited(source, "words that are nowhere in it") + cited(source, label="c2"))
    with wiki.reading() as conn:
        everywhere = citations.of_source(conn, source)
        assert [(one.slug, one.citation.label) for one in everywhere] == [
            ("a", "c1"),
            ("a", "c2"),
            ("b", "c1"),
        ]
        (missing,) = citations.missing_for(conn, source)
        assert (missing.slug, missing.citation.label) == ("a", "c1")
        located = citations.located_for(conn, source)
        assert [(one.slug, one.citation.label) for one in located] == [("a", "c2"), ("b", "c1")]
        assert citations.of_page(conn, missing.page_id) == (
            missing.citation,
            located[0].citation,
        )


def test_revisions_of_a_name_outlive_its_page(wiki: Wiki) -> None:
    put(wiki, "old")
    page_moves.rename(wiki, AUTHOR, slug="old", to="new")
    page_moves.remove(wiki, AUTHOR, slug="new")
    with wiki.reading() as conn:
        last = revisions.newest_under(conn, "new")
        assert last is not None
        assert (last.deed, last.revision) == (Deed.REMOVE, 3)
        assert revisions.highest_under(conn, "old") == 1
        assert revisions.highest_under(conn, "none") == 0
        assert revisions.newest_under(conn, "none") is None
        assert revisions.before(conn, last.page_id, 1) is None
        assert revisions.count(conn, last.page_id) == 3
