from __future__ import annotations

import pytest
from conftest import Clock
from ingesting import a_source, refused
from page_makers import AUTHOR, TEXT, cited, put

from lwc import clock as clock_module
from lwc.domain.citation import QuoteState
from lwc.errors import (
    INVALID_OFFSET,
    INVALID_SLUG,
    INVALID_TIME,
    LIMIT_OUT_OF_RANGE,
    PAGE_NOT_FOUND,
    PAGE_REVISION_NOT_FOUND,
    SLUG_RESERVED,
)
from lwc.services import page_moves, page_writes, pages
from lwc.wiki import Call, Wiki


def test_a_page_is_shown_with_its_text_sources_and_citations(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(
        wiki,
        "locks",
        cited(source) + "\n[[Other]] [[another]]\n",
        title="Locks",
        provenance=("hypothesis",),
    )
    shown = pages.show(wiki, slug="LOCKS")
    assert shown.page.body.startswith("The store keeps one writer.")
    assert shown.page.links == ("Other", "another")
    assert shown.page.provenance == ("source-grounded", "hypothesis")
    assert (shown.page.revision, shown.page.author) == (1, "author")
    assert [(one.id, one.title) for one in shown.sources] == [(source, "notes.md")]
    assert shown.citations is not None
    assert [(one.label, one.state) for one in shown.citations] == [("c1", QuoteState.EXACT)]


def test_an_earlier_revision_is_shown_as_it_was(wiki: Wiki, clock: Clock) -> None:
    source = a_source(wiki, TEXT)
    first = put(wiki, "locks", cited(source), title="Locks")
    clock.tick(60)
    put(wiki, "locks", "Other.\n", call=Call(agent="second"))
    shown = pages.show(wiki, slug="locks", revision=1)
    assert (shown.page.title, shown.page.body) == ("Locks", cited(source))
    assert (shown.page.author, shown.page.updated_at) == ("author", first.page.updated_at)
    assert (shown.page.links, shown.citations) == (None, None)
    assert [one.id for one in shown.sources] == [source]
    assert pages.show(wiki, slug="locks", revision=2) == pages.show(wiki, slug="locks")


@pytest.mark.parametrize("revision", [0, 3], ids=["before the first", "after the newest"])
def test_a_revision_that_never_was_is_refused(wiki: Wiki, revision: int) -> None:
    put(wiki, "locks")
    refused(PAGE_REVISION_NOT_FOUND, lambda: pages.show(wiki, slug="locks", revision=revision))


def test_a_removed_page_is_shown_only_by_revision(wiki: Wiki) -> None:
    put(wiki, "locks", "Zebras.\n")
    page_moves.remove(wiki, AUTHOR, slug="locks")
    refused(PAGE_NOT_FOUND, lambda: pages.show(wiki, slug="locks"))
    assert pages.show(wiki, slug="locks", revision=1).page.body == "Zebras.\n"


def test_what_can_be_no_page_is_refused_by_name(wiki: Wiki) -> None:
    refused(INVALID_SLUG, lambda: pages.show(wiki, slug="../../etc/cron"))
    refused(SLUG_RESERVED, lambda: pages.history(wiki, slug="con"))
    refused(PAGE_NOT_FOUND, lambda: pages.links_of(wiki, slug="none"))


def test_pages_are_listed_by_slug_in_windows(wiki: Wiki) -> None:
    for slug in ("b", "a", "c"):
        put(wiki, slug)
    first = pages.list_(wiki, limit=2)
    assert [page.slug for page in first.pages] == ["a", "b"]
    assert (first.total, first.has_more) == (3, True)
    rest = pages.list_(wiki, limit=2, offset=2)
    assert [page.slug for page in rest.pages] == ["c"]
    assert not rest.has_more
    assert pages.list_(wiki, offset=9).pages == ()


def test_a_list_is_narrowed_by_kind_source_and_time(wiki: Wiki, clock: Clock) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "a", kind="source", source_ids=(source,))
    put(wiki, "b", cited(source))
    clock.tick(3600)
    late = clock_module.stamp(clock.moment)
    put(wiki, "c")

    def slugs(**narrowed: object) -> list[str]:
        return [page.slug for page in pages.list_(wiki, **narrowed).pages]  # type: ignore[arg-type]

    assert slugs(kind=" SOURCE ") == ["a"]
    assert slugs(source_id=source) == ["a", "b"]
    assert slugs(source_id=source, kind="concept") == ["b"]
    assert slugs(updated_since=late) == ["c"]
    assert slugs(source_id=99) == slugs(kind="none") == []
    refused(INVALID_TIME, lambda: slugs(updated_since="lately"))


def test_links_are_shown_both_ways(wiki: Wiki) -> None:
    put(wiki, "locks", "[[LOCKS]]\n\n[[missing]] and [[Other]] and [[other]]\n")
    put(wiki, "other", "[[locks]]\n")
    shown = pages.links_of(wiki, slug="Locks")
    assert shown.outgoing == ("locks", "other", "missing")
    assert shown.backlinks == ("locks", "other")
    assert shown.missing == ("missing",)
    assert [(one.target, one.line, one.slug) for one in shown.places] == [
        ("LOCKS", 1, "locks"),
        ("Other", 3, "other"),
        ("missing", 3, None),
    ]
    assert dict(shown.totals) == {"outgoing": 3, "backlinks": 2, "missing": 1}


def test_links_come_in_windows(wiki: Wiki) -> None:
    put(wiki, "locks", "[[a]] [[b]] [[c]]\n")
    shown = pages.links_of(wiki, slug="locks", limit=2)
    assert (shown.outgoing, shown.has_more) == (("a", "b"), True)
    shown = pages.links_of(wiki, slug="locks", limit=2, offset=2)
    assert (shown.missing, shown.has_more) == (("c",), False)


@pytest.mark.parametrize("part", [{"limit": 0}, {"limit": -1}, {"limit": 1001}, {"offset": -1}])
@pytest.mark.parametrize("of", ["list", "links", "history"])
def test_a_part_that_cannot_be_is_refused_to_python_too(
    wiki: Wiki, of: str, part: dict[str, int]
) -> None:
    put(wiki, "locks")
    asked = {
        "list": lambda: pages.list_(wiki, **part),
        "links": lambda: pages.links_of(wiki, slug="locks", **part),
        "history": lambda: pages.history(wiki, slug="locks", **part),
    }
    refused(LIMIT_OUT_OF_RANGE if "limit" in part else INVALID_OFFSET, asked[of])


def test_a_history_has_every_revision_newest_first(wiki: Wiki) -> None:
    put(wiki, "locks")
    put(wiki, "locks", "Two.\n", call=Call(agent="second"))
    page_writes.restore(wiki, AUTHOR, slug="locks", revision=1)
    shown = pages.history(wiki, slug="locks", limit=2)
    told = [(one.revision, one.action, one.author) for one in shown.revisions]
    assert told == [(3, "restore", "author"), (2, "put", "second")]
    assert (shown.total, shown.has_more, shown.removed) == (3, True, False)
    assert shown.revisions[0].operation_id == wiki.revision()


def test_a_diff_shows_what_the_newest_revision_changed(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks", "One.\nTwo.\n", title="Locks")
    put(wiki, "locks", "One.\nThree.\n", title="The lock", source_ids=(source,))
    made = pages.diff(wiki, slug="locks")
    assert (made.from_revision, made.to_revision) == (1, 2)
    assert made.diff.splitlines()[2:] == ["@@ -1,2 +1,2 @@", " One.", "-Two.", "+Three."]
    assert (made.added, made.removed) == (1, 1)
    changes = [(one.field, one.before, one.after) for one in made.changes]
    assert changes == [("title", "Locks", "The lock"), ("source_ids", (), (source,))]


def test_a_diff_of_chosen_revisions(wiki: Wiki) -> None:
    for body in ("One.\n", "Two.\n", "Three.\n"):
        put(wiki, "locks", body)
    assert "-Three.\n+One." in pages.diff(wiki, slug="locks", from_revision=3, to_revision=1).diff
    assert "-One.\n+Two." in pages.diff(wiki, slug="locks", to_revision=2).diff
    assert pages.diff(wiki, slug="locks", from_revision=2, to_revision=2).diff == ""
    for first in (
        pages.diff(wiki, slug="locks", to_revision=1),
        pages.diff(wiki, slug="locks", from_revision=0, to_revision=1),
    ):
        assert (first.from_revision, first.added) == (0, 1)
        assert first.diff.endswith("@@ -0,0 +1 @@\n+One.\n")
    refused(PAGE_REVISION_NOT_FOUND, lambda: pages.diff(wiki, slug="locks", to_revision=4))


def test_a_diff_is_bounded(wiki: Wiki) -> None:
    put(wiki, "locks")
    put(wiki, "locks", "word\n" * 10_000)
    made = pages.diff(wiki, slug="locks", max_chars=1_000)
    assert len(made.diff) <= 1_000
    assert made.has_more
    assert made.total_chars > 50_000
