"""Lint's rules: each finds its planted fault with its place, and says nothing of a tidy wiki."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from drafting import ACTS, a_draft, furnish
from ingesting import AGENT, a_source, analyzed, claimed, summarised
from page_makers import put
from sqlalchemy import delete, update
from tidying import body, linked, page_id, uncite, write

from lwc.cli import app
from lwc.domain.ingest import LEASE_DEFAULT, LEASE_MOST
from lwc.domain.lint import BY_CODE, RULES, Severity
from lwc.services import completion, configuration, page_moves, steps
from lwc.services.completion import Waivers
from lwc.services.lint import lint
from lwc.store import lint as findings
from lwc.store import search
from lwc.store.dialects import sqlite
from lwc.store.tables import charter, jobs, sources
from lwc.wiki import Wiki

OTHER = "A second document says that readers never wait for anybody at all."


@dataclass(frozen=True)
class Fault:
    """A fault planted in a tidy wiki, and the place lint must tell; `forced` past all commands."""

    code: str
    plant: Callable[[Wiki], Any]
    page: str | None = None
    target: str | None = None
    line: int | None = None
    forced: bool = False


def execute(wiki: Wiki, statement: Any) -> None:
    with wiki.writing(AGENT) as change:
        change.conn.execute(statement)


def unindex(wiki: Wiki) -> None:
    terms = search.analyse_page(title="Locks", slug="locks", summary="What locks are.", body=body())
    with wiki.writing(AGENT) as change:
        search.drop_page(change.conn, page_id(wiki, "locks"), terms)


def index(wiki: Wiki, id_: int) -> None:
    terms = search.analyse_page(title="a", slug="b", summary="c", body="d")
    with wiki.writing(AGENT) as change:
        search.index_page(change.conn, id_, terms)


def abandon(wiki: Wiki) -> None:
    """A claim from so long ago that its lease ran out."""
    source_id = a_source(wiki, OTHER, name="other.md")
    claimed(wiki, source_id)
    execute(wiki, update(jobs).where(jobs.c.source_id == source_id).values(lease_until=PAST))


def lose(wiki: Wiki) -> None:
    """A source that a page cites goes, which no command of the live wiki does."""
    source_id = a_source(wiki, OTHER, name="other.md")
    write(wiki, text=body(more=f'\nMore.[^c2]\n\n[^c2]: source:{source_id} "{OTHER}"\n'))
    engine = sqlite.engine(wiki.workspace.database, foreign_keys=False)
    with engine.begin() as conn:
        conn.execute(delete(sources).where(sources.c.id == source_id))


PAST = "2020-01-01T00:00:00.000Z"
FAULTS = (
    Fault(
        "missing_schema",
        lambda wiki: execute(wiki, delete(charter).where(charter.c.name == "schema")),
        forced=True,
    ),
    Fault("missing_summary", lambda wiki: write(wiki, summary=" "), page="locks"),
    Fault(
        "uncited_page",
        lambda wiki: linked(wiki, "loose", "Nothing.\n", source_ids=()),
        page="loose",
    ),
    Fault(
        "orphan_page",
        lambda wiki: write(wiki, "lonely", body(more="\n[[lonely]] [^c1]\n")),
        page="lonely",
    ),
    Fault(
        "dangling_link",
        lambda wiki: write(wiki, text=body(more="\nSee [[No Where]].[^c1]\n")),
        page="locks",
        target="No Where",
        line=5,
    ),
    Fault(
        "slug_confusable",
        lambda wiki: linked(wiki, "l\u043ecks"),
        page="l\u043ecks",
        target="locks",
    ),
    Fault(
        "possible_duplicate",
        lambda wiki: linked(wiki, "bolts", title="Locks"),
        page="bolts",
        target="locks",
    ),
    Fault(
        "claim_uncited",
        lambda wiki: write(
            wiki, text=body(more="\nNobody knows where this sentence comes from.\n")
        ),
        page="locks",
        line=5,
    ),
    Fault(
        "footnote_duplicate",
        lambda wiki: write(wiki, text=body() + '[^c1]: source:1 "Everything else has to wait."\n'),
        page="locks",
        target="c1",
        line=6,
    ),
    Fault(
        "footnote_undefined",
        lambda wiki: write(wiki, text=body(more="\nMore.[^c1][^gone]\n")),
        page="locks",
        target="gone",
        line=5,
    ),
    Fault(
        "footnote_unreferenced",
        lambda wiki: write(wiki, text=body() + "[^c2]: A remark.\n"),
        page="locks",
        target="c2",
        line=6,
    ),
    Fault(
        "citation_missing",
        lambda wiki: write(wiki, text=body("Only two writers can hold the lock at any moment.")),
        page="locks",
        target="1",
        line=5,
    ),
    Fault(
        "citation_range_wrong",
        lambda wiki: write(wiki, text=body().replace("source:1 ", "source:1#60-70 ")),
        page="locks",
        target="1",
        line=5,
    ),
    Fault(
        "citation_near",
        lambda wiki: write(wiki, text=body("only one writer can hold the lock at any moment.")),
        page="locks",
        target="1",
        line=5,
    ),
    Fault(
        "citation_weak",
        lambda wiki: write(wiki, text=body("one writer")),
        page="locks",
        target="1",
        line=5,
    ),
    Fault(
        "citation_without_quote",
        lambda wiki: write(wiki, text="One writer. See [[notes]].\n"),
        page="locks",
        target="1",
    ),
    Fault("cited_source_gone", lose, page="locks", target="2", forced=True),
    Fault(
        "untitled_source",
        lambda wiki: execute(wiki, update(sources).values(title=" ")),
        target="1",
        forced=True,
    ),
    Fault(
        "shallow_ingest",
        lambda wiki: write(
            wiki, text="Locks. [[notes]]\n", source_ids=(), provenance=("hypothesis",)
        ),
        target="1",
    ),
    Fault(
        "completed_source_uncited",
        lambda wiki: uncite(wiki, "notes", kind="source"),
        target="1",
    ),
    Fault("stuck_job", abandon, target="2", forced=True),
    Fault("search_index_missing", unindex, target="page:locks", forced=True),
    Fault("search_index_orphan", lambda wiki: index(wiki, 999), target="page:999", forced=True),
    Fault(
        "search_index_duplicate",
        lambda wiki: index(wiki, page_id(wiki, "locks")),
        target="page",
        forced=True,
    ),
)


def test_rules_queries_and_planted_faults_match_one_to_one() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert set(codes) == set(findings.QUERIES)
    assert sorted(codes) == sorted(fault.code for fault in FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
def test_a_planted_fault_is_found_at_its_place_with_a_command_that_can_be_typed(
    tidy: Wiki, fault: Fault
) -> None:
    fault.plant(tidy)
    [finding] = lint(tidy, code=fault.code).issues
    assert finding.code == fault.code
    assert finding.severity is BY_CODE[fault.code].severity
    assert (finding.page, finding.target, finding.line) == (fault.page, fault.target, fault.line)
    commands = [part for part in finding.hint.split("`") if part.startswith("lwc ")]
    assert commands
    for command in commands:
        app.parse(shlex.split(command)[1:])


@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if BY_CODE[fault.code].of_page],
    ids=lambda fault: fault.code,
)
def test_findings_of_a_page_are_those_of_the_wiki_about_it(tidy: Wiki, fault: Fault) -> None:
    fault.plant(tidy)
    whole = [one for one in lint(tidy).issues if one.page == fault.page]
    of_page = lint(tidy, page=fault.page).issues
    assert [one for one in of_page if one.code == fault.code] == [
        one for one in whole if one.code == fault.code
    ]
    with tidy.reading() as conn:
        assert fault.page is not None
        open_ = findings.findings_of_pages(conn, [page_id(tidy, fault.page)])
    assert {one.code for one in open_} == {
        one.code
        for one in of_page
        if one.severity is not Severity.INFO and BY_CODE[one.code].of_page
    }


def test_a_name_of_mixed_alphabets_is_told_even_when_nothing_looks_like_it(tidy: Wiki) -> None:
    linked(tidy, "r\u043eads")
    [finding] = lint(tidy, code="slug_confusable").issues
    assert (finding.page, finding.target) == ("r\u043eads", None)


def test_two_names_that_look_alike_are_told_of_each_other(tidy: Wiki) -> None:
    linked(tidy, "\u0441\u043e\u0440")  # all Cyrillic
    assert "slug_confusable" not in lint(tidy).counts
    linked(tidy, "cop")
    [finding] = lint(tidy, code="slug_confusable").issues
    assert (finding.page, finding.target) == ("\u0441\u043e\u0440", "cop")


def test_source_pages_and_tables_of_contents_are_no_orphans(wiki: Wiki) -> None:
    put(wiki, "start", "Table of contents: [[a]]\n")
    put(wiki, "paper", "A paper.\n", kind="source")
    put(wiki, "a", "A.\n")
    assert "orphan_page" not in lint(wiki).counts


def test_a_link_through_an_earlier_name_counts(tidy: Wiki) -> None:
    page_moves.rename(tidy, AGENT, slug="locks", to="bolts")
    write(tidy, "notes", body(), kind="source")
    assert {"orphan_page", "dangling_link"}.isdisjoint(lint(tidy).counts)


def test_a_claim_that_is_renewed_for_more_than_a_day_is_stuck(wiki: Wiki, clock: Any) -> None:
    held = claimed(wiki, a_source(wiki))
    clock.tick(LEASE_DEFAULT - 1)
    assert lint(wiki).total == 0
    for _ in range(LEASE_MOST // LEASE_DEFAULT + 1):
        clock.tick(LEASE_DEFAULT - 1)
        steps.heartbeat(wiki, AGENT, held.id, token=held.token)
    [finding] = lint(wiki, code="stuck_job").issues
    assert finding.details["agent"] == "tester"


def test_a_lease_that_ran_out_is_stuck(wiki: Wiki, clock: Any) -> None:
    claimed(wiki, a_source(wiki))
    clock.tick(LEASE_DEFAULT + 1)
    assert lint(wiki).counts == {"stuck_job": 1}


def test_a_claim_whose_completion_is_staged_is_not_stuck(wiki: Wiki, clock: Any) -> None:
    held = analyzed(wiki, a_source(wiki))
    with a_draft(wiki) as draft:
        summarised(draft, held.id)
        waivers = Waivers(no_derived_pages_reason="none")
        completion.complete(draft, AGENT, held.id, waivers=waivers, token=held.token)
        clock.tick(LEASE_MOST + LEASE_DEFAULT)
        assert "stuck_job" not in {**lint(wiki).counts, **lint(draft).counts}


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if not fault.forced], ids=lambda fault: fault.code
)
def test_a_fault_planted_in_a_draft_is_found_there_and_not_in_the_live_wiki(
    tidy: Wiki, fault: Fault
) -> None:
    with a_draft(tidy) as draft:
        fault.plant(draft)
        [finding] = lint(draft, code=fault.code).issues
        assert (finding.page, finding.target, finding.line) == (
            fault.page,
            fault.target,
            fault.line,
        )
        assert lint(draft, page=fault.page, code=fault.code).total == 1
        assert lint(tidy).issues == ()


@pytest.mark.parametrize("act", ["source-remove", "page-remove-and-put", "page-remove", "many"])
def test_no_draft_makes_the_search_index_wrong(wiki: Wiki, act: str) -> None:
    furnish(wiki)
    with a_draft(wiki) as draft:
        ACTS[act](draft)
        assert not [code for code in lint(draft).counts if code.startswith("search_index")]


def test_what_is_wrong_with_the_live_index_is_told_in_a_draft_too(tidy: Wiki) -> None:
    index(tidy, 999)
    index(tidy, page_id(tidy, "locks"))
    with a_draft(tidy) as draft:
        assert lint(draft).counts == {"search_index_duplicate": 1, "search_index_orphan": 1}


def test_a_quote_is_owed_under_the_policy(tidy: Wiki) -> None:
    write(tidy, text="One writer. See [[notes]].\n")
    assert lint(tidy, severity="error").total == 0
    configuration.put(tidy, AGENT, values={"citations": "required"})
    [finding] = lint(tidy, severity="error").issues
    assert (finding.code, finding.severity) == ("citation_without_quote", Severity.ERROR)
