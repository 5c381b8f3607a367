from __future__ import annotations

import json
from typing import Any

import pytest
from ingesting import a_source, refused
from page_makers import AUTHOR, QUOTE, TEXT, cited, put, rows

from lwc.errors import (
    INVALID_PAGES_FILE,
    INVALID_SLUG,
    PAGE_REVISION_CONFLICT,
    SOURCE_NOT_FOUND,
    UNKNOWN_KIND,
    Problem,
)
from lwc.services import page_files, pages
from lwc.wiki import Wiki


def lines(*written: dict[str, Any]) -> str:
    whole = ({"title": "T", "body": "Locks.\n", **one} for one in written)
    return "".join(json.dumps(one) + "\n" for one in whole)


def test_the_pages_of_a_file_are_written_in_its_order(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "same", title="T")
    put(wiki, "old", title="T")
    done = page_files.put_many(
        wiki,
        AUTHOR,
        text="\n"
        + lines(
            {"slug": "new", "kind": "source", "sources": [source], "if_revision": 0},
            {"slug": "same"},
            {"slug": "old", "body": "More.\n", "summary": "x", "provenance": ["hypothesis"]},
        ),
    )
    told = [(one.line, one.slug, one.revision, one.created, one.changed) for one in done.pages]
    assert told == [
        (2, "new", 1, True, True),
        (3, "same", 1, False, False),
        (4, "old", 2, False, True),
    ]
    assert (done.created, done.changed, done.unchanged) == (1, 2, 1)
    assert pages.show(wiki, slug="new").page.source_ids == (source,)


def test_a_page_may_link_to_one_that_comes_later(wiki: Wiki) -> None:
    page_files.put_many(wiki, AUTHOR, text=lines({"slug": "a", "body": "[[b]]\n"}, {"slug": "b"}))
    assert pages.links_of(wiki, slug="a").missing == ()


def test_what_is_wrong_with_the_quotes_is_told_by_line(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    done = page_files.put_many(
        wiki,
        AUTHOR,
        text=lines(
            {"slug": "a", "body": cited(source)},
            {"slug": "b", "body": cited(source, QUOTE.replace("one", "no"))},
            {"slug": "c", "body": cited(source, QUOTE.upper())},
        ),
    )
    told = [(one.line, one.slug, one.code, one.target) for one in done.findings]
    assert told == [(2, "b", "citation_missing", "c1"), (3, "c", "citation_near", "c1")]
    assert done.findings_total == 2


@pytest.mark.parametrize(
    "second, problem",
    [
        pytest.param({"slug": "a/b"}, INVALID_SLUG, id="slug"),
        pytest.param({"slug": "b", "kind": "sources"}, UNKNOWN_KIND, id="kind"),
        pytest.param({"slug": "b", "sources": [99]}, SOURCE_NOT_FOUND, id="source"),
        pytest.param({"slug": "locks", "if_revision": 4}, PAGE_REVISION_CONFLICT, id="revision"),
        pytest.param({"slug": "A"}, INVALID_PAGES_FILE, id="the first one again"),
        pytest.param({"slug": "b", "author": "me"}, INVALID_PAGES_FILE, id="unknown field"),
    ],
)
def test_one_refused_line_refuses_them_all_and_is_named(
    wiki: Wiki, second: dict[str, Any], problem: Problem
) -> None:
    put(wiki, "locks")
    before = rows(wiki)
    text = lines({"slug": "a"}, second, {"slug": "c"})
    error = refused(problem, lambda: page_files.put_many(wiki, AUTHOR, text=text))
    assert error.details["line"] == 2
    assert rows(wiki) == before
