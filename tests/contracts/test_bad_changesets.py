"""Bad inputs about changesets, by the ids under which they were collected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lwc = Callable[..., Any]
PAGES = 50


@pytest.fixture
def done(lwc: Lwc) -> Lwc:
    """Runs a command that must succeed; its answer."""

    def run(*argv: str, stdin: str = "") -> Any:
        ran = lwc(*argv, stdin=stdin)
        assert ran.status == 0, ran.err
        return json.loads(ran.out)

    return run


def put_many(texts: dict[str, str]) -> str:
    lines = ({"slug": slug, "title": slug, "body": body} for slug, body in texts.items())
    return "\n".join(json.dumps(line) for line in lines)


def test_b117_an_empty_draft_is_not_published(lwc: Lwc, done: Lwc) -> None:
    done("changeset", "draft", "spring")
    refused = lwc("changeset", "publish", "spring")
    assert (refused.status, refused.error["code"]) == (4, "changeset_empty")


def test_b118_one_page_of_fifty_that_changed_live_keeps_all_fifty_back(lwc: Lwc, done: Lwc) -> None:
    before = {f"page-{number:02}": "Before.\n" for number in range(PAGES)}
    done("page", "put-many", "-", stdin=put_many(before))
    done("changeset", "draft", "spring")
    staged = dict.fromkeys(before, "Staged.\n")
    done("page", "put-many", "-", "--changeset", "spring", stdin=put_many(staged))
    done("page", "put", "page-17", "--title", "page-17", "--file", "-", stdin="Live.\n")
    refused = lwc("changeset", "publish", "spring")
    assert (refused.status, refused.error["code"]) == (4, "changeset_conflict")
    (conflict,) = refused.error["details"]["conflicts"]
    assert (conflict["entity"], conflict["identifier"]) == ("page", "page-17")
    assert (conflict["base_revision"], conflict["live_revision"]) == (1, 2)
    assert conflict["changed_by"]
    assert conflict["changed_at"]
    shown = {slug: done("page", "show", slug)["page"]["body"] for slug in before}
    assert shown == {**before, "page-17": "Live.\n"}
    # The draft is as usable as before.
    rebased = done("changeset", "rebase", "spring")
    assert [one["identifier"] for one in rebased["conflicts"]] == ["page-17"]
    done("changeset", "drop", "spring", "--slug", "page-17")
    assert done("changeset", "publish", "spring")["entities_total"] == PAGES - 1


@pytest.mark.parametrize("end", ["publish", "discard"])
def test_b119_what_has_ended_is_not_published_again(lwc: Lwc, done: Lwc, end: str) -> None:
    done("changeset", "draft", "spring")
    staged = ("page", "put", "page", "--title", "T", "--file", "-", "--changeset", "spring")
    done(*staged, stdin="Staged.\n")
    done("changeset", end, "spring")
    refused = lwc("changeset", "publish", "spring")
    assert (refused.status, refused.error["code"]) == (4, "bad_state")
    assert done("log", "--action", "changeset_commit")["total"] == (end == "publish")


def test_b123_a_rollback_after_a_later_edit_changes_nothing(lwc: Lwc, done: Lwc) -> None:
    put = ("page", "put", "page", "--title", "T", "--file", "-")
    done(*put, stdin="Before.\n")
    done("changeset", "draft", "spring")
    done(*put, "--changeset", "spring", stdin="Staged.\n")
    published = done("changeset", "publish", "spring")
    later = done(*put, stdin="Later.\n")
    refused = lwc("changeset", "rollback", published["changeset_id"])
    assert (refused.status, refused.error["code"]) == (4, "changeset_rollback_conflict")
    assert refused.error["details"]["conflicts"][0]["identifier"] == "page"
    shown = done("page", "show", "page")["page"]
    assert (shown["body"], shown["revision"]) == ("Later.\n", later["page"]["revision"])


def test_a_removed_source_comes_back_with_the_history_of_its_job(done: Lwc, project: Path) -> None:
    (project / "notes.md").write_text("Some notes.\n")
    number = str(done("source", "add", "notes.md")["source"]["id"])
    held = ("--agent", "ada")
    done("ingest", "claim", number, *held)
    done("ingest", "analyze", number, *held, "--file", "-", stdin="About notes.\n")
    done("ingest", "fail", number, *held, "--message", "Not now.")
    before = done("ingest", "show", number)
    done("changeset", "draft", "spring")
    done("source", "remove", number, "--changeset", "spring")
    published = done("changeset", "publish", "spring")
    done("changeset", "rollback", published["changeset_id"])
    assert done("ingest", "show", number) == before
    assert done("doctor")["sound"]
