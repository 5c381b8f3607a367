from __future__ import annotations

from dataclasses import replace

from ingesting import a_source, refused
from page_makers import TEXT, cited, found, put, rows

from lwc.errors import (
    INVALID_SLUG,
    PAGE_IN_USE,
    PAGE_NOT_FOUND,
    PAGE_REVISION_CONFLICT,
    SLUG_COLLISION,
    SLUG_RENAMED,
)
from lwc.services import page_moves, pages
from lwc.store import pages as page_rows
from lwc.wiki import Call, Wiki

OTHER = Call(agent="mover")


def body_of(wiki: Wiki, slug: str) -> str:
    return pages.show(wiki, slug=slug).page.body


def test_a_rename_rewrites_every_wikilink_in_one_change(wiki: Wiki) -> None:
    put(wiki, "old", "I am [[OLD]].\n")
    put(wiki, "reader", "See [[old]], [[Old#part|that]] and `[[old]]`.\n")
    put(wiki, "other", "See [[reader]].\n")
    done = page_moves.rename(wiki, OTHER, slug="old", to="new")
    assert body_of(wiki, "new") == "I am [[new]].\n"
    assert body_of(wiki, "reader") == "See [[new]], [[new#part|that]] and `[[old]]`.\n"
    told = [(one.slug, one.links, one.revision) for one in done.relinked]
    assert told == [("new", 1, 2), ("reader", 2, 2)]
    assert (done.changed, done.renamed_from, done.page.slug) == (True, "old", "new")
    (operation,) = {
        entry.operation_id
        for slug in ("new", "reader")
        for entry in pages.history(wiki, slug=slug, limit=1).revisions
    }
    assert operation == done.revision
    assert pages.history(wiki, slug="other").total == 1


def test_each_rewritten_page_gets_a_revision_that_says_why(wiki: Wiki) -> None:
    put(wiki, "old")
    put(wiki, "reader", "See [[old]].\n")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    (entry, _) = pages.history(wiki, slug="reader").revisions
    assert (entry.revision, entry.action, entry.author) == (2, "relink", "mover")
    (entry, before) = pages.history(wiki, slug="new").revisions
    assert (entry.action, entry.slug, before.slug) == ("rename", "new", "old")


def test_reads_and_links_follow_the_old_name(wiki: Wiki) -> None:
    put(wiki, "old")
    put(wiki, "reader", "See [it](old.md).\n")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    assert pages.show(wiki, slug="OLD").page.slug == "new"
    assert pages.show(wiki, slug="new").page.aliases == ("old",)
    assert pages.links_of(wiki, slug="old").backlinks == ("reader",)
    links = pages.links_of(wiki, slug="reader")
    assert (links.outgoing, links.missing) == (("new",), ())


def test_the_old_name_stays_taken(wiki: Wiki) -> None:
    put(wiki, "old")
    put(wiki, "other")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    error = refused(SLUG_RENAMED, lambda: put(wiki, "Old"))
    assert error.details["now"] == "new"
    refused(SLUG_COLLISION, lambda: page_moves.rename(wiki, OTHER, slug="other", to="old"))
    refused(SLUG_RENAMED, lambda: page_moves.remove(wiki, OTHER, slug="old"))
    refused(SLUG_RENAMED, lambda: page_moves.rename(wiki, OTHER, slug="old", to="newer"))


def test_a_page_takes_its_old_name_back(wiki: Wiki) -> None:
    put(wiki, "old")
    put(wiki, "reader", "See [[old]].\n")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    page_moves.rename(wiki, OTHER, slug="new", to="old")
    assert pages.show(wiki, slug="new").page.slug == "old"
    assert pages.show(wiki, slug="old").page.aliases == ("new",)
    assert body_of(wiki, "reader") == "See [[old]].\n"


def test_only_the_letters_of_a_name_may_change(wiki: Wiki) -> None:
    put(wiki, "page", "I am [[page]].\n")
    done = page_moves.rename(wiki, OTHER, slug="page", to="Page")
    assert (done.page.slug, pages.show(wiki, slug="page").page.aliases) == ("Page", ())
    assert body_of(wiki, "page") == "I am [[Page]].\n"


def test_a_taken_over_name_goes_on_counting(wiki: Wiki) -> None:
    for body in ("One.\n", "Two.\n", "Three.\n"):
        put(wiki, "name", body)
    page_moves.remove(wiki, OTHER, slug="name")
    put(wiki, "other")
    assert page_moves.rename(wiki, OTHER, slug="other", to="name").page.revision == 5
    assert pages.diff(wiki, slug="name").from_revision == 1


def test_the_name_it_has_changes_nothing(wiki: Wiki) -> None:
    put(wiki, "page")
    before = rows(wiki)
    assert not page_moves.rename(wiki, OTHER, slug="page", to="page").changed
    assert rows(wiki) == before


def test_a_taken_name_a_stale_revision_and_a_missing_page_are_refused(wiki: Wiki) -> None:
    put(wiki, "one")
    put(wiki, "two", "[[one]]\n")
    before = rows(wiki)
    error = refused(SLUG_COLLISION, lambda: page_moves.rename(wiki, OTHER, slug="one", to="TWO"))
    assert error.details["existing"] == "two"
    refused(
        PAGE_REVISION_CONFLICT,
        lambda: page_moves.rename(wiki, OTHER, slug="one", to="new", if_revision=2),
    )
    refused(PAGE_NOT_FOUND, lambda: page_moves.rename(wiki, OTHER, slug="none", to="new"))
    refused(INVALID_SLUG, lambda: page_moves.rename(wiki, OTHER, slug="one", to="a/b"))
    assert rows(wiki) == before


def test_a_rename_leaves_citations_as_they_were_written(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "old")
    put(wiki, "reader", cited(source) + "\nSee [[old]].\n", source_ids=(source,))
    with wiki.reading() as conn:
        before = page_rows.citing(conn, source)
    quotes = pages.show(wiki, slug="reader").citations
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    with wiki.reading() as conn:
        (after,) = page_rows.citing(conn, source)
    assert after.touched == before[0].touched
    assert pages.show(wiki, slug="reader").citations == quotes


def test_the_index_knows_the_new_name(wiki: Wiki) -> None:
    put(wiki, "zebra", "Stripes.\n", title="An animal")
    page_moves.rename(wiki, OTHER, slug="zebra", to="lion")
    assert (found(wiki, "zebra"), found(wiki, "lion")) == ([], ["lion"])


def test_a_page_that_others_link_to_is_not_removed(wiki: Wiki) -> None:
    put(wiki, "locks", "I am [[locks]].\n")
    put(wiki, "b", "[[Locks]]\n")
    put(wiki, "a", "[[locks]]\n")
    before = rows(wiki)
    error = refused(PAGE_IN_USE, lambda: page_moves.remove(wiki, OTHER, slug="locks"))
    assert error.details["pages"] == ["a", "b"]
    assert error.details["total"] == 2
    assert rows(wiki) == before


def test_links_to_an_earlier_name_hold_a_page_too(wiki: Wiki) -> None:
    put(wiki, "old")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    put(wiki, "reader", "[[old]]\n")
    error = refused(PAGE_IN_USE, lambda: page_moves.remove(wiki, OTHER, slug="new"))
    assert error.details["pages"] == ["reader"]


def test_a_removed_page_leaves_only_its_history(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks", cited(source) + "[[locks]] [[other]]\n", provenance=("hypothesis",))
    page_moves.rename(wiki, OTHER, slug="locks", to="locking")
    done = page_moves.remove(wiki, OTHER, slug="LOCKING", if_revision=2)
    assert (done.slug, done.page_revision, done.restore_revision) == ("locking", 3, 2)
    refused(PAGE_NOT_FOUND, lambda: pages.show(wiki, slug="locking"))
    refused(PAGE_NOT_FOUND, lambda: pages.show(wiki, slug="locks"))
    left = {name for name, some in rows(wiki).items() if some}
    assert left == {"page_revisions", "operations"}
    history = pages.history(wiki, slug="locking")
    assert (history.removed, history.total) == (True, 3)


def test_the_alias_of_a_removed_page_is_free_and_goes_on_counting(wiki: Wiki) -> None:
    put(wiki, "old")
    put(wiki, "old", "More.\n")
    page_moves.rename(wiki, OTHER, slug="old", to="new")
    page_moves.remove(wiki, OTHER, slug="new")
    assert put(wiki, "old").page.revision == 3
    assert pages.history(wiki, slug="old").total == 1
    assert put(wiki, "new").page.revision == 5
    assert pages.history(wiki, slug="new").total == 5


def test_a_removal_is_refused_on_another_revision_and_done_once(wiki: Wiki) -> None:
    put(wiki, "locks")
    refused(
        PAGE_REVISION_CONFLICT,
        lambda: page_moves.remove(wiki, OTHER, slug="locks", if_revision=0),
    )
    call = replace(OTHER, request_id="r1", command="page remove")
    done = page_moves.remove(wiki, call, slug="locks")
    assert page_moves.remove(wiki, call, slug="locks") == replace(done, replayed=True)
    refused(PAGE_NOT_FOUND, lambda: page_moves.remove(wiki, OTHER, slug="locks"))
