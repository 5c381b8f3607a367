"""`lwc check` as it is typed, and as a person reads it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from conftest import Result
from page_makers import put

from lwc.domain.check import TOP_MOST
from lwc.wiki import Wiki

Lwc = Callable[..., Result]

ADD = ("check", "add", "lock", "--query", "who may write", "--paraphrase", "one writer")


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def lock(wiki: Wiki) -> None:
    put(wiki, "lock", "A lock is held by one writer.\n", title="The lock")
    put(wiki, "door", "Who may write on a door?\n", title="Doors")


@pytest.mark.usefixtures("lock")
def test_a_check_is_added_listed_run_and_removed(lwc: Lwc) -> None:
    added = lwc(*ADD, "--top", "1", "--agent", "anna").ok()
    check = added["check"]
    assert (added["created"], check["id"], check["page"], check["top"]) == (True, 1, "lock", 1)
    assert (check["author"], check["last_run"]) == ("anna", None)
    assert lwc(*ADD, "--top", "1").ok()["created"] is False
    assert lwc("check", "list", "--page", "lock").ok()["checks"] == [check]
    ran = lwc("check", "run", "--agent", "berta").ok()
    assert (ran["held"], ran["recorded"], ran["totals"]["failed"]) == (False, True, 1)
    (outcome,) = ran["checks"]
    assert (outcome["place"], outcome["held"]) == (None, False)
    assert outcome["results"] == [{"place": 1, "slug": "door", "title": "Doors"}]
    assert [one["place"] for one in outcome["paraphrases"]] == [1]
    run = lwc("page", "show", "lock").ok()["checks"][0]["last_run"]
    assert (run["held"], run["places"], run["agent"]) == (False, [None, 1], "berta")
    assert lwc("check", "run", "--failed", "--page", "lock").ok()["total"] == 1
    removed = lwc("check", "remove", "1").ok()
    assert (removed["removed"], removed["check"]["id"]) == (True, 1)
    assert lwc("check", "list").ok()["total"] == 0


@pytest.mark.usefixtures("lock")
def test_paraphrase_and_page_are_repeated(lwc: Lwc) -> None:
    check = lwc(*ADD, "--paraphrase", "mutex").ok()["check"]
    assert (check["paraphrases"], check["top"]) == (["one writer", "mutex"], 5)
    lwc("check", "add", "door", "--query", "doors")
    ran = lwc("check", "run", "--page", "lock", "--page", "door").ok()
    assert sorted(one["page"] for one in ran["checks"]) == ["door", "lock"]


@pytest.mark.parametrize(
    "argv, code, status",
    [
        pytest.param(("check", "remove", "0"), "usage_error", 2, id="no id"),
        pytest.param(("check", "remove", "99"), "check_not_found", 3, id="no check"),
        pytest.param((*ADD, "--top", str(TOP_MOST + 1)), "invalid_limit", 6, id="too many"),
        pytest.param((*ADD, "--paraphrase", " "), "invalid_input", 6, id="a blank paraphrase"),
        pytest.param(
            (*ADD, "--paraphrase", "May writes!"), "check_invalid", 6, id="the same words"
        ),
        pytest.param(("check", "add", "lock"), "usage_error", 2, id="no query"),
        pytest.param(("check", "run", "--page", "gone"), "page_not_found", 3, id="no page"),
        pytest.param(("check", "run", "--scope", "all"), "scope_not_supported", 2, id="two wikis"),
    ],
)
@pytest.mark.usefixtures("lock")
def test_what_cannot_be_is_refused(lwc: Lwc, argv: tuple[str, ...], code: str, status: int) -> None:
    refused = lwc(*argv)
    assert (refused.error["code"], refused.status) == (code, status)


@pytest.mark.usefixtures("lock")
def test_a_person_reads_what_stands_in_the_place_of_the_page(lwc: Lwc) -> None:
    lwc(*ADD, "--top", "1")
    lwc("check", "add", "door", "--query", "doors")
    assert lwc("check", "list", "--output", "text").out.splitlines() == [
        "checks",
        "  never run  2  door  top 5",
        '    "doors"',
        "  never run  1  lock  top 1",
        '    "who may write"',
        '    "one writer"',
        "total  2",
    ]
    assert lwc("check", "run", "--output", "text").out.splitlines() == [
        "failed  1  lock  top 1",
        '  "who may write"  not found',
        "    found: 1 door",
        '  "one writer"  place 1',
        "held  2  door  top 5",
        '  "doors"  place 1',
        "1 of 2 checks hold",
    ]
    lwc("page", "put", "lock", "--title", "T", "--file", "-", stdin="Who may write.\n")
    shown = lwc("page", "show", "lock", "--output", "text").out
    assert "failed  1  lock  top 1" in shown
    assert "the page was written since" in shown
    assert "1 of 2 checks hold; more with --offset 1" in (
        lwc("check", "run", "--limit", "1", "--output", "text").out
    )


@pytest.mark.usefixtures("lock")
def test_a_person_is_told_that_there_is_nothing_to_run(lwc: Lwc) -> None:
    assert lwc("check", "run", "--output", "text").out == "There is no check to run.\n"
    lwc("check", "add", "lock", "--query", "zeppelin")
    assert "    nothing is found\n" in lwc("check", "run", "--output", "text").out


def test_no_query_and_no_title_drives_the_terminal(lwc: Lwc, wiki: Wiki) -> None:
    put(wiki, "lock", "A lock.\n", title="[red]The lock[/red]")
    lwc("check", "add", "lock", "--query", "lo\u202eck [bold]milk", "--paraphrase", "lock")
    for argv in (["check", "list"], ["check", "run"], ["page", "show", "lock"]):
        shown = lwc(*argv, "--output", "text").out
        assert "\u202e" not in shown
        assert "[bold]milk" in shown
