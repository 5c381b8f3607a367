from __future__ import annotations

import json
from dataclasses import replace

import pytest
from conftest import Clock
from ingesting import a_source, refused
from page_makers import AUTHOR, QUOTE, TEXT, cited, found, put, rows

from lwc.domain.citation import QuoteState
from lwc.domain.page import LARGEST_BODY
from lwc.errors import (
    BLANK,
    EMPTY_BODY,
    INPUT_TOO_LARGE,
    INVALID_PROVENANCE,
    INVALID_SLUG,
    INVALID_SPAN,
    NOT_CITED_BY_PAGE,
    PAGE_NOT_FOUND,
    PAGE_REVISION_CONFLICT,
    REQUEST_ID_REUSED,
    SLUG_COLLISION,
    SLUG_RESERVED,
    SOURCE_NOT_FOUND,
    STALE_REVISION,
    UNKNOWN_KIND,
    Problem,
)
from lwc.services import charter, lint, page_moves, page_writes, pages
from lwc.store import citations as citation_rows
from lwc.store import pages as page_rows
from lwc.wiki import Call, Wiki


def test_a_new_page_begins_at_revision_one(wiki: Wiki) -> None:
    done = put(wiki, "locks", "Locks.\n", title="Locks", summary="On locks.")
    assert (done.created, done.changed, done.page.revision) == (True, True, 1)
    assert (done.page.slug, done.page.title, done.page.summary) == ("locks", "Locks", "On locks.")
    assert done.revision == wiki.revision()


def test_the_same_page_again_changes_nothing(wiki: Wiki, clock: Clock) -> None:
    source = a_source(wiki, TEXT)
    first = put(wiki, "locks", cited(source), provenance=("hypothesis", "user-provided"))
    before = rows(wiki)
    clock.tick(60)
    again = put(
        wiki, "locks", cited(source), provenance=("user-provided", "hypothesis", "hypothesis")
    )
    assert (again.created, again.changed) == (False, False)
    assert (again.page, again.revision) == (first.page, first.revision)
    assert rows(wiki) == before


def test_a_source_that_is_named_at_last_outlives_its_footnote(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks", cited(source))
    assert put(wiki, "locks", cited(source), source_ids=(source,)).changed
    edits = json.dumps([{"old": cited(source), "new": "Locks.\n"}])
    assert page_writes.patch(wiki, AUTHOR, slug="locks", edits=edits).page.source_ids == (source,)


def test_what_is_not_said_again_is_dropped(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(
        wiki,
        "locks",
        cited(source) + "[[other]]\n",
        summary="x",
        provenance=("hypothesis",),
        kind="entity",
    )
    done = put(wiki, "locks", "Nothing.\n")
    assert done.page.revision == 2
    assert (done.page.source_ids, done.page.provenance, done.page.links) == ((), (), ())
    assert (done.page.summary, done.page.kind, done.citations) == ("", "concept", ())


def test_created_at_stays_and_updated_at_moves(wiki: Wiki, clock: Clock) -> None:
    first = put(wiki, "locks")
    clock.tick(60)
    second = put(wiki, "locks", "More.\n")
    assert second.page.created_at == first.page.created_at
    assert (second.page.updated_at - first.page.updated_at).total_seconds() == 60


def test_footnotes_join_the_sources_that_are_named(wiki: Wiki) -> None:
    one, two = a_source(wiki, TEXT), a_source(wiki, "Another text.\n", name="b.md")
    done = put(wiki, "locks", cited(two, "Another text."), source_ids=(one, one))
    assert done.page.source_ids == (one, two)
    assert done.page.provenance == ("source-grounded",)


@pytest.mark.parametrize(
    "quote, state",
    [
        pytest.param(QUOTE, QuoteState.EXACT, id="across a line end"),
        pytest.param(QUOTE.upper(), QuoteState.NEAR, id="other case"),
        pytest.param(QUOTE.replace("one", "no"), QuoteState.MISSING, id="altered"),
    ],
)
def test_a_quote_is_judged_and_kept(wiki: Wiki, quote: str, state: QuoteState) -> None:
    done = put(wiki, "locks", cited(a_source(wiki, TEXT), quote))
    (citation,) = done.citations
    assert citation.state is state
    if state is not QuoteState.MISSING:
        assert TEXT[citation.start : citation.end] == citation.found or citation.found is None
        assert " ".join(TEXT[citation.start : citation.end].split()).casefold() == quote.casefold()
    with wiki.reading() as conn:
        page = page_rows.find(conn, "locks")
        assert citation_rows.of_page(conn, page.id) == (citation,)


@pytest.mark.parametrize(
    "options, problem",
    [
        pytest.param({"slug": "../../etc/cron"}, INVALID_SLUG, id="a path"),
        pytest.param({"slug": "abc\n"}, INVALID_SLUG, id="a newline"),
        pytest.param({"slug": "con"}, SLUG_RESERVED, id="a device"),
        pytest.param({"slug": "index"}, SLUG_RESERVED, id="our own file"),
        pytest.param({"title": "  "}, BLANK, id="blank title"),
        pytest.param({"body": " \n"}, EMPTY_BODY, id="blank body"),
        pytest.param({"kind": "sources"}, UNKNOWN_KIND, id="nearly a kind"),
        pytest.param({"provenance": ("guess",)}, INVALID_PROVENANCE, id="provenance"),
        pytest.param({"source_ids": (999999,)}, SOURCE_NOT_FOUND, id="source"),
        pytest.param({"body": cited(999999)}, SOURCE_NOT_FOUND, id="source of a footnote"),
        pytest.param({"body": "x[^a]\n\n[^a]: source:1#9-3\n"}, INVALID_SPAN, id="range"),
    ],
)
def test_a_refused_page_changes_nothing(
    wiki: Wiki, options: dict[str, object], problem: Problem
) -> None:
    a_source(wiki, TEXT)
    put(wiki, "locks")
    before = rows(wiki)
    given = {"slug": "locks", "title": "Locks", "body": "New.\n", **options}
    refused(problem, lambda: page_writes.put(wiki, AUTHOR, **given))  # type: ignore[arg-type]
    assert rows(wiki) == before


def test_every_missing_source_is_named(wiki: Wiki) -> None:
    error = refused(SOURCE_NOT_FOUND, lambda: put(wiki, "locks", source_ids=(7, 5)))
    assert error.details["missing"] == [5, 7]


def test_kinds_of_the_schema_are_kinds(wiki: Wiki) -> None:
    refused(UNKNOWN_KIND, lambda: put(wiki, "locks", kind="decision"))
    charter.put(wiki, AUTHOR, name="schema", text="---\nkinds: [decision]\n---\n# Schema\n")
    assert put(wiki, "locks", kind=" Decision ").page.kind == "decision"


def test_a_kind_that_left_the_schema_stays_with_its_pages(wiki: Wiki) -> None:
    charter.put(wiki, AUTHOR, name="schema", text="---\nkinds: [decision]\n---\n# Schema\n")
    put(wiki, "locks", kind="decision")
    charter.put(wiki, AUTHOR, name="schema", text="# Schema\n")
    assert put(wiki, "locks", "More.\n", kind="decision").page.kind == "decision"
    refused(UNKNOWN_KIND, lambda: put(wiki, "others", kind="decision"))


@pytest.mark.parametrize("slug", ["Page", "ＰＡＧＥ"], ids=["case", "compatibility forms"])
def test_two_names_never_share_a_key(wiki: Wiki, slug: str) -> None:
    put(wiki, "page")
    error = refused(SLUG_COLLISION, lambda: put(wiki, slug))
    assert error.details["existing"] == "page"


def test_composed_and_decomposed_names_are_one_page(wiki: Wiki) -> None:
    put(wiki, "café")
    assert put(wiki, "cafe\u0301", "More.\n").created is False
    assert pages.show(wiki, slug="cafe\u0301").page.revision == 2


def test_a_page_is_written_against_the_revision_that_was_seen(wiki: Wiki) -> None:
    put(wiki, "locks", if_revision=0)
    put(wiki, "locks", "More.\n", if_revision=1)
    before = rows(wiki)
    error = refused(PAGE_REVISION_CONFLICT, lambda: put(wiki, "locks", "Other.\n", if_revision=1))
    assert (error.details["expected"], error.details["current"]) == (1, 2)
    assert error.details["changed_by"] == "author"
    assert error.details["changed_at"]
    assert rows(wiki) == before


def test_a_stale_revision_is_refused_even_when_nothing_would_change(wiki: Wiki) -> None:
    put(wiki, "locks")
    refused(PAGE_REVISION_CONFLICT, lambda: put(wiki, "locks", if_revision=0))


def test_a_revision_of_a_page_that_is_not_there_is_a_conflict(wiki: Wiki) -> None:
    error = refused(PAGE_REVISION_CONFLICT, lambda: put(wiki, "locks", if_revision=3))
    assert (error.details["current"], error.details["changed_by"]) == (0, None)
    put(wiki, "locks")
    page_moves.remove(wiki, Call(agent="remover"), slug="locks")
    error = refused(PAGE_REVISION_CONFLICT, lambda: put(wiki, "locks", if_revision=1))
    assert (error.details["current"], error.details["changed_by"]) == (0, "remover")


def test_the_wikis_revision_binds_too(wiki: Wiki) -> None:
    seen = put(wiki, "locks").revision
    put(wiki, "other")
    refused(
        STALE_REVISION,
        lambda: put(wiki, "locks", "More.\n", call=replace(AUTHOR, if_revision=seen)),
    )


def test_a_removed_page_put_again_goes_on_counting(wiki: Wiki) -> None:
    put(wiki, "locks")
    page_moves.remove(wiki, AUTHOR, slug="locks")
    again = put(wiki, "locks", if_revision=0)
    assert (again.created, again.page.revision) == (True, 3)
    entries = pages.history(wiki, slug="locks").revisions
    assert [(one.revision, one.action) for one in entries] == [
        (3, "put"),
        (2, "remove"),
        (1, "put"),
    ]


def test_a_repeated_request_answers_the_same(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    call = replace(AUTHOR, request_id="r1", command="page put", arguments={"slug": "locks"})
    first = put(wiki, "locks", cited(source), call=call)
    again = put(wiki, "locks", cited(source), call=call)
    assert again == replace(first, replayed=True)
    assert wiki.revision() == first.revision
    other = replace(call, arguments={"slug": "other"})
    refused(REQUEST_ID_REUSED, lambda: put(wiki, "other", call=other))


def test_the_index_follows_what_is_written(wiki: Wiki) -> None:
    put(wiki, "locks", "About zebras.\n", title="Locks")
    assert found(wiki, "zebra") == ["locks"]
    put(wiki, "locks", "About lions.\n", title="Locks")
    assert (found(wiki, "zebra"), found(wiki, "lion"), found(wiki, "lock")) == (
        [],
        ["locks"],
        ["locks"],
    )
    page_moves.remove(wiki, AUTHOR, slug="locks")
    assert found(wiki, "lion", "lock") == []


@pytest.mark.parametrize(
    "slug, title",
    [
        pytest.param("cache-invalidations", "How caches go stale", id="slug"),
        pytest.param("stale-caches", "Cache Invalidation", id="title"),
    ],
)
def test_a_page_called_nearly_the_same_is_told(wiki: Wiki, slug: str, title: str) -> None:
    put(wiki, "cache-invalidation", title="Cache invalidation")
    (finding,) = put(wiki, slug, title=title).findings
    assert (finding.code, finding.target) == ("possible_duplicate", "cache-invalidation")
    (kept,) = put(wiki, slug, "More.\n", title=title).findings
    assert kept.target == "cache-invalidation"


def test_other_names_are_not_told(wiki: Wiki) -> None:
    put(wiki, "cache-invalidation", title="Cache invalidation")
    assert put(wiki, "cache", title="Cache").findings == ()


def test_a_confirmed_page_is_touched_and_not_rewritten(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks", cited(source))
    done = page_writes.confirm(wiki, AUTHOR, slug="locks", source_id=source, if_revision=1)
    assert done.page.revision == 1
    with wiki.reading() as conn:
        (citing,) = page_rows.citing(conn, source)
    assert citing.touched == done.revision == wiki.revision()


def test_only_a_citing_page_is_confirmed(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    put(wiki, "locks")
    before = rows(wiki)
    for problem, slug, source_id in (
        (NOT_CITED_BY_PAGE, "locks", source),
        (SOURCE_NOT_FOUND, "locks", 99),
        (PAGE_NOT_FOUND, "none", source),
    ):
        refused(
            problem,
            lambda slug=slug, source_id=source_id: page_writes.confirm(
                wiki, AUTHOR, slug=slug, source_id=source_id
            ),
        )
    assert rows(wiki) == before


def test_writing_touches_every_cited_source(wiki: Wiki) -> None:
    one, two = a_source(wiki, TEXT), a_source(wiki, "Another text.\n", name="b.md")
    put(wiki, "locks", cited(one), source_ids=(two,))
    done = put(wiki, "locks", cited(one) + "More.\n", source_ids=(two,))
    with wiki.reading() as conn:
        for source in (one, two):
            assert [page.touched for page in page_rows.citing(conn, source)] == [done.revision]


def test_a_body_that_is_too_large_to_be_read_is_refused_before_it_is_parsed(wiki: Wiki) -> None:
    body = "a" * (LARGEST_BODY + 1)
    refused(INPUT_TOO_LARGE, lambda: put(wiki, "large", body))
    assert rows(wiki)["pages"] == []


def test_a_put_tells_of_its_quotes_what_lint_tells(wiki: Wiki) -> None:
    source = a_source(wiki, TEXT)
    footnotes = (
        f'[^a]: source:{source} "words that stand nowhere in this source at all"',
        f'[^b]: source:{source} "{QUOTE.upper()}"',
        f'[^c]: source:{source} "{QUOTE}"',
        f"[^d]: source:{source}",
        f'[^e]: source:{source}#0-5 "{QUOTE}"',
        "[^f]: a remark that nothing refers to",
    )
    body = "Said.[^a][^b][^c][^d][^e]\n\n" + "\n".join(footnotes) + "\n"
    told = put(wiki, "locks", body, title="Locks", summary="On locks.").findings
    linted = lint.lint(wiki, page="locks", limit=1000).issues
    shared = {finding.code for finding in told}
    assert {"citation_missing", "citation_without_quote", "footnote_unreferenced"} <= shared
    assert sorted(told, key=str) == sorted(
        (finding for finding in linted if finding.code in shared), key=str
    )
    assert {one.code for one in linted} - shared <= {"orphan_page", "claim_uncited"}
