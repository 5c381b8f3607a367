from __future__ import annotations

import json
from dataclasses import replace

import pytest
from ingesting import a_source, refused
from page_makers import AUTHOR, TEXT, cited, found, put, rows

from lwc.errors import (
    EDIT_NOT_UNIQUE,
    EMPTY_BODY,
    INVALID_EDITS,
    PAGE_NOT_FOUND,
    PAGE_REVISION_CONFLICT,
    PAGE_REVISION_NOT_FOUND,
    SLUG_RENAMED,
    SOURCE_NOT_FOUND,
    Problem,
)
from lwc.services import page_moves, page_writes, pages, source_writes
from lwc.wiki import Wiki


def test_a_patch_changes_passages_and_keeps_the_rest(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(
        wiki,
        "locks",
        "One. Two.\n",
        title="Locks",
        summary="x",
        kind="entity",
        source_ids=(source,),
        provenance=("hypothesis",),
    )
    edits = json.dumps([{"old": "One", "new": "Three"}, {"old": "Three. Two", "new": "Four"}])
    done = page_writes.patch(wiki, AUTHOR, slug="LOCKS", edits=edits, if_revision=1)
    shown = pages.show(wiki, slug="locks").page
    assert (shown.body, shown.revision) == ("Four.\n", 2)
    assert (done.page.title, done.page.summary, done.page.kind) == ("Locks", "x", "entity")
    assert (done.page.source_ids, done.page.provenance) == (
        (source,),
        ("source-grounded", "hypothesis"),
    )


@pytest.mark.parametrize(
    "edits, problem",
    [
        pytest.param('[{"old": ".", "new": "x"}]', EDIT_NOT_UNIQUE, id="twice"),
        pytest.param('[{"old": "no", "new": "x"}]', EDIT_NOT_UNIQUE, id="not there"),
        pytest.param(
            '[{"old": "Two", "new": ""}, {"old": "Two", "new": ""}]', EDIT_NOT_UNIQUE, id="gone"
        ),
        pytest.param("{}", INVALID_EDITS, id="no list"),
        pytest.param('[{"old": "One. Two.\\n", "new": " "}]', EMPTY_BODY, id="nothing left"),
    ],
)
def test_a_refused_patch_changes_nothing(wiki: Wiki, edits: str, problem: Problem) -> None:
    put(wiki, "locks", "One. Two.\n")
    before = rows(wiki)
    refused(problem, lambda: page_writes.patch(wiki, AUTHOR, slug="locks", edits=edits))
    assert rows(wiki) == before


def test_a_patch_is_refused_on_another_revision_or_name(wiki: Wiki) -> None:
    put(wiki, "locks", "One.\n")
    edits = '[{"old": "One", "new": "Two"}]'
    refused(
        PAGE_REVISION_CONFLICT,
        lambda: page_writes.patch(wiki, AUTHOR, slug="locks", edits=edits, if_revision=2),
    )
    refused(PAGE_NOT_FOUND, lambda: page_writes.patch(wiki, AUTHOR, slug="none", edits=edits))
    page_moves.rename(wiki, AUTHOR, slug="locks", to="locking")
    refused(SLUG_RENAMED, lambda: page_writes.patch(wiki, AUTHOR, slug="locks", edits=edits))


def test_a_source_cited_only_in_a_footnote_goes_with_it(wiki: Wiki) -> None:
    one, two = a_source(wiki, TEXT), a_source(wiki, "Another text.\n", name="b.md")
    put(wiki, "locks", cited(one) + cited(two, "Another text.", label="c2"), source_ids=(two,))
    edits = json.dumps(
        [
            {"old": body, "new": "Nothing.\n"}
            for body in (cited(one), cited(two, "Another text.", label="c2"))
        ]
    )
    done = page_writes.patch(wiki, AUTHOR, slug="locks", edits=edits)
    assert done.page.source_ids == (two,)


def test_a_revision_is_restored_as_a_new_one(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    first = put(wiki, "locks", cited(source), title="Locks", summary="x", kind="entity")
    put(wiki, "locks", "Other.\n", title="Other")
    done = page_writes.restore(wiki, AUTHOR, slug="locks", revision=1, if_revision=2)
    assert (done.page.revision, done.created) == (3, False)
    assert replace(done.page, revision=1, updated_at=first.page.updated_at) == first.page
    assert done.citations == first.citations
    assert pages.show(wiki, slug="locks").page.body == cited(source)


def test_restoring_what_is_there_changes_nothing(wiki: Wiki) -> None:
    put(wiki, "locks")
    before = rows(wiki)
    done = page_writes.restore(wiki, AUTHOR, slug="locks", revision=1)
    assert not done.changed
    assert rows(wiki) == before


def test_a_removed_page_is_restored(wiki: Wiki) -> None:
    put(wiki, "locks", "About zebras.\n")
    gone = page_moves.remove(wiki, AUTHOR, slug="locks")
    done = page_writes.restore(
        wiki, AUTHOR, slug="locks", revision=gone.restore_revision, if_revision=0
    )
    assert (done.created, done.page.revision) == (True, 3)
    assert pages.show(wiki, slug="locks").page.body == "About zebras.\n"
    assert found(wiki, "zebra") == ["locks"]


def test_restoring_needs_the_sources_and_the_revision(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks", cited(source))
    put(wiki, "locks", "Other.\n")
    refused(
        PAGE_REVISION_NOT_FOUND,
        lambda: page_writes.restore(wiki, AUTHOR, slug="locks", revision=9),
    )
    refused(PAGE_NOT_FOUND, lambda: page_writes.restore(wiki, AUTHOR, slug="no", revision=1))
    source_writes.remove(wiki, AUTHOR, source_id=source)
    before = rows(wiki)
    refused(SOURCE_NOT_FOUND, lambda: page_writes.restore(wiki, AUTHOR, slug="locks", revision=1))
    assert rows(wiki) == before
