"""`lwc search`, `lwc context`, `lwc log` and `lwc lint` as command lines, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from page_makers import put

from lwc.services import workspaces
from lwc.wiki import Wiki
from lwc.workspace import Scope

Lwc = Callable[..., Result]


@pytest.fixture
def locks(wiki: Wiki) -> None:
    put(wiki, "lock", "The lock is held by one writer.\n", title="The lock", summary="Locks.")
    put(wiki, "store", "The store waits. [[No Such Page]]\n", kind="entity")


@pytest.mark.usefixtures("locks")
def test_a_search_answers_results_with_the_fields_of_the_contract(lwc: Lwc) -> None:
    answer = lwc("search", "who holds the lock?").ok()
    [result] = answer["results"]
    assert {
        "scope", "type", "identifier", "title", "kind", "summary", "provenance", "snippet", "rank",
    } <= result.keys()  # fmt: skip
    assert (result["identifier"], result["marks"]) == ("lock", [[4, 8]])
    assert (answer["total"], answer["has_more"], answer["limit"]) == (1, False, 20)


@pytest.mark.usefixtures("locks")
def test_kind_may_be_repeated(lwc: Lwc) -> None:
    args = ("search", "lock store", "--type", "page", "--kind", "entity", "--kind", "concept")
    assert lwc(*args).ok()["total"] == 2
    assert lwc(*args[:-2]).ok()["total"] == 1


@pytest.mark.parametrize("query", ["", "   ", "\t"], ids=repr)
def test_a_blank_query_is_bad_input(lwc: Lwc, query: str) -> None:
    result = lwc("search", query)
    assert (result.status, result.error["code"]) == (6, "invalid_input")


@pytest.mark.parametrize(
    "query",
    ["*", '""', '"alpha', "alpha)", "a AND", "NEAR(", "title:secret", "{slug title}: x"],
    ids=ascii,
)
@pytest.mark.usefixtures("locks")
def test_signs_are_no_syntax(lwc: Lwc, query: str) -> None:
    assert lwc("search", query).ok()["results"] == []


def test_a_query_may_begin_with_a_dash_behind_two_dashes(lwc: Lwc) -> None:
    assert lwc("search", "--", "- title : alpha").ok()["query"]["terms"] == ["titl", "alpha"]


@pytest.mark.parametrize("command", [("search", "x"), ("context",), ("log",), ("lint",)], ids=str)
@pytest.mark.parametrize(
    ("limit", "status"), [("0", 6), ("-1", 6), ("1000001", 6), ("abc", 2), ("1_0", 2)]
)
def test_a_limit_out_of_range_is_refused_with_the_range(
    lwc: Lwc, command: tuple[str, ...], limit: str, status: int
) -> None:
    result = lwc(*command, "--limit", limit)
    assert (result.status, result.error["reason"]) == (status, "limit_out_of_range")
    assert "1" in result.error["message"]
    assert "1000" in result.error["message"]


def test_kind_with_sources_only_is_refused(lwc: Lwc) -> None:
    result = lwc("search", "x", "--type", "source", "--kind", "concept")
    assert (result.status, result.error["code"]) == (6, "invalid_input")
    assert result.error["reason"] == "kind_needs_pages"


@pytest.mark.usefixtures("locks")
def test_lint_tells_where_a_link_leads_nowhere_and_exits_with_0(lwc: Lwc) -> None:
    answer = lwc("lint", "--severity", "error").ok()
    [issue] = answer["issues"]
    assert (issue["code"], issue["page"], issue["target"], issue["line"]) == (
        "dangling_link", "store", "No Such Page", 1,
    )  # fmt: skip
    assert "lwc search -- 'No Such Page'" in issue["hint"]
    assert answer["counts"]["missing_summary"] == 1
    assert lwc("lint", "--page", "lock").ok()["counts"] == {"orphan_page": 1, "uncited_page": 1}


def test_lint_of_a_page_that_is_not_there_is_refused(lwc: Lwc) -> None:
    assert lwc("lint", "--page", "nobody").error["code"] == "page_not_found"
    assert lwc("lint", "--code", "nothing").error["reason"] == "unknown_rule"


def test_what_is_recorded_stands_in_the_log(lwc: Lwc) -> None:
    lwc("search", "x", "--record", "--agent", "me").ok()
    lwc("lint", "--record", "--agent", "me").ok()
    entries = lwc("log", "--limit", "2").ok()["operations"]
    assert [(entry["action"], entry["agent"]) for entry in entries] == [
        ("lint", "me"),
        ("search", "me"),
    ]
    assert lwc("log", "--action", "search", "--target", "x").ok()["total"] == 1
    assert lwc("log", "--since", "2999-01-01").ok()["total"] == 0
    assert lwc("log", "--since", "soon").error["code"] == "invalid_input"


def test_a_recorded_search_repeated_under_its_request_id_is_recorded_once(lwc: Lwc) -> None:
    for _ in range(2):
        lwc("search", "x", "--record", "--request-id", "once").ok()
    assert lwc("log", "--action", "search").ok()["total"] == 1


def test_all_wikis_are_searched_and_shown(lwc: Lwc, tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "home")}
    workspaces.init(tmp_path, scope=Scope.GLOBAL, environ=environ, exclude_from_git=False)
    stores = lwc("context", "--scope", "all").ok()["stores"]
    assert [store["scope"] for store in stores] == ["project", "global"]
    answer = lwc("search", "x", "--scope", "all").ok()
    assert [store["scope"] for store in answer["stores"]] == ["project", "global"]
    for command in (("lint",), ("log",)):
        assert lwc(*command, "--scope", "all").error["code"] == "scope_not_supported"


@pytest.mark.usefixtures("locks")
def test_the_index_can_be_made_anew(lwc: Lwc) -> None:
    before = lwc("search", "lock store").ok()["results"]
    assert lwc("maintenance", "reindex").ok()["pages"] == 2
    assert lwc("search", "lock store").ok()["results"] == before
    assert lwc("log", "--limit", "1").ok()["operations"][0]["action"] == "reindex"


@pytest.mark.usefixtures("locks")
def test_a_person_reads_text(lwc: Lwc) -> None:
    for command in (("search", "lock"), ("lint",), ("context",), ("log",)):
        result = lwc(*command, "--output", "text")
        assert result.status == 0
        assert "lock" in result.out
        assert "\x1b" not in result.out
