"""A long source is read whole before its job is completed, by the commands that answers name."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from conftest import Result

SENTENCES = "".join(f"Rule {n}: only one writer holds lock number {n}.\n" for n in range(400))


def test_a_job_is_not_completed_while_a_character_was_not_handed_over(
    project: Path, lwc: Callable[..., Result]
) -> None:
    (project / "rules.md").write_text(SENTENCES)
    lwc("source", "add", "rules.md").ok()
    packet = lwc("ingest", "next", "--source-max-chars", "5000").ok()
    token = packet["job"]["claim"]["token"]
    read = packet["job"]["source"]["content"]
    assert packet["job"]["source_window"]["has_more"] is True

    (project / "analysis.md").write_text("Locks have one writer each.\n")
    lwc("ingest", "analyze", "1", "--file", "analysis.md", "--token", token).ok()
    (project / "rules-page.md").write_text(
        "Each lock has one writer.[^c1]\n\n"
        '[^c1]: source:1 "only one writer holds lock number 399"\n'
    )
    put = ("--source", "1", "--file", "rules-page.md")
    lwc("page", "put", "rules", "--title", "Rules", "--kind", "source", *put).ok()
    lwc("page", "put", "locks", "--title", "Locks", *put).ok()

    refused = lwc("ingest", "complete", "1", "--token", token)
    assert (refused.status, refused.error["code"]) == (5, "source_not_fully_read")
    assert refused.error["details"]["missing"] == [{"start": 5000, "end": len(SENTENCES)}]
    assert [gate["gate"] for gate in refused.error["details"]["gates"]] == ["covered"]
    following = refused.error["details"]["next"]

    checked = lwc("ingest", "complete", "1", "--check", "--token", token).ok()
    assert checked["ready"] is False

    while following:
        _, *argv = shlex.split(following)
        answer = lwc(*argv, "--max-chars", "5000").ok()
        read += answer["source"]["content"]
        following = answer["next"]
    assert read == SENTENCES

    shown = lwc("ingest", "show", "1").ok()
    assert shown["reading"]["share"] == 1.0
    assert shown["reading"]["missing"] == []
    done = lwc("ingest", "complete", "1", "--token", token).ok()
    assert done["job"]["status"] == "completed"
    assert done["integration"]["source_summary_pages"] == 1
    assert done["integration"]["derived_pages"] == 1


def test_a_part_that_is_left_out_needs_a_reason(project: Path, lwc: Callable[..., Result]) -> None:
    (project / "rules.md").write_text(SENTENCES)
    lwc("source", "add", "rules.md").ok()
    lwc("ingest", "next", "--source-max-chars", "100").ok()
    lwc("ingest", "read", "1", "--offset-chars", "200", "--max-chars", "100").ok()
    (project / "text.md").write_text("Locks have one writer each.\n")
    lwc("ingest", "analyze", "1", "--file", "text.md").ok()
    put = ("--source", "1", "--file", "text.md")
    lwc("page", "put", "rules", "--title", "Rules", "--kind", "source", *put).ok()
    complete = ("ingest", "complete", "1", "--no-derived-pages-reason", "A list of rules.")

    error = lwc(*complete).error
    assert error["details"]["missing"] == [
        {"start": 100, "end": 200},
        {"start": 300, "end": len(SENTENCES)},
    ]
    assert lwc(*complete, "--unread-reason", " ").error["code"] == "invalid_input"
    done = lwc(*complete, "--unread-reason", "Four hundred like the first.").ok()
    assert done["job"]["unread_reason"] == "Four hundred like the first."
    assert done["job"]["no_derived_pages_reason"] == "A list of rules."
