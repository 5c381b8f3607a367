"""The page commands as an agent types them: their answers, their refusals, and that those change
nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from conftest import Result
from page_makers import QUOTE, TEXT, cited, rows

from lwc.wiki import open_wiki

Lwc = Callable[..., Result]

PUT = ("page", "put")
TITLED = ("--title", "T", "--file", "-")


@pytest.fixture
def source(lwc: Lwc, project: Path) -> int:
    (project / "notes.md").write_text(TEXT, encoding="utf-8")
    return int(lwc("source", "add", "notes.md").ok()["source"]["id"])


def state(project: Path) -> dict[str, list[tuple[Any, ...]]]:
    with open_wiki(project) as wiki:
        return rows(wiki)


def test_a_page_is_put_shown_and_listed(lwc: Lwc, source: int) -> None:
    done = lwc(
        *PUT,
        "locks",
        "--title",
        "Locks",
        "--kind",
        "entity",
        "--summary",
        "On locks.",
        "--source",
        str(source),
        "--provenance",
        "hypothesis",
        "--provenance",
        "user-provided",
        "--file",
        "-",
        stdin=cited(source),
    ).ok()
    assert (done["created"], done["changed"]) == (True, True)
    assert {"engine", "status"} <= set(done["graph"])
    page = done["page"]
    assert page["provenance"] == ["source-grounded", "user-provided", "hypothesis"]
    assert (page["kind"], page["source_ids"], page["revision"]) == ("entity", [source], 1)
    assert "body" not in page
    (citation,) = done["citations"]
    told = {"source_id", "label", "quote", "state", "start", "end", "score", "found"}
    assert told <= set(citation)
    assert (citation["state"], citation["label"]) == ("exact", "c1")
    shown = lwc("page", "show", "Locks").ok()
    assert shown["page"]["body"] == cited(source)
    assert shown["citations"] == done["citations"]
    listed = lwc("page", "list", "--kind", "entity", "--source", str(source)).ok()
    assert [one["slug"] for one in listed["pages"]] == ["locks"]
    assert (listed["limit"], listed["offset"], listed["has_more"]) == (100, 0, False)


def test_a_page_goes_through_its_whole_life(lwc: Lwc, project: Path, source: int) -> None:
    lwc(*PUT, "old", *TITLED, stdin=cited(source)).ok()
    lwc(*PUT, "reader", *TITLED, stdin="See [[old]].\n").ok()
    (project / "edits.json").write_text('[{"old": "The store", "new": "SQLite"}]')
    patched = lwc("page", "patch", "old", "--file", "edits.json", "--if-revision", "1").ok()
    assert patched["page"]["revision"] == 2
    assert "-The store keeps" in lwc("page", "diff", "old").ok()["diff"]
    confirmed = lwc("page", "confirm", "old", "--source", str(source)).ok()
    assert confirmed["page"]["revision"] == 2
    renamed = lwc("page", "rename", "old", "new").ok()
    assert [one["slug"] for one in renamed["relinked"]] == ["reader"]
    assert lwc("page", "links", "old").ok()["backlinks"] == ["reader"]
    assert lwc("page", "remove", "reader").ok()["removed"] is True
    gone = lwc("page", "remove", "new").ok()
    restored = lwc(
        "page", "restore", "new", "--revision", str(gone["restore_revision"]), "--if-revision", "0"
    ).ok()
    assert (restored["created"], restored["page"]["revision"]) == (True, 5)
    history = lwc("page", "history", "new").ok()["revisions"]
    assert [one["action"] for one in history] == ["restore", "remove", "rename", "patch", "put"]


def test_pages_of_a_file_are_put(lwc: Lwc) -> None:
    text = "".join(
        json.dumps({"slug": slug, "title": slug, "body": f"About {slug}.\n"}) + "\n"
        for slug in ("a", "b")
    )
    done = lwc("page", "put-many", "-", stdin=text).ok()
    assert (done["created"], [one["slug"] for one in done["pages"]]) == (2, ["a", "b"])


@pytest.mark.parametrize(
    "argv, stdin, code, reason, status",
    [
        pytest.param(
            ("p", "--title", "T", "--file", "-"), "", "invalid_input", "empty_body", 6, id="B035"
        ),
        pytest.param(
            ("page", *TITLED, "--if-revision", "3"),
            "New.\n",
            "page_revision_conflict",
            "page_revision_conflict",
            4,
            id="B039",
        ),
        pytest.param(
            ("../../etc/cron", *TITLED), "x", "invalid_slug", "invalid_slug", 6, id="B044"
        ),
        pytest.param(("abc\n", *TITLED), "x", "invalid_slug", "invalid_slug", 6, id="B047"),
        pytest.param(("Page", *TITLED), "x", "slug_collision", "slug_collision", 4, id="B048"),
        *(
            pytest.param(
                (name, *TITLED), "x", "slug_reserved", "slug_reserved", 6, id=f"B051 {name}"
            )
            for name in ("con", "nul", "aux", "com1", "lpt9", "NUL.md")
        ),
        pytest.param(
            ("page", *TITLED, "--source", "999999"),
            "x",
            "source_not_found",
            "source_not_found",
            3,
            id="B064",
        ),
        *(
            pytest.param(
                ("page", *TITLED, f"--source={text}"),
                "x",
                "usage_error",
                "not_a_number",
                2,
                id=name,
            )
            for name, text in {
                "B065 zero": "0",
                "B065 negative": "-1",
                "B065 fraction": "1.0",
                "B065 exponent": "1e3",
                "B065 other digits": "٣",
                "B065 space": " 1",
                "B065 underscore": "1_0",
                "B066": "99999999999999999999",
            }.items()
        ),
        *(
            pytest.param(
                ("page", *TITLED),
                f'x[^a]\n\n[^a]: source:1#{span} "words"\n',
                "invalid_span",
                "invalid_span",
                6,
                id=f"B069 {name}",
            )
            for name, span in {"turned": "9-3", "negative": "-5-9", "empty": "4-4"}.items()
        ),
        pytest.param(
            ("page", "--title", "\x1b]0;x\x07", "--file", "-"),
            "x",
            "invalid_input",
            "unsafe_characters",
            6,
            id="B041 title",
        ),
        pytest.param(
            ("page", *TITLED, "--kind", "sources"),
            "x",
            "invalid_kind",
            "invalid_kind",
            6,
            id="kind",
        ),
        pytest.param(
            ("page", *TITLED, "--provenance", "guess"),
            "x",
            "invalid_provenance",
            "invalid_provenance",
            6,
            id="provenance",
        ),
        pytest.param(("page", "--file", "-"), "x", "usage_error", "usage_error", 2, id="no title"),
        pytest.param(
            ("page", *TITLED, "--if-revision", "two"),
            "x",
            "usage_error",
            "not_a_revision",
            2,
            id="word",
        ),
        pytest.param(
            ("page", *TITLED, "--if-wiki-revision", "1"),
            "x",
            "stale_revision",
            "stale_revision",
            4,
            id="the wiki moved on",
        ),
    ],
)
def test_a_refused_put_says_why_and_changes_nothing(
    lwc: Lwc,
    project: Path,
    source: int,
    argv: tuple[str, ...],
    stdin: str,
    code: str,
    reason: str,
    status: int,
) -> None:
    lwc(*PUT, "page", *TITLED, stdin="Old.\n").ok()
    before = state(project)
    done = lwc(*PUT, *argv, stdin=stdin)
    assert (done.error["code"], done.error["reason"]) == (code, reason)
    assert done.status == status
    assert done.error["hint"]
    assert state(project) == before


def test_a_conflict_tells_the_current_revision_and_who_made_it(lwc: Lwc) -> None:
    for number in range(4):
        lwc(*PUT, "p", *TITLED, "--agent", "ann", stdin=f"Text {number}.\n").ok()
    error = lwc(*PUT, "p", *TITLED, "--if-revision", "3", stdin="x").error
    assert error["details"]["expected"] == 3
    assert error["details"]["current"] == 4
    assert error["details"]["changed_by"] == "ann"
    assert error["details"]["changed_at"].endswith("Z")


@pytest.mark.parametrize("text", ["\x1b]0;title\x07", "\x9b31m", "\u202eevil"])
def test_a_body_never_drives_a_terminal(lwc: Lwc, text: str) -> None:
    lwc(*PUT, "p", *TITLED, stdin=f"See {text} here.\n").ok()
    for form in ("json", "text"):
        shown = lwc("page", "show", "p", "--output", form)
        assert shown.status == 0
        assert text[0] not in shown.out
    assert lwc("page", "show", "p").json["page"]["body"] == f"See {text} here.\n"


def test_a_page_in_use_is_not_removed_and_those_that_use_it_are_told(
    lwc: Lwc, project: Path
) -> None:
    lwc(*PUT, "used", *TITLED, stdin="I am [[used]].\n").ok()
    lwc(*PUT, "user", *TITLED, stdin="See [[used]].\n").ok()
    before = state(project)
    done = lwc("page", "remove", "used")
    assert (done.error["code"], done.error["reason"], done.status) == (
        "page_in_use",
        "inbound_links",
        4,
    )
    assert done.error["details"]["pages"] == ["user"]
    assert state(project) == before


def test_a_name_is_one_however_it_is_composed(lwc: Lwc) -> None:
    lwc(*PUT, "caf\u00e9", *TITLED, stdin="One.\n").ok()
    assert lwc(*PUT, "cafe\u0301", *TITLED, stdin="Two.\n").ok()["created"] is False
    assert lwc("page", "list").ok()["total"] == 1


def test_a_link_to_no_page_is_put_and_told_as_missing(lwc: Lwc) -> None:
    lwc(*PUT, "p", *TITLED, stdin="One.\n\nSee [[missing-page]].\n").ok()
    shown = lwc("page", "links", "p").ok()
    assert shown["missing"] == ["missing-page"]
    assert shown["places"] == [{"line": 3, "slug": None, "target": "missing-page"}]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("[[../secret]] and [[javascript:alert(1)]]", id="B058"),
        pytest.param("```\n[[a]]\n```\n\n`[[b]]` <!-- [[c]] -->\n\n<!-- [[d]] -->", id="B061"),
    ],
)
def test_what_is_no_link_is_not_one(lwc: Lwc, body: str) -> None:
    assert lwc(*PUT, "p", *TITLED, stdin=f"Text.\n\n{body}\n").ok()["page"]["links"] == []


def test_many_open_brackets_cost_no_more_than_many_words(lwc: Lwc) -> None:
    def cost(body: str) -> float:
        start = process_time()
        lwc(*PUT, "p", *TITLED, stdin=body).ok()
        return process_time() - start

    def least(text: str) -> float:
        return min(cost(f"{number} {text}") for number in range(3))

    lwc(*PUT, "p", *TITLED, stdin="warm\n").ok()
    # What grows with the square of them costs some hundred times as much.
    assert least("[[" * 100_000) < 10 * least("ab " * 100_000)


def test_an_altered_quote_is_accepted_and_told(lwc: Lwc, source: int) -> None:
    body = cited(source, QUOTE.replace("one writer", "no writer"))
    (citation,) = lwc(*PUT, "p", *TITLED, stdin=body).ok()["citations"]
    assert citation["state"] == "missing"
    assert "one writer can hold" in " ".join(citation["found"].split())
    assert citation["score"] < 100


def test_a_range_past_the_end_is_a_finding(lwc: Lwc, source: int) -> None:
    body = f'x[^a]\n\n[^a]: source:{source}#1000-2000 "{QUOTE}"\n'
    (citation,) = lwc(*PUT, "p", *TITLED, stdin=body).ok()["citations"]
    assert (citation["state"], citation["range_wrong"]) == ("exact", True)


def test_a_request_is_done_once(lwc: Lwc) -> None:
    first = lwc(*PUT, "p", *TITLED, "--request-id", "r1", stdin="One.\n").ok()
    lwc(*PUT, "p", *TITLED, stdin="Two.\n").ok()
    again = lwc(*PUT, "p", *TITLED, "--request-id", "r1", stdin="One.\n").ok()
    assert again == {**first, "replayed": True}
    other = lwc(*PUT, "p", *TITLED, "--request-id", "r1", stdin="Three.\n")
    assert (other.error["code"], other.status) == ("request_id_reused", 4)
    assert lwc("page", "show", "p").ok()["page"]["body"] == "Two.\n"


@pytest.mark.parametrize(
    "argv, code, status",
    [
        pytest.param(("show", "none"), "page_not_found", 3, id="show"),
        pytest.param(("show", "../x"), "invalid_slug", 6, id="show a path"),
        pytest.param(("show", "p", "--revision", "9"), "revision_not_found", 3, id="revision"),
        pytest.param(("links", "none"), "page_not_found", 3, id="links"),
        pytest.param(("history", "none"), "page_not_found", 3, id="history"),
        pytest.param(("diff", "p", "--from", "8"), "revision_not_found", 3, id="diff"),
        pytest.param(("diff", "p", "--max-chars", "0"), "invalid_limit", 6, id="no characters"),
        pytest.param(("list", "--limit", "0"), "invalid_limit", 6, id="limit 0"),
        pytest.param(("list", "--limit", "1001"), "invalid_limit", 6, id="limit 1001"),
        pytest.param(("list", "--updated-since", "lately"), "invalid_input", 6, id="time"),
        pytest.param(("remove", "none"), "page_not_found", 3, id="remove"),
        pytest.param(("rename", "p", "a/b"), "invalid_slug", 6, id="rename to a path"),
        pytest.param(("restore", "p"), "usage_error", 2, id="restore nothing"),
        pytest.param(("restore", "p", "--revision", "7"), "revision_not_found", 3, id="restore"),
        pytest.param(("confirm", "p", "--source", "1"), "source_not_found", 3, id="no source"),
        pytest.param(("patch", "p", "--file", "none.json"), "io_error", 3, id="no file"),
    ],
)
def test_a_refusal_has_its_code_and_status(
    lwc: Lwc, project: Path, argv: tuple[str, ...], code: str, status: int
) -> None:
    lwc(*PUT, "p", *TITLED, stdin="One.\n").ok()
    before = state(project)
    done = lwc("page", *argv)
    assert (done.error["code"], done.status) == (code, status)
    assert state(project) == before


@pytest.mark.parametrize(
    "argv",
    [("show", "p"), ("list",), ("links", "p"), ("history", "p"), ("diff", "p")],
    ids=lambda argv: argv[0],
)
def test_every_answer_has_a_form_for_people(lwc: Lwc, argv: tuple[str, ...]) -> None:
    lwc(*PUT, "p", *TITLED, stdin="See [[q]].\n").ok()
    shown = lwc("page", *argv, "--output", "text")
    assert shown.status == 0
    assert not shown.out.startswith("{")
