from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from storefiles import closed_store

Lwc = Callable[..., Any]


def altered(project: Path, statement: str) -> None:
    """Another program writes to the closed database."""
    with closed_store(), closing(sqlite3.connect(project / ".lwc" / "wiki.db")) as conn:
        conn.execute(statement)
        conn.commit()


@pytest.fixture
def linked(lwc: Lwc, project: Path) -> Path:
    """A wiki with a page that has lost a link."""
    lwc("page", "put", "locks", "--title", "Locks", "--file", "-", stdin="See [[waiting]].\n").ok()
    altered(project, "DELETE FROM links")
    return project


def test_a_sound_wiki_is_told_in_a_sentence(lwc: Lwc) -> None:
    assert lwc("doctor").ok()["sound"] is True
    assert "The wiki is sound." in lwc("doctor", "--output", "text").out


def test_findings_are_an_answer(lwc: Lwc, linked: Path) -> None:
    found = lwc("doctor").ok()
    assert found["counts"] == {"page_links_stale": 1}
    assert found["findings"][0]["hint"] == "Have it made anew: `lwc doctor --repair`."


def test_a_finding_is_shown_with_its_place_and_what_helps(lwc: Lwc, linked: Path) -> None:
    shown = lwc("doctor", "--output", "text").out
    assert shown.splitlines()[:3] == [
        "warning  page_links_stale  page locks",
        "  The links kept for page locks are not those in its text.",
        "  Have it made anew: `lwc doctor --repair`.",
    ]


def test_what_was_mended_is_shown(lwc: Lwc, linked: Path) -> None:
    shown = lwc("doctor", "--repair", "--output", "text").out
    assert shown.splitlines()[:2] == ["1 made anew", "The wiki is sound."]
    assert lwc("page", "links", "locks").ok()["outgoing"]


def test_an_error_says_that_the_wiki_is_not_sound(lwc: Lwc, linked: Path) -> None:
    altered(linked, "UPDATE pages SET title = 'Lochs'")
    shown = lwc("doctor", "--output", "text").out
    assert "The wiki is not sound." in shown
    only = lwc("doctor", "--severity", "warning").ok()
    assert {one["severity"] for one in only["findings"]} == {"warning"}
    assert only["sound"] is False


def test_an_older_wiki_is_not_migrated_for_it(lwc: Lwc, project: Path) -> None:
    altered(project, "PRAGMA user_version = 1")
    for words in (("doctor",), ("doctor", "--repair")):
        refused = lwc(*words)
        assert (refused.error["code"], refused.status) == ("migration_required", 4)
    assert not (project / ".lwc" / "checkpoints").exists()


def test_a_draft_is_examined_with_the_wiki_it_is_of(lwc: Lwc) -> None:
    lwc("changeset", "draft", "up").ok()
    assert lwc("doctor", "--changeset", "up").error["code"] == "changeset_command_unsupported"
