from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lwc = Callable[..., Any]


@pytest.fixture
def added(project: Path, lwc: Lwc) -> str:
    """Source 1, of which page `alpha` cites the beginning."""
    text = "Only one writer can hold the lock at any moment. " * 4
    (project / "a.md").write_text(text)
    lwc("source", "add", "a.md", "--title", "Locks").ok()
    quote = 'source:1#0-48 "Only one writer can hold the lock at any moment."'
    body = f"One at a time.[^a]\n\n[^a]: {quote}\n"
    lwc("page", "put", "alpha", "--title", "Alpha", "--file", "-", stdin=body).ok()
    return text


def test_a_source_is_shown_by_windows(lwc: Lwc, added: str) -> None:
    seen, offset = "", 0
    while offset is not None:
        answer = lwc("source", "show", "1", "--offset-chars", str(offset), "--max-chars", "50").ok()
        seen += answer["source"]["content"]
        offset = answer["window"]["next_offset_chars"]
    assert seen == added
    assert set(answer["source"]) >= {
        "id",
        "title",
        "origin",
        "content_hash",
        "content",
        "created_at",
    }
    assert set(answer["window"]) == {
        "offset_chars",
        "returned_chars",
        "total_chars",
        "next_offset_chars",
        "has_more",
    }


@pytest.mark.parametrize(
    "argv, status, code",
    [
        (("show", "1", "--max-chars", "0"), 6, "invalid_limit"),
        (("show", "1", "--max-chars", "-1"), 6, "invalid_limit"),
        (("show", "1", "--max-chars", "99999999999"), 6, "invalid_limit"),
        (("show", "1", "--max-chars", "many"), 2, "usage_error"),
        (("show", "1", "--offset-chars", "197"), 6, "invalid_offset"),
        (("show", "1", "--offset-chars", "-1"), 6, "invalid_offset"),
        (("show", "2"), 3, "source_not_found"),
        (("show",), 2, "usage_error"),
        (("list", "--limit", "0"), 6, "invalid_limit"),
        (("list", "--limit", "1001"), 6, "invalid_limit"),
        (("refs", "2"), 3, "source_not_found"),
        (("refs", "1", "--limit", "0"), 6, "invalid_limit"),
        (("coverage", "2"), 3, "source_not_found"),
        (("coverage", "1", "--format", "pdf"), 2, "usage_error"),
        (("remove", "1"), 4, "source_in_use"),
        (("add", "a.md", "--request-id", "two words"), 6, "invalid_input"),
        (("add", "a.md", "--if-revision", "1"), 4, "stale_revision"),
        (("add", "a.md", "--scope", "all"), 2, "scope_not_supported"),
        (("add", "a.md", "--changeset", "../../x"), 6, "changeset_name_invalid"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_refused(
    lwc: Lwc, added: str, argv: tuple[str, ...], status: int, code: str
) -> None:
    refused = lwc("source", *argv)
    assert (refused.status, refused.error["code"]) == (status, code)


def test_the_list_tells_how_much_there_is(project: Path, lwc: Lwc, added: str) -> None:
    (project / "b.md").write_text("größer")
    lwc("source", "add", "b.md").ok()
    answer = lwc("source", "list", "--limit", "1", "--offset", "1").ok()
    (source,) = answer["sources"]
    assert (source["id"], source["title"], source["bytes"]) == (2, "b.md", 8)
    assert {key: answer[key] for key in ("limit", "offset", "total", "has_more")} == {
        "limit": 1,
        "offset": 1,
        "total": 2,
        "has_more": False,
    }


def test_refs_tell_who_cites(lwc: Lwc, added: str) -> None:
    answer = lwc("source", "refs", "1").ok()
    (page,) = answer["pages"]
    assert (page["slug"], page["title"], page["provenance"]) == (
        "alpha",
        "Alpha",
        ["source-grounded"],
    )
    (quote,) = page["citations"]
    assert (quote["label"], quote["state"], quote["start"], quote["end"]) == ("a", "exact", 0, 48)


def test_coverage_is_told_in_three_forms(lwc: Lwc, added: str) -> None:
    answer = lwc("source", "coverage", "1").ok()
    assert answer["cited"]["ranges"] == [{"start": 0, "end": 48}]
    assert lwc("source", "coverage", "1", "--format", "json").ok() == answer
    text = lwc("source", "coverage", "1", "--format", "text")
    assert text.out.startswith("Source 1: Locks\n")
    assert lwc("source", "coverage", "1", "--output", "text").out == text.out
    html = lwc("source", "coverage", "1", "--format", "html")
    assert html.out.startswith('<section class="lwc-coverage">')
    forced = lwc("source", "coverage", "1", "--output", "text", "--format", "json")
    assert json.loads(forced.out) == answer


def test_a_window_shown_to_the_holder_counts_as_read(lwc: Lwc, added: str) -> None:
    claimed = lwc("ingest", "claim", "1", "--agent", "reader", "--source-max-chars", "10").ok()
    token = claimed["job"]["claim"]["token"]
    show = ("source", "show", "1", "--offset-chars", "10", "--max-chars", "10")
    assert lwc(*show).ok()["recorded"] is False
    assert lwc(*show, "--agent", "reader").ok()["recorded"] is True
    other = ("source", "show", "1", "--offset-chars", "20", "--max-chars", "10")
    assert lwc(*other, "--token", token).ok()["recorded"] is True
    assert lwc("source", "coverage", "1").ok()["delivered"]["ranges"] == [{"start": 0, "end": 30}]


def test_sources_are_readable_at_a_terminal(lwc: Lwc, added: str) -> None:
    listed = lwc("source", "list", "--output", "text")
    assert listed.status == 0
    assert "Locks" in listed.out
    shown = lwc("source", "show", "1", "--output", "text")
    assert "Only one writer" in shown.out


def test_a_name_that_is_not_utf_8_is_refused_in_words(lwc: Lwc) -> None:
    refused = lwc("source", "add", "bad\udcff.md")
    assert (refused.status, refused.error["code"]) == (6, "invalid_source_path")


def test_reading_sources_imports_nothing_that_only_writing_needs() -> None:
    heavy = ("markdown_it", "rapidfuzz", "alembic", "lwc.services.source_writes")
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, lwc.cli.source;"
            f"print([name for name in {heavy!r} if name in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == "[]"
